// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/team.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

/// Loops, teams and reductions of the host in builds that link tandem::checked (docs/debugging.md).
namespace tandem::detail {

/// flat / size; a division of 32 bits takes half the time.
inline index_t quotient(index_t flat, index_t size) {
  if (((flat | size) >> 32) == 0)
    return static_cast<std::uint32_t>(flat) / static_cast<std::uint32_t>(size);
  return flat / size;
}

/// Runs a loop iteration by iteration, in an order chosen by the checked runtime and instrumented
/// by it. `type` names the kernel in messages.
template <class Function, class Indices>
void run_checked(const char* operation, const std::type_info& type, const Indices& indices,
                 const Function& f, checked::effects allowed = checked::effects::all) {
  using Index = loop_index<Function>;
  constexpr int rank = Indices::rank;
  index_t first[3] = {};
  index_t sizes[3] = {};
  if constexpr (rank == 1) {
    first[0] = indices.begin;
    sizes[0] = indices.size();
  } else if constexpr (requires { indices.counted; }) {
    for (int d = 0; d < rank; ++d) {
      first[d] = indices.begin[d];
      sizes[d] = indices.counted.sizes[d];
    }
  } else {
    for (int d = 0; d < rank; ++d) sizes[d] = indices.sizes[d];
  }
  struct bound {
    const Function& f;
    index_t first[3];
    index_t sizes[3];
  };
  const bound object{f, {first[0], first[1], first[2]}, {sizes[0], sizes[1], sizes[2]}};
  const auto call = [](const void* loop) {
    const bound b = *static_cast<const bound*>(loop);
    checked::for_each_item<Function>(&b.f, [b](const Function& own, index_t flat) {
      if constexpr (rank == 1) {
        own(static_cast<Index>(b.first[0] + flat));
      } else if constexpr (rank == 2) {
        const index_t row = quotient(flat, b.sizes[1]);
        own(static_cast<Index>(b.first[0] + row),
            static_cast<Index>(b.first[1] + flat - row * b.sizes[1]));
      } else {
        const index_t row = quotient(flat, b.sizes[2]);
        const index_t plane = quotient(row, b.sizes[1]);
        own(static_cast<Index>(b.first[0] + plane),
            static_cast<Index>(b.first[1] + row - plane * b.sizes[1]),
            static_cast<Index>(b.first[2] + flat - row * b.sizes[2]));
      }
    });
  };
  checked::run_loop({operation, &type, &object, &f, sizeof f, allowed}, rank, first, sizes, call);
}

template <class Function, class Indices>
void run_checked(const char* operation, const Indices& indices, const Function& f) {
  run_checked(operation, typeid(Function), indices, f);
}

/// Runs teams one after the other, instrumented by the checked runtime.
template <class Kernel>
void run_checked_teams(const char* operation, const team_shape& shape, const Kernel& kernel) {
  struct bound {
    const Kernel& kernel;
    team_shape shape;
  };
  const bound object{kernel, shape};
  const auto call = [](const void* bound_kernel, index_t index, void* scratch) {
    const bound& b = *static_cast<const bound*>(bound_kernel);
    team one(index, b.shape, scratch);
    b.kernel(one);
  };
  const std::size_t kept = host::kept_lane_bytes * static_cast<std::size_t>(shape.lanes);
  checked::run_teams({operation, &typeid(Kernel), &object, &kernel, sizeof kernel}, shape.teams,
                     shape.lanes, {shape.scratch_bytes, host::kept_lanes_begin(shape), kept}, call);
}

/// Whether a reduction on `Space` calls a user's function on the host for its terms.
template <class Space, class Load>
inline constexpr bool calls_on_host =
    Space::memory_type::host_accessible && requires(const Load& load) { load.function; };

/// Calls a predicate once for each element of x, before an algorithm does, so that its accesses are
/// checked.
template <class Space, class View, class Predicate>
void judge_predicate(const Space&, const char* operation, const View& x,
                     const Predicate& predicate) {
  if constexpr (Space::memory_type::host_accessible) {
    if (x.size() == 0) return;
    const host_scratch<bool> answers(operation, x.size());
    const auto f = [answer = answers.data(), &x, &predicate](index_t i) {
      answer[i] = static_cast<bool>(predicate(x(i)));
    };
    run_checked(operation, typeid(Predicate), range(x.size()), f, checked::effects::none);
  }
}

/// Combines the two accumulators of each pair(i), before an algorithm combines its own, so that the
/// accesses of the operation are checked. An operation without members, such as sum<float>,
/// captures nothing that it could access.
template <class Space, class R, class Pair>
void judge_pairs(const Space&, const char* operation, index_t pairs, const Pair& pair,
                 const R& reducer) {
  if constexpr (Space::memory_type::host_accessible && !std::is_empty_v<R>) {
    if (pairs == 0) return;
    const host_scratch<typename R::accumulator> results(operation, pairs);
    const auto f = [to = results.data(), &pair, &reducer](index_t i) {
      const auto [earlier, later] = pair(i);
      to[i] = reducer.combine(earlier, later);
    };
    run_checked(operation, typeid(R), range(pairs), f, checked::effects::none);
  }
}

/// The pairs of a reduction of n accumulators that load(i) reads.
template <class Space, class Load, class R>
void judge_combine(const Space& space, const char* operation, index_t n, const Load& load,
                   const R& reducer) {
  const auto pair = [&load](index_t i) { return std::pair(load(2 * i), load(2 * i + 1)); };
  judge_pairs(space, operation, n / 2, pair, reducer);
}

/// The first two terms of each segment.
template <class Space, class Problem>
void judge_segments(const Space& space, const char* operation, const Problem& problem) {
  const auto pair = [&problem](index_t s) {
    const auto terms = problem.segment(s);
    return std::pair(terms.size() > 0 ? problem.load(terms.begin) : problem.reducer.identity(),
                     terms.size() > 1 ? problem.load(terms.begin + 1) : problem.reducer.identity());
  };
  judge_pairs(space, operation, problem.segments, pair, problem.reducer);
}

/// The terms of a reduction, computed one by one before they are combined.
template <class Load>
class checked_terms {
  using function_type = decltype(Load::function);
  using accumulator = std::remove_cvref_t<decltype(std::declval<const Load&>()(index_t{}))>;

 public:
  checked_terms(const char* operation, index_t n, const Load& load) : terms_(operation, n) {
    if constexpr (requires { load.begin; }) {
      const auto f = [this, &load](index_t i) { terms_[i - load.begin] = load(i - load.begin); };
      run_checked(operation, typeid(function_type), range{load.begin, load.begin + n}, f,
                  checked::effects::no_updates);
    } else if constexpr (std::remove_cvref_t<decltype(load.indices.sizes())>::rank() == 2) {
      const index_t width = load.indices.sizes()[1];
      const auto f = [this, &load, width](index_t j, index_t i) {
        terms_[j * width + i] = load(j * width + i);
      };
      run_checked(operation, typeid(function_type), grid<2>(load.indices.sizes()[0], width), f,
                  checked::effects::no_updates);
    } else {
      const index_t height = load.indices.sizes()[1];
      const index_t width = load.indices.sizes()[2];
      const auto f = [this, &load, height, width](index_t k, index_t j, index_t i) {
        const index_t at = (k * height + j) * width + i;
        terms_[at] = load(at);
      };
      run_checked(operation, typeid(function_type), grid<3>(load.indices.sizes()[0], height, width),
                  f, checked::effects::no_updates);
    }
  }

  /// Reads the values by number.
  auto load() const {
    return [terms = terms_.data()](index_t i) { return terms[i]; };
  }

 private:
  host_scratch<accumulator> terms_;
};

/// Throws if the identity of a reducer of numbers changes one of the first terms.
template <class Load, class R>
void require_identity(const char* operation, index_t n, const Load& load, const R& reducer) {
  using T = typename R::accumulator;
  if constexpr (std::is_arithmetic_v<T>) {
    constexpr index_t looked_at = 16;
    const auto same = [](T a, T b) {
      return a == b ? std::signbit(static_cast<double>(a)) == std::signbit(static_cast<double>(b))
                    : a != a && b != b;
    };
    const T identity = reducer.identity();
    for (index_t i = 0; i < n && i < looked_at; ++i) {
      const T term = load(i);
      if (same(reducer.combine(term, identity), term) &&
          same(reducer.combine(identity, term), term))
        continue;
      throw argument_error(message(
          {operation, ": the identity ", identity, " of the reducer changes term ", i, ", ", term,
           ": name an identity of the operation, and an initial value by with_initial()"}));
    }
  }
}

/// Calls use(load) with the terms of a reduction after the checked runtime has instrumented their
/// accesses and those of the reducer.
template <class Space, class Load, class R, class Use>
auto with_judged_terms(const Space& space, const char* operation, index_t n, const Load& load,
                       const R& reducer, const Use& use) {
  if constexpr (calls_on_host<Space, Load>) {
    const checked_terms<Load> terms(operation, n, load);
    judge_combine(space, operation, n, terms.load(), reducer);
    return use(terms.load());
  } else {
    judge_combine(space, operation, n, load, reducer);
    return use(load);
  }
}

/// The values of a function of a range or a grid, in row-major order, as a function of the same
/// indices.
template <int Rank, class Index, class Term>
struct stored_terms;

template <class Index, class Term>
struct stored_terms<1, Index, Term> {
  const Term* terms;
  index_t begin;

  Term operator()(Index i) const { return terms[static_cast<index_t>(i) - begin]; }
};

template <class Index, class Term>
struct stored_terms<2, Index, Term> {
  const Term* terms;
  extents<2> sizes;

  Term operator()(Index j, Index i) const {
    return terms[static_cast<index_t>(j) * sizes[1] + static_cast<index_t>(i)];
  }
};

template <class Index, class Term>
struct stored_terms<3, Index, Term> {
  const Term* terms;
  extents<3> sizes;

  Term operator()(Index k, Index j, Index i) const {
    const index_t row = static_cast<index_t>(k) * sizes[1] + static_cast<index_t>(j);
    return terms[row * sizes[2] + static_cast<index_t>(i)];
  }
};

/// Calls use(g); g is f with its values precomputed one by one.
template <class Term, class Function, class Use>
auto with_checked_terms(std::type_identity<Term>, const char* operation, const range& indices,
                        const Function& f, const Use& use) {
  using Index = loop_index<Function>;
  const host_scratch<Term> terms(operation, indices.size());
  const auto one = [&f, to = terms.data(), begin = indices.begin](Index i) {
    to[static_cast<index_t>(i) - begin] = f(i);
  };
  run_checked(operation, typeid(Function), indices, one);
  return use(stored_terms<1, Index, Term>{terms.data(), indices.begin});
}
template <class Term, int Rank, class Function, class Use>
auto with_checked_terms(std::type_identity<Term>, const char* operation, const grid<Rank>& indices,
                        const Function& f, const Use& use) {
  using Index = loop_index<Function>;
  const host_scratch<Term> terms(operation, indices.size());
  const auto store = [&f, to = terms.data(), sizes = indices.sizes](auto... index) {
    index_t flat = 0;
    int d = 0;
    ((flat = flat * sizes[d++] + static_cast<index_t>(index)), ...);
    to[flat] = f(index...);
  };
  if constexpr (Rank == 2) {
    const auto one = [&store](Index j, Index i) { store(j, i); };
    run_checked(operation, typeid(Function), indices, one);
  } else {
    const auto one = [&store](Index k, Index j, Index i) { store(k, j, i); };
    run_checked(operation, typeid(Function), indices, one);
  }
  return use(stored_terms<Rank, Index, Term>{terms.data(), indices.sizes});
}

}  // namespace tandem::detail
