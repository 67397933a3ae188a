// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes pi from random points, with the same answer to the last bit on the CPU, with any number
// of threads, and on a GPU; the program compares it with the known answer. TANDEM_SPACE chooses
// where it runs.
#include <cstdint>
#include <cstdio>
#include <utility>

#include <tandem/tandem.hpp>

// Defined in kernels.cpp.
template <class Space>
std::pair<std::int64_t, double> sample_circle(const Space& space, std::int64_t n,
                                              std::uint64_t seed);

int main() {
  const tandem::any_space space;
  constexpr std::int64_t n = 1 << 20;
  const auto [hits, height] =
      space.visit([&](const auto& s) { return sample_circle(s, n, std::uint64_t{2026}); });
  std::printf("%s: %.6f by hits, %a by heights\n", space.name(), 4 * static_cast<double>(hits) / n,
              4 * height);
  return hits == 823915 && height == 0x1.92267f9ea4a6ap-1 ? 0 : 1;
}
