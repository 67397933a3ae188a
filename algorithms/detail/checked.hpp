// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/narrowing.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers/initial.hpp>
#include <tandem/core/team.hpp>

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
/// by it. `type` names the kernel in messages; null if it is the library's.
template <class Function, class Indices>
void run_checked(const char* operation, const std::type_info* type, const Indices& indices,
                 const Function& f, checked::effects allowed = checked::effects::all,
                 const checked::written_elements& written = {}) {
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
  checked::run_loop({operation, type, &object, &f, sizeof f, allowed, written}, rank, first, sizes,
                    call);
}

template <class Function, class Indices>
void run_checked(const char* operation, const Indices& indices, const Function& f) {
  run_checked(operation, checked::type_of<Function>(), indices, f);
}

/// The elements of a rank-1 view, which the operation writes while it calls a user's functions.
template <class View>
checked::written_elements written_by_operation(const View& v, bool by_iteration = false) {
  return {v.data_handle(), sizeof(typename View::value_type), v.size(), v.stride(0), by_iteration};
}

/// Throws if nothing has written some element of an operand that the operation `name` reads.
template <class View>
void require_written(const char* name, const char* operand, const View& v) {
  if constexpr (View::memory_type::host_accessible) {
    index_t sizes[maximum_rank] = {};
    index_t strides[maximum_rank] = {};
    for (int d = 0; d < View::rank(); ++d) {
      sizes[d] = v.extent(d);
      strides[d] = v.stride(d);
    }
    checked::require_written(name, operand, checked::element_type_of<typename View::value_type>(),
                             v.data_handle(), View::rank(), sizes, strides);
  }
}

/// Throws if nothing has written an element of the rank-1 view that `indices` name. They are in
/// range.
template <class View, class Indices>
void require_written_at(const char* name, const char* operand, const View& v,
                        const Indices& indices) {
  if constexpr (View::memory_type::host_accessible && Indices::memory_type::host_accessible) {
    for (index_t i = 0; i < indices.size(); ++i) {
      checked::require_written(name, operand, checked::element_type_of<typename View::value_type>(),
                               &v.data_handle()[static_cast<index_t>(indices(i)) * v.stride(0)], 0,
                               nullptr, nullptr);
    }
  }
}

/// Runs teams one after the other, instrumented by the checked runtime.
template <class Kernel>
void run_checked_teams(const char* operation, const team_shape& shape, const Kernel& kernel) {
  checked::team_extents extents;
  if constexpr (requires { kernel.shape.teams.rank(); }) {
    extents.rank = kernel.shape.teams.rank();
    for (int d = 0; d < extents.rank; ++d) {
      extents.teams[d] = kernel.shape.teams[d];
      extents.lanes[d] = kernel.shape.lanes[d];
    }
  }
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
  checked::run_teams({operation, checked::type_of<Kernel>(), &object, &kernel, sizeof kernel},
                     shape.teams, shape.lanes, extents,
                     {shape.scratch_bytes, host::kept_lanes_begin(shape), kept}, call);
}

/// Whether a reduction on `Space` calls a user's function on the host for its terms.
template <class Space, class Load>
inline constexpr bool calls_on_host =
    Space::memory_type::host_accessible && requires(const Load& load) { load.function; };

/// Calls a predicate once for each element of x, before an algorithm does, so that its accesses are
/// checked. `written` is what the algorithm writes meanwhile.
template <class Space, class View, class Predicate>
void judge_predicate(const Space&, const char* operation, const View& x, const Predicate& predicate,
                     const checked::written_elements& written = {}) {
  if constexpr (Space::memory_type::host_accessible) {
    if (x.size() == 0) return;
    const host_scratch<bool> answers(operation, x.size());
    const auto f = [answer = answers.data(), &x, &predicate](index_t i) {
      answer[i] = static_cast<bool>(predicate(x(i)));
    };
    run_checked(operation, checked::type_of<Predicate>(), range(x.size()), f,
                checked::effects::none, written);
  }
}

/// Throws if the identity of a reducer of numbers, or of one in a reducer made of others, changes
/// an accumulator.
template <class R>
void require_identity(const char* operation, const R& reducer,
                      const typename R::accumulator& value) {
  using T = typename R::accumulator;
  if constexpr (std::is_arithmetic_v<T> || floating_number<T> || is_complex<T>) {
    if (!(value == value)) return;  // NaN, which some operations pass over
    const T identity = reducer.identity();
    if (reducer.combine(value, identity) == value && reducer.combine(identity, value) == value)
      return;
    std::string named = "the identity of the reducer";
    std::string term = "a term";
    if constexpr (std::is_arithmetic_v<T>) {
      named = message({"the identity ", identity, " of the reducer"});
      term = message({value});
    }
    checked::fail_identity(operation, named, term);
  }
}
template <class R, class Function>
void require_identity(const char* operation, const finished_reducer<R, Function>& reducer,
                      const typename R::accumulator& value) {
  require_identity(operation, reducer.reducer, value);
}
template <class R, class T>
void require_identity(const char* operation, const initial_reducer<R, T>& reducer,
                      const typename R::accumulator& value) {
  require_identity(operation, reducer.reducer, value);
}
template <class... R>
void require_identity(const char* operation, const combined_reducer<R...>& reducer,
                      const typename combined_reducer<R...>::accumulator& value) {
  [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    (require_identity(operation, get<Position>(reducer.reducers), get<Position>(value)), ...);
  }(std::index_sequence_for<R...>());
}

/// Combines the two accumulators of each pair(i), before an algorithm combines its own, so that the
/// accesses of the operation are checked. An operation without members, such as sum<float>,
/// captures nothing that it could access. Some of the accumulators are combined with the identity.
template <class Space, class R, class Pair>
void judge_pairs(const Space&, const char* operation, index_t pairs, const Pair& pair,
                 const R& reducer, const checked::written_elements& written = {}) {
  if constexpr (Space::memory_type::host_accessible) {
    if constexpr (!std::is_empty_v<R>) {
      const host_scratch<typename R::accumulator> results(operation, pairs);
      const auto f = [to = results.data(), &pair, &reducer](index_t i) {
        const auto [earlier, later] = pair(i);
        to[i] = reducer.combine(earlier, later);
      };
      if (pairs > 0) {
        run_checked(operation, checked::type_of<R>(), range(pairs), f, checked::effects::none,
                    written);
      }
    }
    constexpr index_t looked_at = 8;
    for (index_t i = 0; i < pairs && i < looked_at; ++i) {
      const auto [earlier, later] = pair(i);
      require_identity(operation, reducer, earlier);
      require_identity(operation, reducer, later);
    }
    require_identity(operation, reducer, reducer.identity());
  }
}

/// Calls a predicate once for each index of a selection, as for the elements of a view.
template <class Space, class Predicate>
void judge_predicate(const Space&, const char* operation, const range& indices,
                     const Predicate& predicate, const checked::written_elements& written) {
  if constexpr (Space::memory_type::host_accessible) {
    if (indices.size() == 0) return;
    const host_scratch<bool> answers(operation, indices.size());
    const auto f = [answer = answers.data(), &indices, &predicate](loop_index<Predicate> i) {
      answer[static_cast<index_t>(i) - indices.begin] = static_cast<bool>(predicate(i));
    };
    run_checked(operation, checked::type_of<Predicate>(), indices, f, checked::effects::none,
                written);
  }
}

/// The pairs of a reduction of n accumulators that load(i) reads.
template <class Space, class Load, class R>
void judge_combine(const Space& space, const char* operation, index_t n, const Load& load,
                   const R& reducer, const checked::written_elements& written = {}) {
  const auto pair = [&load](index_t i) { return std::pair(load(2 * i), load(2 * i + 1)); };
  judge_pairs(space, operation, n / 2, pair, reducer, written);
}

/// The first two terms of each segment. The operation writes `results` elements. Requires that the
/// terms of all segments have been written.
template <class Space, class Problem>
void judge_segments(const Space& space, const char* operation, const Problem& problem,
                    index_t results) {
  checked::written_elements written{problem.out, sizeof *problem.out, results, problem.out_stride};
  if constexpr (requires { problem.load.data; }) {
    const index_t first = problem.segment(0).begin;
    index_t stride = 1;
    if constexpr (requires { problem.load.stride; }) stride = problem.load.stride;
    const view<const std::remove_cvref_t<decltype(*problem.load.data)>, 1, layout_stride,
               host_memory>
        terms(problem.load.data + first * stride,
              layout_stride::mapping<1>({problem.segment(problem.segments - 1).end - first},
                                        {stride}));
    require_written(operation, "x", terms);
    if (static_cast<const void*>(problem.load.data) == problem.out) written = {};  // in place
  }
  const auto pair = [&problem](index_t s) {
    const auto terms = problem.segment(s);
    return std::pair(terms.size() > 0 ? problem.load(terms.begin) : problem.reducer.identity(),
                     terms.size() > 1 ? problem.load(terms.begin + 1) : problem.reducer.identity());
  };
  judge_pairs(space, operation, problem.segments, pair, problem.reducer, written);
}

}  // namespace tandem::detail
