// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdio>
#include <cstdlib>

namespace tandem::cuda_impl {

/// Whether TANDEM_EXPLAIN=1 is in the environment: each product then says on stderr what runs and
/// why.
inline bool explains_matmul() {
  const char* const wanted = std::getenv("TANDEM_EXPLAIN");
  return wanted != nullptr && wanted[0] == '1';
}

/// Says so of a problem for which nothing else is to be told than the kernel's name and the reason.
template <class T, class In>
void explain_matmul(const char* kernel, const matmul_problem<T, In>& p, const char* reason) {
  if (!explains_matmul()) return;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s for %lld of m %lld, n %lld, k %lld: %s\n", kernel,
               print(p.batch), print(p.m), print(p.n), print(p.k), reason);
}

}  // namespace tandem::cuda_impl
