// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/failure.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
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

// The pragma tells the compiler that the lanes of a phase are independent, so it vectorises over
// the lanes even if a lane runs a loop.

template <class Function>
void for_each_lane(int lanes, const Function& f) {
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object) {
    checked::for_each_item<Function>(
        object, [](const Function& own, index_t lane) { own(static_cast<int>(lane)); });
  };
  if (checked::run_phase(lanes, false, &f, call)) return;
#endif
#if TANDEM_CHECKED == 1
  detail::call_lanes(lanes, f);
#else
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int lane = 0; lane < lanes; ++lane) f(lane);
#endif
}

[[noreturn]] inline void fail_items(index_t count) {
  fail_in_kernel<extent_error>(
      "count", detail::message({"team: for_each: number of items (", count, ") < fewest (0)"}),
      "a loop from 0 to a number of items needs one of 0 or more");
}
/// Throws extent_error for a negative number of items.
template <class Index>
void require_items(Index count) {
  if constexpr (std::is_signed_v<Index>) {
    if (count < 0) fail_items(static_cast<index_t>(count));
  }
}

/// `columns` is the width of a matrix whose items are counted row by row, 0 for other items.
template <int Rank, class Index, class Function>
void for_each(Index count, int, const Function& f, [[maybe_unused]] index_t columns = 0) {
  require_items(count);
#if TANDEM_CHECKED > 1
  const auto call = [](const void* object) {
    checked::for_each_item<Function>(
        object, [](const Function& own, index_t i) { own(static_cast<Index>(i)); });
  };
  if (checked::run_phase(static_cast<index_t>(count), true, &f, call, columns)) return;
#endif
#if TANDEM_CHECKED == 1
  detail::call_lanes(count, f);
#else
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (Index i = 0; i < count; ++i) f(i);
#endif
}

template <int Rank, class Rows, class Columns, class Function>
void for_each(Rows rows, Columns columns, [[maybe_unused]] int lanes, const Function& f) {
  require_items(rows);
  require_items(columns);
#if TANDEM_CHECKED
  const index_t height = columns > 0 ? static_cast<index_t>(rows) : 0;
  const auto width = static_cast<index_t>(columns);
  const auto one = [&f, width](index_t item) {
    f(static_cast<Rows>(item / width), static_cast<Columns>(item % width));
  };
  for_each<Rank>(height * width, lanes, one, width);
#else
  for (Rows i = 0; i < rows; ++i) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (Columns j = 0; j < columns; ++j) f(i, j);
  }
#endif
}

[[noreturn]] inline void fail_scratch(index_t count, std::size_t size, std::size_t left) {
  fail_in_kernel<extent_error>("scratch",
                               detail::message({"team: scratch of ", count, " elements of ", size,
                                                " bytes: ", left, " bytes are left"}),
                               "scratch_bytes of the shape is what all arrays take together");
}

[[noreturn]] inline void fail_in_phase(const char* what) {
  fail_in_kernel<kernel_error>(
      "nested", detail::message({"team: ", what, " inside a phase: the team calls it, not a lane"}),
      "end the phase before it");
}

[[noreturn]] inline void fail_identity() {
  fail_in_kernel<argument_error>(
      "identity", "team: the reducer's identity changes a value that it is combined with",
      "name an identity of the operation, and combine an initial value with the result");
}

[[noreturn]] inline void fail_lane(int lane, int lanes) {
  fail_in_kernel<extent_error>("out of range",
                               detail::message({"team: broadcast from lane ", lane, " of ", lanes}),
                               "lanes are numbered from 0");
}

/// Bytes per lane that the values of per_lane may take together: half of the registers of a GPU
/// thread. They follow a team's scratch, so that no kernel allocates memory when other teams have
/// already written. Pages that no kernel uses are never touched.
inline constexpr std::size_t kept_lane_bytes = 512;

/// Alignment of a team's memory and of the values that its lanes keep, and so the largest alignment
/// of a value.
inline constexpr std::size_t kept_alignment = 64;

/// Returns where the values that lanes keep begin in a team's memory.
inline std::size_t kept_lanes_begin(const team_shape& shape) {
  return (shape.scratch_bytes + kept_alignment - 1) / kept_alignment * kept_alignment;
}

[[noreturn]] inline void fail_kept(std::size_t size, std::size_t left, int lanes) {
  const std::size_t left_for_lane = left / static_cast<std::size_t>(lanes);
  throw extent_error(detail::message({"team: per_lane of ", size, " bytes: ", left_for_lane,
                                      " bytes of ", kept_lane_bytes, " are left for a lane"}));
}

/// Values that each lane of a team keeps from phase to phase: an array with an element per lane,
/// after the team's scratch.
template <class T>
class lane_values {
  static_assert(sizeof(T) <= kept_lane_bytes,
                "tandem: the values of a per_lane have at most 512 bytes");
  static_assert(alignof(T) <= kept_alignment,
                "tandem: the values of a per_lane are aligned to at most 64 bytes");

 public:
  /// @param taken  bytes taken by other values of the team's lanes
  lane_values(const team_shape& shape, unsigned char* scratch, std::size_t& taken, const T& value)
      : lanes_(shape.lanes), begin_(taken), taken_(taken) {
    const std::size_t at = (taken + alignof(T) - 1) / alignof(T) * alignof(T);
    const std::size_t bytes = detail::size_in_bytes<T>(lanes_);
    const std::size_t room = kept_lane_bytes * static_cast<std::size_t>(lanes_);
    if (at > room || bytes > room - at) fail_kept(sizeof(T), room - taken, lanes_);
    values_ = reinterpret_cast<T*>(scratch + kept_lanes_begin(shape) + at);
    taken = at + bytes;
    for (int lane = 0; lane < lanes_; ++lane) ::new (static_cast<void*>(values_ + lane)) T(value);
  }
  lane_values(const lane_values&) = delete;
  lane_values& operator=(const lane_values&) = delete;
  ~lane_values() {
    for (int lane = 0; lane < lanes_; ++lane) values_[lane].~T();
    taken_ = begin_;
  }

  T& operator[](int lane) {
#if TANDEM_CHECKED > 1
    checked::require_own_lane(lane);
#endif
    return values_[lane];
  }

  /// The values of all lanes, for operations of the whole team.
  T* data() { return values_; }
  int lanes() const { return lanes_; }

 private:
  int lanes_;
  std::size_t begin_;
  std::size_t& taken_;
  T* values_;
};

/// Lanes whose values a collective combines first; on a GPU, in the registers of a warp.
inline constexpr int lane_group = 32;

/// Separates a collective from the surrounding phases for the checked runtime, which refuses
/// collectives inside a phase.
inline void collective_barrier() {
#if TANDEM_CHECKED > 1
  checked::run_phase(0, false, nullptr, nullptr);
#endif
}

/// Combines values[0] to values[count - 1] by the aligned adjacent tree into values[0].
template <class T, class Reducer>
void combine_pairs(T* values, int count, const Reducer& reducer) {
  for (; count > 1; count = (count + 1) / 2) {
    for (int i = 0; i < count / 2; ++i)
      values[i] = reducer.combine(values[2 * i], values[2 * i + 1]);
    if (count % 2 != 0) values[count / 2] = values[count - 1];
  }
}

/// Reduces the lanes' values. Groups of 32 lanes are aligned subtrees of the same tree.
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

/// Replaces the lanes' values by their prefixes; returns the total. Each group of 32 lanes is a
/// Kogge-Stone scan, which follows the left fold of the previous groups.
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

/// Returns the value of one lane.
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
