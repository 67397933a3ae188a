// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram_launch.cuh>
#include <tandem/backends/cuda/histogram_sum.cuh>

/// From a problem with weights to the launches that sum them.
namespace tandem::cuda_impl {

/// Cleared scratch for the sums of `bins` bins.
template <class W>
partial_sums make_partial_sums(const cuda& space, index_t bins) {
  const auto count = static_cast<std::size_t>(bins);
  const std::size_t limbs = count * fixed_point<W>::limbs;
  const std::size_t bytes = (1 + limbs) * sizeof(unsigned long long) + count * sizeof(unsigned);
  auto* const words = static_cast<unsigned long long*>(scratch(space, bytes));
  clear_memory(space, words, bytes);
  return {words, words + 1, reinterpret_cast<unsigned*>(words + 1 + limbs)};
}

/// Enqueues the whole of it: clear, find the scale, add, convert.
///
/// @param table_bytes  of the edges, for rules that have some
template <class W, class Rule>
void launch_sum(const cuda& space, const histogram_problem& problem, const Rule& rule,
                std::size_t table_bytes = 0) {
  using T = typename Rule::value_type;
  constexpr std::size_t bin_bytes = 2 * sizeof(unsigned) * fixed_point<W>::limbs;
  const histogram_plan plan = plan_histogram(space, problem,
                                             {.value_bytes = sizeof(T),
                                              .bin_bytes = bin_bytes,
                                              .table_bytes = table_bytes,
                                              .residents = 1});
  const partial_sums sums = make_partial_sums<W>(space, problem.bins);
  const auto weights = make_histogram_line<W>(problem.weights, problem.size, problem.weight_stride);
  const launch_shape reading = {
      .grid = {plan.blocks}, .block = histograms.block, .label = "histogram"};
  launch(space, reading, largest_weight_kernel<W>, weights, sums.largest);

  const sum_arguments<Rule, W> arguments = {
      .x = make_histogram_line<T>(problem.x, problem.size, problem.x_stride),
      .weights = weights,
      .rule = rule,
      .sums = sums,
      .slice = plan.slice,
      .copies = plan.copies,
      .table_offset = plan.table_shared ? static_cast<unsigned>(plan.bins_bytes) : 0u};
  const launch_shape adding = {.grid = {plan.blocks, plan.shared ? plan.slices : 1},
                               .block = histograms.block,
                               .shared_bytes = plan.shared_bytes,
                               .label = "histogram"};
  launch(space, adding, sum_kernel<Rule, W>, arguments);

  constexpr index_t most_blocks = 1024;
  const index_t blocks = tandem::min(ceil_div(problem.bins, index_t{256}), most_blocks);
  const launch_shape finishing = {
      .grid = {static_cast<unsigned>(blocks)}, .block = 256, .label = "histogram"};
  launch(space, finishing, finish_sums_kernel<W>, sums, problem.bins, problem.size,
         static_cast<W*>(problem.sums));
}

}  // namespace tandem::cuda_impl
