// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a seeded loop and its sum with their kept hash, which every backend shares. It is built
// twice: with the flags that tandem exports, and contracted, which the hash must reveal.

#include <cstdio>

#include "support/golden.hpp"

namespace {

constexpr std::uint64_t kept = 0x222f070f666016dbu;

bool has_fused_multiply_add() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

}  // namespace

int main() {
  if (!has_fused_multiply_add()) return 77;
  const tandem::serial space;
  const auto x = tandem::test::random_values<float>(10000, 401);
  std::vector<float> y(x.size());
  tandem::transform(
      space, x, y, TANDEM_LAMBDA(float v) { return v * v + v; });
  const float sum = tandem::parallel_reduce(space, y);
  const std::uint64_t hash =
      tandem::test::combined(tandem::test::hash_of(y), tandem::test::bits_of(sum));
  std::printf("%016llx is %s\n", static_cast<unsigned long long>(hash),
              hash == kept ? "the kept hash" : "not the kept hash");
  return hash == kept ? 0 : 1;
}
