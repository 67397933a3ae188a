// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/key_value_span.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>

#include <cstdint>

/// Stable sorts on one thread for elements in its caches.
namespace tandem::openmp_impl {

/// Returns the bits in which any rank differs from the first one.
template <class Source>
auto varying_bits(const Source& line, index_t begin, index_t end) {
  const auto first = line.rank(0);
  auto varying = static_cast<decltype(line.rank(0))>(0);
  for (index_t i = begin; i < end; ++i)
    varying = static_cast<decltype(varying)>(varying | (line.rank(i) ^ first));
  return varying;
}

/// Returns varying_bits() of n elements, on several threads.
template <class Source>
std::uint64_t varying_bits_of(int threads, const Source& line, index_t n) {
  std::uint64_t all = 0;
  for_static_blocks(threads, n, [&](index_t, share part) {
    const std::uint64_t own = varying_bits(line, part.begin, part.end);
    __atomic_fetch_or(&all, own, __ATOMIC_RELAXED);
  });
  return all;
}

/// Returns one more than the position of the highest set bit; 0 for 0.
inline int bit_length(std::uint64_t bits) { return bits == 0 ? 0 : 64 - __builtin_clzll(bits); }

/// Insertion sort, for a few elements.
template <class Order, class Line>
void sort_by_insertion(const Line& line, index_t n) {
  for (index_t i = 1; i < n; ++i) {
    const auto rank = line.rank(i);
    const auto place = Order::comparable_bits(rank);
    const auto payload = line.payload(i);
    index_t at = i;
    for (; at > 0 && place < Order::comparable_bits(line.rank(at - 1)); --at)
      line.take(at, line, at - 1);
    line.set(at, rank, payload);
  }
}

/// One pass: moves elements in the order of one digit, `Bits` bits from `bit` on, stably.
template <int Bits, class Counter, class Order, class Line>
void radix_pass(const Line& from, const Line& to, index_t n, int bit) {
  constexpr std::size_t digits = std::size_t{1} << Bits;
  const auto digit = [&](index_t i) {
    return static_cast<std::size_t>(Order::comparable_bits(from.rank(i)) >> bit) % digits;
  };
  // Two sets of counters break the dependency between equal keys.
  Counter counts[2][digits] = {};
  index_t i = 0;
  for (; i + 2 <= n; i += 2) {
    ++counts[0][digit(i)];
    ++counts[1][digit(i + 1)];
  }
  if (i < n) ++counts[0][digit(i)];
  Counter before = 0;
  for (std::size_t d = 0; d < digits; ++d) {
    const auto own = static_cast<Counter>(counts[0][d] + counts[1][d]);
    counts[0][d] = before;
    before = static_cast<Counter>(before + own);
  }
  for (i = 0; i < n; ++i) to.take(static_cast<index_t>(counts[0][digit(i)]++), from, i);
}

/// Sorts digit by digit, the lowest first, with as much room at `spare`; `varying` has the bits in
/// which the ranks differ. Returns whichever of the two spans holds the result.
template <int Bits, class Counter, class Order, class Line>
Line radix_sort_passes(Line from, Line spare, index_t n, std::uint64_t varying) {
  for (int bit = __builtin_ctzll(varying); bit < bit_length(varying); bit += Bits) {
    if (((varying >> bit) & ((std::uint64_t{1} << Bits) - 1)) == 0) continue;
    radix_pass<Bits, Counter, Order>(from, spare, n, bit);
    const Line sorted = spare;
    spare = from;
    from = sorted;
  }
  return from;
}

/// Radix sort with the fastest digit width; insertion sort for few elements.
template <class Order, class Line>
Line radix_sort(const Line& line, const Line& spare, index_t n, std::uint64_t varying) {
  if (varying == 0) return line;
  if (n <= insertion_keys) {
    sort_by_insertion<Order>(line, n);
    return line;
  }
  const int bits = bit_length(varying) - __builtin_ctzll(varying);
  if (n > index_t{0xffffffff}) return radix_sort_passes<8, index_t, Order>(line, spare, n, varying);
  if (n >= wide_digit_keys && (bits + 10) / 11 < (bits + 7) / 8)
    return radix_sort_passes<11, std::uint32_t, Order>(line, spare, n, varying);
  return radix_sort_passes<8, std::uint32_t, Order>(line, spare, n, varying);
}

}  // namespace tandem::openmp_impl
