// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/launch.cuh>
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

/// Enqueues zeroing of the scratch memory for the sums of `bins` bins, and returns it.
template <class W>
partial_sums make_partial_sums(const cuda& space, const char* label, index_t bins) {
  const auto count = static_cast<std::size_t>(bins);
  const std::size_t limbs = count * fixed_point<W>::limbs;
  const std::size_t bytes = (3 + 2 * limbs) * sizeof(unsigned long long) + count * sizeof(unsigned);
  auto* const words = static_cast<unsigned long long*>(scratch(space, bytes));
  set_bytes(space, label, words, 0, bytes);
  return {.sampled = words,
          .largest = words + 1,
          .set_aside = words + 2,
          .limbs = words + 3,
          .rescaled = words + 3 + limbs,
          .flags = reinterpret_cast<unsigned*>(words + 3 + 2 * limbs)};
}

/// Launches the sampling of the weights, from which the scale is guessed.
template <class W>
void launch_sample(const cuda& space, const histogram_problem& problem,
                   const histogram_input<W>& weights, const partial_sums& sums) {
  const auto blocks = static_cast<index_t>(limits(space).multiprocessors);
  const index_t per_block = tandem::max(ceil_div(weights.size, blocks * weight_sample_ratio),
                                        index_t{histogram_block} * min_weight_sample);
  const index_t wanted = ceil_div(weights.size, per_block);
  const launch_shape shape = {
      .grid = {static_cast<unsigned>(tandem::clamp(wanted, index_t{1}, blocks))},
      .block = histogram_block,
      .label = problem.label,
      .programmatic_launch = true};
  launch(space, shape, sample_weights_kernel<W>, weights, per_block, sums.sampled);
}

/// Launches both runs of a summing kernel, and those for the bins that it sets aside.
template <class Kernel, class Rule, class W>
void launch_passes(const cuda& space, const histogram_plan& plan, const char* label,
                   const Kernel& kernel, sum_arguments<Rule, W> arguments) {
  const launch_shape shape = {.grid = {plan.blocks, plan.shared ? plan.slices : 1},
                              .block = histogram_block,
                              .shared_bytes = plan.shared_bytes,
                              .label = label,
                              .programmatic_launch = true};
  const auto run_twice = [&](const auto& both) {
    for (const bool second : {false, true}) {
      arguments.second_pass = second;
      launch(space, shape, both, arguments);
    }
  };
  prepare_kernel(space, shape, reinterpret_cast<const void*>(&sum_again_kernel<Rule, W>));
  run_twice(kernel);
  if (!plan.shared) arguments.slice = static_cast<unsigned>(arguments.rule.bins());
  run_twice(sum_again_kernel<Rule, W>);
}

/// Launches a sum as planned: clears, guesses the scale, adds, adds again if the guess was wrong,
/// and converts.
template <class W, class Rule>
void launch_sum(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
                const Rule& rule) {
  using T = typename Rule::value_type;
  const partial_sums sums = make_partial_sums<W>(space, problem.label, problem.bins);
  const auto x = make_histogram_input<T>(problem.x, problem.size, problem.x_stride);
  const auto weights =
      make_histogram_input<W>(problem.weights, problem.size, problem.weight_stride);
  launch_sample(space, problem, weights, sums);

  sum_arguments<Rule, W> arguments = {.pairs = make_weighted_input(x, weights),
                                      .rule = rule,
                                      .sums = sums,
                                      .slice = plan.slice,
                                      .copies = plan.copies,
                                      .table_offset = static_cast<unsigned>(plan.bins_bytes),
                                      .slots = plan.slots,
                                      .result = static_cast<W*>(problem.sums),
                                      .counter = counters(space),
                                      .adds = problem.adds,
                                      .second_pass = false};
  // A rule with a table, which is in shared memory, has its bins there as well.
  if constexpr (requires { &Rule::locate; }) {
    if (!plan.shared) {
      arguments.pairs.groups -= arguments.pairs.groups % warp_threads;
      launch_passes(space, plan, problem.label, sum_global_kernel<Rule, W>, arguments);
      return;
    }
  }
  launch_passes(space, plan, problem.label, sum_kernel<Rule, W>, arguments);
}

}  // namespace tandem::cuda_impl
