// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_reduce and parallel_reduce_into with every reducer, over functions and views.

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;
constexpr index_t huge = (index_t{1} << 22) + (index_t{1} << 18);

/// Term number i - begin of a packed view, by index.
template <class T, class Memory, class Index>
struct element_term {
  view<const T, 1, layout_right, Memory> x;
  index_t begin;

  TANDEM_FUNCTION T operator()(Index i) const { return x(static_cast<index_t>(i) - begin); }
};
template <class T, class Memory, class Index>
struct plane_term {
  view<const T, 1, layout_right, Memory> x;
  index_t nx;

  TANDEM_FUNCTION T operator()(Index j, Index i) const {
    return x(static_cast<index_t>(j) * nx + static_cast<index_t>(i));
  }
};

/// Returns the result by value, or through memory of the space.
template <class Space, class R, class... Source>
typename R::result reduced(draw& d, const Space& space, const R& reducer, const Source&... from) {
  if (d.pick("result", {"value", "into"}) == 0) return parallel_reduce(space, from..., reducer);
  using result = typename R::result;
  array<result, 1, Space> memory(extents<1>(1), space);
  const view<result, 0, layout_right, typename Space::memory_type> out(memory.data_handle(), {});
  result value{};
  run(
      space, draw_way(d), [] {},
      [&](const Space& s) { parallel_reduce_into(s, from..., reducer, out); });
  copy(space, memory, as_view<host_memory>(&value, 1));
  space.fence();
  return value;
}

template <class Tested>
struct of_functions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using memory = typename Space::memory_type;
    const index_t n = d.size("n", d.one_in("large", 40) ? huge : most, sizeof(T));
    placed<T, 1, Space> x(space, {extents<1>(n), extents<1>(1), guard, n + 2 * guard},
                          draw_values(d, "values"));
    x.upload(space);
    const auto reducer = Tested::make();
    const int form = d.pick("indices", {"n", "range", "grid"});
    const index_t begin = form == 1 ? d.number("begin", 0, 9) * (index_t{1} << 33) - 7 : 0;
    const auto expected = expected_from<Tested>(x.elements(), begin);
    const view<const T, 1, layout_right, memory> terms = x.packed();
    if (form < 2) {  // n means the range from 0
      const element_term<T, memory, index_t> f{terms, begin};
      require_result(reduced(d, space, reducer, range{begin, begin + n}, f), expected);
    } else {
      index_t rows = d.number("rows", 1, 100);
      while (n % rows != 0) --rows;
      const plane_term<T, memory, int> f{terms, n / rows};
      require_result(reduced(d, space, reducer, grid{rows, n / rows}, f), expected);
    }
    return true;
  }
};

template <class Tested, int Rank>
struct of_views {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    extents<Rank> sizes;
    index_t left = d.one_in("large", 40) ? huge : most;
    for (int k = Rank - 1; k >= 0; --k) {
      sizes[k] = d.size("extent" + std::to_string(k), left, sizeof(T));
      left /= std::max<index_t>(sizes[k], 1);
    }
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, false), draw_values(d, "values"));
    x.upload(space);
    const auto reducer = Tested::make();
    const auto expected = Tested::expected(x.elements());
    if (x.is_packed()) {
      require_result(reduced(d, space, reducer, x.packed()), expected);
    } else {
      require_result(reduced(d, space, reducer, x.strided()), expected);
    }
    return true;
  }
};

const registered all[] = {
    {"reduce-sum-float", on_a_space<of_views<sums<float, float>, 1>>},
    {"reduce-sum-double", on_a_space<of_views<sums<double, double>, 1>>},
    {"reduce-sum-plane", on_a_space<of_views<sums<float, float>, 2>>},
    {"reduce-sum-volume", on_a_space<of_views<sums<std::int8_t, std::int64_t>, 3>>},
    {"reduce-sum-integers", on_a_space<of_views<sums<std::int32_t, std::int64_t>, 1>>},
    {"reduce-sum-bytes", on_a_space<of_functions<sums<std::uint8_t, std::uint64_t>>>},
    {"reduce-sum-half", on_a_space<of_functions<sums<half, half>>>},
    {"reduce-sum-terms", on_a_space<of_functions<sums<float, float>>>},
    {"reduce-sum-mixed", on_a_space<of_functions<sums<float, double>>>},
    {"reduce-product", on_a_space<of_functions<products<double>>>},
    {"reduce-minimum", on_a_space<of_views<extremes<float, false>, 1>>},
    {"reduce-maximum", on_a_space<of_views<extremes<double, true>, 2>>},
    {"reduce-minimum-short", on_a_space<of_functions<extremes<std::int16_t, false>>>},
    {"reduce-maximum-half", on_a_space<of_functions<extremes<half, true>>>},
    {"reduce-minloc", on_a_space<of_views<positions<float, false>, 2>>},
    {"reduce-maxloc", on_a_space<of_functions<positions<double, true>>>},
    {"reduce-minmax", on_a_space<of_views<both_extremes<float>, 1>>},
    {"reduce-started", on_a_space<of_functions<started<float>>>},
    {"reduce-started-view", on_a_space<of_views<started<double>, 2>>},
    {"reduce-logical", on_a_space<of_functions<logical>>},
    {"reduce-bits", on_a_space<of_views<bits, 1>>},
    {"reduce-combined", on_a_space<of_functions<combined>>},
    {"reduce-ordered", on_a_space<of_functions<ordered>>},
    {"reduce-ordered-view", on_a_space<of_views<ordered, 1>>},
};

}  // namespace
}  // namespace tandem::fuzz
