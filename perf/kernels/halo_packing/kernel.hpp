// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <array>

namespace perf {

/// Neighbours of a block in three dimensions, and the variables that it exchanges with them.
inline constexpr int halo_neighbours = 26;
inline constexpr int halo_variables = 3;

/// The elements that a block of n x n x n within a layer of ghosts exchanges: for each neighbour a
/// list of what it gets and one of the ghosts that it fills, all lists one behind the other.
struct halo_lists {
  std::vector<int> sent;
  std::vector<int> ghosts;
  std::array<index_t, halo_neighbours + 1> begin = {};

  explicit halo_lists(int n) {
    std::size_t list = 0;
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          add_box(n, {z, y, x});
          begin[++list] = static_cast<index_t>(sent.size());
        }
      }
    }
  }

 private:
  /// Adds the layer in a direction and, in the same order, the ghosts at the opposite side, which
  /// the neighbour there fills.
  void add_box(int n, const std::array<int, 3>& direction) {
    std::array<int, 3> first;
    std::array<int, 3> count;
    std::array<int, 3> ghost;
    for (std::size_t d = 0; d < 3; ++d) {
      count[d] = direction[d] == 0 ? n : 1;
      first[d] = direction[d] > 0 ? n : 1;
      ghost[d] = direction[d] > 0 ? 0 : direction[d] < 0 ? n + 1 : 1;
    }
    const auto place = [n](const std::array<int, 3>& at, int z, int y, int x) {
      return ((at[0] + z) * (n + 2) + at[1] + y) * (n + 2) + at[2] + x;
    };
    for (int z = 0; z < count[0]; ++z) {
      for (int y = 0; y < count[1]; ++y) {
        for (int x = 0; x < count[2]; ++x) {
          sent.push_back(place(first, z, y, x));
          ghosts.push_back(place(ghost, z, y, x));
        }
      }
    }
  }
};

/// Packs what 26 neighbours get of three variables into a buffer and unpacks the buffer into the
/// ghosts, as if the block were its own neighbour. Each is one loop over all lists, which stand one
/// behind the other: 78 small loops would cost as many launches.
template <class Space>
struct halo_packing {
  static constexpr const char* name = "halo_packing";
  static constexpr const char* type = "f64";

  static inline const kernel_sizes sizes{{{32, 32, 32}, {64, 64, 64}, {128, 128, 128}},
                                         {{256, 256, 256}}};
  /// Packing and unpacking each read an index and an element and write one.
  static kernel_cost cost(const kernel_size& n) {
    const auto elements = static_cast<double>(halo_variables * (6 * n[0] * n[0] + 12 * n[0] + 8));
    return {.bytes = 2 * (sizeof(int) + 2 * sizeof(double)) * elements};
  }

  halo_packing(const Space& space, const kernel_size& n)
      : halo_packing(space, n[0], halo_lists(static_cast<int>(n[0]))) {}

  void reset(const Space& space) {
    std::uint64_t seed = 1;
    for (auto& x : variables) fill_with(space, x.view(), uniform_values<double>{seed++ << 32});
    tandem::fill(space, buffer, 0.0);
  }
  outcome result(const Space& space) {
    outcome all = summary(space, buffer.const_view());
    for (const auto& x : variables) {
      const outcome one = summary(space, x.const_view());
      all = {all.bits * 31 + one.bits, all.value + one.value};
    }
    return all;
  }

  void run(const Space& space) {
    const auto n = static_cast<int>(sent.size());
    const auto packed = buffer.view();
    const auto unpacked = buffer.const_view();
    const auto from = sent.const_view();
    const auto to = ghosts.const_view();
    const auto x = variables[0].view();
    const auto y = variables[1].view();
    const auto z = variables[2].view();
    const auto cx = variables[0].const_view();
    const auto cy = variables[1].const_view();
    const auto cz = variables[2].const_view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          const int place = from(i);
          packed(i) = cx(place);
          packed(n + i) = cy(place);
          packed(2 * n + i) = cz(place);
        });
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          const int place = to(i);
          x(place) = unpacked(i);
          y(place) = unpacked(n + i);
          z(place) = unpacked(2 * n + i);
        });
  }

  std::array<index_t, halo_neighbours + 1> begin;
  array<int, 1, Space> sent;
  array<int, 1, Space> ghosts;
  array<double, 1, Space> buffer;
  std::array<array<double, 1, Space>, halo_variables> variables;

 private:
  halo_packing(const Space& space, index_t n, const halo_lists& lists)
      : begin(lists.begin),
        sent(lists.sent, space),
        ghosts(lists.ghosts, space),
        buffer({halo_variables * sent.size()}, space) {
    for (auto& x : variables) x = array<double, 1, Space>({(n + 2) * (n + 2) * (n + 2)}, space);
  }
};

}  // namespace perf
