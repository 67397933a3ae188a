// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/launch.cuh>
#include <tandem/backends/cuda/histogram/sum_again_kernel.cuh>
#include <tandem/backends/cuda/histogram/weighted_kernel.cuh>

/// From a problem with weights, through a plan, to the launches that sum them.
namespace tandem::cuda_impl {

/// Returns the request for adding weights of type W by values of type T; tables as in
/// histogram_request.
template <class T, class W>
histogram_request request_sum(const cuda& space, const histogram_problem& problem,
                              std::size_t table_bytes = 0, std::size_t table_edge_bytes = 0) {
  constexpr std::size_t bin_bytes = 2 * sizeof(unsigned) * fixed_point<W>::limbs;
  histogram_request request = make_request(space, problem,
                                           {.value_bytes = sizeof(T),
                                            .bin_bytes = bin_bytes,
                                            .table_bytes = table_bytes,
                                            .table_edge_bytes = table_edge_bytes});
  request.block_shared =
      tandem::min(request.block_shared - max_sum_bins / 8, max_sum_bins * bin_bytes);
  return request;
}

/// Returns the scratch memory for sums, which launch_sample() clears.
template <class W>
partial_sums make_partial_sums(const cuda& space, const histogram_plan& plan, index_t bins) {
  using word = unsigned long long;
  const index_t blocks =
      tandem::min(index_t{limits(space).multiprocessors}, index_t{histogram_block});
  const index_t limbs = bins * index_t{fixed_point<W>::limbs};
  const index_t flags = bins * (plan.shared ? 1 : 3);
  const index_t cleared =
      index_t{sizeof(sum_progress) / sizeof(word)} + 2 * limbs + ceil_div(flags, index_t{2});
  auto* const words =
      static_cast<word*>(scratch(space, static_cast<std::size_t>(blocks + cleared) * sizeof(word)));
  auto* const progress = reinterpret_cast<sum_progress*>(words + blocks);
  auto* const first_limb = reinterpret_cast<word*>(progress + 1);
  auto* const first_flags = reinterpret_cast<unsigned*>(first_limb + 2 * limbs);
  partial_sums sums = {.known = 0,
                       .samples = words,
                       .sampling_blocks = static_cast<unsigned>(blocks),
                       .progress = progress,
                       .limbs = first_limb,
                       .rescaled = first_limb + limbs,
                       .flags = first_flags,
                       .small = {},
                       .cleared = cleared};
  if (!plan.shared) {
    sums.small[0] = first_flags + bins;
    sums.small[1] = first_flags + 2 * bins;
  }
  return sums;
}

/// Launches the sampling of the weights, from which the scale is guessed unless known, and the
/// clearing of the sums. Returns the sums with the number of blocks.
template <class W>
partial_sums launch_sample(const cuda& space, const char* label, const histogram_input<W>& weights,
                           partial_sums sums) {
  const auto blocks = index_t{sums.sampling_blocks};
  const index_t per_block = tandem::max(ceil_div(weights.size, blocks * weight_sample_ratio),
                                        index_t{histogram_block} * min_weight_sample);
  const index_t wanted = tandem::max(ceil_div(weights.size, per_block),
                                     ceil_div(sums.cleared, index_t{4} * histogram_block));
  sums.sampling_blocks = static_cast<unsigned>(tandem::clamp(wanted, index_t{1}, blocks));
  const launch_shape shape = {.grid = {sums.sampling_blocks},
                              .block = histogram_block,
                              .label = label,
                              .programmatic_launch = true};
  launch(space, shape, sample_weights_kernel<W>, weights, per_block, sums);
  return sums;
}

/// Launches both runs of a summing kernel, and the one for the bins that it sets aside.
template <class Kernel, class Rule, class W>
void launch_passes(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
                   const Kernel& kernel, sum_arguments<Rule, W> arguments) {
  const auto multiprocessors = static_cast<unsigned>(limits(space).multiprocessors);
  launch_shape shape = {.grid = {plan.blocks, plan.shared ? plan.slices : 1},
                        .block = histogram_block,
                        .shared_bytes = plan.shared_bytes,
                        .label = problem.label,
                        .programmatic_launch = true};
  const launch_shape again_shape = {.grid = {multiprocessors},
                                    .block = histogram_block,
                                    .label = problem.label,
                                    .programmatic_launch = true};
  using Plain = decltype(rule_without_table(arguments.rule));
  const sum_again_arguments<Plain, W> again = {.x = arguments.pairs.x,
                                               .weights = arguments.pairs.weights,
                                               .terms = arguments.terms,
                                               .rule = rule_without_table(arguments.rule),
                                               .sums = arguments.sums,
                                               .result = arguments.result,
                                               .adds = arguments.adds};
  if (problem.integers.limbs == nullptr)
    prepare_kernel(space, again_shape, reinterpret_cast<const void*>(&sum_again_kernel<Plain, W>));
  launch(space, shape, kernel, arguments);
  // The second run converts the sums, and few weights may have many bins.
  const index_t converting = ceil_div(problem.bins, index_t{histogram_block});
  shape.grid.x = tandem::max(
      plan.blocks, static_cast<unsigned>(tandem::min(converting, index_t{multiprocessors})));
  arguments.second_pass = true;
  launch(space, shape, kernel, arguments);
  if (arguments.integers.limbs == nullptr)
    launch(space, again_shape, sum_again_kernel<Plain, W>, again);
}

/// Launches a sum as planned: clears, guesses the scale, adds, adds again if the guess was wrong,
/// and converts.
template <class W, class Rule>
void launch_sum(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
                const Rule& rule) {
  using T = typename Rule::value_type;
  const auto x = make_histogram_input<T>(problem.x, problem.size, problem.x_stride);
  const auto weights =
      make_histogram_input<W>(problem.weights, problem.size, problem.weight_stride);
  partial_sums sums = make_partial_sums<W>(space, plan, problem.bins);
  if (problem.has_largest) sums.known = __builtin_bit_cast(unsigned long long, problem.largest);
  sums = launch_sample(space, problem.label, problem.has_largest ? histogram_input<W>{} : weights,
                       sums);

  sum_arguments<Rule, W> arguments = {.pairs = make_weighted_input(x, weights),
                                      .terms = problem.terms_of_sum(),
                                      .rule = rule,
                                      .sums = sums,
                                      .slice = plan.slice,
                                      .copies = plan.copies,
                                      .table_offset = static_cast<unsigned>(plan.bins_bytes),
                                      .slots = plan.slots,
                                      .result = static_cast<W*>(problem.sums),
                                      .integers = problem.integers,
                                      .counter = counters(space),
                                      .adds = problem.adds,
                                      .second_pass = false};
  // A rule with a table, which is in shared memory, has its bins there as well.
  if constexpr (requires { &Rule::locate; }) {
    if (!plan.shared) {
      arguments.pairs.groups -= arguments.pairs.groups % warp_threads;
      launch_passes(space, problem, plan, sum_global_kernel<Rule, W>, arguments);
      return;
    }
  }
  launch_passes(space, problem, plan, sum_kernel<Rule, W>, arguments);
}

}  // namespace tandem::cuda_impl
