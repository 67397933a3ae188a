// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// A function object of `Bytes` bytes. Its call does nothing unless the last word points to an int,
/// which it sets to 1: proof that all bytes reached the kernel.
template <int Bytes>
struct launch_body {
  static constexpr std::size_t last = static_cast<std::size_t>(Bytes) / sizeof(int*) - 1;
  int* words[last + 1] = {};

  TANDEM_FUNCTION void operator()(int) const {
    if (words[last] != nullptr) *words[last] = 1;
  }
};

/// One launch and a wait for its end, or many launches before the wait.
enum class launch_kind { fence, back_to_back };

/// Launches per run, which waits once: enough to hide the wait, few enough for the driver's queue.
inline constexpr int launches_a_run = 256;

problem launch_problem(launch_kind kind, int bytes);

/// A recorded sequence of small operations: their number, elements per operation and bins. The
/// operations are increments of one array, or rounds of fill, increment, sum, histogram and scan.
inline constexpr int graph_operations = 20;
inline constexpr int graph_size = 1 << 14;
inline constexpr int graph_bins = 64;
enum class graph_kind { increments, mix };

problem graph_problem(graph_kind kind);

/// Loops over one index, launched as `kind` says. The check runs a body that stores to an address.
template <int Bytes, class Space>
candidate empty_loops(launch_kind kind) {
  auto space = std::make_shared<Space>();
  auto seen = std::make_shared<array<int, 1, Space>>(extents<1>(1), 0, *space);
  candidate made;
  made.run = [=](std::int64_t) {
    const launch_body<Bytes> body;
    const int loops = kind == launch_kind::fence ? 1 : launches_a_run;
    for (int i = 0; i < loops; ++i) tandem::parallel_for(*space, 1, body);
    space->fence();
  };
  made.check = [=] {
    launch_body<Bytes> body;
    body.words[body.last] = seen->data_handle();
    tandem::parallel_for(*space, 1, body);
    return summary(*space, seen->view());
  };
  return made;
}

/// x + 1 in place.
template <class View>
struct increment_body {
  View x;
  TANDEM_FUNCTION void operator()(int i) const { x(i) += 1.0f; }
};

/// Data of the recorded operations.
template <class Space>
struct graph_data {
  std::shared_ptr<Space> space = std::make_shared<Space>();
  array<float, 1, Space> x{extents<1>(graph_size), 0.0f, *space};
  array<float, 1, Space> y{extents<1>(graph_size), 0.0f, *space};
  array<float, 0, Space> total{extents<0>{}, 0.0f, *space};
  array<int, 1, Space> counts{extents<1>(graph_bins), 0, *space};
};

/// The sequence to record, as a function object, since a CPU's graph stores it.
template <class Space>
struct small_operations {
  graph_data<Space>* data;
  graph_kind kind;

  void operator()(const Space& space) const {
    const auto x = data->x.view();
    const auto increment = [&] {
      tandem::parallel_for(space, graph_size, increment_body<decltype(x)>{x});
    };
    if (kind == graph_kind::increments) {
      for (int i = 0; i < graph_operations; ++i) increment();
      return;
    }
    const auto values = data->x.const_view();
    for (int i = 0; i < graph_operations; i += 5) {
      tandem::fill(space, x, 1.0f);
      increment();
      tandem::parallel_reduce_into(space, values, tandem::sum<float>{}, data->total.view());
      tandem::histogram(space, values, {.lo = 0.0f, .hi = 10.0f}, data->counts.view());
      tandem::parallel_scan(space, values, data->y.view());
    }
  }
};

/// Outcome of a sequence: hashes of all its arrays combined, and the sum of their elements.
template <class Space>
outcome graph_outcome(graph_data<Space>& data) {
  const outcome x = summary(*data.space, data.x.view());
  const outcome y = summary(*data.space, data.y.view());
  const outcome total = summary(
      *data.space, tandem::as_view<typename Space::memory_type>(data.total.data_handle(), 1));
  const outcome counts = summary(*data.space, data.counts.view());
  return {x.bits ^ y.bits * 3 ^ total.bits * 5 ^ counts.bits * 7,
          x.value + y.value + total.value + counts.value};
}

/// Records the sequence; each run replays it and waits for its end.
template <class Space>
candidate replayed(graph_kind kind) {
  auto data = std::make_shared<graph_data<Space>>();
  using recorded = tandem::graph<Space, small_operations<Space>>;
  auto graph = std::make_shared<recorded>(
      tandem::record(*data->space, small_operations<Space>{data.get(), kind}));
  return on_host(
      [=](std::int64_t) {
        graph->replay(*data->space);
        data->space->fence();
      },
      [=] { return graph_outcome(*data); });
}

}  // namespace perf
