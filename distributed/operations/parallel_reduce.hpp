// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/partial_reduce.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/distributed/cut/reduction_part.hpp>
#include <tandem/distributed/group/arguments.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// A reducer whose result is the accumulator, for parts of a reduction that the host finishes.
template <class R>
struct unfinished {
  using accumulator = typename R::accumulator;
  using result = accumulator;
  static constexpr bool commutative = R::commutative;

  R reducer;

  template <class Term>
  TANDEM_FUNCTION constexpr accumulator lift(const Term& term, index_t i) const {
    return reducer.lift(term, i);
  }
  TANDEM_FUNCTION constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  TANDEM_FUNCTION constexpr accumulator identity() const { return reducer.identity(); }
  TANDEM_FUNCTION constexpr result finish(const accumulator& a) const { return a; }
  TANDEM_FUNCTION constexpr result empty() const { return reducer.identity(); }
};

/// Reducers of tandem's own whose result is their accumulator.
template <class R>
inline constexpr bool gives_accumulator =
    std::is_base_of_v<plain_reducer<typename R::accumulator>, R>;
template <class T>
inline constexpr bool gives_accumulator<minmax<T>> = true;
template <class T>
inline constexpr bool gives_accumulator<minloc<T>> = true;
template <class T>
inline constexpr bool gives_accumulator<maxloc<T>> = true;
template <class T, class Operation, bool Commutative>
inline constexpr bool gives_accumulator<reduction<T, Operation, Commutative>> = true;

/// The reducer of the same order that returns accumulators: itself, which backends may recognise,
/// if it does so anyway.
template <class R>
struct totals {
  static auto of(const R& reducer) {
    if constexpr (gives_accumulator<R>) {
      return reducer;
    } else {
      return unfinished<R>{reducer};
    }
  }
};
template <class R, class Function>
struct totals<finished_reducer<R, Function>> {
  static auto of(const finished_reducer<R, Function>& finished) {
    return totals<R>::of(finished.reducer);
  }
};
template <class R, class T>
struct totals<initial_reducer<R, T>> {
  static auto of(const initial_reducer<R, T>& initial) { return totals<R>::of(initial.reducer); }
};
template <class... R>
struct totals<combined_reducer<R...>> {
  static auto of(const combined_reducer<R...>& combined) {
    return of_each(combined, std::index_sequence_for<R...>{});
  }

 private:
  template <std::size_t... Position>
  static auto of_each(const combined_reducer<R...>& combined, std::index_sequence<Position...>) {
    return combined_reducer<decltype(totals<R>::of(get<Position>(combined.reducers)))...>(
        totals<R>::of(get<Position>(combined.reducers))...);
  }
};

/// The terms of a load functor from number `first` on.
template <class Load>
struct terms_from {
  Load load;
  index_t first;

  TANDEM_FUNCTION constexpr auto operator()(index_t i) const { return load(first + i); }
};

/// Stores terms as accumulators.
template <class Terms, class Accumulator>
struct store_terms {
  Terms terms;
  Accumulator* to;

  TANDEM_FUNCTION void operator()(index_t i) const { to[i] = terms(i); }
};

/// Whether a reducer's lift() ignores the index of a term.
template <class R>
inline constexpr bool ignores_positions = gives_accumulator<R>;
template <class T>
inline constexpr bool ignores_positions<minloc<T>> = false;
template <class T>
inline constexpr bool ignores_positions<maxloc<T>> = false;
template <class... R>
inline constexpr bool ignores_positions<combined_reducer<R...>> = (ignores_positions<R> && ...);
template <class R, class Function>
inline constexpr bool ignores_positions<finished_reducer<R, Function>> = ignores_positions<R>;
template <class R, class T>
inline constexpr bool ignores_positions<initial_reducer<R, T>> = ignores_positions<R>;

/// The load functor of the terms from number `first` on: contiguous elements by a moved pointer, so
/// that backends recognise them, if their positions are of no interest.
template <class T, class R>
auto from_term(const contiguous_load<T, R>& load, index_t first) {
  if constexpr (ignores_positions<R>) {
    return contiguous_load<T, R>{moved_back(load.data, -first), load.reducer};
  } else {
    return terms_from<contiguous_load<T, R>>{load, first};
  }
}
template <class Function, class Index, class R>
auto from_term(const function_load<Function, Index, R>& load, index_t first) {
  return function_load<Function, Index, R>{load.function, load.reducer, load.begin + first};
}
template <class Load>
auto from_term(const Load& load, index_t first) {
  return terms_from<Load>{load, first};
}

/// The accumulators of one member's subtrees and of the terms of split tiles, on their way to the
/// host.
template <class Space, class R>
class reduction_member {
 public:
  using accumulator = typename R::accumulator;

  reduction_member(const range& terms, index_t n)
      : part_(reduction_part::of(terms, n, partial<R>::tile)) {
    index_t count = part_.split_terms();
    for_each_subtree(part_.tiles, partial<R>::tile, [&](int, index_t, index_t) { ++count; });
    values_ = mailbox<Space, accumulator>(extents<1>(count));
  }

  /// Enqueues the work. `load(i)` is the accumulator of term i of the whole.
  template <class Load>
  void start(const Space& space, const char* name, const Load& load, const R& reducer) {
    accumulator* to = values_.data_handle();
    to = store(space, name, load, part_.head, to);
    for_each_subtree(part_.tiles, partial<R>::tile, [&](int, index_t begin, index_t end) {
      const auto terms = from_term(load, begin);
      if constexpr (Space::memory_type::host_accessible) {
        *to++ = dispatch_reduce(space, name, end - begin, terms, reducer);
      } else {
        const auto accumulates = totals<R>::of(reducer);
        dispatch_reduce_into(space, name, end - begin, retyped(terms, accumulates), accumulates,
                             to++);
      }
    });
    store(space, name, load, part_.tail, to);
  }

  /// Appends what the member found to the whole: `open` holds the first terms of a split tile.
  void finish(partial<R>& whole, std::vector<accumulator>& open, index_t n,
              const R& reducer) const {
    const accumulator* from = values_.data_handle();
    from = append(open, from, part_.head.size());
    const index_t known = part_.head.end;
    if (!open.empty() && (known % partial<R>::tile == 0 || known == n)) {
      const auto term = [&](index_t i) { return open[static_cast<std::size_t>(i)]; };
      const auto count = static_cast<index_t>(open.size());
      whole.append(0, count, fold_tile(count, term, reducer));
      open.clear();
    }
    for_each_subtree(part_.tiles, partial<R>::tile, [&](int level, index_t begin, index_t end) {
      whole.append(level, end - begin, *from++);
    });
    append(open, from, part_.tail.size());
  }

 private:
  /// A load functor of terms for another reducer with the same accumulators.
  template <class T, class Totals>
  static auto retyped(const contiguous_load<T, R>& load, const Totals& totals) {
    return contiguous_load<T, Totals>{load.data, totals};
  }
  template <class Load, class Totals>
  static const Load& retyped(const Load& load, const Totals&) {
    return load;
  }

  /// Appends `count` terms of a split tile, for which there is room from the first one on.
  static const accumulator* append(std::vector<accumulator>& open, const accumulator* from,
                                   index_t count) {
    if (count > 0 && open.capacity() == 0)
      open = list_for<accumulator>("parallel_reduce", static_cast<int>(partial<R>::tile));
    open.insert(open.end(), from, from + count);
    return from + count;
  }

  template <class Load>
  static accumulator* store(const Space& space, const char* name, const Load& load,
                            const range& terms, accumulator* to) {
    if (terms.size() > 0) {
      const auto first = from_term(load, terms.begin);
      dispatch_for(space, name, range(terms.size()),
                   store_terms<decltype(first), accumulator>{first, to});
    }
    return to + terms.size();
  }

  reduction_part part_;
  mailbox<Space, accumulator> values_;
};

/// Starts a member's part as an operation, which profilers see and whose errors have its name.
template <class Space, class R, class Load>
void start_part(const Space& space, const char* name, const range& terms,
                reduction_member<Space, R>& part, const Load& load, const R& reducer) {
  run(space,
      call{name, profile_kind::reduction, {terms.size()}, operands<>(), no_precondition(), [&] {
             part.start(space, name, load, reducer);
           }});
}

/// Reduces n terms of which member p has `terms_of(p)`, computed by `load_of(p)`.
template <class Space, class R, class TermsOf, class LoadOf>
typename R::result reduce_parts(const group<Space>& members, const char* name, index_t n,
                                const R& reducer, const TermsOf& terms_of, const LoadOf& load_of) {
  if (members.size() == 1) {
    return run_reduce(members.member(0), name, n, load_of(0), reducer, operands<>(),
                      no_precondition());
  }
  auto parts = list_for<reduction_member<Space, R>>(name, members.size());
  fence_on_error(members, [&] {
    for_each_member(members, [&](int p) {
      const range terms = terms_of(p);
      parts.emplace_back(terms, n);
      if (terms.size() > 0)
        start_part(members.member(p), name, terms, parts.back(), load_of(p), reducer);
    });
  });
  members.fence();
  partial<R> whole(reducer);
  std::vector<typename R::accumulator> open;
  for (const auto& part : parts) part.finish(whole, open, n, reducer);
  return whole.finish();
}

/// The elements of an array as terms, by member: all of a replicated array's are the first one's.
template <class X>
auto elements_of(const X& x) {
  return [&x, row = x.row_size()](int p) {
    const range rows = reduced_rows(x, p);
    return range(rows.begin * row, rows.end * row);
  };
}

/// Reduces the elements of a sharded array.
template <class Space, class X, class Reducer>
auto reduce_array(const group<Space>& members, const char* name, const X& x,
                  const Reducer& reducer) {
  using T = typename X::value_type;
  const auto chosen = checked_reducer_for<T>(reducer);
  using R = std::remove_const_t<decltype(chosen)>;
  if constexpr (check_reducer<R, Space>()) {
    require_members(name, members, x);
    return reduce_parts(members, name, x.size(), chosen, elements_of(x), [&](int p) {
      return contiguous_load<T, R>{x.whole(p).data_handle(), chosen};
    });
  }
}

/// Reduces the terms of bound(p), a function of the indices as member p calls it.
template <class Space, class Indices, class Bind, class Reducer, class... Argument>
auto reduce_bound(const group<Space>& members, const char* name, const Indices& indices,
                  const Bind& bound, const Reducer& reducer, const Argument&... arguments) {
  using Bound = std::remove_cvref_t<decltype(bound(0))>;
  if constexpr (check_term_function<Space, Indices, Bound>()) {
    const auto chosen = reducer_of_terms<Bound, Indices>(reducer);
    if constexpr (check_reducer<std::remove_const_t<decltype(chosen)>, Space>()) {
      require_terms<Bound>(name, indices);
      const shared_rows rows(name, members, indices, arguments...);
      const auto& counted = as_indices(indices);
      const index_t n = counted.size();
      const range all = rows_of(indices);
      const index_t per_row = all.size() == 0 ? 0 : n / all.size();
      const auto terms_of = [&](int p) {
        const range own = rows.of_member(p);
        return range((own.begin - all.begin) * per_row, (own.end - all.begin) * per_row);
      };
      return reduce_parts(members, name, n, chosen, terms_of, [&](int p) {
        return make_load(counted, place_terms<Space, std::size_t{rank_of<Indices>}>(name, bound(p)),
                         chosen);
      });
    }
  }
}

}  // namespace detail

/// Combines the terms f(i) over all indices with a reducer, as on one space and with the same bits.
///
/// @param indices    as for parallel_for on a group: the first index is a row of the sharded
///                   arguments
/// @param f          returns the term of (i, arguments...)
/// @param reducer    sum, .. as on one space
/// @param arguments  sharded arrays of one cut and replicated arrays, as views; values by copy
/// Errors            those of parallel_for on a group, and of parallel_reduce on one space
/// Complexity        each member reduces its terms, in one reduction per subtree of whole tiles, at
///                   most 2 log2(m) of them for m tiles; the host combines them. A cut inside a
///                   tile costs the terms of that tile, one by one
/// Blocks until the result is available.
template <class Space, index_space Indices, class Function, reducer_or_deduced Reducer,
          class... Argument>
auto parallel_reduce(const group<Space>& members, const Indices& indices, const Function& f,
                     const Reducer& reducer, Argument&&... arguments) {
  return detail::reduce_bound(
      members, "parallel_reduce", indices,
      [&](int p) {
        return detail::bind_to_terms<Space, detail::rank_of<Indices>>(
            f, detail::argument_of(arguments, p)...);
      },
      reducer, arguments...);
}
template <class Space, index_space Indices, class Function>
  requires(!detail::sharded_operand<Function>)
auto parallel_reduce(const group<Space>& members, const Indices& indices, const Function& f) {
  return parallel_reduce(members, indices, f, sum{});
}

/// Reduces the elements of a sharded array in row-major order, with the bits of one space.
///
/// @param x        sharded or replicated array; the halo is left out
/// @param reducer  as on one space; by default their sum. One with positions reports the index in
///                 the whole
/// Errors          argument_error for an array of other members; those of one space
/// Complexity      as for terms; reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, reducer_or_deduced Reducer>
auto parallel_reduce(const group<Space>& members, const X& x, const Reducer& reducer) {
  return detail::reduce_array(members, "parallel_reduce", x, reducer);
}
template <class Space, detail::sharded_operand X>
auto parallel_reduce(const group<Space>& members, const X& x) {
  return parallel_reduce(members, x, sum{});
}

}  // namespace tandem
