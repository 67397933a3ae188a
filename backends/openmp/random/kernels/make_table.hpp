// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/random/kernels/normals.hpp>
#include <tandem/backends/openmp/random/kernels/words.hpp>

/// Converts words to values, in loops that compilers vectorise. Everything has internal linkage, so
/// that the file of each instruction set keeps its own copy, and only calls functions of the core
/// that are always inlined.
namespace tandem::openmp_impl {
namespace {

template <class Sampler>
bool fill_random_tile(const random_problem<Sampler>& line, index_t begin, index_t end,
                      random_tile_buffer& buffer) {
  using T = typename Sampler::value_type;
  constexpr int each = Sampler::words;
  constexpr index_t block = random_problem<Sampler>::block;
  const auto count = static_cast<int>(end - begin);
  const index_t blocks = (end - begin + block - 1) / block;
  make_words(line.seed, line.first / block + static_cast<std::uint64_t>(begin / block), blocks,
             buffer.words);
  const Sampler sampler = line.sampler;
  const std::uint32_t* const words = buffer.words;
  T* const __restrict to = line.to + begin;
  for (int i = fill_vectors(sampler, words, count, to); i < count; ++i)
    to[i] = detail::take_value(sampler, words + each * i);
  std::uint32_t rejected = 0;
  if constexpr (detail::rejecting<Sampler>) {
    for (int i = 0; i < count; ++i)
      rejected |= detail::rejects_value(sampler, words + each * i) ? 1u : 0u;
  }
  return rejected != 0;
}

constexpr random_kernels make_random_kernels() {
  return {{fill_random_tile<detail::bits_sampler<std::uint32_t>>},
          {fill_random_tile<detail::bits_sampler<std::uint64_t>>},
          {fill_random_tile<detail::uniform_sampler<float>>},
          {fill_random_tile<detail::uniform_sampler<double>>},
          {fill_random_tile<detail::normal_sampler<float>>},
          {fill_random_tile<detail::normal_sampler<double>>},
          {fill_random_tile<detail::exponential_sampler<float>>},
          {fill_random_tile<detail::exponential_sampler<double>>},
          {fill_random_tile<detail::integer_sampler<std::int32_t>>},
          {fill_random_tile<detail::integer_sampler<std::uint32_t>>},
          {fill_random_tile<detail::integer_sampler<std::int64_t>>},
          {fill_random_tile<detail::integer_sampler<std::uint64_t>>}};
}

}  // namespace
}  // namespace tandem::openmp_impl
