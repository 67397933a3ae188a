// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// An empty list with room for `count` elements. Errors: out_of_memory_error of the operation.
template <class T>
std::vector<T> list_for(const char* operation, int count) {
  const auto size = static_cast<std::size_t>(count);
  try {
    std::vector<T> list;
    list.reserve(size);
    return list;
  } catch (const std::bad_alloc&) {
    fail_host_memory(operation, size * sizeof(T));
  }
}

}  // namespace detail

/// Where the rows of a whole are cut into the parts of a group's members: part p has the rows
/// begin(p) to end(p) - 1, and may have none.
///
/// No cut changes a result. Cuts at multiples of 4096 elements, as even() makes them, cost nothing;
/// elsewhere a reduction passes the terms of a tile on to the member on the left.
class cut {
 public:
  /// No parts.
  cut() = default;
  /// Copies the numbers of the rows. Errors: out_of_memory_error.
  cut(const cut& other) : cut(other.parts()) {
    bounds_.insert(bounds_.end(), other.bounds_.begin(), other.bounds_.end());
  }
  cut(cut&&) noexcept = default;
  cut& operator=(const cut& other) { return *this = cut(other); }
  cut& operator=(cut&&) noexcept = default;
  ~cut() = default;

  /// Cuts `rows` rows of `row_size` elements each into `parts` parts of nearly the same size: at
  /// multiples of the largest power of two of 4096 elements with which no part exceeds the mean by
  /// more than 1/256, if there is one; rows that are longer or of other lengths are counted one by
  /// one. Lines of fewer elements than that are cut at multiples of 4096 elements.
  /// Errors: extent_error for a negative number of rows, argument_error for no parts.
  ///
  /// Complexity  O(parts)
  static cut even(index_t rows, int parts, index_t row_size = 1) {
    if (rows < 0) detail::fail_negative("cut", "rows", rows);
    detail::require(parts >= 1, "cut", "a cut has at least one part");
    index_t step = granule / std::gcd(granule, std::max<index_t>(row_size, 1));
    const index_t most = rows / parts / 512;  // a part may be two steps longer than the mean
    if (step > most) {
      if (row_size != 1) step = 1;
    } else {
      while (step * 2 <= most) step *= 2;
    }
    cut result(parts);
    const index_t steps = rows / step;
    for (int p = 0; p < parts; ++p)
      result.bounds_.push_back((steps / parts * p + steps % parts * p / parts) * step);
    result.bounds_.push_back(rows);
    return result;
  }

  /// Gives part p `rows[p]` rows: cut::of({1000, 0, 24}).
  /// Errors: extent_error for a negative number of rows, or if their sum overflows; argument_error
  /// for no parts.
  ///
  /// Complexity  O(parts)
  static cut of(const std::vector<index_t>& rows) {
    detail::require(!rows.empty(), "cut", "a cut has at least one part");
    cut result(static_cast<int>(rows.size()));
    result.bounds_.push_back(0);
    for (const index_t one : rows) {
      if (one < 0) detail::fail_negative("cut", "rows of a part", one);
      index_t end = 0;
      if (__builtin_add_overflow(result.bounds_.back(), one, &end))
        throw extent_error("cut: the rows of all parts overflow 64 bits");
      result.bounds_.push_back(end);
    }
    return result;
  }

  int parts() const { return bounds_.empty() ? 0 : static_cast<int>(bounds_.size()) - 1; }
  /// The rows of all parts.
  index_t rows() const { return bounds_.empty() ? 0 : bounds_.back(); }
  index_t begin(int part) const { return bounds_[static_cast<std::size_t>(part)]; }
  index_t end(int part) const { return bounds_[static_cast<std::size_t>(part) + 1]; }
  index_t size(int part) const { return end(part) - begin(part); }

  /// The part that holds row 0 <= row < rows().
  ///
  /// Complexity  O(log parts)
  int part_of(index_t row) const {
    const auto after = std::upper_bound(bounds_.begin(), bounds_.end(), row);
    return static_cast<int>(after - bounds_.begin()) - 1;
  }

  /// The numbers of the rows at which parts begin, and the number of all: "0, 4096, 10000".
  std::string text() const {
    std::string list;
    for (const index_t bound : bounds_) list += (list.empty() ? "" : ", ") + std::to_string(bound);
    return list;
  }

  friend bool operator==(const cut&, const cut&) = default;

 private:
  explicit cut(int parts) : bounds_(detail::list_for<index_t>("cut", parts + 1)) {}

  /// Elements that all tiles divide (core/contract/reduction_shape.hpp).
  static constexpr index_t granule = 4096;

  std::vector<index_t> bounds_;
};

}  // namespace tandem
