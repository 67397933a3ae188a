// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/distributed/cut/cut.hpp>
#include <tandem/distributed/group/group.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// What a chunk takes at most, unless an operation needs larger ones, and the fewest elements of
/// each operand that it has.
inline constexpr std::size_t most_chunk_bytes = std::size_t{128} << 20;
inline constexpr index_t fewest_chunk_elements = 512;

/// Parameter that nobody passes: compilers print its name when they refuse a call.
struct the_budget_is_an_option_in_braces_budget_equals_bytes {};

}  // namespace detail

/// How streamed operations work.
struct streaming {
  /// Bytes of the space's memory for buffers, of all devices together; 0 for 128 MiB per buffer,
  /// which are used at most.
  std::size_t budget = 0;
  /// Called on the calling thread when another chunk is under way, with the number of rows so far
  /// and of all. An exception that it throws ends the operation.
  std::function<void(index_t done, index_t rows)> progress = {};
};

/// A space for operands that are larger than its memory: arrays of the host and files, of which an
/// operation brings one chunk of rows after the other to the space, and results back.
///
///   const tandem::streamed big(gpu, {.budget = std::size_t{8} << 30});
///   const float sum = tandem::parallel_reduce(big, samples);   // std::vector<float>, mapped file
///   tandem::parallel_for(big, n, f, samples, tandem::out(results));
///
/// Chunks follow each other on several streams, so that transfers in both directions and kernels
/// overlap; over a group of GPUs, they take chunks in turn, each over its own link. Pinned memory
/// (array<T, Rank, cuda_pinned>) is copied at the link's full speed, other memory through a ring of
/// buffers; a call never pins the memory of its operands. A space of the host works on the operands
/// in place, chunk by chunk. Every operation waits until its results are there. It starts behind
/// the work that the space had been given when this object was made: what later work writes to
/// operands in memory of the device must be complete (fence) before the call.
///
/// Results have the bits of the operation on all elements at once, whatever the budget. If an
/// operation throws, outputs hold the results of some chunks.
template <class Space>
class streamed {
 public:
  using space_type = Space;

  /// Streams through a device or a space of the host.
  /// Errors: those of making a space.
  explicit streamed(const Space& space, streaming how = {})
      : lanes_(make_lanes(&space, 1)), how_(std::move(how)) {}
  /// Streams through all members of a group.
  explicit streamed(const group<Space>& members, streaming how = {})
      : lanes_(make_lanes(members)), how_(std::move(how)) {}
  /// Rejects a number without a name: streamed(space, bytes) is streamed(space, {.budget = bytes}).
  template <std::integral Bytes,
            class Form = detail::the_budget_is_an_option_in_braces_budget_equals_bytes>
  streamed(const Space&, Bytes) = delete;

  /// The streams that chunks take in turn.
  const group<Space>& lanes() const { return lanes_; }
  /// The devices, or spaces of the host, that the lanes belong to.
  int devices() const { return lanes_.size() / lanes_per_device; }
  /// Lane number 0, 1 or 2 of a device.
  const Space& lane(int device, int turn) const { return lanes_.member(turn * devices() + device); }
  const streaming& how() const { return how_; }

  /// Bytes of buffers that each device may have.
  std::size_t budget_per_device() const {
    return how_.budget == 0 ? lanes_per_device * detail::most_chunk_bytes
                            : how_.budget / static_cast<std::size_t>(devices());
  }

  /// Rows of a chunk of operands with `row_bytes` bytes and at most `row_size` elements in a row. A
  /// chunk takes at most `most` bytes, and 128 MiB if there is no budget. Errors: argument_error,
  /// naming both numbers, if the budget does not hold `fewest_elements` of each operand in every
  /// lane, or a row.
  index_t chunk_rows(const char* operation, index_t rows, index_t row_bytes, index_t row_size,
                     index_t fewest_elements = detail::fewest_chunk_elements,
                     std::size_t most = detail::most_chunk_bytes) const {
    const auto lanes = static_cast<std::size_t>(lanes_.size());
    const std::size_t bytes =
        how_.budget == 0 ? detail::most_chunk_bytes : std::min(most, how_.budget / lanes);
    const index_t fitting = static_cast<index_t>(bytes) / std::max<index_t>(row_bytes, 1);
    const index_t fewest =
        std::min(rows, std::max<index_t>(1, fewest_elements / std::max<index_t>(row_size, 1)));
    if (fitting < fewest) {
      throw argument_error(detail::message(
          {operation, ": ", how_.budget == 0 ? bytes * lanes : how_.budget, " bytes of budget are ",
           lanes, " buffers of ", fitting, " rows, and a chunk has at least ", fewest, ": ",
           static_cast<std::size_t>(fewest * row_bytes) * lanes, " bytes"}));
    }
    if (fitting >= rows) return std::max<index_t>(rows, 1);
    index_t step = 4096 / std::gcd<index_t>(4096, std::max<index_t>(row_size, 1));
    if (step > fitting) return fitting;
    while (step * 2 <= fitting) step *= 2;
    return step;
  }

 private:
  /// Streams for each device: one whose chunk arrives, one that computes, one that gives back.
  static constexpr int lanes_per_device = 3;

  static group<Space> make_lanes(const group<Space>& members) {
    return make_lanes(&members.member(0), members.size());
  }
  static group<Space> make_lanes(const Space* members, int count) {
    auto lanes = detail::list_for<Space>("streamed", lanes_per_device * count);
    for (int turn = 0; turn < lanes_per_device; ++turn) {
      for (int p = 0; p < count; ++p) lanes.push_back(detail::stream_beside(members[p]));
    }
    return group<Space>(std::move(lanes));
  }

  group<Space> lanes_;
  streaming how_;
};

namespace detail {

template <class View>
struct only_written {
  View view;
};
template <class T>
inline constexpr bool is_only_written = false;
template <class View>
inline constexpr bool is_only_written<only_written<View>> = true;

}  // namespace detail

/// Says that a streamed loop writes all elements of y and reads none, so that y is not brought to
/// the device first.
///
/// @param y    operand of the host, whose elements are not const
/// Complexity  constant: copies a view
template <viewable Y>
auto out(Y&& y) {
  using View = as_view_t<Y>;
  constexpr bool is_const = std::is_const_v<typename View::element_type>;
  static_assert(!is_const, "tandem: out: the operand is const, and is written");
  const View all = as_view(std::forward<Y>(y));
  if constexpr (is_const) {  // so that a compiler says nothing else
    using value = typename View::value_type;
    using Mutable =
        view<value, View::rank(), typename View::layout_type, typename View::memory_type>;
    return detail::only_written<Mutable>{
        Mutable(const_cast<value*>(all.data_handle()), all.mapping())};
  } else {
    return detail::only_written<View>{all};
  }
}

}  // namespace tandem
