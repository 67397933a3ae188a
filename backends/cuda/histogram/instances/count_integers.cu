// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/count_bytes_kernel.cuh>
#include <tandem/backends/cuda/histogram/launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

/// Counts one-byte integers, for which the kernel counts all possible values. If there are more
/// bins than a warp can clear while the others count, they are cleared beforehand.
template <class T>
void count_bytes(const cuda& space, const histogram_problem& problem) {
  const histogram_request request = {.size = problem.size, .value_bytes = 1};
  const bool few = problem.bins <= max_bins_cleared_by_warp;
  if (!few) clear_counts(space, problem);
  const byte_arguments<T> arguments = {
      .x = make_histogram_input<T>(problem.x, problem.size, problem.x_stride),
      .first = problem.first,
      .bins = problem.bins,
      .counts = {problem.counts, static_cast<unsigned>(problem.count_bytes)},
      .arrivals = few ? reinterpret_cast<arrival_counters*>(counters(space)) : nullptr};
  const launch_shape shape = {.grid = {histogram_blocks(request, limits(space).multiprocessors)},
                              .block = histogram_block,
                              .label = "histogram",
                              .programmatic_launch = true};
  launch(space, shape, count_bytes_kernel<T>, arguments);
}

/// Counts integers of more than one byte.
template <class T>
void count_wider(const cuda& space, const histogram_problem& problem) {
  using Index = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  const histogram_plan plan = plan_histogram(request_count<T>(space, problem));
  if (plan.shared && (sizeof(T) > 4 || integer_bins_fit_32<T>(problem.first, problem.bins))) {
    launch_count(space, problem, plan, integer_bin_rule<T, Index>(problem.first, problem.bins));
  } else {
    launch_global_count(space, problem, plan, integer_bin_rule<T>(problem.first, problem.bins));
  }
}

}  // namespace

void count_integers(const cuda& space, const histogram_problem& problem) {
  visit_integer(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 1) {
      return count_bytes<T>(space, problem);
    } else {
      count_wider<T>(space, problem);
    }
  });
}

}  // namespace tandem::cuda_impl
