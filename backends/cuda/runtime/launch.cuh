// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>

#include <type_traits>

#include <vector_types.h>

namespace tandem::cuda_impl {

/// A kernel's launch, as error messages tell it. The last two name the line that made it.
struct launch_shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  const char* label = "kernel";
  /// The kernel's first statement waits for the work before it in the stream (griddepcontrol.wait),
  /// so that its blocks may be on the machine by then. Without effect before compute capability
  /// 9.0.
  bool programmatic_launch = false;
  /// Blocks along x that form a cluster, by which the grid divides: from compute capability 9.0 on.
  unsigned cluster = 1;
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

/// Whether kernels of this translation unit that call ptx::grid_dependency_wait() have that wait in
/// the code that a device of this compute capability runs: what `programmatic_launch` needs. Static, since
/// each translation unit may be compiled for other architectures.
[[maybe_unused]] static bool has_dependent_launch([[maybe_unused]] int compute_capability) {
#ifdef __CUDA_ARCH_LIST__
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};
  return has_dependent_launch(compiled, compute_capability);
#else
  return false;
#endif
}

/// Kernels take F by value, beside at most 64 bytes of their own.
template <class F>
constexpr void require_argument_size() {
  static_assert(
      sizeof(F) + 64 <= kernel_argument_bytes,
      "tandem: a function object and its captures are arguments of a kernel: 32,700 bytes at most");
}

/// launch() without types: `arguments` point at the kernel's parameters.
void launch_kernel(const cuda& space, const launch_shape& shape, const void* kernel,
                   void** arguments);

/// Throws argument_error unless a block of these threads along x (fastest), y and z can run on the
/// space's device: `parallel_for: block of 2048 threads > 1024, the most a block may have on NVIDIA
/// H200`.
void require_block(const cuda& space, const char* label, index_t x, index_t y = 1, index_t z = 1);

/// Enqueues a kernel on the space's stream. An empty grid is no work.
///
/// Takes no lock, asks the driver nothing but the launch. A kernel that needs more than 48 KiB of
/// dynamic shared memory is opted in at its first launch on a stream.
/// Errors: argument_error when the device cannot run such a block, device_error with the whole
/// shape when the launch fails.
template <class... Parameter>
void launch(const cuda& space, const launch_shape& shape, void (*kernel)(Parameter...),
            const std::type_identity_t<Parameter>&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  launch_kernel(space, shape, reinterpret_cast<const void*>(kernel), pointers);
}

}  // namespace tandem::cuda_impl
