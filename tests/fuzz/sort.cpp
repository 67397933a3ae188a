// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort, sort_by_key, nth_element, copy_if and unique.

#include "fuzz/oracles_sort.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;
constexpr index_t huge = (index_t{1} << 21) + 77;

struct record {
  std::uint32_t words[5];
};

/// A packed buffer of n elements at an offset.
template <class T, class Space>
placed<T, 1, Space> packed_line(draw& d, const Space& space, const std::string& name, index_t n,
                                const value_kind& values) {
  const index_t offset = guard + d.number(name + ".offset", 0, 9);
  return placed<T, 1, Space>(space, {extents<1>(n), extents<1>(1), offset, offset + n + guard},
                             values);
}

template <class T, class Space>
void expect(placed<T, 1, Space>& y, const std::vector<T>& values) {
  const auto count = std::min(y.size(), static_cast<index_t>(values.size()));
  for (index_t i = 0; i < count; ++i) y.expected(i) = values[static_cast<std::size_t>(i)];
}

template <class T>
struct sorts {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most, sizeof(T));
    const bool down = d.one_in("descending", 2);
    const auto order = down ? sort_order::descending : sort_order::ascending;
    auto x = packed_line<T>(d, space, "x", n, draw_values(d, "values"));
    auto y = packed_line<T>(d, space, "y", n, {1, 5});
    const bool in_place = d.one_in("in_place", 2);
    const auto keys = x.elements();
    expect(in_place ? x : y, oracle::gathered(keys, oracle::sorted_positions(keys, down)));
    const auto prepare = [&] {
      x.upload(space);
      y.upload(space);
    };
    run(space, draw_way(d), prepare, [&](const Space& s) {
      if (in_place) {
        sort(s, x.packed(), order);
      } else {
        sort(s, x.packed(), y.strided(), order);
      }
    });
    x.check(space, "x");
    y.check(space, "y");
    return true;
  }
};

template <class T, class V>
struct sorts_by_key {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most, sizeof(T) + sizeof(V));
    const bool down = d.one_in("descending", 2);
    const auto order = down ? sort_order::descending : sort_order::ascending;
    auto keys = packed_line<T>(d, space, "keys", n, draw_values(d, "values"));
    auto values = packed_line<V>(d, space, "values_in", n, {1, 9});
    auto keys_out = packed_line<T>(d, space, "keys_out", n, {1, 5});
    auto values_out = packed_line<V>(d, space, "values_out", n, {1, 6});
    const bool keys_stay = d.one_in("keys_in_place", 2);
    const bool values_stay = d.one_in("values_in_place", 2);
    const auto positions = oracle::sorted_positions(keys.elements(), down);
    const auto sorted_keys = oracle::gathered(keys.elements(), positions);
    expect(values_stay ? values : values_out, oracle::gathered(values.elements(), positions));
    expect(keys_stay ? keys : keys_out, sorted_keys);
    const auto prepare = [&] {
      keys.upload(space);
      values.upload(space);
      keys_out.upload(space);
      values_out.upload(space);
    };
    run(space, draw_way(d), prepare, [&](const Space& s) {
      if (keys_stay && values_stay) {
        sort_by_key(s, keys.packed(), values.packed(), order);
      } else {
        sort_by_key(s, keys.packed(), values.packed(),
                    keys_stay ? keys.packed() : keys_out.packed(),
                    values_stay ? values.packed() : values_out.packed(), order);
      }
    });
    keys.check(space, "keys");
    values.check(space, "values");
    keys_out.check(space, "keys_out");
    values_out.check(space, "values_out");
    return true;
  }
};

/// An element by its rank; rank n is refused.
template <class T>
struct ranks {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    const index_t k = d.number("k", 0, n);
    const auto sorted =
        oracle::gathered(x.elements(), oracle::sorted_positions(x.elements(), false));
    x.upload(space);
    const bool ran = runs_unless<extent_error>(k == n, "no element has this rank", [&] {
      const T value = nth_element(space, x.strided(), k);
      require_same(value, sorted[static_cast<std::size_t>(k)], "value");
    });
    x.check(space, "x");
    return ran;
  }
};

/// Keeps elements according to some of their bits: none, few, half, most or all.
template <class T>
struct keep_some {
  std::uint32_t most_kept;

  TANDEM_FUNCTION bool operator()(T x) const {
    std::uint32_t bits = 0;
    if constexpr (sizeof(T) == 1) bits = static_cast<std::uint8_t>(x);
    if constexpr (sizeof(T) == 4) bits = __builtin_bit_cast(std::uint32_t, x);
    if constexpr (sizeof(T) == 8)
      bits = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x) >> 20);
    if constexpr (sizeof(T) == 20) bits = x.words[0];
    return (bits * 2654435761u >> 16) % 100 < most_kept;
  }
};

template <class T, bool Unique>
struct selections {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    const std::uint32_t percent = static_cast<std::uint32_t>(d.number("percent", 0, 102));
    const keep_some<T> keep{percent == 101 ? 100 : percent == 102 ? 1 : percent};
    std::vector<T> result;
    if constexpr (Unique) result = oracle::changes(x.elements());
    if constexpr (!Unique) result = oracle::kept(x.elements(), keep);
    const auto count = static_cast<index_t>(result.size());
    index_t room = std::max<index_t>(0, count + d.number("room", 0, 4) - 2);
    if (d.one_in("short", 4)) room /= 2;
    placed<T, 1, Space> out(space, draw_placement(d, "out", extents<1>(room), true), {1, 5});
    expect(out, result);
    x.upload(space);
    require_same(select(d, space, x, out, keep), count, "count");
    out.check(space, "out");
    return true;
  }

 private:
  template <class Space, class X, class Out>
  static index_t select(draw& d, const Space& space, X& x, Out& out, const keep_some<T>& keep) {
    if (d.pick("result", {"value", "into"}) == 0) {
      out.upload(space);
      if constexpr (Unique) return unique(space, x.strided(), out.strided());
      if constexpr (!Unique) return copy_if(space, x.strided(), out.strided(), keep);
    }
    array<index_t, 1, Space> memory(extents<1>(1), space);
    const view<index_t, 0, layout_right, typename Space::memory_type> to(memory.data_handle(), {});
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) {
          if constexpr (Unique) unique_into(s, x.strided(), out.strided(), to);
          if constexpr (!Unique) copy_if_into(s, x.strided(), out.strided(), keep, to);
        });
    index_t count = 0;
    copy(space, memory, as_view<host_memory>(&count, 1));
    space.fence();
    return count;
  }
};

const registered all[] = {
    {"sort-float", on_a_space<sorts<float>>},
    {"sort-double", on_a_space<sorts<double>>},
    {"sort-int8", on_a_space<sorts<std::int8_t>>},
    {"sort-uint16", on_a_space<sorts<std::uint16_t>>},
    {"sort-int32", on_a_space<sorts<std::int32_t>>},
    {"sort-uint64", on_a_space<sorts<std::uint64_t>>},
    {"sort-by-key-float", on_a_space<sorts_by_key<float, std::uint32_t>>},
    {"sort-by-key-int64", on_a_space<sorts_by_key<std::int64_t, double>>},
    {"sort-by-key-bytes", on_a_space<sorts_by_key<std::uint8_t, record>>},
    {"sort-by-key-small", on_a_space<sorts_by_key<double, std::int8_t>>},
    {"nth-element-float", on_a_space<ranks<float>>},
    {"nth-element-int32", on_a_space<ranks<std::int32_t>>},
    {"nth-element-uint64", on_a_space<ranks<std::uint64_t>>},
    {"copy-if-float", on_a_space<selections<float, false>>},
    {"copy-if-bytes", on_a_space<selections<std::int8_t, false>>},
    {"copy-if-records", on_a_space<selections<record, false>>},
    {"unique-float", on_a_space<selections<float, true>>},
    {"unique-double", on_a_space<selections<double, true>>},
};

}  // namespace
}  // namespace tandem::fuzz
