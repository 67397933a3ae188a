// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/launch/bench.hpp>

namespace perf {

namespace {

/// A fork and join of OpenMP's team, the least that a parallel loop costs.
candidate raw_fork_join() {
  auto seen = std::make_shared<int>(0);
  return on_host(
      [=](std::int64_t) {
        int* const place = seen.get();
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 1; ++i) *place = 1;
      },
      [=] { return summary_of(*seen); });
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  const problem loop = launch_problem(launch_kind::fence, 8);
  add(tandem_on_cpu(loop, "serial", [] { return empty_loops<8, serial>(launch_kind::fence); }));
  add(tandem_on_cpu(loop, "openmp", [] { return empty_loops<8, openmp>(launch_kind::fence); }));
  add(peer(loop, "openmp", "raw", raw_fork_join));
  for (const graph_kind kind : {graph_kind::increments, graph_kind::mix}) {
    const problem sequence = graph_problem(kind);
    add(tandem_on_cpu(sequence, "serial", [=] { return replayed<serial>(kind); }));
    add(tandem_on_cpu(sequence, "openmp", [=] { return replayed<openmp>(kind); }));
  }
}

const registration cpu(list_cpu);

}  // namespace

problem launch_problem(launch_kind kind, int bytes) {
  problem solved{"launch", kind == launch_kind::fence ? "fence" : "back_to_back", "bytes",
                 std::to_string(bytes)};
  solved.elements = bytes;
  const int one = 1;
  solved.expected = [=] { return reference{summary_of(one), 0, "serial"}; };
  return solved;
}

problem graph_problem(graph_kind kind) {
  problem solved{"launch", kind == graph_kind::increments ? "graph" : "graph_mix", "f32",
                 std::to_string(graph_operations)};
  solved.elements = graph_operations;
  solved.expected = [=] { return reference{replayed<serial>(kind).check(), 0, "serial"}; };
  return solved;
}

}  // namespace perf
