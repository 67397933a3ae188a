// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/space.hpp>

namespace tandem::detail {

void fail_space(const char* source, std::string_view name, const std::string& known) {
  throw argument_error(message({source, ": there is no space '", std::string(name),
                                "' in this program, which has ", known}));
}

}  // namespace tandem::detail
