// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of rank 0 to 3 in one memory: an operation refuses them if they share a byte and accepts
// them otherwise.

#include "fuzz/overlapping.hpp"

namespace tandem::fuzz {
namespace {

/// y = x + 1 or a + b, in the type of y.
template <class U>
struct add {
  template <class T>
  TANDEM_FUNCTION U operator()(T x) const {
    return static_cast<U>(x + T(1));
  }
  TANDEM_FUNCTION U operator()(U a, U b) const { return a + b; }
};
/// The element and its negative.
struct both_signs {
  TANDEM_FUNCTION tuple<float, float> operator()(float x) const { return make_tuple(x, -x); }
};
struct is_positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};

struct copies {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<3>(d);
    const auto x = draw_operand<float, 3>(d, "x", sizes);
    const auto y = d.one_in("same", 8) ? x : draw_operand<float, 3>(d, "y", sizes);
    const bool bad = repeats(y) || (!is(x, y) && share(x, y));
    return judge(space, bad,
                 [&](std::byte* at) { copy(space, x.in<memory>(at), y.in<memory>(at)); });
  }
};

template <class T, class U>
struct transforms {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<2>(d);
    const auto x = draw_operand<T, 2>(d, "x", sizes);
    const auto z = draw_operand<U, 2>(d, "z", sizes);
    auto y = draw_operand<U, 2>(d, "y", sizes);
    if (d.one_in("same", 6)) y = z;
    const bool pairs = std::is_same_v<T, float> && std::is_same_v<U, float> && d.one_in("pairs", 2);
    const bool bad =
        repeats(y) || (!is(x, y) && share(x, y)) || (pairs && !is(z, y) && share(z, y));
    return judge(space, bad, [&](std::byte* at) {
      const auto in = x.template in<memory>(at);
      const auto out = y.template in<memory>(at);
      if constexpr (std::is_same_v<T, float> && std::is_same_v<U, float>) {
        if (pairs) return transform(space, in, z.template in<memory>(at), out, add<U>{});
      }
      transform(space, in, out, add<U>{});
    });
  }
};

struct two_outputs {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const auto x = draw_operand<float, 1>(d, "x", sizes);
    const auto y = d.one_in("same", 6) ? x : draw_operand<float, 1>(d, "y", sizes);
    const auto z = draw_operand<float, 1>(d, "z", sizes);
    const bool bad = repeats(y) || repeats(z) || (!is(x, y) && share(x, y)) ||
                     (!is(x, z) && share(x, z)) || share(y, z);
    return judge(space, bad, [&](std::byte* at) {
      transform(space, x.in<memory>(at), tie(y.in<memory>(at), z.in<memory>(at)), both_signs{});
    });
  }
};

/// reverse and adjacent_difference.
struct neighbours {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const auto x = draw_operand<float, 1>(d, "x", sizes);
    const auto y = d.one_in("same", 6) ? x : draw_operand<float, 1>(d, "y", sizes);
    const bool reversed = d.one_in("reversed", 2);
    return judge(space, repeats(y) || share(x, y), [&](std::byte* at) {
      if (reversed) reverse(space, x.in<memory>(at), y.in<memory>(at));
      if (!reversed) adjacent_difference(space, x.in<memory>(at), y.in<memory>(at));
    });
  }
};

struct scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const auto x = draw_operand<float, 1>(d, "x", sizes);
    const auto y = d.one_in("same", 6) ? x : draw_operand<float, 1>(d, "y", sizes);
    const bool bad = repeats(y) || (!is(x, y) && share(x, y));
    return judge(space, bad,
                 [&](std::byte* at) { parallel_scan(space, x.in<memory>(at), y.in<memory>(at)); });
  }
};

struct selections {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto x = draw_operand<float, 1>(d, "x", small_extents<1>(d));
    const auto y = draw_operand<float, 1>(d, "y", extents<1>(d.number("room", 0, 40)));
    const bool runs = d.one_in("unique", 2);
    const bool bad = repeats(y) || share(x, y);
    if (d.one_in("into", 2)) {
      const auto count = draw_operand<index_t, 0>(d, "count", extents<0>());
      return judge(space, bad || share(x, count) || share(y, count), [&](std::byte* at) {
        const auto from = x.in<memory>(at);
        const auto to = y.in<memory>(at);
        if (runs) unique_into(space, from, to, count.in<memory>(at));
        if (!runs) copy_if_into(space, from, to, is_positive{}, count.in<memory>(at));
      });
    }
    return judge(space, bad, [&](std::byte* at) {
      if (runs) unique(space, x.in<memory>(at), y.in<memory>(at));
      if (!runs) copy_if(space, x.in<memory>(at), y.in<memory>(at), is_positive{});
    });
  }
};

/// A reduction to memory of the space.
template <class T, class R, int Rank>
struct results {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto x = draw_operand<T, Rank>(d, "x", small_extents<Rank>(d));
    const auto out = draw_operand<typename R::result, 0>(d, "out", extents<0>());
    return judge(space, share(x, out), [&](std::byte* at) {
      parallel_reduce_into(space, x.template in<memory>(at), R{}, out.template in<memory>(at));
    });
  }
};

template <class V>
struct sorts {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const auto keys = draw_operand<float, 1>(d, "keys", sizes, true);
    const auto values = draw_operand<V, 1>(d, "values", sizes, true);
    const auto keys_out =
        d.one_in("same_keys", 3) ? keys : draw_operand<float, 1>(d, "keys_out", sizes, true);
    const auto values_out =
        d.one_in("same_values", 3) ? values : draw_operand<V, 1>(d, "values_out", sizes, true);
    const bool keys_bad = !is(keys, keys_out) && share(keys, keys_out);
    const bool bad = keys_bad || (!is(values, values_out) && share(values, values_out)) ||
                     share(keys_out, values) || share(keys, values_out) ||
                     share(keys_out, values_out);
    if (d.one_in("keys_only", 3)) {
      return judge(space, keys_bad, [&](std::byte* at) {
        sort(space, keys.template in<memory>(at), keys_out.template in<memory>(at));
      });
    }
    return judge(space, bad, [&](std::byte* at) {
      sort_by_key(space, keys.template in<memory>(at), values.template in<memory>(at),
                  keys_out.template in<memory>(at), values_out.template in<memory>(at));
    });
  }
};

const registered all[] = {
    {"overlap-copy", on_a_space<copies>},
    {"overlap-transform", on_a_space<transforms<float, float>>},
    {"overlap-narrowing", on_a_space<transforms<double, float>>},
    {"overlap-widening", on_a_space<transforms<std::int8_t, std::int32_t>>},
    {"overlap-retyping", on_a_space<transforms<float, std::int32_t>>},
    {"overlap-outputs", on_a_space<two_outputs>},
    {"overlap-scan", on_a_space<scans>},
    {"overlap-select", on_a_space<selections>},
    {"overlap-reduce", on_a_space<results<float, sum<float>, 1>>},
    {"overlap-reduce-wide", on_a_space<results<std::int16_t, sum<std::int64_t>, 2>>},
    {"overlap-reduce-minloc", on_a_space<results<double, minloc<double>, 1>>},
    {"overlap-neighbours", on_a_space<neighbours>},
    {"overlap-sort", on_a_space<sorts<float>>},
    {"overlap-sort-wide", on_a_space<sorts<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
