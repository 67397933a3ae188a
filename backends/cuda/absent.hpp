// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/device_list.hpp>
#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/contract/hooks.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

/// Replaces this backend in a build without it, so that programs need no #if. The list of devices
/// is empty, and page-locked memory is ordinary host memory.
namespace tandem {

/// Allocates ordinary host memory, aligned to a cache line.
class pinned_resource {
 public:
  /// Allocates `bytes` bytes, uninitialised; returns nullptr for 0. Errors: out_of_memory_error.
  static void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* const pointer = ::operator new(bytes, alignment, std::nothrow);
    if (pointer == nullptr) detail::fail_host_memory("cuda_pinned", bytes);
    return pointer;
  }
  /// Frees what allocate returned.
  static void deallocate(void* pointer, std::size_t) noexcept {
    ::operator delete(pointer, alignment);
  }

 private:
  static constexpr std::align_val_t alignment{64};
};

/// Takes the place of a space in arrays that a GPU would access at the link's full speed. Without a
/// GPU they live in ordinary memory.
class cuda_pinned {
 public:
  using memory_type = pinned_memory;
  using resource_type = pinned_resource;

  static pinned_resource resource() { return {}; }
};

/// Stands in for an event of a build with CUDA.
class cuda_event {};

/// Stands in for the space of a build with CUDA. Lists no devices and cannot be constructed: a
/// program that does so is refused in one line. It satisfies execution_space, so that a compiler
/// says nothing about what follows; none of its functions ever runs.
class cuda {
 public:
  using memory_type = device_memory;
  using resource_type = pinned_resource;
  using event_type = cuda_event;
  using mirror_space = cuda_pinned;
  static constexpr const char* name = "cuda";
  static constexpr hook_set hooks{};

  template <class Device = int>
  explicit cuda(Device = 0) {
    static_assert(sizeof(Device) == 0,
                  "tandem: this build has no CUDA backend: configure it with cuda in "
                  "TANDEM_BACKENDS, or use another space (serial, openmp, any_space)");
  }

  template <class Device = int>
  static cuda on_device(Device device = 0) {
    return cuda(device);
  }
  template <class Stream>
  static cuda on_stream(Stream*, int device = 0) {
    return cuda(device);
  }

  /// Returns an empty list.
  static std::vector<cuda_device> devices() { return {}; }

  void fence() const {}
  cuda_event record() const { return {}; }
  void wait(const cuda_event&) const {}
  cuda beside() const { return *this; }
  void share_memory_with(const cuda&) const {}
  cuda named(const char*) const { return *this; }
  const char* label() const { return nullptr; }
  resource_type resource() const { return {}; }
};

inline void dispatch_copy(const cuda&, const copy_problem&) {}
inline void dispatch_fill(const cuda&, const fill_problem&) {}
template <class Indices, class Function>
void dispatch_for(const cuda&, const char*, const Indices&, const Function&) {}
template <class Shape, class Kernel>
void dispatch_teams(const cuda&, const char*, const Shape&, const Kernel&) {}
template <class Load, class R>
typename R::accumulator dispatch_reduce(const cuda&, const char*, index_t, const Load&,
                                        const R& reducer) {
  return reducer.identity();
}
template <class Load, class R>
void dispatch_reduce_into(const cuda&, const char*, index_t, const Load&, const R&,
                          typename R::result*) {}

/// Copies host memory, on the calling thread.
inline void dispatch_copy(const cuda_pinned&, const copy_problem& p) {
  auto* const to = static_cast<char*>(p.destination);
  const auto* const from = static_cast<const char*>(p.source);
  const index_t size = p.size();
  if (p.is_contiguous()) {
    std::memcpy(to, from, static_cast<std::size_t>(size) * p.element_bytes);
    return;
  }
  const auto bytes = static_cast<index_t>(p.element_bytes);
  for (index_t flat = 0; flat < size; ++flat) {
    index_t rest = flat;
    index_t to_offset = 0;
    index_t from_offset = 0;
    for (int d = p.rank - 1; d >= 0; --d) {
      to_offset += rest % p.extent[d] * p.destination_stride[d];
      from_offset += rest % p.extent[d] * p.source_stride[d];
      rest /= p.extent[d];
    }
    std::memcpy(to + to_offset * bytes, from + from_offset * bytes, p.element_bytes);
  }
}

/// Fills host memory, on the calling thread.
inline void dispatch_fill(const cuda_pinned& space, const fill_problem& problem) {
  dispatch_copy(space, as_copy(problem));
}

}  // namespace tandem
