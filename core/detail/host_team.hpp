// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/host_memory.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <new>
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

/// Phases, lanes and collectives of a team on the host, whose one thread runs all lanes.
namespace host {

// The lanes of a phase do not depend on each other, which the pragma tells the compiler: it then
// vectorises over the lanes, also where a lane has a loop of its own.

template <class Function>
void for_each_lane(int lanes, const Function& f) {
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object) {
    checked::for_each_item<Function>(
        object, [](const Function& own, index_t lane) { own(static_cast<int>(lane)); });
  };
  if (checked::run_phase(lanes, false, &f, call)) return;
#endif
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int lane = 0; lane < lanes; ++lane) f(lane);
}

template <int Rank, class Index, class Function>
void for_each(Index count, int, const Function& f) {
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object) {
    checked::for_each_item<Function>(
        object, [](const Function& own, index_t i) { own(static_cast<Index>(i)); });
  };
  if (checked::run_phase(static_cast<index_t>(count), true, &f, call)) return;
#endif
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (Index i = 0; i < count; ++i) f(i);
}

[[noreturn]] inline void fail_scratch(index_t count, std::size_t size, std::size_t left) {
  throw extent_error("team: scratch of " + detail::text(count) + " elements of " +
                     detail::text(size) + " bytes: " + detail::text(left) + " bytes are left");
}

[[noreturn]] inline void fail_in_phase(const char* what) {
  throw kernel_error(std::string("parallel_teams: ") + what +
                     " inside a phase: the team calls it, not a lane");
}

[[noreturn]] inline void fail_lane(int lane, int lanes) {
  throw extent_error("team: broadcast from lane " + detail::text(lane) + " of " +
                     detail::text(lanes));
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

  /// The values of all lanes, for what the team does as a whole.
  T* data() { return values_; }
  int lanes() const { return lanes_; }

 private:
  int lanes_;
  bool is_on_heap_ = false;
  std::size_t begin_;
  std::size_t& taken_;
  T* values_;
};

/// Lanes whose values a collective combines first, in the registers of a warp on a GPU.
inline constexpr int lane_group = 32;

/// Separates a collective from the phases around it, for the checked runtime, which refuses it
/// inside one.
inline void collective_barrier() {
#if TANDEM_CHECKED > 1
  checked::run_phase(0, false, nullptr, nullptr);
#endif
}

/// The aligned adjacent tree over values[0] to values[count - 1], left in values[0].
template <class T, class Reducer>
void combine_pairs(T* values, int count, const Reducer& reducer) {
  for (; count > 1; count = (count + 1) / 2) {
    for (int i = 0; i < count / 2; ++i)
      values[i] = reducer.combine(values[2 * i], values[2 * i + 1]);
    if (count % 2 != 0) values[count / 2] = values[count - 1];
  }
}

/// Reduces the lanes' values. Groups of 32 lanes are aligned subtrees of the one tree.
template <int Rank, class T, class Reducer>
typename Reducer::accumulator reduce_lanes(lane_values<T>& x, const Reducer& reducer) {
  using Accumulator = typename Reducer::accumulator;
  collective_barrier();
  Accumulator groups[lane_group];
  Accumulator values[lane_group];
  const int lanes = x.lanes();
  int first = 0;
  do {  // a team has at least one lane
    const int count = lanes - first < lane_group ? lanes - first : lane_group;
    values[0] = reducer.lift(x.data()[first], first);
    for (int i = 1; i < count; ++i) values[i] = reducer.lift(x.data()[first + i], first + i);
    combine_pairs(values, count, reducer);
    groups[first / lane_group] = values[0];
    first += lane_group;
  } while (first < lanes);
  combine_pairs(groups, (lanes + lane_group - 1) / lane_group, reducer);
  collective_barrier();
  return groups[0];
}

/// Replaces the lanes' values by their prefixes; returns the total. A Kogge-Stone scan of each 32
/// lanes, behind the left fold of the groups before.
template <int Rank, bool Exclusive, class T, class Reducer>
T scan_lanes(lane_values<T>& x, const Reducer& reducer) {
  collective_barrier();
  T now[lane_group];
  T before = reducer.empty();
  for (int first = 0; first < x.lanes(); first += lane_group) {
    T* const values = x.data() + first;
    const int count = x.lanes() - first < lane_group ? x.lanes() - first : lane_group;
    now[0] = values[0];
    for (int i = 1; i < count; ++i) now[i] = values[i];
    for (int distance = 1; distance < count; distance *= 2) {
      for (int i = count - 1; i >= distance; --i)
        now[i] = reducer.combine(now[i - distance], now[i]);
    }
    if (first > 0) {
      for (int i = 0; i < count; ++i) now[i] = reducer.combine(before, now[i]);
    }
    if constexpr (Exclusive) {
      values[0] = before;
      for (int i = 1; i < count; ++i) values[i] = now[i - 1];
    } else {
      for (int i = 0; i < count; ++i) values[i] = now[i];
    }
    before = now[count - 1];
  }
  collective_barrier();
  return before;
}

/// The value of one lane.
template <int Rank, class T>
T broadcast_lane(lane_values<T>& x, int lane) {
  if (lane < 0 || lane >= x.lanes()) fail_lane(lane, x.lanes());
  collective_barrier();
  return x.data()[lane];
}

template <class T>
bool any_lane(lane_values<T>& x) {
  collective_barrier();
  for (int lane = 0; lane < x.lanes(); ++lane) {
    if (x.data()[lane]) return true;
  }
  return false;
}

template <class T>
bool all_lanes(lane_values<T>& x) {
  collective_barrier();
  for (int lane = 0; lane < x.lanes(); ++lane) {
    if (!x.data()[lane]) return false;
  }
  return true;
}

}  // namespace host
}  // namespace tandem
