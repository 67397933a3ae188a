// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view/overlap.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/stream/streamed.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Chunks of rows on their way through a space, and what a lane holds of each argument.
namespace tandem::detail {

/// Whether a space works on an operand in place.
template <class Space, class View>
inline constexpr bool stays_in_place =
    can_access<Space, typename View::memory_type> && Space::memory_type::host_accessible;

/// An argument that is no operand, or an operand in memory of the device: passed on as it is.
template <class Space, class Argument>
class chunk_argument {
 public:
  explicit chunk_argument(const Argument& argument) : argument_(argument) {}

  static constexpr bool is_streamed = false;
  void bring(const Space&, const range&, index_t) {}
  void give_back(const Space&, const range&) {}
  const Argument& of_chunk(const range&) const { return argument_; }

 private:
  Argument argument_;
};

/// An operand of the host, whose rows of a chunk a lane has in a buffer.
template <class Space, class View, bool IsRead>
class streamed_operand {
 public:
  static constexpr bool is_streamed = true;
  static constexpr bool is_written = !std::is_const_v<typename View::element_type>;
  using value_type = typename View::value_type;
  static constexpr int rank = View::rank();

  explicit streamed_operand(const View& all) : all_(all) {}

  const View& whole() const { return all_; }
  index_t rows() const { return all_.extent(0); }
  index_t row_size() const { return elements_of_row(all_.extents()); }
  index_t row_bytes() const { return row_size() * static_cast<index_t>(sizeof(value_type)); }

  /// Brings the rows to the lane's buffer, which gets room for `most` rows.
  void bring(const Space& space, const range& rows, index_t most) {
    if constexpr (!stays_in_place<Space, View>) {
      if (!buffer_) {
        extents<rank> sizes = all_.extents();
        sizes[0] = most;
        buffer_.emplace(sizes, space);
      }
      if constexpr (IsRead) copy(space, part_of_all(rows), part_of_buffer(rows));
    }
  }

  /// Copies the rows back if the operation may have written them.
  void give_back(const Space& space, const range& rows) {
    if constexpr (is_written && !stays_in_place<Space, View>)
      copy(space, part_of_buffer(rows), part_of_all(rows));
  }

  /// The view that kernels see, with the indices of the whole.
  auto of_chunk(const range& rows) {
    if constexpr (stays_in_place<Space, View>) {
      return with_rows_here(all_, rows.begin, rows.end);
    } else {
      using Element = typename View::element_type;
      auto* const data = moved_back(buffer_->data_handle(), rows.begin * row_size());
      return with_rows_here(
          view<Element, rank, layout_right, typename Space::memory_type>(data, all_.extents()),
          rows.begin, rows.end);
    }
  }

 private:
  auto part_of_all(const range& rows) const { return rows_of_view(all_, rows); }
  auto part_of_buffer(const range& rows) {
    extents<rank> sizes = all_.extents();
    sizes[0] = rows.size();
    return view<value_type, rank, layout_right, typename Space::memory_type>(buffer_->data_handle(),
                                                                             sizes);
  }

  View all_;
  std::optional<array<value_type, rank, Space>> buffer_;
};

/// Says that each lane has a buffer with an element per row of its chunk.
template <class T>
struct chunk_rows_of {};
template <class Argument>
inline constexpr bool is_chunk_buffer = false;
template <class T>
inline constexpr bool is_chunk_buffer<chunk_rows_of<T>> = true;

/// A lane's buffer, which kernels see with indices of the chunk.
template <class Space, class Argument>
class chunk_buffer;
template <class Space, class T>
class chunk_buffer<Space, chunk_rows_of<T>> {
 public:
  static constexpr bool is_streamed = true;

  explicit chunk_buffer(const chunk_rows_of<T>&) {}

  index_t row_size() const { return 1; }
  index_t row_bytes() const { return static_cast<index_t>(sizeof(T)); }
  void bring(const Space& space, const range&, index_t most) {
    if (!buffer_) buffer_.emplace(extents<1>(most), space);
  }
  void give_back(const Space&, const range&) {}
  auto of_chunk(const range& rows) {
    return view<T, 1, layout_right, typename Space::memory_type>(buffer_->data_handle(),
                                                                 extents<1>(rows.size()));
  }

 private:
  std::optional<array<T, 1, Space>> buffer_;
};

/// What lanes hold of an argument.
template <class Space, class Argument>
auto lane_argument(Argument& argument) {
  using Plain = std::remove_cvref_t<Argument>;
  if constexpr (is_chunk_buffer<Plain>) {
    return chunk_buffer<Space, Plain>(argument);
  } else if constexpr (is_only_written<Plain>) {
    return streamed_operand<Space, decltype(argument.view), false>(argument.view);
  } else if constexpr (viewable<Argument&>) {
    using View = as_view_t<Argument&>;
    if constexpr (View::memory_type::host_accessible) {
      return streamed_operand<Space, View, true>(as_view(argument));
    } else {
      return chunk_argument<Space, View>(as_view(argument));
    }
  } else {
    return chunk_argument<Space, Plain>(argument);
  }
}

/// The view or value that kernels see of an argument.
template <class Space, class Argument>
using chunk_view = std::remove_cvref_t<
    decltype(lane_argument<Space>(std::declval<Argument&>()).of_chunk(range()))>;

/// Whether chunks of an argument are brought to the device.
template <class Space, class Argument>
inline constexpr bool is_streamed_argument =
    decltype(lane_argument<Space>(std::declval<Argument&>()))::is_streamed;

/// Throws unless an operand of `all` rows has these.
inline void require_rows(const char* operation, const range& rows, index_t all) {
  if (rows.size() == 0) return;
  if (rows.begin < 0) fail_extents(operation, "first index", rows.begin, "<", "first row", 0);
  if (rows.end > all)
    fail_extents(operation, "last index", rows.end - 1, ">=", "rows of an operand", all);
}

/// Throws if two operands of the host overlap and a chunk of one would arrive before or after the
/// other one's results: unless none is written, or they are the same elements and one is written.
template <class A, class B>
void require_apart_in_chunks(const char* operation, const A& a, const B& b) {
  if constexpr (requires { a.whole(), b.whole(); }) {
    if constexpr (A::is_written || B::is_written) {
      constexpr bool may_be_same = A::rank == B::rank && A::is_written != B::is_written;
      require(
          (may_be_same && same_elements(a.whole(), b.whole())) || !overlaps(a.whole(), b.whole()),
          operation, "an operand that is written overlaps another one");
    }
  }
}

/// The rows of a call that goes through chunks, and the chunks' size.
struct chunked_rows {
  range rows;
  std::size_t most_bytes = most_chunk_bytes;  ///< of a chunk
  index_t multiple = 0;  ///< divides all chunks but the last one; 0 if they may end anywhere
  index_t passes = 1;    ///< over the rows, of which this is the first one
};

/// Brings chunks of rows to the lanes of a streamed space in turn, calls a function for each, and
/// copies back what it may have written.
template <class Space, class... Argument>
class chunk_pipeline {
 public:
  /// @param rows  the rows that are processed; all operands of the host have them
  chunk_pipeline(const streamed<Space>& how, const char* operation, const range& rows,
                 Argument&... arguments)
      : chunk_pipeline(how, operation, chunked_rows{rows}, arguments...) {}
  chunk_pipeline(const streamed<Space>& how, const char* operation, const chunked_rows& chunked,
                 Argument&... arguments)
      : how_(how), rows_(chunked.rows), passes_(chunked.passes) {
    const range& rows = rows_;
    lanes_ = list_for<typename decltype(lanes_)::value_type>(operation, how.lanes().size());
    for (int lane = 0; lane < how.lanes().size(); ++lane)
      lanes_.emplace_back(lane_argument<Space>(arguments)...);
    index_t row_bytes = 0;
    index_t row_size = 1;
    const auto check = [&](const auto& held) {
      if constexpr (std::remove_cvref_t<decltype(held)>::is_streamed) {
        if constexpr (requires { held.rows(); }) require_rows(operation, rows, held.rows());
        row_bytes += held.row_bytes();
        row_size = std::max(row_size, held.row_size());
      }
    };
    std::apply(
        [&](const auto&... held) {
          (check(held), ...);
          require_apart_of(operation, held...);
        },
        lanes_.front());
    const bool anywhere = chunked.multiple == 0;
    step_ = how.chunk_rows(operation, rows.size(), row_bytes, anywhere ? row_size : 1,
                           anywhere ? fewest_chunk_elements : chunked.multiple, chunked.most_bytes);
  }

  /// The number of chunks.
  index_t chunks() const { return rows_.size() == 0 ? 0 : (rows_.size() - 1) / step_ + 1; }

  /// Calls f(lane, rows, arguments...) for each chunk, with the views that kernels see. Waits until
  /// all that it enqueued on the lanes has completed.
  template <class Function>
  void run(const Function& f) {
    fence_on_error(how_.lanes(), [&] {
      for (index_t chunk = 0; chunk < chunks(); ++chunk) {
        start(chunk, f);
        if (chunk > 0) give_back(chunk - 1);
        if (how_.how().progress)
          how_.how().progress(rows_of_chunk(chunk).end - rows_.begin, passes_ * rows_.size());
      }
      if (chunks() > 0) give_back(chunks() - 1);
    });
    how_.lanes().fence();
  }

  /// The rows of a chunk: chunks end at multiples of their size.
  range rows_of_chunk(index_t chunk) const {
    const index_t begin = rows_.begin + chunk * step_;
    return {begin, std::min(begin + step_, rows_.end)};
  }

 private:
  static void require_apart_of(const char*) {}
  template <class First, class... Rest>
  static void require_apart_of(const char* operation, const First& first, const Rest&... rest) {
    (require_apart_in_chunks(operation, first, rest), ...);
    require_apart_of(operation, rest...);
  }

  int lane_of(index_t chunk) const { return static_cast<int>(chunk % how_.lanes().size()); }

  template <class Function>
  void start(index_t chunk, const Function& f) {
    const int lane = lane_of(chunk);
    const Space& space = how_.lanes().member(lane);
    const range rows = rows_of_chunk(chunk);
    std::apply(
        [&](auto&... held) {
          (held.bring(space, rows, step_), ...);
          f(lane, rows, held.of_chunk(rows)...);
        },
        lanes_[static_cast<std::size_t>(lane)]);
  }

  void give_back(index_t chunk) {
    const int lane = lane_of(chunk);
    std::apply(
        [&](auto&... held) {
          (held.give_back(how_.lanes().member(lane), rows_of_chunk(chunk)), ...);
        },
        lanes_[static_cast<std::size_t>(lane)]);
  }

  const streamed<Space>& how_;
  range rows_;
  index_t passes_;
  index_t step_ = 1;
  std::vector<std::tuple<decltype(lane_argument<Space>(std::declval<Argument&>()))...>> lanes_;
};

}  // namespace tandem::detail
