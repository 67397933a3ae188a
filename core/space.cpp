// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/space.hpp>

#include <cstdio>

namespace tandem {

std::string processor::text() const {
  char size[32];
  std::snprintf(size, sizeof size, "%.1f GiB", static_cast<double>(memory) / (1 << 30));
  return detail::message({space, " ", number, ": ", name, ", ", units, " ", unit, ", ", size});
}

namespace detail {

void fail_space(const char* source, std::string_view name, const std::string& known) {
  if (name.data() == nullptr) {
    throw argument_error(message({source,
                                  ": the name is null, as from std::getenv of a variable "
                                  "that is not set; this program has ",
                                  known}));
  }
  throw argument_error(message({source, ": there is no space '", std::string(name),
                                "' in this program, which has ", known}));
}

}  // namespace detail

}  // namespace tandem
