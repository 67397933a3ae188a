// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/random/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>

namespace tandem {

namespace openmp_impl {

namespace {

/// Redraws the values that a tile's kernel reported.
template <class Sampler>
void redraw_tile(const random_problem<Sampler>& line, index_t begin, index_t end,
                 const random_tile_buffer& buffer) {
  if constexpr (detail::rejecting<Sampler>) {
    for (index_t i = begin; i < end; ++i) {
      if (detail::rejects_value(line.sampler, buffer.words + Sampler::words * (i - begin)))
        line.to[i] = line.sampler.redraw(line.seed, line.first + static_cast<std::uint64_t>(i));
    }
  }
}

template <class Sampler>
void fill_random_line(const openmp& space, const random_problem<Sampler>& line) {
  constexpr index_t tile = random_tile<Sampler>;
  const random_kernel<Sampler>& kernel = best_kernels<random_kernels>();
  const int threads = line.size < random_fork_elements ? 1 : space.threads();
  run_balanced(threads, 0, ceil_div(line.size, tile), [&](index_t first, index_t last) {
    random_tile_buffer buffer;
    for (index_t t = first; t < last; ++t) {
      const index_t begin = tile * t;
      const index_t end = line.size - begin < tile ? line.size : begin + tile;
      if (kernel.fill(line, begin, end, buffer)) redraw_tile(line, begin, end, buffer);
    }
  });
}

}  // namespace
}  // namespace openmp_impl

template <class Sampler>
  requires openmp_impl::has_random_kernel<Sampler>
void dispatch_random(const openmp& space, const random_problem<Sampler>& line) {
  openmp_impl::fill_random_line(space, line);
}

template void dispatch_random(const openmp&,
                              const random_problem<detail::bits_sampler<std::uint32_t>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::bits_sampler<std::uint64_t>>&);
template void dispatch_random(const openmp&, const random_problem<detail::uniform_sampler<float>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::uniform_sampler<double>>&);
template void dispatch_random(const openmp&, const random_problem<detail::normal_sampler<float>>&);
template void dispatch_random(const openmp&, const random_problem<detail::normal_sampler<double>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::exponential_sampler<float>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::exponential_sampler<double>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::integer_sampler<std::int32_t>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::integer_sampler<std::uint32_t>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::integer_sampler<std::int64_t>>&);
template void dispatch_random(const openmp&,
                              const random_problem<detail::integer_sampler<std::uint64_t>>&);

}  // namespace tandem
