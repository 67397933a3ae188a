// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/random/kernels/table.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;
using tandem::random_problem;
using tandem::openmp_impl::random_kernel;
using tandem::openmp_impl::random_kernels;
using tandem::openmp_impl::random_tile;
using tandem::openmp_impl::random_tile_buffer;
using tandem::openmp_impl::usable_kernels;

namespace {

/// Writes the `count` elements from the start of tile 3 with one kernel.
template <class Sampler>
struct drawn {
  using T = typename Sampler::value_type;
  static constexpr index_t begin = 3 * random_tile<Sampler>;

  drawn(const random_kernel<Sampler>& kernel, const Sampler& sampler, index_t count)
      : values(static_cast<std::size_t>(begin + count), T{}) {
    const random_problem<Sampler> line{
        .sampler = sampler, .seed = 42, .size = begin + count, .to = values.data()};
    random_tile_buffer buffer;
    draws_again = kernel.fill(line, begin, begin + count, buffer);
  }

  std::vector<T> values;
  bool draws_again = false;
};

/// Whether the kernels of all instruction sets write the same tile and report the same rejections.
template <class Sampler>
void check_sampler(const Sampler& sampler) {
  for (const index_t count :
       {index_t{1}, index_t{7}, index_t{8}, random_tile<Sampler> - 1, random_tile<Sampler>}) {
    INFO("count = " << count);
    const drawn<Sampler> wanted(random_kernels::baseline, sampler, count);
    for (const random_kernels* const kernels : usable_kernels<random_kernels>()) {
      const drawn<Sampler> got(*kernels, sampler, count);
      CHECK(first_difference(got.values, wanted.values) == -1);
      CHECK(got.draws_again == wanted.draws_again);
    }
  }
}

}  // namespace

TEST_CASE("openmp random: every instruction set writes the same tile") {
  check_sampler(tandem::detail::bits_sampler<std::uint64_t>{});
  check_sampler(tandem::detail::uniform_sampler<float>{-1.0f, 3.0f, 1.9f});
  check_sampler(tandem::detail::normal_sampler<double>{0.5, 2.0});
  check_sampler(tandem::detail::exponential_sampler<float>{0.25f});
}

TEST_CASE("openmp random: every instruction set reports a tile with rejected words") {
  constexpr std::uint32_t count = 0x9000'0000;  // rejects 7 words of 16
  constexpr std::uint32_t unfair = 0u - count;
  using sampler = tandem::detail::integer_sampler<std::uint32_t>;
  const sampler often{0, count, unfair};
  const sampler never{5, 16, 0};
  check_sampler(often);
  check_sampler(never);
  CHECK(drawn<sampler>(random_kernels::baseline, often, 256).draws_again);
  CHECK(!drawn<sampler>(random_kernels::baseline, never, 256).draws_again);
}
