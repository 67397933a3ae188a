// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on groups that exchange more than results: rows cut anywhere among any number of
// members.

#include "fuzz/groups.hpp"
#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 15;

template <class T, int Rank, class Space>
using sharded_array = array<T, Rank, group<Space>, layout_right>;

/// A reduction of a matrix along one of its axes, into an array of another cut or a replicated one.
template <class Tested>
struct along_axes {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t rows = d.size("rows", most, sizeof(T));
    const index_t columns = d.size("columns", most / std::max<index_t>(rows, 1), sizeof(T));
    const int along = d.pick("axis", {"0", "1"});
    const std::vector<T> elements = draw_elements<T>(d, rows * columns);
    const auto members = draw_group(d, space);
    const int parts = members.size();
    sharded_array<T, 2, Space> x(extents<2>(rows, columns), members,
                                 draw_cut(d, "cut", rows, parts));
    const index_t outputs = along == 0 ? columns : rows;
    using results = sharded_array<result, 1, Space>;
    results out = d.one_in("replicated", 3)
                      ? results(extents<1>(outputs), members, replicated)
                      : results(extents<1>(outputs), members, draw_cut(d, "out", outputs, parts));
    copy(members, elements, x);
    std::vector<result> expected;
    for (index_t j = 0; j < outputs; ++j) {
      std::vector<T> terms;
      for (index_t i = 0; i < (along == 0 ? rows : columns); ++i) {
        const index_t at = along == 0 ? i * columns + j : j * columns + i;
        terms.push_back(elements[static_cast<std::size_t>(at)]);
      }
      expected.push_back(Tested::expected(terms));
    }
    parallel_reduce_into(members, x, axis{along}, Tested::make(), out);
    const auto found = to_vector(members, out);
    for (std::size_t i = 0; i < expected.size(); ++i) require_result(found[i], expected[i]);
    return true;
  }
};

/// Ascending numbers in 0 .. n.
std::vector<index_t> draw_offsets(draw& d, index_t n) {
  const index_t count = d.number("segments", 0, d.one_in("many_segments", 4) ? 200 : 9) + 1;
  const auto seed = static_cast<std::uint64_t>(d.number("offsets.seed", 0, 1000));
  std::vector<index_t> at;
  for (index_t s = 0; s < count; ++s) {
    const std::uint64_t random = test::mix(seed << 32 ^ static_cast<std::uint64_t>(s));
    at.push_back(static_cast<index_t>(random % static_cast<std::uint64_t>(n + 1)));
  }
  std::sort(at.begin(), at.end());
  return at;
}

/// Reductions of segments that cuts split, with offsets anywhere.
template <class Tested>
struct segment_reductions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const std::vector<index_t> at = draw_offsets(d, n);
    const auto members = draw_group(d, space);
    const auto count = static_cast<index_t>(at.size()) - 1;
    sharded_array<T, 1, Space> x(extents<1>(n), members, draw_cut(d, "cut", n, members.size()));
    sharded_array<result, 1, Space> out(extents<1>(count), members,
                                        draw_cut(d, "out", count, members.size()));
    copy(members, elements, x);
    segmented_reduce(members, x, at, out, Tested::make());
    const auto found = to_vector(members, out);
    for (std::size_t s = 0; s < found.size(); ++s) {
      const std::vector<T> terms(elements.begin() + at[s], elements.begin() + at[s + 1]);
      require_result(found[s], expected_from<Tested>(terms, at[s]));
    }
    return true;
  }
};

template <class T, class Operation, class Combine>
struct segment_scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const std::vector<index_t> at = draw_offsets(d, n);
    const auto members = draw_group(d, space);
    sharded_array<T, 1, Space> x(extents<1>(n), members, draw_cut(d, "cut", n, members.size()));
    copy(members, elements, x);
    std::vector<T> expected = elements;
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      const std::vector<T> terms(elements.begin() + at[s], elements.begin() + at[s + 1]);
      if (terms.empty()) continue;
      const auto prefixes = oracle::scan<T, Combine>(terms, Combine{}).inclusive();
      std::copy(prefixes.begin(), prefixes.end(), expected.begin() + at[s]);
    }
    segmented_scan(members, x, at, x, Operation{});
    require_elements(to_vector(members, x), expected);
    return true;
  }
};

/// Runs of equal keys, of which the outputs may hold only the first ones.
template <class Tested>
struct key_runs {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t n = d.size("n", most / 4, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const index_t length = 1 + d.size("length", most / 8);
    const index_t room = d.size("room", most / 8);
    std::vector<std::int16_t> keys;
    for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<std::int16_t>(i / length % 77));
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    sharded_array<T, 1, Space> x(extents<1>(n), members, rows);
    sharded_array<std::int16_t, 1, Space> k(extents<1>(n), members, rows);
    sharded_array<std::int16_t, 1, Space> first(extents<1>(room), -1, members);
    sharded_array<result, 1, Space> out(extents<1>(room), result{}, members,
                                        draw_cut(d, "out", room, members.size()));
    copy(members, elements, x);
    copy(members, keys, k);
    const index_t count = reduce_by_key(members, k, x, first, out, Tested::make());
    const index_t runs = (n + length - 1) / length;
    if (count != runs) throw mismatch(std::to_string(count) + " runs");
    const auto found = to_vector(members, out);
    const auto found_keys = to_vector(members, first);
    for (index_t r = 0; r < room; ++r) {
      const auto at = static_cast<std::size_t>(r);
      const std::int16_t key = r < runs ? static_cast<std::int16_t>(r % 77) : std::int16_t{-1};
      if (found_keys[at] != key) throw mismatch("key " + std::to_string(r));
      if (r >= runs) continue;
      const index_t end = std::min(n, (r + 1) * length);
      const std::vector<T> terms(elements.begin() + r * length, elements.begin() + end);
      require_result(found[at], expected_from<Tested>(terms, r * length));
    }
    return true;
  }
};

/// Elements that move between members: reversed, gathered, and compared with their neighbours.
struct moves {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = std::uint32_t;
    const index_t n = d.size("n", most / 4, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    sharded_array<T, 1, Space> x(extents<1>(n), members, rows);
    sharded_array<T, 1, Space> y(extents<1>(n), members, rows);
    sharded_array<T, 1, Space> z(extents<1>(n), members, draw_cut(d, "z", n, members.size()));
    sharded_array<index_t, 1, Space> at(extents<1>(n), members, rows);
    copy(members, elements, x);
    const std::vector<T> reversed(elements.rbegin(), elements.rend());
    reverse(members, x, z);
    require_elements(to_vector(members, z), reversed);
    iota(members, at, n - 1, -1);
    gather(members, z, at, y);
    require_elements(to_vector(members, y), elements);
    std::vector<T> differences = elements;
    for (std::size_t i = 1; i < elements.size(); ++i)
      differences[i] = elements[i] - elements[i - 1];
    adjacent_difference(members, x, y);
    require_elements(to_vector(members, y), differences);
    return true;
  }
};

/// Sums the `count` elements of a team, weighted by its number in the whole.
struct sum_of_team {
  int count;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(team& t, const X& x, const Y& y) const {
    const index_t begin = t.index() * count;
    const index_t end = begin + count < x.extent(0) ? begin + count : x.extent(0);
    std::uint32_t* const sums = t.scratch<std::uint32_t>(t.lanes());
    const int lanes = t.lanes();
    t.for_each_lane([=](int lane) {
      sums[lane] = 0;
      for (index_t i = begin + lane; i < end; i += lanes) sums[lane] += x(i);
    });
    t.for_each_lane([=, &t](int lane) {
      std::uint32_t total = 0;
      for (int l = 0; l < lanes; ++l) total += sums[l];
      if (lane == 0) y(t.index()) = total * static_cast<std::uint32_t>(t.index() + 1);
    });
  }
};

struct shared_out_teams {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = std::uint32_t;
    const auto items = static_cast<int>(d.number("items", 1, 100));
    const index_t teams = d.size("teams", 300);
    const index_t last = d.number("last", 1, items);
    const index_t n = teams == 0 ? 0 : (teams - 1) * items + last;
    const auto lanes = static_cast<int>(d.number("lanes", 1, 70));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const auto members = draw_group(d, space);
    const cut by_team = draw_cut(d, "cut", teams, members.size());
    std::vector<index_t> sizes;
    for (int p = 0; p < members.size(); ++p)
      sizes.push_back(std::min(n, by_team.end(p) * items) - std::min(n, by_team.begin(p) * items));
    sharded_array<T, 1, Space> x(extents<1>(n), members, cut::of(sizes));
    sharded_array<T, 1, Space> y(extents<1>(teams), members, by_team);
    copy(members, elements, x);
    const team_shape shape{teams, lanes, static_cast<std::size_t>(lanes) * sizeof(T)};
    parallel_teams(members, shape, sum_of_team{items}, std::as_const(x), y);
    std::vector<T> expected(static_cast<std::size_t>(teams));
    for (index_t i = 0; i < n; ++i)
      expected[static_cast<std::size_t>(i / items)] += elements[static_cast<std::size_t>(i)];
    for (std::size_t t = 0; t < expected.size(); ++t) expected[t] *= static_cast<T>(t + 1);
    require_elements(to_vector(members, y), expected);
    return true;
  }
};

struct add_floats {
  float operator()(float a, float b) const { return oracle::plus(a, b); }
};

struct sum_and_bits {
  TANDEM_FUNCTION tuple<std::uint32_t, std::uint32_t> operator()(std::uint32_t a,
                                                                 std::uint32_t b) const {
    return make_tuple(a + 3 * b, a ^ b);
  }
};

/// A transform with two outputs, of which one may be an input.
struct two_outputs {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = std::uint32_t;
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> as = draw_elements<T>(d, n, "a");
    const std::vector<T> bs = draw_elements<T>(d, n, "b");
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    sharded_array<T, 1, Space> a(extents<1>(n), members, rows);
    sharded_array<T, 1, Space> b(extents<1>(n), members, replicated);
    sharded_array<T, 1, Space> y(extents<1>(n), members, rows, halo{n > 0 ? 1 : 0});
    sharded_array<T, 1, Space> z(extents<1>(n), members, rows);
    copy(members, as, a);
    copy(members, bs, b);
    const bool in_place = d.one_in("in_place", 2);
    transform(members, a, b, tie(in_place ? a : z, y), sum_and_bits{});
    std::vector<T> sums, bits;
    for (std::size_t i = 0; i < as.size(); ++i) {
      sums.push_back(as[i] + 3 * bs[i]);
      bits.push_back(as[i] ^ bs[i]);
    }
    require_elements(to_vector(members, in_place ? a : z), sums);
    require_elements(to_vector(members, y), bits);
    return true;
  }
};

const registered all[] = {
    {"group-axis-float", on_a_space<along_axes<sums<float, float>>>},
    {"group-axis-int8", on_a_space<along_axes<sums<std::int8_t, std::int64_t>>>},
    {"group-axis-minloc", on_a_space<along_axes<positions<double, false>>>},
    {"group-axis-ordered", on_a_space<along_axes<ordered>>},
    {"group-segments-float", on_a_space<segment_reductions<sums<float, float>>>},
    {"group-segments-minloc", on_a_space<segment_reductions<positions<float, false>>>},
    {"group-segments-ordered", on_a_space<segment_reductions<ordered>>},
    {"group-runs-float", on_a_space<key_runs<sums<float, float>>>},
    {"group-runs-minloc", on_a_space<key_runs<positions<float, false>>>},
    {"group-moves", on_a_space<moves>},
    {"group-transform", on_a_space<two_outputs>},
    {"group-teams", on_a_space<shared_out_teams>},
    {"group-segmented-scan", on_a_space<segment_scans<float, sum<float>, add_floats>>},
};

}  // namespace
}  // namespace tandem::fuzz
