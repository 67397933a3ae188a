// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>

#include "fuzz/placed.hpp"

/// Operands in shared memory of one case, and the oracle of their overlap: it lists every byte of
/// each.
namespace tandem::fuzz {

inline constexpr index_t memory_bytes = 8192;

/// Elements of T in the memory: addresses in bytes, row-major.
template <class T, int Rank>
struct operand {
  extents<Rank> sizes;
  extents<Rank> strides;
  index_t first = 0;  ///< bytes before the element with indices 0
  std::vector<index_t> addresses;

  template <class Memory>
  view<T, Rank, layout_stride, Memory> in(std::byte* memory) const {
    using mapping = typename layout_stride::template mapping<Rank>;
    return {reinterpret_cast<T*>(memory + first), mapping(sizes, strides)};
  }
};

/// Draws strides and a position for an operand; `contiguous` ones have stride 1.
template <class T, int Rank>
operand<T, Rank> draw_operand(draw& d, const std::string& name, const extents<Rank>& sizes,
                              bool contiguous = false) {
  operand<T, Rank> x;
  x.sizes = sizes;
  index_t lowest = 0;
  index_t highest = 0;
  for (int k = 0; k < Rank; ++k) {
    const index_t stride = contiguous ? 1 : d.number(name + ".stride" + std::to_string(k), 0, 24);
    x.strides[k] =
        !contiguous && d.one_in(name + ".back" + std::to_string(k), 5) ? -stride : stride;
    (x.strides[k] < 0 ? lowest : highest) += x.strides[k] * std::max<index_t>(sizes[k] - 1, 0);
  }
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const index_t room = memory_bytes / size - 1 - highest;
  x.first = std::min(d.number(name + ".at", 0, 40) - lowest, room) * size;
  for (index_t i = 0; i < sizes.size(); ++i) {
    index_t rest = i;
    index_t at = 0;
    for (int k = Rank - 1; k >= 0; --k) {
      at += rest % sizes[k] * x.strides[k];
      rest /= sizes[k];
    }
    x.addresses.push_back(x.first + at * size);
  }
  return x;
}

template <class Operand>
constexpr index_t element_bytes(const Operand& x) {
  return static_cast<index_t>(sizeof(*x.template in<host_memory>(nullptr).data_handle()));
}

template <class Operand>
std::set<index_t> bytes_of(const Operand& x) {
  std::set<index_t> bytes;
  for (const index_t at : x.addresses) {
    for (index_t b = 0; b < element_bytes(x); ++b) bytes.insert(at + b);
  }
  return bytes;
}

/// Whether two indices refer to the same element.
template <class Operand>
bool repeats(const Operand& x) {
  return std::set<index_t>(x.addresses.begin(), x.addresses.end()).size() != x.addresses.size();
}

template <class A, class B>
bool share(const A& a, const B& b) {
  const auto other = bytes_of(b);
  for (const index_t at : bytes_of(a)) {
    if (other.count(at) != 0) return true;
  }
  return false;
}

/// Whether b is a, in place: the same elements in the same order.
template <class A, class B>
bool is(const A& a, const B& b) {
  return element_bytes(a) == element_bytes(b) && a.addresses == b.addresses;
}

/// Runs an operation on one memory; a refusal must leave all of it unchanged.
template <class Space, class Function>
bool judge(const Space& space, bool bad, const Function& f) {
  std::vector<std::byte> before(static_cast<std::size_t>(memory_bytes));
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::byte>(i % 64);
  array<std::byte, 1, Space> memory(extents<1>(memory_bytes), space);
  copy(space, before, memory);
  space.fence();
  const bool ran =
      runs_unless<argument_error>(bad, "operands share elements", [&] { f(memory.data_handle()); });
  space.fence();
  if (ran) return true;
  std::vector<std::byte> after(before.size());
  copy(space, memory, after);
  space.fence();
  if (after != before) throw mismatch("a refused operation has written");
  return false;
}

template <int Rank>
extents<Rank> small_extents(draw& d) {
  extents<Rank> sizes;
  for (int k = 0; k < Rank; ++k)
    sizes[k] = d.number("extent" + std::to_string(k), 0, Rank == 1 ? 40 : 6);
  return sizes;
}

}  // namespace tandem::fuzz
