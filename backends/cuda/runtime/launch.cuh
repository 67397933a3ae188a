// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/agreement.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>

#include <type_traits>

#include <vector_types.h>

namespace tandem::cuda_impl {

/// A kernel's launch configuration. Error messages quote it; the last two name the line that made
/// the launch.
struct launch_shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  const char* label = "kernel";
  /// States a fact of the kernel: every thread calls ptx::grid_dependency_wait() before it touches
  /// memory. Its blocks may then become resident before the preceding work of the stream has ended;
  /// launch() decides whether they do.
  bool programmatic_launch = false;
  /// Blocks along x per thread block cluster; the grid is a multiple of it. Needs compute
  /// capability 9.0.
  unsigned cluster = 1;
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

/// Checks that a kernel can take F by value beside at most 64 bytes of other arguments.
template <class F>
constexpr void require_argument_size() {
  static_assert(
      sizeof(F) + 64 <= kernel_argument_bytes,
      "tandem: a function object and its captures are arguments of a kernel: 32,700 bytes at most");
}

/// The architectures that this translation unit is compiled for. Internal linkage, as that of
/// launch(), because each translation unit may be compiled for others.
#ifdef __CUDA_ARCH_LIST__
constexpr int compiled_architectures[] = {__CUDA_ARCH_LIST__};
#else
constexpr int compiled_architectures[] = {0};
#endif

/// The untyped part of launch(): `arguments` point at the kernel's parameters.
void launch_kernel(const cuda& space, const launch_shape& shape, const void* kernel,
                   void** arguments);

/// Throws argument_error unless the space's device can run a block of these threads along x
/// (fastest), y and z: `parallel_for: block of 2048 threads > 1024, the most a block may have on
/// NVIDIA H200`.
void require_block(const cuda& space, const char* label, index_t x, index_t y = 1, index_t z = 1);

/// Enqueues a kernel on the space's stream; an empty grid is no work.
///
/// Programmatic stream serialization is requested where the kernel waits by itself and the device
/// runs code in which that wait exists. Takes no lock; the launch is the only call of the driver. A
/// kernel that needs more than 48 KiB of dynamic shared memory is opted in at its first launch on a
/// stream.
/// Errors: argument_error when the device cannot run such a block, device_error with the whole
/// shape when the launch fails, agreement_error when the file is not compiled as it has to be.
template <class... Parameter>
static void launch(const cuda& space, launch_shape shape, void (*kernel)(Parameter...),
                   const std::type_identity_t<Parameter>&... arguments) {
#if TANDEM_AGREEMENT
  require_device_agreement(space);
#endif
  shape.programmatic_launch =
      shape.programmatic_launch &&
      has_dependent_launch(compiled_architectures, limits(space).compute_capability);
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  launch_kernel(space, shape, reinterpret_cast<const void*>(kernel), pointers);
}

}  // namespace tandem::cuda_impl
