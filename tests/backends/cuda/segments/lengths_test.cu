// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments at the lengths from which a different number of lanes, or more than one warp, reduces
// one.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <tandem/backends/cuda/segments/dispatch.cuh>

using namespace tandem::test;
using tandem::index_t;

namespace {

using load = tandem::contiguous_load<float, tandem::sum<float>>;
using fold = tandem::cuda_impl::segment_fold<load, tandem::sum<float>>;

/// Compares sums of segments of these lengths with reductions of each segment alone.
void check_lengths(const std::vector<index_t>& lengths) {
  const tandem::cuda space(0);
  const tandem::serial reference;
  std::vector<index_t> offsets{0};
  for (const index_t length : lengths) offsets.push_back(offsets.back() + length);
  const auto values = random_values<float>(static_cast<std::size_t>(offsets.back()), 11);
  const auto x = to_space(space, values);
  const auto on_device = to_space(space, offsets);
  tandem::array<float, 1, tandem::cuda> sums(tandem::extents<1>(lengths.size()), space);
  tandem::segmented_reduce(space, x.const_view(), on_device.const_view(), sums.view(),
                           tandem::sum<float>{});
  const auto got = to_host(space, sums);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const std::vector<float> own(values.begin() + offsets[s], values.begin() + offsets[s + 1]);
    INFO("segment of " << lengths[s]);
    CHECK(same_bits(got[s], tandem::parallel_reduce(reference, own, tandem::sum<float>{})));
  }
}

/// Returns offsets of `count` segments with lengths drawn from a list.
std::vector<int> mixed_offsets(int count, const std::vector<int>& lengths, std::uint64_t seed) {
  std::vector<int> offsets{3};  // the first terms belong to no segment
  for (int s = 0; s < count; ++s)
    offsets.push_back(offsets.back() +
                      lengths[mix(seed + static_cast<std::uint64_t>(s)) % lengths.size()]);
  return offsets;
}

/// Lengths around those that fill a lane, a row of lanes or a warp's stage: short ones for so many
/// segments that a warp takes 32, and longer ones.
const std::vector<int> short_lengths{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
const std::vector<int> long_lengths{0,   1,   5,   30,  127, 128,  129,  383,  384,  385,
                                    511, 512, 513, 767, 768, 1023, 1024, 1025, 4097, 9000};
struct mixed_segments {
  int count;
  const std::vector<int>& lengths;
};
const mixed_segments mixtures[] = {
    {1, short_lengths},    {31, short_lengths},    {32, long_lengths},     {33, short_lengths},
    {20011, long_lengths}, {35000, short_lengths}, {300007, short_lengths}};

/// Sums several multiples of the terms: accumulators of `Count` T.
template <class T, int Count, bool Commutative = true>
struct sum_of_multiples {
  struct accumulator {
    T part[static_cast<std::size_t>(Count)];
  };
  using result = T;
  static constexpr bool commutative = Commutative;

  TANDEM_FUNCTION accumulator lift(T term, index_t) const {
    accumulator lifted;
    for (int k = 0; k < Count; ++k) lifted.part[k] = static_cast<T>(k + 1) * term;
    return lifted;
  }
  TANDEM_FUNCTION accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator both;
    for (int k = 0; k < Count; ++k) both.part[k] = a.part[k] + b.part[k];
    return both;
  }
  TANDEM_FUNCTION accumulator identity() const {
    accumulator none;
    for (int k = 0; k < Count; ++k) none.part[k] = -T{};
    return none;
  }
  TANDEM_FUNCTION result finish(const accumulator& a) const {
    T all = a.part[0];
    for (int k = 1; k < Count; ++k) all = all + a.part[k];
    return all;
  }
  TANDEM_FUNCTION result empty() const { return T{}; }
};

/// Compares reductions of every other element, and of all, with serial's for each mixture.
template <class T, class R>
void check_mixtures(const R& reducer) {
  const tandem::cuda space(0);
  const tandem::serial reference;
  for (const mixed_segments& mixture : mixtures) {
    INFO(mixture.count << " segments");
    const auto at = mixed_offsets(mixture.count, mixture.lengths, sizeof(T));
    const auto n = static_cast<std::size_t>(at.back());
    const auto values = random_values<T>(2 * n, 12);
    const auto x = to_space(space, values);
    const auto offsets = to_space(space, at);
    using result = typename R::result;
    auto out = to_space(space, std::vector<result>(at.size() - 1));
    std::vector<result> wanted(at.size() - 1);
    tandem::segmented_reduce(reference, values, at, wanted, reducer);
    tandem::segmented_reduce(space, x, offsets, out, reducer);
    CHECK(first_difference(to_host(space, out), wanted) == -1);
    const tandem::slice every_other{0, static_cast<index_t>(2 * n), 2};
    tandem::segmented_reduce(reference, tandem::subview(tandem::as_view(values), every_other), at,
                             wanted, reducer);
    tandem::segmented_reduce(space, tandem::subview(x.const_view(), every_other), offsets, out,
                             reducer);
    CHECK(first_difference(to_host(space, out), wanted) == -1);
  }
}

/// Returns keys that change at the start of each segment.
template <class Key>
std::vector<Key> keys_of(const std::vector<int>& at) {
  std::vector<Key> keys(static_cast<std::size_t>(at.back()), Key(1));
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    for (int i = at[s]; i < at[s + 1]; ++i)
      keys[static_cast<std::size_t>(i)] = static_cast<Key>(s % 2 == 0 ? 100 + s % 7 : s % 90);
  }
  return keys;
}

/// A key selected by its position.
struct long_key {
  std::int64_t part[3];

  long_key() = default;
  explicit long_key(std::size_t value) : part{7, static_cast<std::int64_t>(value), 8} {}
  TANDEM_FUNCTION friend bool operator==(const long_key& a, const long_key& b) {
    return a.part[1] == b.part[1];
  }
};

template <class Key>
void check_runs(int stride) {
  const tandem::cuda space(0);
  const tandem::serial reference;
  for (const mixed_segments& mixture : mixtures) {
    INFO(mixture.count << " runs");
    const auto at = mixed_offsets(mixture.count, mixture.lengths, 5);
    const auto keys = keys_of<Key>(at);
    const auto values = random_values<float>(keys.size(), 13);
    const auto n = static_cast<index_t>(keys.size());
    const tandem::slice some{0, n, stride};
    const auto on_device = to_space(space, keys);
    const auto x = to_space(space, values);
    std::vector<Key> first(keys.size());
    std::vector<float> sums(keys.size());
    const index_t runs =
        tandem::reduce_by_key(reference, tandem::subview(tandem::as_view(keys), some),
                              tandem::subview(tandem::as_view(values), some), first, sums);
    for (const index_t room : {runs + 2, runs, runs / 2}) {
      auto keys_out = to_space(space, std::vector<Key>(static_cast<std::size_t>(room)));
      auto out = to_space(space, std::vector<float>(static_cast<std::size_t>(room)));
      CHECK(tandem::reduce_by_key(space, tandem::subview(on_device.const_view(), some),
                                  tandem::subview(x.const_view(), some), keys_out, out) == runs);
      const auto got_keys = to_host(space, keys_out);
      const auto got = to_host(space, out);
      int wrong = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(std::min(room, runs)); ++r)
        wrong += got_keys[r] == first[r] && same_bits(got[r], sums[r]) ? 0 : 1;
      CHECK(wrong == 0);
    }
  }
}

/// Multiplies by matrices with those rows, some columns out of range.
template <class T>
void check_products() {
  const tandem::cuda space(0);
  const tandem::serial reference;
  constexpr index_t columns = 5000;
  for (const mixed_segments& mixture : mixtures) {
    INFO(mixture.count << " rows");
    const auto at = mixed_offsets(mixture.count, mixture.lengths, 9);
    const auto n = static_cast<std::size_t>(at.back());
    auto in = random_below<int>(n, std::uint64_t{columns}, 14);
    if (TANDEM_CHECKED == 0) in[n / 2] = -1;
    const auto elements = random_values<T>(n, 15);
    const auto vector = random_values<T>(columns, 16);
    const auto product = [&](const auto& where, const auto& offsets, const auto& places,
                             const auto& values, const auto& x, auto& y) {
      const tandem::csr_matrix a{tandem::as_view(offsets), tandem::as_view(places),
                                 tandem::as_view(values), columns};
      tandem::multiply(where, a, x, y);
    };
    std::vector<T> wanted(at.size() - 1);
    product(reference, at, in, elements, vector, wanted);
    auto y = to_space(space, wanted);
    product(space, to_space(space, at), to_space(space, in), to_space(space, elements),
            to_space(space, vector), y);
    CHECK(first_difference(to_host(space, y), wanted) == -1);
  }
}

}  // namespace

TEST_CASE("cuda segments: lengths around what a lane and a chunk take") {
  const index_t few = tandem::cuda_impl::few_terms;
  const index_t chunk = fold::chunk_terms;
  check_lengths({0, 1, few - 1, few, few + 1, 0, chunk - 1, chunk});
  check_lengths({chunk - 1, chunk, chunk + 1, 0, 2 * chunk, 5 * chunk + few + 1, 3});
}

TEST_CASE("cuda segments: mixed lengths, for accumulators of 1 to 48 bytes") {
  check_mixtures<std::int8_t>(tandem::maximum<std::int8_t>{});
  check_mixtures<float>(tandem::sum<float>{});
  check_mixtures<double>(tandem::sum<double>{});
  check_mixtures<float>(sum_of_multiples<float, 3>{});
  check_mixtures<double>(sum_of_multiples<double, 2>{});
  check_mixtures<float>(sum_of_multiples<float, 5>{});
  check_mixtures<double>(sum_of_multiples<double, 6>{});
}

TEST_CASE("cuda segments: mixed lengths, for operations that do not commute") {
  check_mixtures<float>(sum_of_multiples<float, 1, false>{});
  check_mixtures<double>(sum_of_multiples<double, 2, false>{});
  check_mixtures<double>(sum_of_multiples<double, 3, false>{});
}

TEST_CASE("cuda segments: runs of keys of every size, adjacent and strided") {
  check_runs<std::uint8_t>(1);
  check_runs<std::uint16_t>(1);
  check_runs<std::int32_t>(1);
  check_runs<std::int32_t>(2);
  check_runs<std::int64_t>(1);
  check_runs<long_key>(1);
}

TEST_CASE("cuda segments: rows of a sparse matrix of mixed lengths") {
  check_products<float>();
  check_products<double>();
}

TEST_CASE("cuda segments: segments that overlap or fall write nothing outside the output") {
  if (TANDEM_CHECKED > 0) return;
  const tandem::cuda space(0);
  const int n = 100000;
  const auto x = to_space(space, random_values<float>(static_cast<std::size_t>(n), 17));
  auto at = random_below<int>(40001, static_cast<std::uint64_t>(n), 18);
  for (int& offset : at) offset -= 5000;
  const auto offsets = to_space(space, at);
  auto out = to_space(space, std::vector<float>(at.size() + 1, 7.0f));
  tandem::segmented_reduce(space, x, offsets,
                           tandem::subview(out.view(), tandem::slice{1, index_t{40001}}));
  const auto got = to_host(space, out);
  CHECK(got.front() == 7.0f);
  CHECK(got.back() == 7.0f);
}
