// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/reduce/bench.hpp>
#include <perf/benchmarks/reduce/peers.cuh>
#include <perf/support/gpu.cuh>

namespace perf::reduce_gpu {

/// Makes a candidate whose data and result stay on the device.
template <class Case>
candidate resident_reduction(const Case& what, index_t n) {
  auto data = std::make_shared<reduce_data<cuda, Case>>(n);
  return resident(
      data->space, [=](std::int64_t round) { reduce_into(*data, what, round); },
      [=] { return result_outcome(on_the_host(*data->space, data->out.view())[0]); });
}

/// Allocates, copies in, reduces and copies the result out in each run: the cost of a call on an
/// array of the host.
template <class Owner, class Case>
candidate reduction_of_host_array(const Case& what, index_t n) {
  using data_type = reduce_data<cuda, Case>;
  auto space = std::make_shared<cuda>();
  auto total = std::make_shared<float>();
  auto host = host_elements<float, Owner>(*space, n, uniform_values<float>{reduce_seed});
  return on_host(
      [=](std::int64_t) {
        device_array<float> x(extents<1>(n), *space);
        tandem::copy(*space, *host, x);
        const typename data_type::input v = x.const_view();
        if constexpr (Case::kind == operands::values) {
          *total = tandem::parallel_reduce(*space, v, what.reducer);
        } else {
          *total = tandem::parallel_reduce(*space, n, magnitude_term<typename data_type::input>{v},
                                           what.reducer);
        }
      },
      [=] { return summary_of(*total); });
}

constexpr index_t largest = index_t{1} << 30;

/// Adds the report's add, for plots of time against size.
template <class Case>
void list_curve(const Case& what, const settings& chosen, lineup& add) {
  std::vector<index_t> sizes = curve_sizes(chosen);
  if (!chosen.quick) sizes.push_back(largest);
  for (const index_t n : sizes) {
    const problem sum = reduce_problem(what, n);
    add(tandem_on_gpu(sum, [=] { return resident_reduction(what, n); }));
    add(peer(sum, "cuda", "cub", [=] { return cub_reduction(what, n); }));
    add(tandem_through_host(sum, "to_host", [=] { return reduction_to_host<cuda>(what, n); }));
    if (n == largest) continue;  // transfers are bound by the link at half a GB already
    add_through_host(add, sum, [=](auto owner) {
      return reduction_of_host_array<typename decltype(owner)::type>(what, n);
    });
  }
}

/// Computes a large reduction from its eighths, which combine to the same bits in the canonical
/// order. Saves a CPU from generating and reading 4 to 16 GB.
template <class Case>
reference reference_of_eighths(const Case& what, index_t n) {
  reduce_data<cuda, Case> data(n);
  typename Case::result part[8];
  for (int i = 0; i < 8; ++i) part[i] = reduced_part(data, what, i * (n / 8), n / 8);
  for (int count = 8; count > 1; count /= 2) {
    for (int i = 0; i < count / 2; ++i)
      part[i] = what.reducer.combine(part[2 * i], part[2 * i + 1]);
  }
  // Peers add in another order.
  return {result_outcome(part[0]), 1e-3 * static_cast<double>(n), "eighths"};
}

/// Adds the targets' benchmarks whose results stay on the device.
template <class Case>
void list_resident(const Case& what, lineup& add) {
  for (const index_t n : powers_of_two({20, 24, 27, 30})) {
    problem solved = reduce_problem(what, n);
    if (n == largest) solved.expected = [=] { return reference_of_eighths(what, n); };
    add(tandem_on_gpu(solved, [=] { return resident_reduction(what, n); }));
    add(peer(solved, "cuda", "cub", [=] { return cub_reduction(what, n); }));
  }
}

/// Adds the targets' benchmarks whose results reach the host.
template <class Case>
void list_to_host(const Case& what, lineup& add) {
  for (const index_t n : powers_of_two({10, 12, 16, 20})) {
    const problem solved = reduce_problem(what, n);
    add(tandem_through_host(solved, "to_host", [=] { return reduction_to_host<cuda>(what, n); }));
    add(peer_through_host(solved, "cub", "to_host",
                          [=] { return cub_reduction_to_host(what, n); }));
  }
}

/// Adds reductions that are measured against a plain sum of the same elements.
template <class Case>
void list_against_sum(const Case& what, lineup& add) {
  for (const index_t n : powers_of_two({24, 27})) {
    const problem solved = reduce_problem(what, n);
    add(tandem_on_gpu(solved, [=] { return resident_reduction(what, n); }));
    add(limit(solved, "sum", [=] {
      candidate made = resident_reduction(sum_case<float>, n);
      made.check = nullptr;
      return made;
    }));
    if constexpr (has_cub_reduction<Case>)
      add(peer(solved, "cuda", "cub", [=] { return cub_reduction(what, n); }));
  }
}

void list_targets(lineup& add) {
  list_resident(sum_case<float>, add);
  list_resident(sum_case<double>, add);
  list_resident(sum_case<std::int32_t>, add);
  list_resident(sum_case<std::int64_t>, add);
  list_resident(abs_sum_case<float>, add);
  list_resident(abs_sum_case<double>, add);
  list_resident(max_case<float>, add);
  list_resident(max_case<double>, add);
  list_resident(dot_case<float>, add);
  list_resident(dot_case<double>, add);
  list_to_host(sum_case<float>, add);
  list_to_host(abs_sum_case<float>, add);
  list_to_host(max_case<float>, add);
  list_to_host(dot_case<float>, add);
  list_against_sum(argmin_case, add);
  list_against_sum(argmax_case, add);
  list_against_sum(minmax_case, add);
  list_against_sum(several_case, add);
  list_against_sum(ordered_case, add);
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  if (chosen.targets) return list_targets(add);
  list_curve(sum_case<float>, chosen, add);
  list_curve(abs_sum_case<float>, chosen, add);
}

const registration gpu(list_gpu);

}  // namespace perf::reduce_gpu
