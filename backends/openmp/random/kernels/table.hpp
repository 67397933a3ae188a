// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/random/policy.hpp>
#include <tandem/core/contract/random_problem.hpp>

#include <cstdint>

/// The kernels that the file of each instruction set provides for random numbers.
namespace tandem::openmp_impl {

/// Elements of a tile.
template <class Sampler>
inline constexpr index_t random_tile = random_tile_words / Sampler::words;

/// The words of a tile: the kernel writes them, and redraws read them.
struct random_tile_buffer {
  alignas(64) std::uint32_t words[random_tile_words];
};

template <class Sampler>
struct random_kernel {
  /// Writes elements begin <= i < end, at most a tile, which starts at begin. Returns whether any
  /// must be redrawn.
  bool (*fill)(const random_problem<Sampler>& line, index_t begin, index_t end,
               random_tile_buffer& buffer);
};

struct random_kernels : random_kernel<detail::bits_sampler<std::uint32_t>>,
                        random_kernel<detail::bits_sampler<std::uint64_t>>,
                        random_kernel<detail::uniform_sampler<float>>,
                        random_kernel<detail::uniform_sampler<double>>,
                        random_kernel<detail::normal_sampler<float>>,
                        random_kernel<detail::normal_sampler<double>>,
                        random_kernel<detail::exponential_sampler<float>>,
                        random_kernel<detail::exponential_sampler<double>>,
                        random_kernel<detail::integer_sampler<std::int32_t>>,
                        random_kernel<detail::integer_sampler<std::uint32_t>>,
                        random_kernel<detail::integer_sampler<std::int64_t>>,
                        random_kernel<detail::integer_sampler<std::uint64_t>> {
  static const random_kernels baseline;
  static const random_kernels avx2;
  static const random_kernels avx512;
};

}  // namespace tandem::openmp_impl
