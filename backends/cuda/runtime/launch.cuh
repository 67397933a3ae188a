// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>

#include <type_traits>

#include <vector_types.h>

// Whether a file's device code computes as bitwise reproducibility across backends requires
// (docs/numerics.md). nvcc exposes its flags through no macro. --use_fast_math and -ftz=true are
// rejected at compile time. Contraction, which is nvcc's default, and approximate division only
// show in results, so they are tested once per file, before its first kernel.

namespace tandem::cuda_impl {

/// What is known about a file's device code.
enum class device_agreement { unknown, kept, contraction, division, flush_to_zero };

/// Runs `kernel`, a file's agreement_kernel, on a separate stream and waits for it. Returns
/// `unknown` if it cannot run: while `space` is being recorded, or on a device without code for it.
device_agreement probe_device_code(const cuda& space, const void* kernel);

/// Throws agreement_error with the file's name and the flag to add.
[[noreturn]] void fail_device_agreement(device_agreement found, const char* file);

}  // namespace tandem::cuda_impl

#if TANDEM_AGREEMENT

/// Never defined: its name is the message that the device linker prints.
extern "C" __device__ void tandem_refuses_use_fast_math_and_ftz_unless_TANDEM_AGREEMENT_is_0();
/// Resolved by the compiler. Source: LLVM's "User Guide for NVPTX Back-end", "Reflection
/// Parameters". Its parameters for division and roots are not set in every mode of nvcc.
extern "C" __device__ int __nvvm_reflect(const char*);

namespace tandem::cuda_impl {

/// Stores how the compiler translated this file's arithmetic. The operands are arguments, so that
/// nothing is constant-folded: 1 + 2^-12, 1, 3 and the smallest normal float. Internal linkage,
/// because each file may have different flags.
static __global__ void agreement_kernel(float above_one, float one, float three, float tiny,
                                        device_agreement* found) {
#if TANDEM_DEVICE_PASS && __CUDACC_VER_MAJOR__ == 13
  if (__nvvm_reflect("__CUDA_USE_FAST_MATH") != 0 || __nvvm_reflect("__CUDA_FTZ") != 0)
    tandem_refuses_use_fast_math_and_ftz_unless_TANDEM_AGREEMENT_is_0();
#endif
  auto result = device_agreement::kept;
  for (float x = one; x < 64.0f; x += one)
    if (x / three != __fdiv_rn(x, three)) result = device_agreement::division;
  if (tiny * 0.5f == 0.0f) result = device_agreement::flush_to_zero;
  if (above_one * above_one - one != 0x1p-11f) result = device_agreement::contraction;
  *found = result;
}

/// Throws agreement_error if this file's device code is known to break bitwise reproducibility.
static inline void require_device_agreement(const cuda& space) {
  static int known = 0;  // a device_agreement of this file, accessed atomically
  auto found = static_cast<device_agreement>(__atomic_load_n(&known, __ATOMIC_RELAXED));
  if (found == device_agreement::kept) return;
  if (found == device_agreement::unknown) {
    found = probe_device_code(space, reinterpret_cast<const void*>(agreement_kernel));
    __atomic_store_n(&known, static_cast<int>(found), __ATOMIC_RELAXED);
  }
  if (found > device_agreement::kept) fail_device_agreement(found, __BASE_FILE__);
}

}  // namespace tandem::cuda_impl

#endif

namespace tandem::cuda_impl {

/// A kernel's launch configuration. Error messages quote it; the last two members identify the line
/// that launched.
struct launch_shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  const char* label = "kernel";
  /// Asserts that every thread of the kernel calls ptx::grid_dependency_wait() before it accesses
  /// memory. Its blocks may then become resident before the stream's preceding work has completed;
  /// launch() decides whether they do.
  bool programmatic_launch = false;
  /// Blocks along x per thread block cluster; the grid must be a multiple of it. Requires compute
  /// capability 9.0.
  unsigned cluster = 1;
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

/// Checks that a kernel can take F by value in addition to at most 64 bytes of other arguments.
template <class F>
constexpr void require_argument_size() {
  static_assert(
      sizeof(F) + 64 <= kernel_argument_bytes,
      "tandem: a function object and its captures are arguments of a kernel: 32,700 bytes at most");
}

/// The architectures that this translation unit is compiled for. Internal linkage, like launch(),
/// because each translation unit may be compiled for different ones.
#ifdef __CUDA_ARCH_LIST__
constexpr int compiled_architectures[] = {__CUDA_ARCH_LIST__};
#else
constexpr int compiled_architectures[] = {0};
#endif

/// Loads a kernel and opts it in, for an operation whose last kernels must not fail once the first
/// ones have stored results. Errors as in launch(), and out_of_memory_error.
void prepare_kernel(const cuda& space, const launch_shape& shape, const void* kernel);

/// The untyped part of launch(): `arguments` point to the kernel's parameters.
void launch_kernel(const cuda& space, const launch_shape& shape, const void* kernel,
                   void** arguments);

/// Throws argument_error unless the space's device can run a block with these threads along x
/// (fastest), y and z: `parallel_for: block of 2048 threads > 1024, the most a block may have on
/// NVIDIA H200`.
void require_block(const cuda& space, const char* label, index_t x, index_t y = 1, index_t z = 1);

/// Enqueues a kernel on the space's stream; an empty grid is no work.
///
/// Requests programmatic stream serialization if the kernel waits by itself and the device runs
/// code in which that wait exists. Takes no lock; the launch is the only driver call. A kernel that
/// needs more than 48 KiB of dynamic shared memory is opted in at its first launch on a stream.
/// Errors: argument_error if the device cannot run such a block, device_error with the whole shape
/// if the launch fails, agreement_error if the file is not compiled as required.
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
