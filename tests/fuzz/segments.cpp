// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments, runs of keys and rows of sparse matrices: each is compared with a reduction of its
// terms alone, by the oracle of reductions.

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

/// Draws a number of terms; in some cases there are so many that threads share a segment that has
/// them all.
index_t draw_terms(draw& d, std::size_t bytes) {
  const index_t n = d.size("n", d.one_in("large", 30) ? 16 * most : most, bytes);
  return n + (d.one_in("shared", 4) ? most / 2 : 0);
}

/// Draws ascending offsets in 0 .. n, which need neither begin at 0 nor end at n. Lengths vary
/// between segments, and some are empty. In some cases one segment has most of the terms, so that
/// threads share it.
std::vector<index_t> draw_offsets(draw& d, index_t n) {
  const index_t segments = d.size("segments", d.one_in("many", 4) ? 5000 : 60);
  const index_t longest = 1 + d.size("longest", most);
  const index_t empty_of = d.number("empty_of", 1, 5);
  const auto seed = static_cast<std::uint64_t>(d.number("offsets.seed", 0, 1000));
  const index_t dominant = d.one_in("dominated", 3) ? d.number("dominant", 0, 9) : -1;
  std::vector<index_t> offsets = {std::min(n, d.number("first", 0, 40))};
  for (index_t s = 0; s < segments; ++s) {
    const std::uint64_t random = test::mix(seed << 32 ^ static_cast<std::uint64_t>(s));
    const auto bits = static_cast<int>(random >> 32 & 15);
    index_t length = static_cast<index_t>(random & 0xffffu) >> bits;
    if (length > longest || s % empty_of == 1) length = 0;
    if (s == dominant) length = n;
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

/// Returns x[begin .. end - 1], the terms of a segment.
template <class T, class Line>
std::vector<T> terms_of(const Line& x, index_t begin, index_t end) {
  std::vector<T> terms;
  for (index_t i = begin; i < end; ++i) terms.push_back(x(i));
  return terms;
}

template <class Tested>
struct segments {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t n = draw_terms(d, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    const std::vector<index_t> at = draw_offsets(d, n);
    const auto count = static_cast<index_t>(at.size()) - 1;
    placed<index_t, 1, Space> offsets(
        space, draw_placement(d, "offsets", extents<1>(count + 1), true), {1, 5});
    placed<result, 1, Space> out(space, draw_placement(d, "out", extents<1>(count), true), {1, 5});
    for (index_t s = 0; s <= count; ++s) offsets.initial(s) = at[static_cast<std::size_t>(s)];
    offsets.expect_unchanged();
    for (index_t s = 0; s < count; ++s)
      out.expected(s) =
          expected_from<Tested>(terms_of<T>(x, offsets(s), offsets(s + 1)), offsets(s));
    x.upload(space);
    offsets.upload(space);
    const way how = draw_way(d);
    // A checked build waits for the offsets, which is impossible while recording.
    run(
        space, TANDEM_CHECKED > 0 && how == way::in_graph ? way::directly : how,
        [&] { out.upload(space); },
        [&](const Space& s) {
          segmented_reduce(s, x.strided(), offsets.strided(), out.strided(), Tested::make());
        });
    out.check(space, "out");
    return true;
  }
};

template <class T>
struct segmented_scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = draw_terms(d, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    placed<T, 1, Space> y(space, draw_placement(d, "y", extents<1>(n), true), {1, 5});
    const std::vector<index_t> at = draw_offsets(d, n);
    array<index_t, 1, Space> offsets(extents<1>(at.size()), space);
    copy(space, at, offsets);
    const bool is_exclusive = d.one_in("exclusive", 2);
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      const auto terms = terms_of<T>(x, at[s], at[s + 1]);
      if (terms.empty()) continue;
      const auto add = [](T a, T b) { return T(a + b); };
      const oracle::scan<T, decltype(add)> scan(terms, add);
      const auto scanned = is_exclusive ? scan.exclusive(T(2)) : scan.inclusive();
      for (std::size_t i = 0; i < scanned.size(); ++i)
        y.expected(at[s] + static_cast<index_t>(i)) = scanned[i];
    }
    x.upload(space);
    y.upload(space);
    if (is_exclusive) {
      segmented_scan(space, x.strided(), offsets, y.strided(), sum<T>{}, exclusive{T(2)});
    } else {
      segmented_scan(space, x.strided(), offsets, y.strided(), sum<T>{});
    }
    y.check(space, "y");
    return true;
  }
};

template <class Tested>
struct runs {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t n = draw_terms(d, sizeof(T));
    const index_t room = d.size("room", most / 4);
    placed<std::int16_t, 1, Space> keys(space, draw_placement(d, "keys", extents<1>(n), true),
                                        draw_values(d, "unused"));
    placed<T, 1, Space> values(space, draw_placement(d, "values", extents<1>(n), false),
                               draw_values(d, "value"));
    placed<std::int16_t, 1, Space> first(
        space, draw_placement(d, "keys_out", extents<1>(room), true), {1, 5});
    placed<result, 1, Space> out(space, draw_placement(d, "out", extents<1>(room), true), {1, 5});
    const index_t length = 1 + d.size("length", 5000) + (d.one_in("long", 3) ? most / 2 : 0);
    const index_t first_length = d.number("first_length", 0, 40);
    for (index_t i = 0; i < n; ++i)
      keys.initial(i) =
          static_cast<std::int16_t>(i < first_length ? 77 : (i - first_length) / length % 77);
    keys.expect_unchanged();
    index_t count = 0;
    for (index_t begin = 0; begin < n;) {
      index_t end = begin + 1;
      while (end < n && keys(end) == keys(begin)) ++end;
      if (count < room) {
        first.expected(count) = keys(begin);
        out.expected(count) = expected_from<Tested>(terms_of<T>(values, begin, end), begin);
      }
      ++count;
      begin = end;
    }
    keys.upload(space);
    values.upload(space);
    first.upload(space);
    out.upload(space);
    const index_t got = reduce_by_key(space, keys.strided(), values.strided(), first.strided(),
                                      out.strided(), Tested::make());
    require_same(got, count, "number of runs");
    first.check(space, "keys_out");
    out.check(space, "values_out");
    return true;
  }
};

template <class T>
struct sparse {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t stored = d.size("stored", most, sizeof(T));
    const index_t columns = 1 + d.size("columns", 3000);
    const index_t sides = d.number("sides", 1, 3);
    const std::vector<index_t> at = draw_offsets(d, stored);
    const auto rows = static_cast<index_t>(at.size()) - 1;
    placed<index_t, 1, Space> offsets(
        space, {extents<1>(rows + 1), extents<1>(1), guard, rows + 1 + 2 * guard}, {1, 5});
    placed<std::int32_t, 1, Space> places(
        space, draw_placement(d, "places", extents<1>(stored), true), draw_values(d, "unused"));
    placed<T, 1, Space> values(space, draw_placement(d, "values", extents<1>(stored), false),
                               draw_values(d, "value"));
    placed<T, 2, Space> x(space, draw_placement(d, "x", extents<2>(columns, sides), false),
                          draw_values(d, "element"));
    placed<T, 2, Space> y(space, draw_placement(d, "y", extents<2>(rows, sides), true), {1, 5});
    for (index_t s = 0; s <= rows; ++s) offsets.initial(s) = at[static_cast<std::size_t>(s)];
    offsets.expect_unchanged();
    for (index_t k = 0; k < stored; ++k) {
      const std::uint64_t random = test::mix(static_cast<std::uint64_t>(k));
      places.initial(k) = static_cast<std::int32_t>(random % static_cast<std::uint64_t>(columns));
    }
    places.expect_unchanged();
    for (index_t o = 0; o < rows * sides; ++o) {
      std::vector<T> products;
      for (index_t k = offsets(o / sides); k < offsets(o / sides + 1); ++k) {
        const T element = x(places(k) * sides + o % sides);
        products.push_back(static_cast<T>(values(k) * element));
      }
      y.expected(o) = sums<T, T>::expected(products);
    }
    offsets.upload(space);
    places.upload(space);
    values.upload(space);
    x.upload(space);
    y.upload(space);
    const csr_matrix a{offsets.strided(), places.strided(), values.strided(), columns};
    multiply(space, a, x.strided(), y.strided());
    space.fence();
    y.check(space, "y");
    return true;
  }
};

const registered all[] = {
    {"segments-float", on_a_space<segments<sums<float, float>>>},
    {"segments-double", on_a_space<segments<sums<double, double>>>},
    {"segments-started", on_a_space<segments<started<float>>>},
    {"segments-int64", on_a_space<segments<sums<std::int64_t, std::int64_t>>>},
    {"segments-minloc", on_a_space<segments<positions<float, false>>>},
    {"segments-maxloc", on_a_space<segments<positions<double, true>>>},
    {"segmented_scan-float", on_a_space<segmented_scans<float>>},
    {"segmented_scan-double", on_a_space<segmented_scans<double>>},
    {"runs-started", on_a_space<runs<started<double>>>},
    {"runs-float", on_a_space<runs<sums<float, float>>>},
    {"runs-minloc", on_a_space<runs<positions<float, false>>>},
    {"sparse-float", on_a_space<sparse<float>>},
    {"sparse-double", on_a_space<sparse<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
