// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_reduce_into along an axis, dot, argmin and argmax.

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

template <class T, class Memory>
struct plane_terms {
  view<const T, 2, layout_stride, Memory> x;
  TANDEM_FUNCTION T operator()(index_t j, index_t i) const { return x(j, i); }
};
template <class T, class Memory>
struct volume_terms {
  view<const T, 3, layout_stride, Memory> x;
  TANDEM_FUNCTION T operator()(int k, int j, int i) const { return x(k, j, i); }
};

/// The flat number of an element, from the indices of its output and of its term along the axis.
template <int Rank>
index_t element_number(const extents<Rank>& sizes, int along, index_t output, index_t term) {
  index_t inner = 1;
  for (int k = along + 1; k < Rank; ++k) inner *= sizes[k];
  return (output / inner * sizes[along] + term) * inner + output % inner;
}

template <class Tested, int Rank>
struct axes {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    extents<Rank> sizes;
    index_t left = d.one_in("large", 30) ? 16 * most : most;
    const int along = static_cast<int>(d.number("axis", 0, Rank - 1));
    const int first = d.one_in("axis_first", 2) ? along : 0;
    for (int k = 0; k < Rank; ++k) {
      const int at = (first + k) % Rank;
      sizes[at] = d.size("extent" + std::to_string(at), left, sizeof(T));
      left /= std::max<index_t>(sizes[at], 1);
    }
    extents<Rank - 1> remaining;
    for (int k = 0; k < Rank - 1; ++k) remaining[k] = sizes[k < along ? k : k + 1];
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, false), draw_values(d, "values"));
    placed<result, Rank - 1, Space> y(space, draw_placement(d, "y", remaining, true), {1, 5});
    for (index_t j = 0; j < y.size(); ++j) {
      std::vector<T> terms;
      for (index_t i = 0; i < sizes[along]; ++i)
        terms.push_back(x(element_number(sizes, along, j, i)));
      y.expected(j) = Tested::expected(terms);
    }
    x.upload(space);
    // Functions of indices for some element types only: each needs another kernel.
    constexpr bool of_functions = sizeof(T) != 8 && sizeof(T) != sizeof(char);
    const int form = of_functions ? d.pick("terms", {"view", "function"}) : 0;
    const axis counted{d.one_in("from_end", 4) ? along - Rank : along};
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) {
          if (form == 1) {
            if constexpr (of_functions) reduce_terms(s, x, counted, y);
          } else {
            parallel_reduce_into(s, x.strided(), counted, Tested::make(), y.strided());
          }
        });
    y.check(space, "y");
    return true;
  }

 private:
  template <class Space, class X, class Y>
  static void reduce_terms(const Space& s, X& x, axis along, Y& y) {
    using T = typename Tested::term;
    using memory = typename Space::memory_type;
    const auto v = x.strided();
    if constexpr (Rank == 2) {
      parallel_reduce_into(s, grid{v.extent(0), v.extent(1)}, along, plane_terms<T, memory>{v},
                           Tested::make(), y.strided());
    } else {
      parallel_reduce_into(s, grid{v.extent(0), v.extent(1), v.extent(2)}, along,
                           volume_terms<T, memory>{v}, Tested::make(), y.strided());
    }
  }
};

template <class T, class S>
struct dots {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 40) ? 32 * most : 2 * most, sizeof(T));
    using operand = placed<T, 1, Space>;
    operand x(space, draw_placement(d, "x", extents<1>(n), false), draw_values(d, "x.values"));
    operand y(space, draw_placement(d, "y", extents<1>(n), false), draw_values(d, "y.values"));
    x.upload(space);
    y.upload(space);
    std::vector<S> terms;
    for (index_t i = 0; i < n; ++i)
      terms.push_back(oracle::times(static_cast<S>(x(i)), static_cast<S>(y(i))));
    const S expected = n == 0 ? S{0} : oracle::reduce(terms, oracle::plus<S>);
    if (x.is_packed() && y.is_packed()) {
      require_same(S{dot(space, x.packed(), y.packed())}, expected, "dot");
    } else {
      require_same(S{dot(space, x.strided(), y.strided())}, expected, "dot");
    }
    return true;
  }
};

template <class T, int Rank>
struct arguments {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    extents<Rank> sizes;
    index_t left = d.one_in("large", 40) ? 32 * most : 2 * most;
    for (int k = Rank - 1; k >= 0; --k) {
      sizes[k] = d.size("extent" + std::to_string(k), left, sizeof(T));
      left /= std::max<index_t>(sizes[k], 1);
    }
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, false), draw_values(d, "values"));
    x.upload(space);
    const auto terms = x.elements();
    const auto least = positions<T, false>::expected(terms);
    const auto greatest = positions<T, true>::expected(terms);
    with_view(x, [&](const auto& v) {
      require_same(argmin(space, v), least, "argmin");
      require_same(argmax(space, v), greatest, "argmax");
    });
    return true;
  }
};

const registered all[] = {
    {"axis-sum-float", on_a_space<axes<sums<float, float>, 2>>},
    {"axis-sum-double", on_a_space<axes<sums<double, double>, 3>>},
    {"axis-started", on_a_space<axes<started<float>, 2>>},
    {"axis-sum-bytes", on_a_space<axes<sums<std::int8_t, std::int64_t>, 2>>},
    {"axis-maximum", on_a_space<axes<extremes<float, true>, 3>>},
    {"axis-minloc", on_a_space<axes<positions<float, false>, 2>>},
    {"axis-ordered", on_a_space<axes<ordered, 2>>},
    {"dot-float", on_a_space<dots<float, float>>},
    {"dot-double", on_a_space<dots<double, double>>},
    {"dot-int32", on_a_space<dots<std::int32_t, std::int64_t>>},
    {"dot-uint8", on_a_space<dots<std::uint8_t, std::uint64_t>>},
    {"argument-float", on_a_space<arguments<float, 1>>},
    {"argument-double", on_a_space<arguments<double, 2>>},
    {"argument-int16", on_a_space<arguments<std::int16_t, 3>>},
};

}  // namespace
}  // namespace tandem::fuzz
