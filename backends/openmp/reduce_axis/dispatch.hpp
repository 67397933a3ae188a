// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/backends/openmp/reduce_axis/columns.hpp>
#include <tandem/backends/openmp/reduce_axis/few_terms.hpp>
#include <tandem/backends/openmp/reduce_axis/plan.hpp>
#include <tandem/backends/openmp/reduce_axis/policy.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>

#include <limits>

namespace tandem {

namespace openmp_impl {

/// Whether neighbouring slices are reduced together.
template <class R>
inline constexpr bool goes_side_by_side =
    R::commutative && !detail::is_large<typename R::accumulator>;

/// Calls body(load_of) with the function object (p, q) -> load of a slice's terms that is fastest
/// to read: by the last index alone if the slices are a function's, and without a stride if
/// elements are contiguous. Valid during the call.
template <class Slices, class R, class Body>
[[gnu::always_inline]] inline void with_loads(const reduce_axis_problem<Slices, R>& problem,
                                              const Body& body) {
  const Slices& slices = problem.slices;
  if constexpr (goes_side_by_side<R> && requires { slices(0, 0).row(); }) {
    body([&](index_t p, index_t q) { return slices(p, q).row(); });  // others are side by side
  } else {
    if constexpr (bytes_of_element<Slices> > 0) {
      using load = contiguous_load<typename Slices::element, R>;
      if (slices.term_stride == 1)
        return body([&](index_t p, index_t q) { return load{slices(p, q).data, problem.reducer}; });
    }
    body(slices);
  }
}

/// Reduces slices one by one: a group is one slice.
template <class Slices, class R>
struct single_slices {
  static constexpr index_t width = 1;
  static constexpr index_t leaf = leaf_terms<R>;
  static constexpr index_t most_terms = std::numeric_limits<index_t>::max();  // of a subtree

  struct room {};

  template <class Store>
  static void reduce_group(const reduce_axis_problem<Slices, R>& problem, index_t p, index_t q,
                           index_t first, index_t end, data_location from, room&,
                           const Store& store) {
    with_loads(problem, [&](const auto& load_of) {
      store(0, reduce_subtree(load_of(p, q), first, end, problem.reducer, from));
    });
  }
};

/// Reduces the `count` contiguous terms of each slice, at least one per lane and less than a tile.
/// begin_of(s) is the begin of slice s, and store(s, total) takes its result. With `Whole`, count
/// is a multiple of the lanes, which then stay in registers.
template <class T, bool Whole, class R, class Begin, class Store>
void reduce_short_slices(const Begin& begin_of, int count, bool from_dram, const R& reducer,
                         const Store& store) {
  using A = typename R::accumulator;
  constexpr int slices = short_slices_at_once;
  constexpr int lanes = canonical::lanes<R>;
  constexpr int in_vector = vector_bytes / static_cast<int>(sizeof(A));
  constexpr int left = in_vector < 8 ? 8 : in_vector;
  lane_array<A, left> part[static_cast<std::size_t>(slices)];
  lane_array<A, slices> turned[static_cast<std::size_t>(left)];
  for (int s = 0; s < slices; ++s) {
    const contiguous_load<T, R> load{begin_of(s), reducer};
    const tile_loader<contiguous_load<T, R>> terms{load, 0};
    if (from_dram) prefetch_ahead(load.data, static_cast<std::size_t>(count) * sizeof(T));
    lane_array<A, lanes> lane;
    if constexpr (Whole) {
      accumulate_rows<lanes>(terms, count / lanes, lane, reducer);
    } else {
      accumulate_partial(terms, count, lane, reducer);
    }
    combine_lanes<lanes, left>(lane, reducer);
    for (int l = 0; l < left; ++l) part[s][l] = lane[l];
  }
  for (int l = 0; l < left; ++l) {
    for (int s = 0; s < slices; ++s) turned[l][s] = part[s][l];
  }
  for (int h = left / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h; ++l) {
      for (int s = 0; s < slices; ++s)
        turned[l][s] = reducer.combine(turned[l][s], turned[l + h][s]);
    }
  }
  for (int s = 0; s < slices; ++s) store(s, turned[0][s]);
}

/// Reduces slices of contiguous terms that fill all lanes but less than a tile, several at a time.
template <class Slices, class R>
struct short_slices {
  static constexpr index_t width = short_slices_at_once;
  static constexpr index_t leaf = canonical::tile<R>;
  static constexpr index_t most_terms = leaf;

  using one_slice = single_slices<Slices, R>;
  using room = typename one_slice::room;

  template <class Store>
  static void reduce_group(const reduce_axis_problem<Slices, R>& problem, index_t p, index_t q,
                           index_t first, index_t end, data_location from, room& own,
                           const Store& store) {
    if (problem.inner - q >= width) {
      const auto begin_of = [&](int s) { return problem.slices(p, q + s).data; };
      const int count = static_cast<int>(end);
      const bool from_dram = from == data_location::dram;
      using T = typename Slices::element;
      if (count % canonical::lanes<R> == 0)
        return reduce_short_slices<T, true>(begin_of, count, from_dram, problem.reducer, store);
      return reduce_short_slices<T, false>(begin_of, count, from_dram, problem.reducer, store);
    }
    for (int s = 0; s < problem.inner - q; ++s) {
      const auto store_one = [&](int, const auto& folded) { store(s, folded); };
      one_slice::reduce_group(problem, p, q + s, first, end, from, own, store_one);
    }
  }
};

template <class Slices, class R>
inline constexpr bool can_be_short = false;
template <class T, class R>
inline constexpr bool can_be_short<strided_slices<T, R>, R> =
    goes_side_by_side<R> && !is_argminmax<R>;

/// Whether short_slices suits the problem.
template <class Slices, class R>
bool has_short_slices(const reduce_axis_problem<Slices, R>& problem) {
  return problem.slices.term_stride == 1 && problem.inner >= short_slices_at_once &&
         problem.terms >= canonical::lanes<R> && problem.terms < canonical::tile<R>;
}

/// Reduces neighbouring slices together, a few cache lines of each row at a time.
template <class Slices, class R, int Columns>
struct neighbouring_slices {
  static constexpr index_t width = Columns;
  static constexpr index_t leaf = canonical::tile<R>;
  static constexpr index_t most_terms = most_column_tiles * leaf;

  using room = column_lanes<Columns, R>;

  template <class Store>
  static void reduce_group(const reduce_axis_problem<Slices, R>& problem, index_t p, index_t q,
                           index_t first, index_t end, data_location, room& own,
                           const Store& store) {
    const index_t left = problem.inner - q;
    const auto folded =
        reduce_columns<Columns>(problem.slices, problem.reducer, p, q, left, first, end, own);
    for (int c = 0; c < Columns && c < left; ++c) store(c, folded.of[c]);
  }
};

/// Reduces the subtrees begin to end - 1 of all groups. Totals of whole slices go to the outputs,
/// the others to parts[output * subtrees + subtree].
template <class Groups, class Slices, class R>
void reduce_units(const reduce_axis_problem<Slices, R> problem, const axis_plan& plan,
                  index_t begin, index_t end, typename Groups::room& room,
                  typename R::accumulator* parts) {
  for (index_t unit = begin; unit < end; ++unit) {
    const index_t group = unit / plan.subtrees;
    const index_t s = unit % plan.subtrees;
    const index_t p = group / plan.across;
    const index_t q = group % plan.across * Groups::width;
    const index_t first = s * plan.terms;
    const index_t left = problem.terms - first;
    const index_t last = first + (left < plan.terms ? left : plan.terms);
    const auto store = [&](int c, const auto& folded) {
      if (plan.subtrees == 1) {
        problem.output(p, q + c) = problem.reducer.finish(folded);
      } else {
        parts[(p * problem.inner + q + c) * plan.subtrees + s] = folded;
      }
    };
    Groups::reduce_group(problem, p, q, first, last, plan.from, room, store);
  }
}

/// Computes all outputs, group by group, on as many threads as pay.
template <class Groups, class Slices, class R>
void reduce_groups(const openmp& space, const reduce_axis_problem<Slices, R>& problem) {
  const int threads = space.threads();
  const axis_plan plan = plan_axis<Groups>(threads, problem);
  const index_t count = plan.subtrees > 1 ? problem.outputs() * plan.subtrees : 0;
  const scratch<typename R::accumulator> parts(count);
  const index_t units = plan.groups * plan.subtrees;
  const thread_rooms<typename Groups::room> rooms(threads);
  const auto reduce_some = [&](index_t begin, index_t end) {
    rooms.with_room(
        [&](auto& room) { reduce_units<Groups>(problem, plan, begin, end, room, parts.data()); });
  };
  if (plan.is_balanced) {
    run_stealing(threads, 0, units, stealing_grain(units, threads, 1, units), reduce_some);
  } else {
    run_loop(space, units, plan.is_adaptive, reduce_some);
  }
  for (index_t o = 0; count > 0 && o < problem.outputs(); ++o) {
    auto* const of_output = parts.data() + o * plan.subtrees;
    problem.output(o / problem.inner, o % problem.inner) =
        problem.reducer.finish(combine_all(of_output, plan.subtrees, problem.reducer));
  }
}

/// Reduces slices whose elements are neighbours in memory, in wider groups if they exceed the
/// threads' L2 and there are enough groups for all threads.
template <class Slices, class R>
void reduce_side_by_side(const openmp& space, const reduce_axis_problem<Slices, R>& problem) {
  using A = typename R::accumulator;
  constexpr int wide = wide_columns<A>;
  const index_t units = problem.outer * ceil_div(problem.inner, index_t{wide}) *
                        ceil_div(problem.terms, index_t{canonical::tile<R>});
  const bool enough = units >= wide_units_per_thread * space.threads();
  const auto bytes = static_cast<std::size_t>(problem.outputs() * problem.terms) * sizeof(A);
  if (problem.inner > group_columns<A> && enough && exceeds_l2(bytes, space.threads()))
    return reduce_groups<neighbouring_slices<Slices, R, wide>>(space, problem);
  reduce_groups<neighbouring_slices<Slices, R, group_columns<A>>>(space, problem);
}

/// Computes all outputs of slices of at most most_few_terms<R> terms, on as many threads as pay.
template <class Slices, class R>
void reduce_few(const openmp& space, const reduce_axis_problem<Slices, R> problem) {
  const bool is_small = problem.outputs() * problem.terms < adaptive_terms;
  run_loop(space, problem.outputs(), is_small, [&problem](index_t begin, index_t end) {
    const int count = static_cast<int>(problem.terms);
    with_loads(problem, [&, count](const auto& load_of) {
      index_t p = begin / problem.inner;
      index_t q = begin % problem.inner;
      for (index_t o = begin; o < end; ++o) {
        problem.output(p, q) =
            problem.reducer.finish(fold_few_terms(load_of(p, q), 0, count, problem.reducer));
        if (++q == problem.inner) {
          q = 0;
          ++p;
        }
      }
    });
  });
}

}  // namespace openmp_impl

/// Computes many reductions of one length, each in its canonical shape, on as many threads as pay.
template <class Slices, class R>
void dispatch_reduce_axis(const openmp& space, const char*,
                          const reduce_axis_problem<Slices, R>& problem) {
  if (problem.terms == 0) {
    for (index_t o = 0; o < problem.outputs(); ++o)
      problem.output(o / problem.inner, o % problem.inner) = problem.reducer.empty();
    return;
  }
  if constexpr (openmp_impl::goes_side_by_side<R>) {
    if (problem.side_by_side) return openmp_impl::reduce_side_by_side(space, problem);
    if constexpr (openmp_impl::can_be_short<Slices, R>) {
      if (openmp_impl::has_short_slices(problem))
        return openmp_impl::reduce_groups<openmp_impl::short_slices<Slices, R>>(space, problem);
    }
  }
  if constexpr (openmp_impl::most_few_terms<R> > 0) {
    if (problem.terms <= openmp_impl::most_few_terms<R>)
      return openmp_impl::reduce_few(space, problem);
  }
  openmp_impl::reduce_groups<openmp_impl::single_slices<Slices, R>>(space, problem);
}

}  // namespace tandem
