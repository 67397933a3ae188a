// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>

namespace tandem::detail {

/// Whether TANDEM_EXPLAIN=1 is in the environment: each matrix product then prints its plan to
/// stderr, on every backend. Read anew at each call, so that a program may turn it on and off.
inline bool explains_plans() {
  const char* const wanted = std::getenv("TANDEM_EXPLAIN");
  return wanted != nullptr && wanted[0] == '1';
}

}  // namespace tandem::detail
