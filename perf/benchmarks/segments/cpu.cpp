// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of segments, and the CPU's targets for them: tandem against parallel loops over the
// segments by hand.
#include <perf/benchmarks/segments/csr.hpp>

namespace perf {

namespace {

/// sums[s] = terms(begin) + .. + terms(end - 1) for the segments. Threads take 256 at a time, since
/// lengths differ.
template <class T, class Terms>
void sum_segments(const int* offsets, index_t count, T* sums, const Terms& terms) {
#pragma omp parallel for schedule(dynamic, 256)
  for (index_t s = 0; s < count; ++s) {
    T total = 0;
#pragma omp simd reduction(+ : total)
    for (int k = offsets[s]; k < offsets[s + 1]; ++k) total += terms(k);
    sums[s] = total;
  }
}

void segments_by_hand(segment_data<openmp>& data) {
  sum_segments(data.offsets.data_handle(), data.sums.size(), data.sums.data_handle(),
               [x = data.x.data_handle()](int k) { return x[k]; });
}

void csr_by_hand(csr_data<openmp>& data) {
  sum_segments(data.offsets.data_handle(), data.sums.size(), data.sums.data_handle(),
               [value = data.values.data_handle(), column = data.columns.data_handle(),
                x = data.x.data_handle()](int k) { return value[k] * x[column[k]]; });
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const segment_case& asked : segment_cases(2)) {
    const problem solved = segment_problem(asked);
    add(tandem_on_cpu(solved, "openmp", [=] { return segments_by_tandem<openmp>(asked); }));
    add(peer(solved, "openmp", "raw",
             [=] { return resident_sums<segment_data<openmp>>(asked, segments_by_hand); }));
  }
  for (const sparse_pattern& pattern : matrix_cases(2)) {
    const problem solved = csr_problem(pattern);
    add(tandem_on_cpu(solved, "openmp", [=] { return csr_by_tandem<openmp>(pattern); }));
    add(peer(solved, "openmp", "raw",
             [=] { return resident_sums<csr_data<openmp>>(pattern, csr_by_hand); }));
  }
}

const registration host(list_host);

const char* name_of(segment_kind kind) {
  constexpr const char* names[] = {"equal_1000", "tiny_4",     "skewed",
                                   "half_empty", "runs_of_15", "runs_of_1000"};
  return names[static_cast<int>(kind)];
}

const char* name_of(matrix_kind kind) {
  constexpr const char* names[] = {"csr_banded",    "csr_grid_2d",    "csr_grid_3d",
                                   "csr_power_law", "csr_dense_rows", "csr_random"};
  return names[static_cast<int>(kind)];
}

/// A problem with the outcome of tandem's candidate on OpenMP; its peers add in another order,
/// which moves the sum of the results' magnitudes by a part of `relative` of it.
problem make_problem(const char* name, const char* type, index_t count, double relative,
                     const std::function<candidate()>& make) {
  return problem_of("segments", name, type, count, 0, [=] {
    const outcome wanted = make().check();
    return reference{wanted, relative * wanted.value, "openmp"};
  });
}

}  // namespace

std::vector<segment_case> segment_cases(int shift) {
  return {{segment_kind::equal, index_t{1} << (16 - shift)},
          {segment_kind::tiny, index_t{1} << (24 - shift)},
          {segment_kind::skewed, index_t{1} << (20 - shift)},
          {segment_kind::half_empty, index_t{1} << (21 - shift)}};
}

std::vector<segment_case> run_cases(int shift) {
  return {{segment_kind::short_runs, index_t{1} << (22 - shift)},
          {segment_kind::long_runs, index_t{1} << (16 - shift)}};
}

std::vector<sparse_pattern> matrix_cases(int shift) {
  return {{matrix_kind::banded, index_t{1} << (21 - shift)},
          {matrix_kind::grid_2d, index_t{1} << (23 - shift)},
          {matrix_kind::grid_3d, index_t{1} << (22 - shift)},
          {matrix_kind::power_law, index_t{1} << (20 - shift)},
          {matrix_kind::dense_rows, index_t{1} << (20 - shift)},
          {matrix_kind::random, index_t{1} << (20 - shift)}};
}

problem segment_problem(const segment_case& asked) {
  return make_problem(name_of(asked.kind), "f32", asked.count, 1e-5,
                      [=] { return segments_by_tandem<openmp>(asked); });
}

problem run_problem(const segment_case& asked) {
  return make_problem(name_of(asked.kind), "f32", asked.count, 1e-5,
                      [=] { return runs_by_tandem<openmp>(asked); });
}

problem csr_problem(const sparse_pattern& pattern) {
  return make_problem(name_of(pattern.kind), "f64", pattern.count, 1e-12,
                      [=] { return csr_by_tandem<openmp>(pattern); });
}

}  // namespace perf
