// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>

namespace tandem::cuda_impl {

/// Whether TANDEM_EXPLAIN=1 is in the environment: each product then says on stderr what runs and
/// why.
inline bool explains_matmul() {
  const char* const wanted = std::getenv("TANDEM_EXPLAIN");
  return wanted != nullptr && wanted[0] == '1';
}

}  // namespace tandem::cuda_impl
