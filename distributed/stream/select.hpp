// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/algorithms/unique.hpp>
#include <tandem/distributed/stream/chunks.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// Selections from operands of the host that pass through a space chunk by chunk.
namespace tandem {

namespace detail {

/// Where what chunks keep goes: each chunk is selected into a lane's buffer, and the kept elements
/// are appended to out when their number is known, while the next chunk arrives.
template <class Space, class Out>
class chunk_selection {
 public:
  using T = typename Out::value_type;
  using buffer = view<T, 1, layout_right, typename Space::memory_type>;

  chunk_selection(const streamed<Space>& how, const char* name, const Out& out)
      : how_(how), out_(out), counts_(list_for<mailbox<Space, index_t>>(name, how.lanes().size())) {
    for (int lane = 0; lane < how.lanes().size(); ++lane) counts_.emplace_back(extents<1>(1));
  }

  /// Memory for a chunk's number of kept elements.
  auto count_view(int lane) {
    return view<index_t, 0, layout_right, typename mailbox<Space, index_t>::memory_type>(
        counts_[static_cast<std::size_t>(lane)].data_handle(), extents<0>());
  }

  /// Appends what the chunk before has kept, and takes this one, whose selection has been enqueued.
  ///
  /// @param skipped  elements at the front of the buffer that are not kept after all
  void take(int lane, const buffer& kept, index_t skipped) {
    append();
    chunk_.emplace(chunk{lane, kept, skipped, how_.lanes().member(lane).record()});
  }

  /// Appends what the last chunk has kept, and returns the number of all kept elements.
  index_t finish() {
    append();
    how_.lanes().fence();
    return total_;
  }

 private:
  struct chunk {
    int lane;
    buffer kept;
    index_t skipped;
    typename Space::event_type selected;
  };

  void append() {
    if (!chunk_) return;
    chunk_->selected.wait();
    const index_t count =
        *counts_[static_cast<std::size_t>(chunk_->lane)].data_handle() - chunk_->skipped;
    const index_t fitting = std::min(count, std::max<index_t>(out_.extent(0) - total_, 0));
    if (fitting > 0) {
      copy(how_.lanes().member(chunk_->lane),
           subview(chunk_->kept, slice{chunk_->skipped, chunk_->skipped + fitting}),
           subview(out_, slice{total_, total_ + fitting}));
    }
    total_ += count;
    chunk_.reset();
  }

  const streamed<Space>& how_;
  Out out_;
  std::vector<mailbox<Space, index_t>> counts_;
  std::optional<chunk> chunk_;
  index_t total_ = 0;
};

template <class Space, class X, class Out, class Keep>
index_t stream_selection(const streamed<Space>& how, const char* name, const X& x, const Out& out,
                         const Keep& keep) {
  using T = typename X::value_type;
  static_assert(X::memory_type::host_accessible && Out::memory_type::host_accessible,
                "tandem: copy_if or unique: streamed operands are in memory of the host");
  check_selection<Space, chunk_view<Space, const X>, chunk_view<Space, chunk_rows_of<T>>>();
  require_selection(name, x, out);
  chunk_rows_of<T> kept;
  chunk_selection<Space, Out> selection(how, name, out);
  chunk_pipeline<Space, const X, chunk_rows_of<T>> chunks(how, name, range(x.extent(0)), x, kept);
  chunks.run([&](int lane, const range& rows, const auto& from, const auto& to) {
    select_elements(how.lanes().member(lane), name, rows_of_view(from, rows), to, keep,
                    selection.count_view(lane));
    bool continues = false;
    if constexpr (Keep::looks_back)
      continues = rows.begin > 0 && !keep(x(rows.begin), x(rows.begin - 1));
    selection.take(lane, to, continues ? 1 : 0);
  });
  return selection.finish();
}

template <class Space, class Indices, class Predicate, class Out, class... Argument>
index_t stream_index_selection(const streamed<Space>& how, const Indices& indices,
                               const Predicate& predicate, const Out& out, Argument&... arguments) {
  constexpr const char* name = "copy_if";
  using T = typename Out::value_type;
  using Bound = std::remove_cvref_t<decltype(bind_to_terms<Space, 1>(
      predicate, std::declval<const chunk_view<Space, Argument>&>()...))>;
  static_assert(Out::memory_type::host_accessible,
                "tandem: copy_if: streamed operands are in memory of the host");
  if constexpr (is_refused<Bound>) {
    return 0;
  } else if constexpr (check_index_selection<Space, Bound, chunk_view<Space, chunk_rows_of<T>>>()) {
    require_index_selection<Bound>(name, indices, out);
    const range all = rows_of(indices);
    chunk_rows_of<T> kept;
    chunk_selection<Space, Out> selection(how, name, out);
    chunk_pipeline<Space, chunk_rows_of<T>, Argument...> chunks(how, name, all, kept, arguments...);
    chunks.run([&](int lane, const range& rows, const auto& to, const auto&... views) {
      select_indices(how.lanes().member(lane), name, rows,
                     bind_to_terms<Space, 1>(predicate, views...), to, selection.count_view(lane));
      selection.take(lane, to, 0);
    });
    return selection.finish();
  } else {
    return 0;
  }
}

}  // namespace detail

/// Copies the elements of an operand of the host for which predicate(element) is true to the front
/// of `out`, in their order, and returns how many there are.
///
///   const auto count = tandem::copy_if(big, samples, kept, is_valid{});
///
/// @param x, out, predicate  as for copy_if on one space, with operands of the host
/// Errors                    argument_error if the budget is too small; those of copy_if on one
///                           space
/// Complexity                moves x to the device once, and what it keeps back. A lane's buffers
///                           hold twice the elements of a chunk
template <class Space, viewable X, viewable Out, class Predicate>
index_t copy_if(const streamed<Space>& how, const X& x, Out&& out, const Predicate& predicate) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    return detail::stream_selection(how, "copy_if", detail::read_only(as_view(x)), as_view(out),
                                    keep_where<Predicate>{predicate});
  }
  return 0;  // of what does not compile
}

/// Writes the indices for which predicate(index, arguments...) is true to the front of an operand
/// of the host, in ascending order, and returns how many there are.
///
/// @param indices         n or range{begin, end}; rows of the operands of the host
/// @param predicate, out  as for copy_if over indices on one space; out is an operand of the host
/// @param arguments       as for parallel_for
/// Errors                 argument_error if the budget is too small; those of parallel_for, and of
///                        copy_if on one space
/// Complexity             moves each row of the arguments once in each of its directions, and what
///                        it keeps back
template <class Space, detail::line_space Indices, class Predicate, viewable Out, class... Argument>
index_t copy_if(const streamed<Space>& how, const Indices& indices, const Predicate& predicate,
                Out&& out, Argument&&... arguments) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    return detail::stream_index_selection(how, indices, predicate, as_view(out), arguments...);
  }
  return 0;  // of what does not compile
}

/// Copies the first element of every run of equal elements of an operand of the host to the front
/// of `out`, and returns the number of runs.
///
/// @param x, out       as for unique on one space, with operands of the host
/// Errors, complexity  as for copy_if
template <class Space, viewable X, viewable Out>
index_t unique(const streamed<Space>& how, const X& x, Out&& out) {
  return detail::stream_selection(how, "unique", detail::read_only(as_view(x)), as_view(out),
                                  keep_changes{});
}

}  // namespace tandem
