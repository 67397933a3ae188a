// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/space/processor.hpp>

#include <cstdio>

#include <tandem/core/errors.hpp>

namespace tandem {

std::string processor::text() const {
  char size[32];
  std::snprintf(size, sizeof size, "%.1f GiB", static_cast<double>(memory) / (1 << 30));
  return detail::message({space, " ", number, ": ", name, ", ", units, " ", unit, ", ", size});
}

}  // namespace tandem
