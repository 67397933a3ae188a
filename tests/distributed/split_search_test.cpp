// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits of sorted runs: the fronts are the first elements of a stable merge of all of them.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "distributed/support.hpp"

using tandem::index_t;
using tandem::sort_order;
using namespace tandem::test;

namespace {

/// The runs of a split, found with all counts of a round, as a device finds them.
template <int Bits, sort_order Order, class T>
auto found_splits(const std::vector<std::vector<T>>& runs, const std::vector<index_t>& targets) {
  using word = tandem::detail::key_word<sizeof(T)>;
  using search_type = tandem::detail::split_search<word, Bits>;
  std::vector<index_t> sizes;
  for (const auto& run : runs) sizes.push_back(static_cast<index_t>(run.size()));
  search_type search("test", sizes, targets);
  constexpr auto candidates = static_cast<std::size_t>(search_type::candidates);
  std::vector<std::vector<index_t>> counts(runs.size(),
                                           std::vector<index_t>(targets.size() * candidates));
  int rounds = 0;
  for (; search.is_open(); ++rounds) {
    search.begin_round();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const tandem::detail::count_candidates<Order, T> count{
          runs[r].data(),   sizes[r],       search.found().data(),
          counts[r].data(), search.shift(), search_type::candidates};
      for (std::size_t i = 0; i < counts[r].size(); ++i) count(static_cast<index_t>(i));
    }
    search.end_round([&](index_t run, index_t target, int digit) {
      const auto of = static_cast<std::size_t>(target) * candidates;
      return counts[static_cast<std::size_t>(run)][of + static_cast<std::size_t>(digit) - 1];
    });
  }
  CHECK(rounds == 8 * static_cast<int>(sizeof(T)) / Bits);
  return search;
}

template <int Bits, sort_order Order, class T>
void check_splits(std::vector<std::vector<T>> runs) {
  struct element {
    std::size_t run;
    T key;
  };
  const auto precedes = [](T a, T b) {
    return tandem::detail::comparable_bits_of<Order>(a) <
           tandem::detail::comparable_bits_of<Order>(b);
  };
  std::vector<element> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::stable_sort(runs[r].begin(), runs[r].end(), precedes);
    for (const T key : runs[r]) all.push_back({r, key});
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const element& a, const element& b) { return precedes(a.key, b.key); });
  std::vector<index_t> targets;
  for (std::size_t t = 0; t <= all.size(); t += all.size() / 7 + 1)
    targets.push_back(static_cast<index_t>(t));
  targets.push_back(static_cast<index_t>(all.size()));
  const auto search = found_splits<Bits, Order>(runs, targets);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    std::vector<index_t> expected(runs.size());
    for (index_t i = 0; i < targets[t]; ++i) ++expected[all[static_cast<std::size_t>(i)].run];
    for (std::size_t r = 0; r < runs.size(); ++r) {
      INFO("bits " << Bits << ", target " << targets[t] << " of " << all.size() << ", run " << r);
      CHECK(search.split(static_cast<index_t>(r), static_cast<index_t>(t)) == expected[r]);
    }
  }
}

template <class T>
void check_all(const std::vector<std::vector<T>>& runs) {
  check_splits<1, sort_order::ascending>(runs);
  check_splits<4, sort_order::descending>(runs);
  check_splits<8, sort_order::ascending>(runs);
  check_splits<8, sort_order::descending>(runs);
}

}  // namespace

TEST_CASE("split search: random keys, few of them, and runs that are empty") {
  for (const std::size_t n : {0u, 1u, 2u, 100u, 1000u}) {
    check_all<std::uint32_t>(
        {random_values<std::uint32_t>(n, 1), {}, random_values<std::uint32_t>(n / 3, 2)});
    check_all<float>({random_values<float>(n, 1), random_values<float>(n, 2)});
    check_all<std::int8_t>({random_values<std::int8_t>(n, 1), random_values<std::int8_t>(n, 2)});
  }
  check_all<std::uint64_t>({random_values<std::uint64_t>(777, 3)});
}

TEST_CASE("split search: equal keys come from the first runs, and extremes are found") {
  check_all<std::int32_t>({random_below<std::int32_t>(500, 3, 1),
                           random_below<std::int32_t>(1, 3, 2),
                           random_below<std::int32_t>(300, 3, 3)});
  for (int kind = 0; kind < hostile_kinds; ++kind)
    check_all<double>({hostile_values<double>(400, kind), hostile_values<double>(333, kind)});
  const auto top = std::numeric_limits<std::uint16_t>::max();
  check_all<std::uint16_t>({{0, 0, top, top}, {0, top}, {top, top, top}});
}
