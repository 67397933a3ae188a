// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "fuzz/values.hpp"

/// Operands in the middle of a buffer whose other elements must not change.
namespace tandem::fuzz {

/// Placement of a view's elements in a buffer: offsets and strides in elements.
template <int Rank>
struct placement {
  extents<Rank> sizes;
  extents<Rank> strides;
  index_t offset = 0;
  index_t span = 0;
  bool packed = true;  ///< row-major without gaps

  /// Returns the offset in the buffer of element i, row-major.
  index_t operator()(index_t i) const {
    index_t at = offset;
    for (int d = Rank - 1; d >= 0; --d) {
      at += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return at;
  }
};

/// Unused elements at either end of a buffer.
inline constexpr index_t guard = 16;

/// Draws strides for views of these extents: dimensions in any memory order, gaps, reversed
/// dimensions and, for inputs, repeated elements. Elements of an output are distinct.
template <int Rank>
placement<Rank> draw_placement(draw& d, const std::string& name, const extents<Rank>& sizes,
                               bool output) {
  placement<Rank> p;
  p.sizes = sizes;
  p.packed = Rank == 0 || d.pick(name, {"packed", "strided"}) == 0;
  std::array<int, static_cast<std::size_t>(Rank) + 1> order{};
  std::iota(order.begin(), order.begin() + Rank, 0);
  if (!p.packed && Rank > 1) {
    for (index_t k = d.number(name + ".order", 0, 23); k > 0; --k)
      std::next_permutation(order.begin(), order.begin() + Rank);
  }
  index_t step = p.packed ? 1 : d.number(name + ".step", 1, 4);
  index_t lowest = 0;
  index_t highest = 0;
  for (int k = Rank - 1; k >= 0; --k) {
    const int at = order[static_cast<std::size_t>(k)];
    const std::string dimension = name + "." + std::to_string(at);
    p.strides[at] = step;
    step *= std::max<index_t>(sizes[at], 1);
    if (!p.packed) {
      step += d.number(dimension + ".gap", 0, 3);
      const int kind = d.pick(dimension, {"forward", "reversed", "repeated"});
      if (kind == 1) p.strides[at] = -p.strides[at];
      if (kind == 2 && !output) p.strides[at] = 0;
    }
    const index_t reach = p.strides[at] * std::max<index_t>(sizes[at] - 1, 0);
    (reach < 0 ? lowest : highest) += reach;
  }
  p.offset = guard + d.number(name + ".offset", 0, 9) - lowest;
  p.span = p.offset + highest + 1 + guard;
  return p;
}

/// Draws an order of the dimensions in memory, without gaps.
template <int Rank>
placement<Rank> draw_permutation(draw& d, const std::string& name, const extents<Rank>& sizes) {
  placement<Rank> p;
  p.sizes = sizes;
  p.packed = false;
  std::array<int, static_cast<std::size_t>(Rank) + 1> order{};
  std::iota(order.begin(), order.begin() + Rank, 0);
  for (index_t k = d.number(name + ".permutation", 0, 719); k > 0; --k)
    std::next_permutation(order.begin(), order.begin() + Rank);
  p.offset = guard;
  index_t step = 1;
  for (int k = 0; k < Rank; ++k) {
    const int at = order[static_cast<std::size_t>(k)];
    p.strides[at] = step;
    step *= std::max<index_t>(sizes[at], 1);
  }
  p.span = p.offset + step + guard;
  return p;
}

/// A buffer in the memory of a space, its values before an operation, and its expected values
/// afterwards.
template <class T, int Rank, class Space>
class placed {
 public:
  placed(const Space& space, const placement<Rank>& at, const value_kind& values)
      : at_(at), memory_(extents<1>(at.span), space), before_(values.make<T>(at.span)) {
    expected_ = before_;
  }

  using strided_view = view<T, Rank, layout_stride, typename Space::memory_type>;
  using packed_view = view<T, Rank, layout_right, typename Space::memory_type>;

  strided_view strided() {
    using mapping = typename layout_stride::template mapping<Rank>;
    return {memory_.data_handle() + at_.offset, mapping(at_.sizes, at_.strides)};
  }
  packed_view packed() { return {memory_.data_handle() + at_.offset, at_.sizes}; }
  bool is_packed() const { return at_.packed; }
  index_t size() const { return at_.sizes.size(); }

  /// Element i, row-major, before the operation.
  const T& operator()(index_t i) const { return before_[static_cast<std::size_t>(at_(i))]; }
  T& initial(index_t i) {
    T& value = before_[static_cast<std::size_t>(at_(i))];
    return value;
  }
  /// The expected value of element i, row-major, after the operation.
  T& expected(index_t i) { return expected_[static_cast<std::size_t>(at_(i))]; }
  /// Returns the offset in the buffer of element i, row-major.
  index_t place(index_t i) const { return at_(i); }
  /// The expected values of the whole buffer after the operation.
  const std::vector<T>& expected_buffer() const { return expected_; }
  /// Uses the initial values as the expected ones, once they have been set.
  void expect_unchanged() { expected_ = before_; }

  /// Returns the elements in row-major order.
  std::vector<T> elements() const {
    std::vector<T> result(static_cast<std::size_t>(size()));
    for (index_t i = 0; i < size(); ++i) result[static_cast<std::size_t>(i)] = (*this)(i);
    return result;
  }

  /// Writes the initial values to the space's memory.
  void upload(const Space& space) {
    copy(space, before_, memory_);
    space.fence();
  }
  /// Reads the whole buffer from the space's memory.
  std::vector<T> download(const Space& space) {
    std::vector<T> result(before_.size());
    copy(space, memory_, result);
    space.fence();
    return result;
  }
  /// Throws unless every element of the buffer has its expected bits.
  void check(const Space& space, const char* name) {
    require_same(download(space), expected_, std::string("buffer of ") + name);
  }

 private:
  placement<Rank> at_;
  array<T, 1, Space> memory_;
  std::vector<T> before_;
  std::vector<T> expected_;
};

/// Calls f with the operand's view: layout_right if it is packed, otherwise layout_stride.
template <class Placed, class Function>
void with_view(Placed& operand, const Function& f) {
  if (operand.is_packed()) {
    f(operand.packed());
  } else {
    f(operand.strided());
  }
}

/// Multiplies some elements by powers of two, often by many orders of magnitude.
template <class Line>
void spread_magnitudes(draw& d, Line& values) {
  if (!d.one_in("spread", 3)) return;
  const int range = static_cast<int>(d.number("spread.range", 1, 100));
  const std::uint64_t seed = static_cast<std::uint64_t>(d.number("spread.seed", 0, 1000));
  const index_t every = d.number("spread.every", 1, 50);
  for (index_t i = 0; i < values.size(); ++i) {
    const std::uint64_t random = test::mix(seed ^ static_cast<std::uint64_t>(i) << 12);
    if (random % static_cast<std::uint64_t>(every) != 0) continue;
    const int power = static_cast<int>(random >> 20) % (range + 1);
    values.initial(i) = std::ldexp(values(i), random >> 60 == 0 ? power : -power);
  }
  values.expect_unchanged();
}

}  // namespace tandem::fuzz
