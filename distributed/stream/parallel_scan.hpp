// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/parallel_scan.hpp>
#include <tandem/distributed/stream/chunks.hpp>

#include <optional>
#include <type_traits>
#include <utility>

/// Scans of operands of the host that pass through a space chunk by chunk.
namespace tandem {

namespace detail {

/// What a lane holds of a scan: the nodes on the left of its chunk, and of the next one.
template <class Space, class T>
class scan_lane {
 public:
  explicit scan_lane(const Space& space)
      : left_(extents<1>(scan_part<T>::left_values), space),
        next_(extents<1>(scan_part<T>::left_values), space) {}

  /// Scans the terms `terms` of a problem, which begin with a tile.
  ///
  /// @param before  the lane of the chunk before, or null
  ///
  /// No lane waits for those behind it: this one writes `next_` again after its next chunk has been
  /// given the nodes of a later lane, which had copied them from here.
  template <class Problem>
  void scan(const Space& space, const char* name, Problem problem, const range& terms,
            const scan_lane* before) {
    const range tiles(terms.begin / canonical::scan_tile,
                      ceil_div<index_t>(terms.end, canonical::scan_tile));
    const bool is_last = terms.end == problem.size;
    problem.size = terms.end;
    if (!is_last) {
      found_.emplace(space, tiles);
      nodes_ = array<scan_node<T>, 1, Space>(extents<1>(whole_nodes{tiles}.count()), space);
      total_tiles(space, name, problem, tiles, found_->totals());
      found_->store(space, name, problem.reducer, false, nodes_.data_handle());
    }
    if (before != nullptr) {
      space.wait(*before->found_next_);
      dispatch_copy(space, make_copy_problem(before->next_.view(), left_.view()));
    }
    if (!is_last) advance(space, name, problem.reducer, tiles.begin);
    scan_tiles_of_part(space, name, problem, scan_part<T>{tiles.begin, left_.data_handle()});
  }

 private:
  template <class R>
  void advance(const Space& space, const char* name, const R& reducer, index_t tile) {
    dispatch_for(space, name, range(1),
                 advance_left<T, R>{reducer, tile, left_.data_handle(), nodes_.data_handle(),
                                    nodes_.size(), next_.data_handle()});
    found_next_.emplace(space.record());
  }

  array<T, 1, Space> left_;
  array<T, 1, Space> next_;
  std::optional<node_list<Space, T>> found_;
  array<scan_node<T>, 1, Space> nodes_;
  std::optional<typename Space::event_type> found_next_;
};

/// The rows of a scan into y: chunks consist of whole tiles.
template <class Y>
chunked_rows scan_rows(const Y& y) {
  return {.rows = range(y.extent(0)), .multiple = canonical::scan_tile};
}

/// Scans n terms: problem_of(use, views...) calls use(problem) with the whole problem in terms of
/// the views that kernels of a chunk see.
template <class T, class Space, class Pipeline, class ProblemOf>
void scan_chunks(const streamed<Space>& how, const char* name, Pipeline& chunks,
                 const ProblemOf& problem_of) {
  auto lanes = list_for<scan_lane<Space, T>>(name, how.lanes().size());
  for (int lane = 0; lane < how.lanes().size(); ++lane)
    lanes.emplace_back(how.lanes().member(lane));
  const scan_lane<Space, T>* before = nullptr;
  chunks.run([&](int lane, const range& rows, const auto&... views) {
    scan_lane<Space, T>& of_chunk = lanes[static_cast<std::size_t>(lane)];
    problem_of(
        [&](const auto& problem) {
          const Space& space = how.lanes().member(lane);
          run_scan_of_part(space, name, rows,
                           [&] { of_chunk.scan(space, name, problem, rows, before); });
        },
        views...);
    before = &of_chunk;
  });
}

template <class Space, class X, class Y, class Operation>
void stream_scan(const streamed<Space>& how, const X& x, const Y& y, const Operation& operation,
                 const typename Y::value_type* init) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  static_assert(X::rank() == 1, "tandem: parallel_scan: x has one dimension");
  check_stored<typename X::value_type, T>();
  const auto reducer = as_scan_reducer<T>(operation);
  using R = std::remove_const_t<decltype(reducer)>;
  only_written<Y> output{y};
  if constexpr (check_scan<Space, typename X::value_type, chunk_view<Space, only_written<Y>>,
                           R>()) {
    require_scan_of(name, x, y);
    chunk_pipeline<Space, const X, only_written<Y>> chunks(how, name, scan_rows(y), x, output);
    scan_chunks<T>(how, name, chunks, [&](const auto& use, const auto& from, const auto& to) {
      with_load(from, reducer, [&](const auto& load) {
        use(describe_scan(y.extent(0), load, reducer, to.data_handle(), to.stride(0), init));
      });
    });
  }
}

template <class Space, class Indices, class Function, class Y, class Operation, class... Argument>
void stream_scan_terms(const streamed<Space>& how, const Indices& indices, const Function& f,
                       const Y& y, const Operation& operation, const typename Y::value_type* init,
                       Argument&... arguments) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  using Bound = std::remove_cvref_t<decltype(bind_to_terms<Space, 1>(
      f, std::declval<const chunk_view<Space, Argument>&>()...))>;
  only_written<Y> output{y};
  if constexpr (!is_refused<Bound> && check_term_function<Space, Indices, Bound>()) {
    using Term = term_type<Bound, Indices>;
    check_stored<Term, T>();
    const auto reducer = as_scan_reducer<T>(operation);
    using R = std::remove_const_t<decltype(reducer)>;
    if constexpr (check_scan<Space, Term, chunk_view<Space, only_written<Y>>, R>()) {
      const range& terms = as_indices(indices);
      require_terms<Bound>(name, indices);
      require_equal(name, "elements", terms.size(), "extent of y", y.extent(0));
      require(terms.begin == 0 || !(is_streamed_argument<Space, Argument> || ...), name,
              "the indices are rows of the operands of the host, and begin at 0");
      chunk_pipeline<Space, only_written<Y>, Argument...> chunks(how, name, scan_rows(y), output,
                                                                 arguments...);
      scan_chunks<T>(how, name, chunks, [&](const auto& use, const auto& to, const auto&... views) {
        const auto placed = place_terms<Space, 1>(name, bind_to_terms<Space, 1>(f, views...));
        using Placed = std::remove_const_t<decltype(placed)>;
        const function_load<Placed, loop_index<Bound>, R> load{placed, reducer, terms.begin};
        use(describe_scan(y.extent(0), load, reducer, to.data_handle(), to.stride(0), init));
      });
    }
  }
}

}  // namespace detail

/// Computes prefixes of an operand of the host, with the bits of one space: y[i] = x[0] op .. op
/// x[i].
///
///   tandem::parallel_scan(big, samples, sums);
///
/// @param x, y       rank-1 operands of the host, of equal extent; y may be x itself, but not
///                   overlap it otherwise
/// @param operation  as on one space; by default the sum
/// Errors            argument_error if the budget does not hold 4096 elements of x and y in every
///                   lane; those of parallel_scan on one space
/// Complexity        moves x to the device once, and y back; the device reads each chunk twice
template <class Space, viewable X, viewable Y, class Operation = sum<>>
void parallel_scan(const streamed<Space>& how, const X& x, Y&& y, const Operation& operation = {}) {
  detail::stream_scan(how, detail::read_only(as_view(x)), as_view(y), operation, nullptr);
}

/// Computes exclusive prefixes of an operand of the host: y[i] = init op x[0] op .. op x[i - 1].
///
/// @param x, y, operation  as for the inclusive scan
/// @param from             exclusive{init}
/// Errors, complexity      as for the inclusive scan
template <class Space, viewable X, viewable Y, class Operation, class Init>
void parallel_scan(const streamed<Space>& how, const X& x, Y&& y, const Operation& operation,
                   const exclusive<Init>& from) {
  const auto init = detail::first_of<element_of<Y>, Operation>(from);
  detail::stream_scan(how, detail::read_only(as_view(x)), as_view(y), operation, &init);
}

/// Scans the terms f(begin, arguments...), f(begin + 1, arguments...), .. into an operand of the
/// host.
///
/// @param indices    n or range{begin, end}. If arguments are operands of the host, which have a
///                   row per element of y, the indices begin at 0
/// @param f          f(i, arguments...) returns the term of its index, from the rows of its index,
///                   and is called up to twice per index
/// @param y          rank-1 operand of the host with as many elements as there are indices. No
///                   argument that is not const overlaps it
/// @param operation  as on one space
/// @param arguments  as for parallel_for
/// Errors            those of a scan of an operand, and of parallel_for
/// Complexity        moves each row of the arguments once in each of its directions, and y back
template <class Space, detail::line_space Indices, class Function, viewable Y,
          class Operation = sum<>, class... Argument>
  requires(!detail::is_exclusive<std::remove_cvref_t<Argument>> && ...)
void parallel_scan(const streamed<Space>& how, const Indices& indices, const Function& f, Y&& y,
                   const Operation& operation = {}, Argument&&... arguments) {
  detail::stream_scan_terms(how, indices, f, as_view(y), operation, nullptr, arguments...);
}

/// Scans the terms of a function of the index, exclusively: y(i) combines the terms before i.
///
/// @param indices, f, y, operation, arguments  as for the inclusive scan of terms
/// @param from  exclusive{init}: init is the leftmost term
/// Errors, complexity  as for the inclusive scan of terms
template <class Space, detail::line_space Indices, class Function, viewable Y, class Operation,
          class Init, class... Argument>
void parallel_scan(const streamed<Space>& how, const Indices& indices, const Function& f, Y&& y,
                   const Operation& operation, const exclusive<Init>& from,
                   Argument&&... arguments) {
  const auto init = detail::first_of<element_of<Y>, Operation>(from);
  detail::stream_scan_terms(how, indices, f, as_view(y), operation, &init, arguments...);
}

}  // namespace tandem
