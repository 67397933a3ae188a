// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy, fill and transform between operands of any rank and strides.

#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 19;  // bytes of a contiguous operand

template <std::size_t Bytes>
struct blob {
  unsigned char bytes[Bytes];
};

/// Extents whose product is at most `elements`.
template <int Rank>
extents<Rank> draw_extents(draw& d, index_t elements, std::size_t bytes) {
  extents<Rank> sizes;
  for (int k = Rank - 1; k >= 0; --k) {
    sizes[k] = d.size("extent" + std::to_string(k), elements, bytes);
    elements /= std::max<index_t>(sizes[k], 1);
  }
  return sizes;
}

/// Rounds extents up to multiples of 4, as far as `elements` elements permit.
template <int Rank>
extents<Rank> whole_words(extents<Rank> sizes, index_t elements) {
  for (int k = 0; k < Rank; ++k) {
    const index_t others = std::max<index_t>(sizes.size() / std::max<index_t>(sizes[k], 1), 1);
    const index_t rounded = (sizes[k] + 3) / 4 * 4;
    if (rounded * others <= elements) sizes[k] = rounded;
  }
  return sizes;
}

/// Copies for each rank in a list.
template <class T, int... Ranks>
struct copies {
  template <int Rank, class Space>
  static bool of_rank(draw& d, const Space& space) {
    constexpr index_t elements = most / static_cast<index_t>(sizeof(T));
    auto sizes = draw_extents<Rank>(d, elements, sizeof(T));
    // A permutation without gaps, which GPUs move in words of several small elements.
    const bool permutes = Rank > 1 && d.one_in("permutes", 3);
    if (permutes && d.one_in("whole_words", 2)) sizes = whole_words(sizes, elements);
    placed<T, Rank, Space> x(
        space, permutes ? draw_permutation(d, "x", sizes) : draw_placement(d, "x", sizes, false),
        draw_values(d, "values"));
    placed<T, Rank, Space> y(space, draw_placement(d, "y", sizes, true), {1, 5});
    for (index_t i = 0; i < y.size(); ++i) y.expected(i) = x(i);
    x.upload(space);
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) { copy(s, x.strided(), y.strided()); });
    y.check(space, "y");
    return true;
  }

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    constexpr bool (*checks[])(draw&, const Space&) = {of_rank<Ranks, Space>...};
    return checks[d.number("choice_of_rank", 0, sizeof...(Ranks) - 1)](d, space);
  }
};

template <class T>
struct fills {
  template <int Rank, class Space>
  static bool of_rank(draw& d, const Space& space) {
    const auto sizes = draw_extents<Rank>(d, most / static_cast<index_t>(sizeof(T)), sizeof(T));
    placed<T, Rank, Space> y(space, draw_placement(d, "y", sizes, false), {1, 5});
    const T value = draw_values(d, "value").template at<T>(11);
    for (index_t i = 0; i < y.size(); ++i) y.expected(i) = value;
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) { with_view(y, [&](const auto& v) { fill(s, v, value); }); });
    y.check(space, "y");
    return true;
  }

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    return d.pick("rank", {"1", "3"}) == 0 ? of_rank<1>(d, space) : of_rank<3>(d, space);
  }
};

/// y = 3 x + 1, rounded twice in U.
template <class T, class U>
struct triple {
  TANDEM_FUNCTION U operator()(T x) const {
    const U three = U(3) * static_cast<U>(x);
    return three + U(1);
  }
};

struct difference {
  TANDEM_FUNCTION float operator()(float a, float b) const { return a - b; }
};

template <class T, class U>
struct transforms {
  template <int Rank, class Space>
  static bool of_rank(draw& d, const Space& space) {
    const auto sizes = draw_extents<Rank>(d, most / static_cast<index_t>(sizeof(T)), sizeof(T));
    const bool in_place = std::is_same_v<T, U> && d.one_in("in_place", 3);
    const auto values = draw_values(d, "values");
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, in_place), values);
    const triple<T, U> f{};
    if constexpr (std::is_same_v<T, U>) {
      if (in_place) {
        for (index_t i = 0; i < x.size(); ++i) x.expected(i) = f(x(i));
        run(
            space, draw_way(d), [&] { x.upload(space); },
            [&](const Space& s) { with_view(x, [&](const auto& v) { transform(s, v, v, f); }); });
        x.check(space, "x");
        return true;
      }
    }
    placed<U, Rank, Space> y(space, draw_placement(d, "y", sizes, true), {1, 5});
    for (index_t i = 0; i < y.size(); ++i) y.expected(i) = f(x(i));
    x.upload(space);
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) {
          if (x.is_packed() && y.is_packed()) {
            transform(s, x.packed(), y.packed(), f);
          } else {
            transform(s, x.strided(), y.strided(), f);
          }
        });
    y.check(space, "y");
    return true;
  }

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    return d.pick("rank", {"1", "2"}) == 0 ? of_rank<1>(d, space) : of_rank<2>(d, space);
  }
};

/// Two inputs; either may be the output.
struct pairs {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using operand = placed<float, 2, Space>;
    const auto sizes = draw_extents<2>(d, most / 4, sizeof(float));
    const int same = d.pick("y_is", {"apart", "a", "b", "both"});
    operand a(space, draw_placement(d, "a", sizes, true), draw_values(d, "a.values"));
    operand b(space, draw_placement(d, "b", sizes, true), draw_values(d, "b.values"));
    operand c(space, draw_placement(d, "y", sizes, true), {1, 5});
    operand& y = same == 0 ? c : same == 2 ? b : a;
    operand& right = same == 3 ? a : b;
    for (index_t i = 0; i < y.size(); ++i) y.expected(i) = difference{}(a(i), right(i));
    const auto prepare = [&] {
      a.upload(space);
      b.upload(space);
      c.upload(space);
    };
    run(space, draw_way(d), prepare, [&](const Space& s) {
      transform(s, a.strided(), right.strided(), y.strided(), difference{});
    });
    a.check(space, "a");
    b.check(space, "b");
    c.check(space, "y");
    return true;
  }
};

const registered all[] = {
    {"copy-1", on_a_space<copies<std::uint8_t, 1, 2, 3, 4, 6>>},
    {"copy-2", on_a_space<copies<std::int16_t, 2, 3, 4>>},
    {"copy-3", on_a_space<copies<blob<3>, 2, 3>>},
    {"copy-4", on_a_space<copies<float, 1, 2, 3, 4, 6, 0>>},
    {"copy-8", on_a_space<copies<double, 2, 3>>},
    {"copy-12", on_a_space<copies<blob<12>, 2>>},
    {"copy-16", on_a_space<copies<blob<16>, 1, 3>>},
    {"copy-40", on_a_space<copies<blob<40>, 2>>},
    {"fill-1", on_a_space<fills<std::uint8_t>>},
    {"fill-3", on_a_space<fills<blob<3>>>},
    {"fill-4", on_a_space<fills<float>>},
    {"fill-16", on_a_space<fills<blob<16>>>},
    {"transform-float", on_a_space<transforms<float, float>>},
    {"transform-narrowing", on_a_space<transforms<double, float>>},
    {"transform-widening", on_a_space<transforms<std::int8_t, double>>},
    {"transform-pairs", on_a_space<pairs>},
};

}  // namespace
}  // namespace tandem::fuzz
