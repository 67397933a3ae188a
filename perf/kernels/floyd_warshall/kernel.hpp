// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Lengths of edges: one pair of nodes in eight has an edge of 1 to 1000, others are far apart.
struct edge_lengths {
  index_t nodes;

  TANDEM_FUNCTION int operator()(index_t at) const {
    if (at / nodes == at % nodes) return 0;
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(at));
    return bits % 8 == 0 ? 1 + static_cast<int>((bits >> 8) % 1000) : 1 << 28;
  }
};

/// All shortest paths between n nodes by Floyd and Warshall's method: n steps, each of which
/// compares every distance with that of the way through node k. In place: row k and column k do
/// not change in step k, since the distance from k to k is 0, and what does not change is not
/// stored.
template <class Space>
struct floyd_warshall {
  static constexpr const char* name = "floyd_warshall";
  static constexpr const char* type = "i32";

  static inline const kernel_sizes sizes{{{256, 256}, {512, 512}, {1024, 1024}}};
  /// An addition and a comparison per element and step.
  static kernel_cost cost(const kernel_size& n) {
    return {.flops = 2.0 * static_cast<double>(n[0] * n[0] * n[0])};
  }

  floyd_warshall(const Space& space, const kernel_size& n)
      : edges(filled(space, n[0] * n[0], edge_lengths{n[0]})), distances({n[0], n[0]}, space) {}

  void reset(const Space& space) { fill_with(space, line_of(distances), edge_lengths{nodes()}); }
  outcome result(const Space& space) { return summary(space, distances.const_view()); }
  index_t nodes() const { return distances.extent(0); }

  /// Copies the edges, since a run changes them.
  void run(const Space& space) {
    tandem::copy(space, edges, line_of(distances));
    const auto d = distances.view();
    const index_t n = nodes();
    for (index_t k = 0; k < n; ++k) {
      tandem::parallel_for(
          space, tandem::grid{n, n}, TANDEM_LAMBDA(index_t i, index_t j) {
            const int through = d(i, k) + d(k, j);
            if (through < d(i, j)) d(i, j) = through;
          });
    }
  }

  array<int, 1, Space> edges;
  array<int, 2, Space> distances;
};

}  // namespace perf
