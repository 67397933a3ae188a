// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>

#include <limits>
#include <type_traits>

namespace tandem {

/// Indices begin, begin + 1, .., end - 1 of one dimension; empty when end <= begin.
struct range {
  index_t begin = 0;
  index_t end = 0;
  /// Threads of a block on a device, or 0 to let tandem choose. Ignored where there are no blocks.
  index_t block = 0;

  static constexpr int rank = 1;
  TANDEM_FUNCTION constexpr index_t size() const { return end > begin ? end - begin : 0; }

  /// These indices, launched in blocks of exactly `threads` threads.
  constexpr range with_block(index_t threads) const { return {begin, end, threads}; }
};

/// Indices (j, i) or (k, j, i) of a rectangular grid from zero; the last one is contiguous and runs
/// fastest.
template <int Rank>
struct grid {
  static_assert(Rank == 2 || Rank == 3,
                "tandem: a grid has 2 or 3 dimensions; use a range or a number for 1");

  tandem::extents<Rank> sizes;
  /// Threads of a block along each dimension, in the order of the indices, or zeros to let tandem
  /// choose.
  tandem::extents<Rank> block;

  static constexpr int rank = Rank;

  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a range of one dimension.
  constexpr grid(Index... size) : sizes(size...) {}

  TANDEM_FUNCTION constexpr index_t size() const { return sizes.size(); }

  /// These indices, launched in blocks of exactly this shape, slowest dimension first:
  /// with_block(8, 32).
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  constexpr grid with_block(Index... threads) const {
    grid result = *this;
    result.block = tandem::extents<Rank>(threads...);
    return result;
  }
};

template <std::integral... Index>
grid(Index...) -> grid<static_cast<int>(sizeof...(Index))>;

namespace detail {

template <class Member>
struct first_parameter;
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...) const> {
  using type = std::remove_cvref_t<Index>;
};
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...) const noexcept> {
  using type = std::remove_cvref_t<Index>;
};
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...)> {
  static_assert(sizeof(Class) == 0,
                "tandem: many threads call f at the same time, so its call operator is const: a "
                "lambda must not be mutable");
  using type = std::remove_cvref_t<Index>;
};

template <class Function>
consteval auto loop_index_of() {
  if constexpr (requires { &Function::operator(); }) {
    return typename first_parameter<decltype(&Function::operator())>::type{};
  } else {
    return index_t{};
  }
}

}  // namespace detail

/// Type of the index that a function object's call operator takes: `int` for [](int i). index_t
/// where the operator is a template or overloaded.
template <class Function>
using loop_index = decltype(detail::loop_index_of<Function>());

namespace detail {

/// Throws extent_error unless every index below `end` fits `Index`.
template <class Index>
void require_index_fits(const char* operation, index_t begin, index_t end) {
  static_assert(std::is_integral_v<Index> && !std::is_same_v<Index, bool>,
                "tandem: a loop's index is an integer other than bool");
  if (end <= begin) return;
  if constexpr (sizeof(Index) < sizeof(index_t)) {
    constexpr index_t highest = static_cast<index_t>(std::numeric_limits<Index>::max());
    if (end - 1 > highest)
      fail_extents(operation, "last index", end - 1, ">", "largest value of its type", highest);
  }
  if constexpr (sizeof(Index) < sizeof(index_t) || std::is_unsigned_v<Index>) {
    constexpr index_t lowest = static_cast<index_t>(std::numeric_limits<Index>::min());
    if (begin < lowest)
      fail_extents(operation, "first index", begin, "<", "smallest value of its type", lowest);
  }
}

/// Says in one line why a function object cannot be a kernel.
template <class Function>
consteval bool check_kernel() {
  static_assert(std::is_copy_constructible_v<Function>,
                "tandem: f is copied into kernels, so what it holds must be copyable");
  return true;
}

/// Throws extent_error unless the indices of a loop can be counted and fit `Index`.
template <class Index>
void require_indices(const char* operation, const range& indices) {
  index_t count = 0;
  if (__builtin_sub_overflow(indices.end, indices.begin, &count) && indices.end > indices.begin)
    fail_extents(operation, "last index", indices.end - 1, "is 2^63 or more from",
                 "the first index", indices.begin);
  require_index_fits<Index>(operation, indices.begin, indices.end);
}

template <class Index, int Rank>
void require_indices(const char* operation, const grid<Rank>& indices) {
  bool none = false;
  for (int d = 0; d < Rank; ++d) {
    if (indices.sizes[d] < 0)
      fail_extents(operation, "extent of the grid", indices.sizes[d], "<", "smallest", 0);
    require_index_fits<Index>(operation, 0, indices.sizes[d]);
    none |= indices.sizes[d] == 0;
  }
  index_t count = 1;
  for (int d = 0; d < Rank && !none; ++d) {
    if (__builtin_mul_overflow(count, indices.sizes[d], &count))
      throw extent_error(std::string(operation) + ": the grid has 2^63 indices or more");
  }
}

}  // namespace detail
}  // namespace tandem
