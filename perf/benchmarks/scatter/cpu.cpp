// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of scattered sums, and the CPU's targets for them: tandem against hand-written
// OpenMP with a copy of the cells per thread.
#include <perf/benchmarks/scatter/bench.hpp>

#include <omp.h>

namespace perf {

namespace {

using data_type = scatter_data<openmp>;

/// `copies` has the cells of each thread, allocated beforehand.
void scatter_in_copies(data_type& data, std::vector<float>& copies) {
  constexpr int cells = scatter_case::cells;
  const std::int32_t* const at = data.at.data_handle();
  const float* const values = data.values.data_handle();
  float* const out = data.out.data_handle();
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    float* const mine = copies.data() + static_cast<std::ptrdiff_t>(omp_get_thread_num()) * cells;
    for (int c = 0; c < cells; ++c) mine[c] = 0;
#pragma omp for schedule(static)
    for (index_t i = 0; i < data.at.size(); ++i) mine[at[i]] += values[i];
#pragma omp for schedule(static)
    for (int c = 0; c < cells; ++c) {
      for (int t = 0; t < threads; ++t) out[c] += copies[static_cast<std::size_t>(t * cells + c)];
    }
  }
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const spread kind : {spread::uniform, spread::all_equal}) {
    const scatter_case asked{index_t{1} << 26, kind};
    const problem solved = scatter_problem(asked);
    add(tandem_on_cpu(solved, "openmp", [=] { return scatter_by_tandem<openmp>(asked); }));
    add(peer(solved, "openmp", "raw", [=] {
      const auto threads = static_cast<std::size_t>(omp_get_max_threads());
      auto copies = std::make_shared<std::vector<float>>(threads * scatter_case::cells);
      return resident_scatter<openmp>(asked,
                                      [=](data_type& data) { scatter_in_copies(data, *copies); });
    }));
  }
}

const registration host(list_host);

}  // namespace

problem scatter_problem(const scatter_case& asked) {
  const char* name = asked.kind == spread::uniform ? "random_cells" : "one_cell";
  return problem_of("scatter", name, "f32", asked.n, sizeof(std::int32_t) + sizeof(float), [=] {
    const outcome wanted = scatter_by_tandem<openmp>(asked).check();
    // Peers add floats in any order: to one cell with errors of 2^-24 of sums of about sqrt(n / 3),
    // n times and up or down, of which the outcome's weights make up to 61 times as much.
    return reference{wanted, 61 * 0x1p-21 * static_cast<double>(asked.n), "openmp"};
  });
}

}  // namespace perf
