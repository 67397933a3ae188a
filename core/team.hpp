// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/host_memory.hpp>
#include <tandem/core/detail/target.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/checked/runtime.hpp>
#endif

namespace tandem {

/// How many teams run a kernel, how many lanes each has and how many bytes of scratch its lanes
/// share.
struct team_shape {
  index_t teams = 0;
  int lanes = 0;
  std::size_t scratch_bytes = 0;
};

/// Phases and lanes of a team on the host, whose one thread runs all lanes.
namespace host {

template <class Function>
void for_each_lane(int lanes, const Function& f) {
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object, index_t lane) {
    (*static_cast<const Function*>(object))(static_cast<int>(lane));
  };
  if (checked::run_phase(lanes, false, &f, call)) return;
#endif
  for (int lane = 0; lane < lanes; ++lane) f(lane);
}

template <class Index, class Function>
void for_each(Index count, int, const Function& f) {
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object, index_t i) {
    (*static_cast<const Function*>(object))(static_cast<Index>(i));
  };
  if (checked::run_phase(static_cast<index_t>(count), true, &f, call)) return;
#endif
  for (Index i = 0; i < count; ++i) f(i);
}

[[noreturn]] inline void fail_scratch(index_t count, std::size_t size, std::size_t left) {
  throw extent_error("team: scratch of " + detail::text(count) + " elements of " +
                     detail::text(size) + " bytes: " + detail::text(left) + " bytes are left");
}

/// Bytes that the values of per_lane may take together for each lane before they come from the
/// heap. They lie behind a team's scratch, so that they are there before its kernel begins.
inline constexpr std::size_t kept_lane_bytes = 64;

/// Where what the lanes keep begins in a team's memory: aligned to 16 bytes.
inline std::size_t kept_lanes_begin(const team_shape& shape) {
  return (shape.scratch_bytes + 15) / 16 * 16;
}

/// What each lane of a team keeps from phase to phase: an array with an element per lane, behind
/// the team's scratch or, where there is no room, from the heap.
template <class T>
class lane_values {
 public:
  /// @param taken  bytes that other values of the team's lanes take
  lane_values(const team_shape& shape, unsigned char* scratch, std::size_t& taken, const T& value)
      : lanes_(shape.lanes), begin_(taken), taken_(taken) {
    const std::size_t bytes = detail::size_in_bytes<T>(lanes_);
    const std::size_t room = kept_lane_bytes * static_cast<std::size_t>(lanes_) - taken;
    if (alignof(T) <= 16 && bytes <= room) {
      values_ = reinterpret_cast<T*>(scratch + kept_lanes_begin(shape) + taken);
      const std::size_t whole = (bytes + 15) / 16 * 16;
      taken += whole < room ? whole : room;
    } else {
      values_ = static_cast<T*>(detail::allocate_host("team: per_lane", bytes, alignof(T)));
      is_on_heap_ = true;
    }
    for (int lane = 0; lane < lanes_; ++lane) ::new (static_cast<void*>(values_ + lane)) T(value);
  }
  lane_values(const lane_values&) = delete;
  lane_values& operator=(const lane_values&) = delete;
  ~lane_values() {
    for (int lane = 0; lane < lanes_; ++lane) values_[lane].~T();
    if (is_on_heap_) {
      detail::free_host(values_, alignof(T));
    } else {
      taken_ = begin_;
    }
  }

  T& operator[](int lane) {
#if TANDEM_CHECKED > 1
    checked::require_own_lane(lane);
#endif
    return values_[lane];
  }

 private:
  int lanes_;
  bool is_on_heap_ = false;
  std::size_t begin_;
  std::size_t& taken_;
  T* values_;
};

}  // namespace host

/// A group of lanes that work in phases on shared scratch. A kernel is a sequence of phases, each
/// one call of for_each_lane() or for_each(), with a barrier between two of them: what one phase
/// writes the next one reads. Code outside the phases runs once per team on a CPU and once per lane
/// on a GPU, so it must be the same for every lane and affect local variables alone.
///
/// On a GPU a team is a block. On a CPU it is a task of one thread whose phases are loops over the
/// lanes.
class team {
 public:
  /// For backends: team `index` of `shape.teams`, with `scratch` of shape.scratch_bytes bytes,
  /// 16-byte aligned; on the host of as many as team_scratch takes
  /// (core/contract/host/team_scratch.hpp).
  TANDEM_FUNCTION team(index_t index, const team_shape& shape, void* scratch)
      : index_(index), shape_(shape), scratch_(static_cast<unsigned char*>(scratch)) {}

  /// Number of this team, from 0 to teams() - 1.
  TANDEM_FUNCTION index_t index() const { return index_; }
  TANDEM_FUNCTION index_t teams() const { return shape_.teams; }
  TANDEM_FUNCTION int lanes() const { return shape_.lanes; }

  /// The next `count` elements of the team's scratch, uninitialised. Errors: more than the team has
  /// throws extent_error on a CPU and ends the kernel on a GPU (device_error).
  template <class T>
  TANDEM_FUNCTION T* scratch(index_t count) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "tandem: scratch holds trivially copyable elements");
    static_assert(alignof(T) <= 16, "tandem: scratch is aligned to 16 bytes");
    const std::size_t begin = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const std::size_t room = begin < shape_.scratch_bytes ? shape_.scratch_bytes - begin : 0;
    if (count < 0 || static_cast<std::size_t>(count) > room / sizeof(T))
      detail::target::fail_scratch(count, sizeof(T), room);
    used_ = begin + static_cast<std::size_t>(count) * sizeof(T);
#if TANDEM_CHECKED > 1
    if constexpr (!detail::on_device) {
      if (void* p = checked::take_scratch(checked::element_type_of<T>(), count))
        return static_cast<T*>(p);
    }
#endif
    return reinterpret_cast<T*>(scratch_ + begin);
  }

  /// One phase: f(lane) for each lane, then a barrier.
  template <class Function>
  TANDEM_FUNCTION void for_each_lane(const Function& f) const {
    detail::target::for_each_lane(shape_.lanes, f);
  }

  /// One phase over `count` items: f(i) for 0 <= i < count, shared out among the lanes, then a
  /// barrier.
  template <std::integral Index, class Function>
  TANDEM_FUNCTION void for_each(Index count, const Function& f) const {
    detail::target::for_each(count, shape_.lanes, f);
  }

 private:
  index_t index_;
  team_shape shape_;
  template <class T>
  friend class per_lane;

  unsigned char* scratch_;
  std::size_t used_ = 0;
  mutable std::size_t kept_ = 0;  // bytes that what the lanes keep takes on the host
};

/// A value that each lane has for itself and keeps from phase to phase: a register on a GPU, an
/// element of an array on a CPU. Only lane `lane` may access x[lane]. A local variable of the
/// kernel: values of one team are destroyed in the reverse order.
///
/// Errors: out_of_memory_error on a CPU where the values of a lane take more than 64 bytes
/// together: those come from the heap, when other teams may already have written.
template <class T>
class per_lane {
 public:
  /// Every lane's value is `value`.
  TANDEM_FUNCTION explicit per_lane(const team& of, const T& value = T{})
      : values_(of.shape_, of.scratch_, of.kept_, value) {}

  TANDEM_FUNCTION T& operator[](int lane) { return values_[lane]; }

 private:
  detail::target::lane_values<T> values_;
};

}  // namespace tandem
