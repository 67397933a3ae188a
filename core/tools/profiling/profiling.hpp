// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/tools/comparison/recording.hpp>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

#include <concepts>
#include <cstdint>

/// What profilers receive (docs/guide/interoperability.md): every operation reports its beginning
/// and end here. If no profiler is loaded, an operation reads one pointer. The profilers themselves
/// are in profiling.cpp, and NVTX is part of the CUDA runtime.
namespace tandem::detail {

/// The kind of an operation as profilers receive it, in the terms of Kokkos Tools.
enum class profile_kind : unsigned char { loop, reduction, scan, region };

/// Up to four numbers that give the size of an operation: extents, teams and lanes, m, n and k.
struct operation_sizes {
  int count = 0;
  index_t size[4] = {};

  constexpr operation_sizes() = default;
  template <std::integral... Number>
    requires(sizeof...(Number) >= 1 && sizeof...(Number) <= 4)
  // NOLINTNEXTLINE(google-explicit-constructor): written as a list of numbers at the operation.
  constexpr operation_sizes(Number... number)
      : count(static_cast<int>(sizeof...(Number))), size{static_cast<index_t>(number)...} {}
};

/// The sizes of a range, a grid or a view; for a view of more dimensions, the number of elements.
template <class Shape>
constexpr operation_sizes sizes_of(const Shape& shape) {
  if constexpr (requires { shape.counted; }) {
    return sizes_of(shape.counted);
  } else if constexpr (requires { shape.extents(); }) {
    return sizes_of(shape.extents());
  } else if constexpr (requires { shape.sizes; }) {
    return sizes_of(shape.sizes);
  } else if constexpr (requires { shape[0]; }) {
    if constexpr (requires { requires Shape::rank() > 4; }) {
      return {shape.size()};
    } else {
      operation_sizes sizes;
      for (int d = 0; d < Shape::rank(); ++d) sizes.size[sizes.count++] = shape[d];
      return sizes;
    }
  } else {
    return {shape.size()};
  }
}

/// The label of the operations called on a space, or null.
template <class Space>
const char* label_of([[maybe_unused]] const Space& space) {
  if constexpr (requires { space.label(); }) {
    return space.label();
  } else {
    return nullptr;
  }
}

/// An operation as profilers receive it, under the label of its space or the algorithm's name.
struct operation {
  const char* label;
  profile_kind kind;
  operation_sizes sizes;
  space_access space;
};

/// Storage for an operation, filled only if a profiler is loaded.
union unset_operation {
  unset_operation() {}
  operation what;
};

/// A profiler of this process.
struct profiler {
  /// Called when an operation begins; `*id` is passed to `end`.
  void (*begin)(const operation& what, std::uint64_t* id);
  /// Called when it ends.
  void (*end)(const operation& what, std::uint64_t id);
  /// Whether the space's work must be complete at the beginning, and at the end.
  bool waits_before;
  bool waits_after;
  const profiler* next = nullptr;
};

/// The newest profiler. The list is global because profilers are per process.
extern constinit const profiler* first_profiler;
inline constexpr int most_profilers = 4;

/// Adds a profiler: during static initialisation, or under a lock of the caller.
bool add_profiler(profiler& added);
/// Removes the most recently added profiler. Operations that have begun still report their end.
void remove_profiler(const profiler& last);

/// Reports an operation from its construction to its end.
template <class Space>
class profiled {
 public:
  profiled(const Space& space, const char* label, profile_kind kind, const operation_sizes& sizes)
      : profilers_(__atomic_load_n(&first_profiler, __ATOMIC_ACQUIRE)), space_(space) {
#if TANDEM_CHECKED > 1
    checked::require_host_code(label);
#endif
    if (profilers_ != nullptr) [[unlikely]]
      begin({label, kind, sizes, access_of(space)});
  }
  profiled(const profiled&) = delete;
  profiled& operator=(const profiled&) = delete;
  ~profiled() {
    if (profilers_ != nullptr) [[unlikely]]
      end();
  }

  /// Names a view that the operation writes, for tandem::compare.
  template <class View>
  void writes(const View& v) const {
    if (profilers_ != nullptr) [[unlikely]]
      note_view(v);
  }

  /// Passes the operation's result on, also to tandem::compare.
  template <class T>
  const T& returns(const T& value) const {
    if (profilers_ != nullptr) [[unlikely]]
      note_result(&value, format_of<T>());
    return value;
  }

 private:
  [[gnu::noinline, gnu::cold]] void begin(const operation& what) {
    operation_.what = what;
    if (const char* const label = label_of(space_)) operation_.what.label = label;
    int i = 0;
    for (const profiler* one = profilers_; one != nullptr; one = one->next) {
      if (one->waits_before) wait();
      one->begin(operation_.what, &ids_[i++]);
    }
  }

  [[gnu::noinline, gnu::cold]] void end() noexcept {
    int i = 0;
    for (const profiler* one = profilers_; one != nullptr; one = one->next) {
      if (one->waits_after) wait();
      one->end(operation_.what, ids_[i++]);
    }
  }

  void wait() noexcept {
    try {
      space_.fence();
    } catch (...) {  // while recording, or lost: the next call reports it
    }
  }

  const profiler* profilers_;
  const Space& space_;
  unset_operation operation_;
  std::uint64_t ids_[most_profilers];
};

}  // namespace tandem::detail
