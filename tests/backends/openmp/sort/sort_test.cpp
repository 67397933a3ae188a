// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using namespace tandem::test;
using tandem::index_t;
using tandem::sort_order;

/// Keys without values on few threads, of sizes near those that are first divided into buckets:
/// with equal keys, zeros of both signs, and patterns that mislead a sample.
namespace {

/// The order that sort() documents, independent of core/contract/sort_key.hpp: numbers by <, zeros
/// equal, NaNs last by their bits, positive ones first.
template <class T>
bool stands_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) {
      if (std::signbit(a) != std::signbit(b)) return std::signbit(b);
      using word = tandem::detail::key_word<sizeof(T)>;
      const auto x = std::bit_cast<word>(a);
      const auto y = std::bit_cast<word>(b);
      return std::signbit(a) ? y < x : x < y;
    }
    if (std::isnan(a) || std::isnan(b)) return std::isnan(b) && !std::isnan(a);
  }
  return a < b;
}

template <class T>
bool same_bytes(const T* a, const std::vector<T>& b) {
  return b.empty() || std::memcmp(a, b.data(), b.size() * sizeof(T)) == 0;
}

template <class T>
auto line_of(std::vector<T>& x, std::size_t first, std::size_t n) {
  return tandem::view<T, 1, tandem::layout_right, tandem::host_memory>(
      x.data() + first, tandem::extents<1>(static_cast<index_t>(n)));
}

/// Sorts in both orders, in place and out of place, starting at element `first` of an allocation
/// whose other elements must not change.
template <class T, class Space>
void check_sorts(const Space& space, const std::vector<T>& keys, std::size_t first = 0) {
  const std::size_t n = keys.size();
  const T guard = static_cast<T>(77);
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    const bool up = order == sort_order::ascending;
    INFO("n = " << n << ", bytes of a key " << sizeof(T) << (up ? ", up" : ", down"));
    std::vector<T> wanted = keys;
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](T a, T b) { return up ? stands_before(a, b) : stands_before(b, a); });
    std::vector<T> x(n + first + 1, guard);
    std::copy(keys.begin(), keys.end(), x.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<T> out(n + first + 1, guard);
    const auto in = line_of(x, first, n);
    const auto apart = line_of(out, first, n);
    tandem::sort(space, tandem::view<const T, 1, tandem::layout_right, tandem::host_memory>(in),
                 apart, order);
    CHECK(same_bytes(out.data() + first, wanted));
    CHECK(same_bytes(x.data() + first, keys));
    tandem::sort(space, in, order);
    CHECK(same_bytes(x.data() + first, wanted));
    for (const auto* memory : {&x, &out}) {
      CHECK(memory->back() == guard);
      if (first > 0) CHECK((*memory)[first - 1] == guard);
    }
  }
}

/// Makes n keys with a function of their index and 64 random bits.
template <class T, class Make>
std::vector<T> keys_of(std::size_t n, const Make& make) {
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<T>(make(i, mix(i + n)));
  return keys;
}

constexpr std::size_t many = 70'001;

/// Checks keys of every distribution that splitters may see.
template <class T, class Space>
void check_kinds(const Space& space) {
  const auto number = [](std::uint64_t r) { return random_value<T>(5, r); };
  check_sorts(space, keys_of<T>(many, [](auto, auto) { return 3; }));
  check_sorts(space, keys_of<T>(many, [](auto, auto r) { return r % 2; }));
  check_sorts(space, keys_of<T>(many, [](auto i, auto) { return i < many / 2 ? 9 : 5; }));
  check_sorts(space, keys_of<T>(many, [&](auto, auto r) { return r % 2 ? T(5) : number(r); }));
  check_sorts(space, keys_of<T>(many, [](auto, auto r) { return r % 100; }));
  check_sorts(space, keys_of<T>(many, [](auto i, auto) { return i; }));
  check_sorts(space, keys_of<T>(many, [](auto i, auto) { return many - i; }));
  check_sorts(space, keys_of<T>(many, [](auto i, auto) { return i % 1021; }));
}

/// Checks distributions that only floating point has: both zeros amid, below and above the other
/// keys, NaNs and infinities of both signs.
template <class T, class Space>
void check_float_kinds(const Space& space) {
  const auto zero = [](std::uint64_t r) { return (r >> 9 & 1) != 0 ? T(-0.0) : T(0.0); };
  for (const T shift : {T(0), T(1), T(-1)}) {
    for (const unsigned others : {2u, 50u, 30'011u}) {
      check_sorts(space, keys_of<T>(many, [&](auto, auto r) {
                    return r % others == 0 ? zero(r) : random_value<T>(6, r) + shift;
                  }));
    }
  }
  check_sorts(space, keys_of<T>(many, [&](auto, auto r) { return zero(r); }));
  for (int kind = 0; kind < hostile_kinds; ++kind)
    check_sorts(space, hostile_values<T>(many, kind));
  using word = tandem::detail::key_word<sizeof(T)>;
  const auto infinity = std::bit_cast<word>(std::numeric_limits<T>::infinity());
  check_sorts(space, keys_of<T>(many, [&](auto, auto r) {
                const auto sign = static_cast<word>((r >> 20 & 1) << (8 * sizeof(word) - 1));
                const auto bits = static_cast<word>(r % 3 == 0   ? infinity
                                                    : r % 3 == 1 ? infinity + r % 5000
                                                                 : r >> 5);
                return std::bit_cast<T>(static_cast<word>(bits | sign));
              }));
}

/// Places two zeros of opposite signs among other keys, at either end and in the middle.
template <class T, class Space>
void check_two_zeros(const Space& space) {
  const std::size_t places[] = {0, many / 2 - 1, many / 2, many / 2 + 1, many - 2, many - 1};
  for (const std::size_t a : places) {
    for (const std::size_t b : places) {
      if (a == b) continue;
      auto keys = random_values<T>(many, 8);
      keys[a] = T(0.0);
      keys[b] = T(-0.0);
      check_sorts(space, keys);
    }
  }
}

}  // namespace

TEST_CASE("sort: two zeros keep their order wherever they stand") {
  check_two_zeros<float>(tandem::openmp(2));
  check_two_zeros<double>(tandem::openmp(2));
}

TEST_CASE("sort: keys alone on few threads, whatever their distribution") {
  for (const int threads : {2, 3}) {
    INFO("threads = " << threads);
    const tandem::openmp space(threads);
    check_kinds<float>(space);
    check_kinds<double>(space);
    check_kinds<std::int32_t>(space);
    check_kinds<std::uint32_t>(space);
    check_kinds<std::int64_t>(space);
    check_kinds<std::uint64_t>(space);
  }
}

TEST_CASE("sort: zeros, NaNs and infinities of both signs, on few threads") {
  for (const int threads : {2, 3}) {
    INFO("threads = " << threads);
    const tandem::openmp space(threads);
    check_float_kinds<float>(space);
    check_float_kinds<double>(space);
  }
}

TEST_CASE("sort: sizes about those that are divided, at addresses of every alignment") {
  const tandem::openmp space(2);
  for (const std::size_t base : {std::size_t{0}, std::size_t{1} << 14, std::size_t{1} << 16}) {
    for (std::size_t more = 0; more < 150; more += more < 5 ? 1 : 29) {
      check_sorts(space, random_values<float>(base + more, more), more % 16);
      check_sorts(space, random_values<double>(base + more, more), more % 8);
    }
    if (base == 0) continue;
    check_sorts(space, random_values<std::int32_t>(base - 1, 3), 1);
    check_sorts(space, random_values<std::uint64_t>(base - 1, 4), 1);
  }
}

TEST_CASE("sort: a pattern that hides the keys from a sample") {
  const tandem::openmp space(2);
  // The largest keys are in the first half, or in a few stretches, and all keys but a few are below
  // the others.
  for (const std::size_t period : {2u, 64u, 35'000u}) {
    check_sorts(space, keys_of<float>(many, [&](auto i, auto r) {
                  return static_cast<double>(r >> 40) + (i / period % 2 == 0 ? 1e9 : 0.0);
                }));
  }
  check_sorts(space, keys_of<double>(many, [](auto i, auto r) {
                return i % 1024 == 0 ? static_cast<double>(r >> 40) : -1.0;
              }));
}
