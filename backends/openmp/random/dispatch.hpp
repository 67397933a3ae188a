// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/random/kernels/table.hpp>
#include <tandem/backends/openmp/random/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>

#include <type_traits>

namespace tandem {

namespace openmp_impl {

template <class Sampler>
inline constexpr bool has_random_kernel = std::is_base_of_v<random_kernel<Sampler>, random_kernels>;

}  // namespace openmp_impl

/// Writes random numbers to a contiguous rank-1 view, tile by tile: words, then values, by vector
/// kernels. Samplers without such a kernel are left to loops.
template <class Sampler>
  requires openmp_impl::has_random_kernel<Sampler>
void dispatch_random(const openmp& space, const random_problem<Sampler>& line);

}  // namespace tandem
