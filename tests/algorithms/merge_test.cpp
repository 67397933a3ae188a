// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The merge of two sorted runs, which groups and streams sort with: stable, in the order of sort().

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <algorithm>
#include <cstdint>

using namespace tandem::test;
using tandem::index_t;
using tandem::sort_order;
using tandem::detail::keyed_line;

namespace {

/// A value of Bytes bytes that holds its number, as far as there is room.
template <std::size_t Bytes>
struct numbered {
  unsigned char byte[Bytes];

  explicit numbered(std::size_t number = 0) : byte() {
    for (std::size_t i = 0; i < Bytes; ++i)
      byte[i] = static_cast<unsigned char>((number >> (8 * (i % 4))) + i / 4);
  }
};

/// Merges the sorted front of `keys`, `left` of them, with the sorted rest. A stable sort of all of
/// them has the same result.
template <class V, class T, class Space>
void check_merge(const Space& space, const std::vector<T>& keys, std::size_t left) {
  const tandem::serial serial;
  const auto n = static_cast<index_t>(keys.size());
  const auto middle = static_cast<index_t>(left);
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    INFO("n = " << n << ", left " << middle << ", bytes of a key " << sizeof(T)
                << (order == sort_order::ascending ? "" : ", descending"));
    std::vector<T> runs = keys;
    std::vector<V> values;
    for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(V(i));
    const auto sort_part = [&](index_t begin, index_t end) {
      const auto part = tandem::slice{begin, end};
      tandem::sort_by_key(serial, tandem::subview(tandem::as_view(runs), part),
                          tandem::subview(tandem::as_view(values), part), order);
    };
    sort_part(0, middle);
    sort_part(middle, n);
    auto x = to_space(space, runs);
    auto v = to_space(space, values);
    auto x_out = tandem::array<T, 1, Space>(tandem::extents<1>(n), space);
    auto v_out = tandem::array<V, 1, Space>(tandem::extents<1>(n), space);
    using Keys = keyed_line<T, void>;
    using Pairs = keyed_line<T, V>;
    T* const k = x.data_handle();
    tandem::detail::merge_sorted<Space, T, void>(space, "merge", {Keys{k}, middle},
                                                 {Keys{k + middle}, n - middle},
                                                 Keys{x_out.data_handle()}, order);
    const auto keys_alone = to_host(space, x_out);
    tandem::fill(space, x_out, T{});
    tandem::detail::merge_sorted<Space, T, V>(
        space, "merge", {Pairs{k, v.data_handle()}, middle},
        {Pairs{k + middle, v.data_handle() + middle}, n - middle},
        Pairs{x_out.data_handle(), v_out.data_handle()}, order);
    sort_part(0, n);
    CHECK(same_bytes(keys_alone, runs));
    CHECK(same_bytes(to_host(space, x_out), runs));
    CHECK(same_bytes(to_host(space, v_out), values));
  }
}

template <class V, class T, class Space>
void check_splits(const Space& space, const std::vector<T>& keys) {
  const std::size_t n = keys.size();
  for (const std::size_t left : {std::size_t{0}, n / 3, n / 2, n > 0 ? n - 1 : n, n})
    check_merge<V>(space, keys, left);
}

}  // namespace

TEST_CASE_TEMPLATE("merge: runs of every size, with one of them empty, and tiles that end anywhere",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    if (takes_few() && n % 16 != 1) continue;
    check_splits<std::uint32_t>(space, random_values<std::uint32_t>(n, n));
  }
  // Tiles of a GPU have 3840 keys, or 2304 of 8 bytes; blocks have up to 7 of them.
  for (const std::size_t n :
       {3839u, 3840u, 3841u, 7 * 3840u + 1, 2303u, 2304u, 2305u, 7 * 2304u - 1}) {
    check_merge<std::uint32_t>(space, random_values<std::int32_t>(n, n), n / 5);
    check_merge<std::uint64_t>(space, random_values<std::int64_t>(n, n), n - n / 5);
  }
}

TEST_CASE_TEMPLATE("merge: keys of every type, and values of any size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = 9001;
  check_splits<numbered<1>>(space, random_values<std::int8_t>(n, 1));
  check_splits<numbered<2>>(space, random_values<std::uint8_t>(n, 2));
  check_splits<numbered<3>>(space, random_values<std::int16_t>(n, 3));
  check_splits<std::uint64_t>(space, random_values<std::uint16_t>(n, 4));
  check_splits<numbered<20>>(space, random_values<std::uint64_t>(n, 5));
  check_splits<numbered<32>>(space, random_values<float>(n, 6));
  check_splits<numbered<6>>(space, random_values<double>(n, 7));
}

TEST_CASE_TEMPLATE("merge: equal keys, sorted ones, and NaN and zeros of both signs", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    check_splits<std::uint32_t>(space, hostile_values<float>(12011, kind));
    check_splits<std::uint64_t>(space, hostile_values<double>(12011, kind));
  }
  check_splits<std::uint32_t>(space, random_below<std::uint32_t>(30011, 3, 1));
  std::vector<std::int32_t> reversed(30011);
  for (std::size_t i = 0; i < reversed.size(); ++i) reversed[i] = -static_cast<std::int32_t>(i);
  check_splits<std::uint32_t>(space, reversed);
}

TEST_CASE_TEMPLATE("merge: a million keys", Backend, TANDEM_TEST_BACKENDS) {
  if (takes_few()) return;
  const auto space = Backend::make();
  check_merge<std::uint32_t>(space, random_values<float>(large_size, 1), large_size / 3);
  check_merge<std::uint32_t>(space, random_below<std::uint64_t>(large_size, 1000, 2),
                             large_size / 2);
}
