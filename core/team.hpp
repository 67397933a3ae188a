// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/target.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/reducers.hpp>
#include <tandem/core/team/host.hpp>
#include <tandem/core/view.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem {

template <class T>
class per_lane;

namespace detail {

/// The reducer of a team's values of type T: itself, or the one that it deduces.
template <class T, class Reducer>
TANDEM_FUNCTION auto lane_reducer(const Reducer& r) {
  if constexpr (reducer<Reducer>) {
    return r;
  } else {
    static_assert(std::is_empty_v<Reducer>, "tandem: name the type that this reducer combines");
    return decltype(r.template for_terms<T>()){};
  }
}
template <class T, class Operation>
TANDEM_FUNCTION auto lane_operation(const Operation& operation) {
  if constexpr (reducer<Operation>) {
    return operation;
  } else {
    static_assert(std::is_empty_v<Operation>, "tandem: name the type that this operation combines");
    return decltype(operation.template for_elements<T>()){};
  }
}

/// Common parts of teams whose lanes have `Rank` dimensions.
template <int Rank>
class team_base {
 public:
  /// Returns the next `count` elements of the team's scratch, uninitialised. Errors: a request
  /// beyond the team's scratch throws extent_error on a CPU and ends the kernel on a GPU
  /// (device_error).
  template <class T>
  TANDEM_FUNCTION T* scratch(index_t count) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "tandem: scratch holds trivially copyable elements");
    static_assert(alignof(T) <= 16, "tandem: scratch is aligned to 16 bytes");
    const std::size_t begin = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const std::size_t room = begin < shape_.scratch_bytes ? shape_.scratch_bytes - begin : 0;
    require_between("scratch");
    if (count < 0 || static_cast<std::size_t>(count) > room / sizeof(T))
      target::fail_scratch(count, sizeof(T), room);
    used_ = begin + static_cast<std::size_t>(count) * sizeof(T);
#if TANDEM_CHECKED > 1
    if constexpr (!on_device) {
      if (void* p = checked::take_scratch(checked::element_type_of<T>(), count))
        return static_cast<T*>(p);
    }
#endif
    return reinterpret_cast<T*>(scratch_ + begin);
  }

  /// Returns the next elements of the team's scratch as a row-major view of rank 1 to 3,
  /// uninitialised: t.shared<float>(rows, columns). A checked build bounds-checks it, under the
  /// name given by .named("tile"). Errors: those of scratch.
  template <class T, std::integral... Extent>
    requires(sizeof...(Extent) >= 1 && sizeof...(Extent) <= 3)
  TANDEM_FUNCTION view<T, static_cast<int>(sizeof...(Extent)), layout_right, team_memory> shared(
      Extent... sizes) {
    index_t count = 1;
    const auto include = [&](index_t size) {
      if (!fits(count, size)) target::fail_scratch(size, sizeof(T), shape_.scratch_bytes - used_);
      count *= size;
    };
    (include(static_cast<index_t>(sizes)), ...);
    T* const first = scratch<T>(count);
#if TANDEM_CHECKED > 1
    if constexpr (!on_device) {
      const index_t all[] = {static_cast<index_t>(sizes)...};
      checked::shape_scratch(first, sizeof...(Extent), all);
    }
#endif
    return {first, tandem::extents<static_cast<int>(sizeof...(Extent))>(sizes...)};
  }

  /// Runs one phase over `count` items: f(i) for 0 <= i < count, partitioned among the lanes, then
  /// a barrier. Errors: a negative count throws extent_error on a CPU. On a GPU it ends the kernel
  /// of a checked build (device_error) and otherwise runs no item.
  ///
  /// Complexity  one call of f per item, on a GPU count / lanes() per lane, rounded up, and a
  ///             barrier; on a CPU one loop
  template <std::integral Index, class Function>
  TANDEM_FUNCTION void for_each(Index count, const Function& f) const {
    enter("for_each");
    target::for_each<Rank>(count, shape_.lanes, f);
    leave();
  }
  /// Runs one phase over the items of a matrix: f(i, j) for 0 <= i < rows and 0 <= j < columns,
  /// then a barrier. Items are numbered row by row and partitioned among the lanes so that
  /// neighbouring lanes have neighbouring columns. No item costs a division. Errors: as above.
  template <std::integral Rows, std::integral Columns, class Function>
  TANDEM_FUNCTION void for_each(Rows rows, Columns columns, const Function& f) const {
    enter("for_each");
    target::for_each<Rank>(rows, columns, shape_.lanes, f);
    leave();
  }

  // Collectives: the team calls them between its phases, all lanes with the same arguments. Each is
  // a barrier. docs/numerics.md states the order in which they combine, so their bits are the same
  // on every backend.

  /// Combines the lanes' values by a reducer, with terms numbered by lane: the sum by default.
  /// Every lane receives the result.
  ///
  /// Complexity  lanes() - 1 combinations; on a GPU at most ten in turn, of values in registers,
  ///             and two barriers
  template <class T, reducer_or_deduced Reducer = sum<T>>
  TANDEM_FUNCTION auto reduce(per_lane<T>& x, const Reducer& reducer = {}) const {
    const auto chosen = lane_reducer<T>(reducer);
    enter("reduce");
    require_identity<true>(chosen, x);
    const auto total = target::reduce_lanes<Rank>(x.values_, chosen);
    leave();
    return chosen.finish(total);
  }

  /// Replaces each lane's value by the combination of the values of all lanes up to it; returns the
  /// combination of all lanes.
  ///
  /// Complexity  at most six combinations per lane on a CPU. On a GPU six in turn and one for each
  ///             32 lanes of the team, and two barriers
  template <class T, reducer_or_deduced Operation = sum<T>>
  TANDEM_FUNCTION T inclusive_scan(per_lane<T>& x, const Operation& operation = {}) const {
    return scan<false>(x, operation);
  }
  /// Replaces each lane's value by the combination of the values of all lanes before it, for lane 0
  /// the empty result (0 for a sum); returns the combination of all lanes.
  ///
  /// Complexity  as for inclusive_scan
  template <class T, reducer_or_deduced Operation = sum<T>>
  TANDEM_FUNCTION T exclusive_scan(per_lane<T>& x, const Operation& operation = {}) const {
    return scan<true>(x, operation);
  }

  /// Returns the value of one lane to all of them. Errors: a lane that the team does not have
  /// throws extent_error on a CPU and ends the kernel on a GPU.
  ///
  /// Complexity  constant; two barriers on a GPU
  template <class T>
  TANDEM_FUNCTION T broadcast(per_lane<T>& x, int lane) const {
    enter("broadcast");
    const T value = target::broadcast_lane<Rank>(x.values_, lane);
    leave();
    return value;
  }

  /// Whether the value of any lane, or of every lane, is true. Every lane receives the answer, so a
  /// kernel may return or end a loop depending on it.
  ///
  /// Complexity  one barrier on a GPU; a CPU reads the lanes' values until it knows the answer
  template <class T>
  TANDEM_FUNCTION bool any(per_lane<T>& x) const {
    enter("any");
    const bool result = target::any_lane(x.values_);
    leave();
    return result;
  }
  template <class T>
  TANDEM_FUNCTION bool all(per_lane<T>& x) const {
    enter("all");
    const bool result = target::all_lanes(x.values_);
    leave();
    return result;
  }

  /// For kernels that make other teams of this one: its scratch.
  TANDEM_FUNCTION void* memory() const { return scratch_; }

 protected:
  TANDEM_FUNCTION team_base(index_t index, const team_shape& shape, void* scratch)
      : index_(index), shape_(shape), scratch_(static_cast<unsigned char*>(scratch)) {}

  /// In a checked build, refuses calls by a lane that only a team may make. On the host the checked
  /// runtime knows who calls.
  TANDEM_FUNCTION void require_between([[maybe_unused]] const char* what) const {
#if TANDEM_CHECKED > 1
    if constexpr (!on_device) {
      if (checked::is_in_phase()) target::fail_in_phase(what);
    }
#endif
#if TANDEM_CHECKED
    if (in_phase_) target::fail_in_phase(what);
#endif
  }
  TANDEM_FUNCTION void enter(const char* what) const {
    require_between(what);
#if TANDEM_CHECKED
    if constexpr (TANDEM_CHECKED == 1 || on_device) in_phase_ = true;
#endif
  }
  TANDEM_FUNCTION void leave() const {
#if TANDEM_CHECKED
    if constexpr (TANDEM_CHECKED == 1 || on_device) in_phase_ = false;
#endif
  }

  /// In a checked build, refuses a reducer of numbers whose identity is an initial value. A device
  /// looks at the identity alone. Reductions lift the lanes' values.
  template <bool Lifts, class R, class T>
  TANDEM_FUNCTION static void require_identity([[maybe_unused]] const R& reducer,
                                               [[maybe_unused]] per_lane<T>& x) {
#if TANDEM_CHECKED
    using Value = typename R::accumulator;
    if constexpr (std::is_arithmetic_v<Value>) {
      const Value identity = reducer.identity();
      const auto require_kept = [&](const Value& value) {
        const Value combined = reducer.combine(value, identity);
        if (combined < value || combined > value) target::fail_identity();
      };
      require_kept(identity);
      if constexpr (!on_device) {
        for (int lane = 0; lane < x.values_.lanes(); ++lane) {
          const T& value = x.values_.data()[lane];
          if constexpr (Lifts) require_kept(reducer.lift(value, lane));
          if constexpr (!Lifts) require_kept(value);
        }
      }
    }
#endif
  }

  index_t index_;
  team_shape shape_;
  unsigned char* scratch_;

 private:
  template <class T>
  friend class tandem::per_lane;

  /// Whether `count` * `size` elements may fit the scratch, so that the product is exact. A device
  /// has too little scratch for three extents to overflow.
  TANDEM_FUNCTION bool fits(index_t count, index_t size) const {
    const auto most = static_cast<index_t>(shape_.scratch_bytes);
    if (size < 0 || size > most) return false;
    if constexpr (on_device) return true;
    return size == 0 || count <= most / size;
  }

  template <bool Exclusive, class T, class Operation>
  TANDEM_FUNCTION T scan(per_lane<T>& x, const Operation& operation) const {
    const auto chosen = lane_operation<T>(operation);
    static_assert(std::is_same_v<typename decltype(chosen)::accumulator, T>,
                  "tandem: the operation of a scan combines values of the lanes' own type");
    enter("a scan");
    require_identity<false>(chosen, x);
    const T total = target::scan_lanes<Rank, Exclusive>(x.values_, chosen);
    leave();
    return total;
  }

  std::size_t used_ = 0;
  mutable std::size_t kept_ = 0;  // bytes of the values that lanes keep on the host
#if TANDEM_CHECKED
  mutable bool in_phase_ = false;
#endif
};

}  // namespace detail

/// A group of lanes that work in phases on shared scratch. A kernel is a sequence of phases, each
/// one call of for_each_lane() or for_each(), separated by barriers: the next phase can read what
/// one phase writes. Code outside the phases runs once per team on a CPU and once per lane on a
/// GPU, so it must be the same for every lane and change only local variables. Every lane runs
/// phases and collectives in the same order; a kernel may return early, or leave a loop, if all
/// lanes of the team do.
///
/// On a GPU a team is a block. On a CPU it is a task of one thread whose phases are loops over the
/// lanes.
class team : public detail::team_base<1> {
 public:
  /// For backends: team `index` of `shape.teams`, with `scratch` of shape.scratch_bytes bytes,
  /// aligned to 16 bytes; on the host aligned to 64 bytes, with the size that team_scratch
  /// allocates (core/contract/host/team_scratch.hpp).
  TANDEM_FUNCTION team(index_t index, const team_shape& shape, void* scratch)
      : team_base(index, shape, scratch) {}

  /// Number of this team, from 0 to teams() - 1.
  TANDEM_FUNCTION index_t index() const { return index_; }
  TANDEM_FUNCTION index_t teams() const { return shape_.teams; }
  TANDEM_FUNCTION int lanes() const { return shape_.lanes; }

  /// Runs one phase: f(lane) for each lane, then a barrier.
  ///
  /// Complexity  one call of f per lane, on a GPU all at a time, and a barrier; on a CPU one loop
  template <class Function>
  TANDEM_FUNCTION void for_each_lane(const Function& f) const {
    enter("for_each_lane");
    detail::target::for_each_lane(shape_.lanes, f);
    leave();
  }

  /// For teams of more dimensions: this team's lanes and the size of its scratch.
  TANDEM_FUNCTION const team_shape& shape() const { return shape_; }
};

/// A private value of each lane that persists between phases: a register on a GPU, an element of an
/// array on a CPU. Only lane `lane` may access x[lane]. It must be a local variable of the kernel:
/// values of one team are destroyed in reverse order.
///
/// On a CPU the values of a lane may take 512 bytes together; that memory is allocated before the
/// first team runs. Errors: extent_error for more; a larger T does not compile.
template <class T>
class per_lane {
 public:
  /// Initialises every lane's value with `value`.
  ///
  /// Complexity  a register on a GPU; lanes() copies on a CPU
  template <int Rank>
  TANDEM_FUNCTION explicit per_lane(const detail::team_base<Rank>& of, const T& value = T{})
      : values_(of.shape_, of.scratch_, of.kept_, value) {}

  TANDEM_FUNCTION T& operator[](int lane) { return values_[lane]; }

 private:
  template <int Rank>
  friend class detail::team_base;

  detail::target::lane_values<T> values_;
};

}  // namespace tandem
