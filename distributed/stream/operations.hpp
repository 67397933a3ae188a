// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/transform.hpp>
#include <tandem/distributed/operations/histogram.hpp>
#include <tandem/distributed/operations/parallel_reduce.hpp>
#include <tandem/distributed/stream/chunks.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// Operations on operands of the host that pass through a space chunk by chunk. Each waits until
/// its results are there.
namespace tandem {

/// Calls f for every index of `indices`, as on one space, with operands of the host:
///
///   tandem::parallel_for(big, n, axpy{2}, std::as_const(x), y);
///
/// @param indices    as for parallel_for on one space; the index of the first dimension is a row of
///                   every operand of the host
/// @param f          f(i, arguments...) with the indices of the whole. It reads and writes the rows
///                   of its index alone: those of other indices may not be there
/// @param arguments  operands of the host: const ones are brought to the device, others also back;
///                   out(y) only back. Operands in memory of the device and values are passed on.
///                   One that is written overlaps no other, unless that is const and the same
/// Errors            extent_error if an operand has not all rows; argument_error if operands
///                   overlap or the budget is too small; those of parallel_for on one space
/// Complexity        moves each row once in each of its directions
template <class Space, index_space Indices, class Function, class... Argument>
void parallel_for(const streamed<Space>& how, const Indices& indices, const Function& f,
                  Argument&&... arguments) {
  constexpr const char* name = "parallel_for";
  if constexpr (detail::check_kernel<Function, Space>()) {
    detail::require_count(name, indices);
    detail::chunk_pipeline<Space, Argument...> chunks(how, name, detail::rows_of(indices),
                                                      arguments...);
    chunks.run([&](int lane, const range& rows, const auto&... views) {
      detail::loop_over(how.lanes().member(lane), detail::with_rows(indices, rows),
                        detail::bind_to_loop<Space, detail::rank_of<Indices>>(f, views...));
    });
  }
}

namespace detail {

/// Transforms the inputs among the views of a chunk to its output, or to `Several`.
template <bool Several, class Space, class Function, class Views, std::size_t... In,
          std::size_t... Out>
void transform_chunk(const Space& space, const Function& f, const Views& views,
                     std::index_sequence<In...>, std::index_sequence<Out...>) {
  if constexpr (Several) {
    transform(space, get<In>(views)..., tandem::tie(get<sizeof...(In) + Out>(views)...), f);
  } else {
    transform(space, get<In>(views)..., get<sizeof...(In) + Out>(views)..., f);
  }
}

template <class Space, class Function, class Output, class... X>
void transform_chunks(const streamed<Space>& how, const Function& f, const Output& y,
                      const X&... x) {
  constexpr bool several = is_outputs<Output>;
  const auto run = [&]<class... Y>(const Y&... output) {
    int number = 0;
    (check_output(several ? output_name(static_cast<std::size_t>(number++), 2) : "y", output, x...),
     ...);
    require_apart(output...);
    chunk_pipeline<Space, const X..., const only_written<Y>...> chunks(
        how, "transform", range(y.extent(0)), x..., only_written<Y>{output}...);
    chunks.run([&](int lane, const range& rows, const auto&... views) {
      transform_chunk<several>(how.lanes().member(lane), f,
                               tandem::make_tuple(rows_of_view(views, rows)...),
                               std::index_sequence_for<X...>(), std::index_sequence_for<Y...>());
    });
  };
  if constexpr (several) {
    [&]<std::size_t... Position>(std::index_sequence<Position...>) {
      run(get<Position>(y.views)...);
    }(std::make_index_sequence<Output::count>{});
  } else {
    run(y);
  }
}

/// Reduces n terms of which each chunk of rows has `per_row` a row: load_of(rows, views...) returns
/// the load functor of a chunk, by the number of a term in the whole.
template <class Space, class R, class Pipeline, class LoadOf>
typename R::result reduce_chunks(const streamed<Space>& how, const char* name, const range& all,
                                 index_t per_row, const R& reducer, Pipeline& chunks,
                                 const LoadOf& load_of) {
  const index_t n = all.size() * per_row;
  auto under_way = list_for<std::optional<reduction_member<Space, R>>>(name, how.lanes().size());
  for (int lane = 0; lane < how.lanes().size(); ++lane) under_way.emplace_back();
  partial<R> whole(reducer);
  std::vector<typename R::accumulator> open;
  const auto finish = [&](int lane) {
    auto& part = under_way[static_cast<std::size_t>(lane)];
    if (!part) return;
    how.lanes().member(lane).fence();
    part->finish(whole, open, n, reducer);
    part.reset();
  };
  int next = 0;  // the lane of the earliest chunk under way
  chunks.run([&](int lane, const range& rows, const auto&... views) {
    finish(lane);
    const range terms((rows.begin - all.begin) * per_row, (rows.end - all.begin) * per_row);
    next = (lane + 1) % how.lanes().size();
    auto& part = under_way[static_cast<std::size_t>(lane)].emplace(terms, n);
    if (terms.size() > 0)
      start_part(how.lanes().member(lane), name, terms, part, load_of(views...), reducer);
  });
  for (int lane = 0; lane < how.lanes().size(); ++lane) finish((next + lane) % how.lanes().size());
  return whole.finish();
}

/// The load functor of the elements of a view by their flat index.
template <class View, class R>
auto load_elements(const View& v, const R& reducer) {
  if constexpr (std::is_same_v<typename View::layout_type, layout_right>) {
    return contiguous_load<typename View::value_type, R>{v.data_handle(), reducer};
  } else {
    return make_load(range(v.size()), flat_elements<View>{v}, reducer);
  }
}

/// Reduces the elements of a view in the name of an operation.
template <class Space, class View, class Reducer>
auto reduce_operand(const streamed<Space>& how, const char* name, const View& all,
                    const Reducer& reducer) {
  const auto chosen = checked_reducer_for<typename View::value_type>(reducer);
  using R = std::remove_const_t<decltype(chosen)>;
  if constexpr (check_reducer<R, Space>()) {
    const range rows(all.extent(0));
    chunk_pipeline<Space, const View> chunks(how, name, rows, all);
    const index_t per_row = elements_of_row(all.extents());
    return reduce_chunks(how, name, rows, per_row, chosen, chunks,
                         [&](const auto& part) { return load_elements(part, chosen); });
  }
}

/// Adds the counts of a chunk to those of the chunks before.
template <class View>
struct add_counts {
  View total;
  View counts;

  TANDEM_FUNCTION void operator()(index_t b) const { total(b) += counts(b); }
};

template <class Space, class View, class Bins, class Counts>
void count_chunks(const streamed<Space>& how, const View& x, const Bins& bins,
                  const Counts& counts) {
  using Count = typename Counts::value_type;
  const auto& lanes = how.lanes();
  const index_t n = counts.size();
  require(n > 0, "histogram", "counts has 0 bins, fewer than 1");
  histogram_problem described;  // checks bins before anything is allocated, without chunks too
  describe_bins<typename View::value_type>(lanes.member(0), described, bins, n);
  auto totals = list_for<array<Count, 1, Space>>("histogram", lanes.size());
  auto chunk_counts = list_for<array<Count, 1, Space>>("histogram", lanes.size());
  for (int lane = 0; lane < lanes.size(); ++lane) {
    totals.emplace_back(extents<1>(n), Count{0}, lanes.member(lane));
    chunk_counts.emplace_back(extents<1>(n), lanes.member(lane));
  }
  chunk_pipeline<Space, const View> chunks(how, "histogram", range(x.extent(0)), x);
  chunks.run([&](int lane, const range& rows, const auto& values) {
    const Space& space = lanes.member(lane);
    const auto of_chunk = chunk_counts[static_cast<std::size_t>(lane)].view();
    histogram(space, rows_of_view(values, rows), bins, of_chunk);
    const auto total = totals[static_cast<std::size_t>(lane)].view();
    run_loop(space, "histogram", range(n), add_counts<decltype(of_chunk)>{total, of_chunk});
  });
  fence_on_error(lanes, [&] { add_on_first(lanes, "histogram", totals); });
  copy(lanes.member(0), totals[0], counts);
  lanes.member(0).fence();
}

}  // namespace detail

/// y(i...) = f(x(i...), ..) for every element of operands of the host: transform(big, x..., y, f).
///
/// @param first, rest  the inputs, the output or tie(outputs..), and f, as for transform on one
///                     space. Operands have equal extents
/// Errors              those of transform on one space; argument_error if the budget is too small
/// Complexity          moves each input to the device once, and the outputs back
template <class Space, viewable First, class... Rest>
  requires(sizeof...(Rest) >= 2)
void transform(const streamed<Space>& how, First&& first, Rest&&... rest) {
  auto all = detail::references_to(first, rest...);
  constexpr std::size_t inputs = sizeof...(Rest) - 1;
  [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    detail::transform_chunks(how, get<inputs + 1>(all), detail::as_operand(get<inputs>(all)),
                             detail::read_only(as_view(get<Position>(all)))...);
  }(std::make_index_sequence<inputs>{});
}

/// Combines the terms f(i) over all indices with a reducer, with operands of the host.
///
///   tandem::parallel_reduce(big, n, distance{}, tandem::maximum{}, x, y);
///
/// @param indices    as for parallel_for
/// @param f          f(i, arguments...) returns the term of its index, from the rows of its index
/// @param reducer    as on one space
/// @param arguments  as for parallel_for; operands that are not const are written back
/// Returns           the result, with the bits of one space
/// Errors            those of parallel_for, and of parallel_reduce on one space
/// Complexity        moves each row once
template <class Space, index_space Indices, class Function, reducer_or_deduced Reducer,
          class... Argument>
auto parallel_reduce(const streamed<Space>& how, const Indices& indices, const Function& f,
                     const Reducer& reducer, Argument&&... arguments) {
  constexpr const char* name = "parallel_reduce";
  constexpr int rank = detail::rank_of<Indices>;
  detail::require_count(name, indices);
  const range all = detail::rows_of(indices);
  detail::chunk_pipeline<Space, Argument...> chunks(how, name, all, arguments...);
  using Bound = std::remove_cvref_t<decltype(detail::bind_to_terms<Space, rank>(
      f, std::declval<const detail::chunk_view<Space, Argument>&>()...))>;
  if constexpr (detail::check_term_function<Space, Indices, Bound>()) {
    const auto chosen = detail::reducer_of_terms<Bound, Indices>(reducer);
    if constexpr (detail::check_reducer<std::remove_const_t<decltype(chosen)>, Space>()) {
      detail::require_terms<Bound>(name, indices);
      const auto& counted = detail::as_indices(indices);
      const index_t per_row = all.size() == 0 ? 0 : counted.size() / all.size();
      return detail::reduce_chunks(
          how, name, all, per_row, chosen, chunks, [&](const auto&... views) {
            const auto bound = detail::bind_to_terms<Space, rank>(f, views...);
            return detail::make_load(
                counted, detail::place_terms<Space, std::size_t{rank}>(name, bound), chosen);
          });
    }
  }
}

/// Reduces the elements of an operand of the host in row-major order, with the bits of one space.
///
/// @param x        operand of the host, of any rank
/// @param reducer  as on one space; by default their sum
/// Errors          argument_error if the budget is too small; those of one space
/// Complexity      moves x once
template <class Space, viewable X, reducer_or_deduced Reducer>
auto parallel_reduce(const streamed<Space>& how, const X& x, const Reducer& reducer) {
  return detail::reduce_operand(how, "parallel_reduce", detail::read_only(as_view(x)), reducer);
}
template <class Space, viewable X>
auto parallel_reduce(const streamed<Space>& how, const X& x) {
  return parallel_reduce(how, x, sum{});
}

/// Counts the values of an operand of the host in bins, as histogram() on one space.
///
/// @param x       operand of the host
/// @param bins    {.lo, .hi} for float and double, {.first} for integers
/// @param counts  contiguous rank-1 operand of the host; overwritten
/// Errors         argument_error if the budget is too small; those of histogram on one space
/// Complexity     moves x once, and the counts of each chunk inside the space
template <class Space, viewable X, viewable Counts>
void histogram(const streamed<Space>& how, const X& x, uniform_bins<element_of<X>> bins,
               Counts&& counts) {
  detail::count_chunks(how, detail::read_only(as_view(x)), bins, as_view(counts));
}
template <class Space, viewable X, viewable Counts>
  requires std::integral<element_of<X>>
void histogram(const streamed<Space>& how, const X& x, integer_bins bins, Counts&& counts) {
  detail::count_chunks(how, detail::read_only(as_view(x)), bins, as_view(counts));
}

}  // namespace tandem
