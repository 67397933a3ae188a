// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>

#include <type_traits>
#include <utility>
#if TANDEM_CHECKED > 1
#include <tandem/algorithms/detail/checked_terms.hpp>
#endif

/// The single path of every operation: an algorithm describes its call as a value, and run()
/// validates, profiles, records and dispatches it (docs/adding-an-algorithm.md).
namespace tandem::detail {

/// Whether this build checks the contents of operands and the accesses of kernels of `Space`.
inline constexpr bool checks_contents = TANDEM_CHECKED > 0;
template <class Space>
inline constexpr bool checks_kernels = TANDEM_CHECKED > 1 && Space::memory_type::host_accessible;

/// What reports call an operation: the label of its space, else its name.
template <class Space>
const char* title_of(const Space& space, const char* name) {
  const char* const label = label_of(space);
  return label != nullptr ? label : name;
}

/// An operand that the operation reads, with its name in messages. The checked runtime refuses
/// elements that nothing has written.
template <class View>
struct input {
  const char* name;
  const View& view;

  template <class Space>
  void require(const Space& space, const char* operation) const {
    require_operand(space, operation, name, view);
  }
  template <class Region>
  void record(const Region&) const {}
#if TANDEM_CHECKED > 1
  void require_contents(const char* operation) const { require_written(operation, name, view); }
#endif
};
template <class View>
input(const char*, const View&) -> input<View>;

/// An operand of which the operation reads the elements that another one names.
template <class View>
struct partly_read : input<View> {
  void require_contents(const char*) const {}
};
template <class View>
partly_read(const char*, const View&) -> partly_read<View>;

/// An operand that the operation writes. Two of its indices may name one element, unless the
/// algorithm refuses that itself.
template <class View>
struct overwritten : input<View> {
  template <class Region>
  void record(const Region& region) const {
    region.writes(this->view);
  }
  void require_contents(const char*) const {}
};
template <class View>
overwritten(const char*, const View&) -> overwritten<View>;

/// An operand that the operation writes, of distinct elements.
template <class View>
struct output : overwritten<View> {
  template <class Space>
  void require(const Space& space, const char* operation) const {
    overwritten<View>::require(space, operation);
    require_distinct_elements(operation, this->name, this->view);
  }
};
template <class View>
output(const char*, const View&) -> output<View>;

/// An output that the algorithm validates itself.
template <class View>
struct validated {
  const View& view;

  template <class Space>
  void require(const Space&, const char*) const {}
  template <class Region>
  void record(const Region& region) const {
    region.writes(view);
  }
  void require_contents(const char*) const {}
};
template <class View>
validated(const View&) -> validated<View>;

/// An input that the algorithm validates itself.
template <class View>
struct validated_input : input<View> {
  template <class Space>
  void require(const Space&, const char*) const {}
};
template <class View>
validated_input(const char*, const View&) -> validated_input<View>;

/// The operands of an operation, validated in their order.
template <class... Operand>
struct operands {
  template <class Space>
  void require(const Space&, const char*) const {}
  template <class Region>
  void record(const Region&) const {}
  void require_contents(const char*) const {}
};
template <class First, class... Rest>
struct operands<First, Rest...> {
  First first;
  operands<Rest...> rest;

  constexpr explicit operands(const First& one, const Rest&... more) : first(one), rest{more...} {}

  template <class Space>
  void require(const Space& space, const char* operation) const {
    first.require(space, operation);
    rest.require(space, operation);
  }
  template <class Region>
  void record(const Region& region) const {
    first.record(region);
    rest.record(region);
  }
  void require_contents(const char* operation) const {
    first.require_contents(operation);
    rest.require_contents(operation);
  }
};
template <class... Operand>
operands(const Operand&...) -> operands<Operand...>;

/// Preconditions that hold already.
struct no_precondition {
  void operator()() const {}
};

/// A call of an algorithm as a value.
///
/// name      what errors, profilers and traces call it
/// sizes     up to four numbers that say how large it is
/// operands  what it reads and writes
/// check     its own preconditions: throws, or returns false if there is nothing to do; void if
///           there always is. It runs after the operands have been validated
/// dispatch  enqueues it, or returns its result. A member checked() replaces it in builds that
///           check what kernels access, and a member nothing() returns the result of no work
template <class Operands, class Check, class Dispatch>
struct call {
  const char* name;
  profile_kind kind;
  operation_sizes sizes;
  Operands operands;
  Check check;
  Dispatch dispatch;
};
template <class Operands, class Check, class Dispatch>
call(const char*, profile_kind, operation_sizes, Operands, Check, Dispatch)
    -> call<Operands, Check, Dispatch>;

/// Whether there is something to do. Propagates exceptions of the preconditions.
template <class Check>
bool has_work(const Check& check) {
  if constexpr (std::is_void_v<decltype(check())>) {
    check();
    return true;
  } else {
    return check();
  }
}

template <class Result, class Dispatch>
Result result_of_nothing(const Dispatch& dispatch) {
  if constexpr (requires { dispatch.nothing(); }) {
    return dispatch.nothing();
  } else {
    return Result();
  }
}

/// Dispatches on the backend, or on the checked runtime.
template <class Space, class Dispatch>
decltype(auto) start(const Space&, const Dispatch& dispatch) {
  if constexpr (checks_kernels<Space> && requires { dispatch.checked(); }) {
    return dispatch.checked();
  } else {
    return dispatch();
  }
}

/// Runs an operation: validates its operands and preconditions, reports it to profilers, records
/// what it writes and returns, and dispatches it. Errors that do not know the operation get its
/// name. Returns what the dispatch returns, by default a value-initialised result if there is
/// nothing to do.
template <class Space, class Operands, class Check, class Dispatch>
[[gnu::always_inline]] inline auto run(const Space& space,
                                       const call<Operands, Check, Dispatch>& what) {
  using Result = std::remove_cvref_t<decltype(what.dispatch())>;
  try {
    what.operands.require(space, what.name);
    if (!has_work(what.check)) return result_of_nothing<Result>(what.dispatch);
    const profiled region(space, what.name, what.kind, what.sizes);
    if constexpr (checks_kernels<Space>) what.operands.require_contents(title_of(space, what.name));
    what.operands.record(region);
    if constexpr (std::is_void_v<Result>) {
      start(space, what.dispatch);
    } else {
      Result result = start(space, what.dispatch);
      if constexpr (std::is_trivially_copyable_v<Result>) region.returns(result);
      return result;
    }
  } catch (...) {
    fail_operation(what.name, label_of(space), Space::memory_type::host_accessible);
  }
}

/// The space of calls that name none.
inline const default_space& here() { return default_instance<default_space>(); }

/// Arguments of a call without a space.
template <class Argument>
concept not_a_space = !execution_space<std::remove_cvref_t<Argument>>;

/// Calls f, waits for the default space, and returns the result of f.
template <class Function>
auto complete(const Function& f) {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    here().fence();
  } else {
    const auto result = f();
    here().fence();
    return result;
  }
}

}  // namespace tandem::detail
