// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <tandem/distributed.hpp>

#include "support/backends.hpp"
#include "support/data.hpp"

namespace tandem::test {

/// Numbers of members at which orders show: two parts cannot, since a + b is b + a.
inline std::vector<int> member_counts() { return {1, 2, 3, 5, 8, 17, 64}; }

/// Cuts of rows that fail first: even, by the default, one row each, between tiles and inside them,
/// with parts that are empty.
inline std::vector<cut> hostile_cuts(index_t rows, int parts) {
  std::vector<cut> cuts = {cut::even(rows, parts)};
  const auto add = [&](auto size_of) {
    std::vector<index_t> sizes;
    index_t left = rows;
    for (int p = 0; p < parts; ++p) {
      const index_t wanted = p + 1 == parts ? left : size_of(p);
      sizes.push_back(std::min(wanted, left));
      left -= sizes.back();
    }
    cuts.push_back(cut::of(sizes));
  };
  add([&](int) { return rows / parts; });
  add([](int) { return index_t{1}; });
  add([&](int p) { return p % 2 == 0 ? index_t{0} : 2 * (rows / parts) + 1; });
  add([&](int p) {
    return static_cast<index_t>(
        mix(static_cast<std::uint64_t>(rows) * 100 + static_cast<std::uint64_t>(p)) %
        static_cast<std::uint64_t>(2 * rows / parts + 1));
  });
  return cuts;
}

/// Calls check(group, cut) for all numbers of members and cuts.
template <class Space, class Check>
void for_each_cut(index_t rows, const Check& check) {
  for (const int parts : member_counts()) {
    const auto members = shards<Space>(parts);
    for (const cut& where : hostile_cuts(rows, parts)) check(members, where);
  }
}

}  // namespace tandem::test
