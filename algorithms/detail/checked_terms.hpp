// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/checked.hpp>
#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers/finished.hpp>

#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>

/// Terms of reductions and scans one by one, and functions that run after them, in builds that link
/// tandem::checked (docs/debugging.md).
namespace tandem::detail {

/// What a function of indices may do as a term of a reduction: predicates may not write.
template <class Function>
constexpr checked::effects effects_of_term() {
  return requires { requires Function::is_predicate; } ? checked::effects::none
                                                       : checked::effects::no_updates;
}

/// The terms of a reduction, computed one by one before they are combined.
template <class Load>
class checked_terms {
  using accumulator = std::remove_cvref_t<decltype(std::declval<const Load&>()(index_t{}))>;

 public:
  /// The terms that a load reads without a user's function.
  checked_terms(const char* operation, index_t n, const Load& load) : terms_(operation, n) {
    const auto f = [this, &load](index_t i) { terms_[i] = load(i); };
    run_checked(operation, nullptr, range(n), f);
  }
  /// `written` is what the operation writes while it calls the function.
  checked_terms(const char* operation, index_t n, const Load& load,
                const checked::written_elements& written)
      : terms_(operation, n) {
    using function_type = decltype(Load::function);
    const std::type_info* const type = checked::type_of<function_type>();
    constexpr checked::effects allowed = effects_of_term<function_type>();
    if constexpr (requires { load.begin; }) {
      const auto f = [this, &load](index_t i) { terms_[i - load.begin] = load(i - load.begin); };
      run_checked(operation, type, range{load.begin, load.begin + n}, f, allowed, written);
    } else if constexpr (std::remove_cvref_t<decltype(load.indices.sizes())>::rank() == 2) {
      const index_t width = load.indices.sizes()[1];
      const auto f = [this, &load, width](index_t j, index_t i) {
        terms_[j * width + i] = load(j * width + i);
      };
      run_checked(operation, type, grid<2>(load.indices.sizes()[0], width), f, allowed, written);
    } else {
      const index_t height = load.indices.sizes()[1];
      const index_t width = load.indices.sizes()[2];
      const auto f = [this, &load, height, width](index_t k, index_t j, index_t i) {
        const index_t at = (k * height + j) * width + i;
        terms_[at] = load(at);
      };
      run_checked(operation, type, grid<3>(load.indices.sizes()[0], height, width), f, allowed,
                  written);
    }
  }

  /// Reads the values by number.
  auto load() const {
    return [terms = terms_.data()](index_t i) { return terms[i]; };
  }

 private:
  host_scratch<accumulator> terms_;
};

/// The function of a finished_reducer, called as code that runs after the terms of its reduction.
template <class Function>
struct judged_finish {
  using user_function = Function;

  const char* operation;
  const Function* function;
  const checked::finished_loop* terms;

  template <class Total>
  struct bound {
    const Function& function;
    const Total& total;
    mutable std::optional<std::remove_cvref_t<std::invoke_result_t<const Function&, Total>>>
        result{};
  };

  template <class Total>
  auto operator()(const Total& total) const
      -> std::remove_cvref_t<std::invoke_result_t<const Function&, Total>> {
    const bound<Total> object{*function, total};
    const auto call = [](const void* of) {
      const auto& b = *static_cast<const bound<Total>*>(of);
      b.result.emplace(b.function(b.total));
    };
    terms->run_after({operation, checked::type_of<Function>(), &object, function, sizeof *function},
                     call);
    return *object.result;
  }
};

/// Calls use(reducer) with a reducer whose finishing function, if it has one, is instrumented.
template <class R, class Use>
auto with_judged_finish(const char*, const R& reducer, const checked::finished_loop&,
                        const Use& use) {
  return use(reducer);
}
template <class R, class Function, class Use>
auto with_judged_finish(const char* operation, const finished_reducer<R, Function>& reducer,
                        const checked::finished_loop& terms, const Use& use) {
  return use(finished_reducer(reducer.reducer,
                              judged_finish<Function>{operation, &reducer.function, &terms}));
}
template <class R>
inline constexpr bool finishes = false;
template <class R, class Function>
inline constexpr bool finishes<finished_reducer<R, Function>> = true;

/// Calls use(load, reducer) with the terms of a reduction after the checked runtime has
/// instrumented their accesses and those of the reducer. `written` is what the operation writes
/// meanwhile.
template <class Space, class Load, class R, class Use>
auto with_judged_terms(const Space& space, const char* operation, index_t n, const Load& load,
                       const R& reducer, const checked::written_elements& written, const Use& use) {
  checked::written_elements of_all = written;
  of_all.by_iteration = false;
  const auto combine = [&](const auto& terms) {
    const checked::finished_loop loop;
    judge_combine(space, operation, n, terms.load(), reducer, of_all);
    return with_judged_finish(operation, reducer, loop,
                              [&](const auto& judged) { return use(terms.load(), judged); });
  };
  if constexpr (calls_on_host<Space, Load>) {
    return combine(checked_terms<Load>(operation, n, load, written));
  } else if constexpr (Space::memory_type::host_accessible && finishes<R>) {
    return combine(checked_terms<Load>(operation, n, load));
  } else {
    if constexpr (requires { load.data; }) {
      if (static_cast<const void*>(load.data) == written.first) of_all = {};  // in place
    }
    judge_combine(space, operation, n, load, reducer, of_all);
    return use(load, reducer);
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
  run_checked(operation, checked::type_of<Function>(), indices, one);
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
    run_checked(operation, checked::type_of<Function>(), indices, one);
  } else {
    const auto one = [&store](Index k, Index j, Index i) { store(k, j, i); };
    run_checked(operation, checked::type_of<Function>(), indices, one);
  }
  return use(stored_terms<Rank, Index, Term>{terms.data(), indices.sizes});
}

}  // namespace tandem::detail
