// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/contract/histogram_bins.hpp>
#include <tandem/core/contract/histogram_problem.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

/// Preconditions of histogram(), and the description of its arguments for a backend.
namespace tandem::detail {

/// A view of rank 1.
template <class View>
concept line = is_view<View> && View::rank() == 1;

/// Reports in one line what cannot be an input.
template <class Space, class View>
consteval bool check_histogram_input() {
  using T = typename View::value_type;
  static_assert(reaches<Space, View>,
                "tandem: histogram: the space cannot reach an input's memory");
  static_assert(!std::is_same_v<T, char>,
                "tandem: histogram: char is signed on many machines, so that bins of bytes would "
                "miss those of 128 and more: pass unsigned char, for example a std::span of "
                "reinterpret_cast<const unsigned char*>(text.data())");
  constexpr bool number = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                          (std::is_integral_v<T> && !std::is_same_v<T, bool>);
  static_assert(number,
                "tandem: histogram: inputs are float, double or integers; count_if counts bools");
  return number && !std::is_same_v<T, char>;
}

/// Reports in one line what cannot be the output.
template <class Space, class View>
consteval bool check_histogram_output() {
  constexpr bool line = View::rank() == 1;
  static_assert(line, "tandem: histogram: the output has one dimension");
  static_assert(reaches<Space, View>,
                "tandem: histogram: the space cannot reach the output's memory");
  constexpr bool writable = !std::is_const_v<typename View::element_type>;
  static_assert(writable, "tandem: histogram: the output is a view of const");
  return line && writable;
}

/// Throws unless the byte offset of every element fits an index.
template <class View>
void require_offsets(const char* name, const View& v) {
  index_t reach = 0;
  const bool fits =
      v.size() == 0 || (!__builtin_mul_overflow(v.size() - 1, v.stride(0), &reach) &&
                        !__builtin_mul_overflow(reach, sizeof(typename View::value_type), &reach));
  if (!fits) {
    throw extent_error(message({"histogram: extent of ", name, " (", v.size(),
                                ") times its stride (", v.stride(0), ") overflows 64 bits"}));
  }
}

/// Throws unless `v` is contiguous.
template <class View>
void require_contiguous(const char* name, const View& v) {
  if (v.size() > 1 && v.stride(0) != 1) {
    throw argument_error(message({"histogram: ", name, " has stride ", v.stride(0), ", not 1"}));
  }
}

/// Throws unless `v` can hold one result per bin and shares no memory with an input.
template <class Space, class View, class... Input>
void require_output(const Space& space, const char* name, const View& v, const Input&... input) {
  require_operand(space, "histogram", name, v);
  if (v.size() == 0)
    throw argument_error(message({"histogram: ", name, " has 0 bins, fewer than 1"}));
  require_contiguous(name, v);
  if ((overlaps(v, input) || ...))
    throw argument_error(message({"histogram: ", name, " overlaps an input"}));
}

/// Throws if there are too many bins for a rule that numbers them with an int.
inline void require_few_bins(index_t bins) {
  constexpr index_t most = std::numeric_limits<int>::max();
  if (bins > most) fail_extents("histogram", "bins", bins, ">", "most bins of this kind", most);
}

/// Stores `count` equal bins over [lo, hi] in the problem.
template <class T, class Space>
void describe_bins(const Space&, histogram_problem& problem, const uniform_bins<T>& bins,
                   index_t count) {
  const double lo = static_cast<double>(bins.lo);
  const double hi = static_cast<double>(bins.hi);
  constexpr double largest = std::numeric_limits<double>::max();
  const auto fail = [&](const char* relation, const char* end) {
    throw argument_error(message({"histogram: lo (", lo, ") ", relation, " hi (", hi, ")", end}));
  };
  if (!(tandem::abs(lo) <= largest && tandem::abs(hi) <= largest)) fail("or", " is not finite");
  if (lo >= hi) fail(">=", "");
  if (!(hi - lo <= largest)) fail("and", " are further apart than a double can tell");
  require_few_bins(count);
  problem.bins = count;
  problem.rule = bin_rule::uniform;
  problem.lo = lo;
  problem.hi = hi;
}

/// Describes bins that hold one integer value each.
template <class T, class Space>
void describe_bins(const Space&, histogram_problem& problem, const integer_bins& bins,
                   index_t count) {
  const index_t highest = std::numeric_limits<index_t>::max() - (count - 1);
  if (bins.first > highest)
    fail_extents("histogram", "value of the first bin", bins.first, ">", "largest", highest);
  if (std::is_unsigned_v<T> && sizeof(T) == 8 && bins.first < 0) {
    fail_extents("histogram", "value of the first bin", bins.first, "<",
                 "smallest value of x's type", 0);
  }
  problem.bins = count;
  problem.rule = bin_rule::integer;
  problem.first = bins.first;
}

/// Throws unless edges ascend; equal neighbours delimit empty bins.
template <line Edges>
void require_ascending(const Edges& edges) {
  for (index_t i = 0; i + 1 < edges.size(); ++i) {
    if (edges(i) <= edges(i + 1)) continue;
    throw argument_error(
        message({"histogram: edge ", i, " (", static_cast<double>(edges(i)), ") is not <= edge ",
                 i + 1, " (", static_cast<double>(edges(i + 1)), ")"}));
  }
}

/// Describes bins between explicit edges.
template <class T, class Space, line Edges>
void describe_bins(const Space& space, histogram_problem& problem, const Edges& edges,
                   index_t count) {
  static_assert(std::is_same_v<typename Edges::value_type, T>,
                "tandem: histogram: edges have the element type of x");
  static_assert(check_histogram_input<Space, Edges>());
  require_operand(space, "histogram", "edges", edges);
  require_offsets("edges", edges);
  require_few_bins(count);
  require_equal("histogram", "edges", edges.size(), "bins + 1", count + 1);
  require_contiguous("edges", edges);
  if constexpr (Space::memory_type::host_accessible) require_ascending(edges);
  problem.bins = count;
  problem.rule = bin_rule::edges;
  problem.edges = edges.data_handle();
}

}  // namespace tandem::detail
