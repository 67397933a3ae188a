// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Whether a file's device code computes as the same bits on every backend require
/// (docs/numerics.md). nvcc tells its flags by no macro. --use_fast_math and -ftz=true are refused
/// when the file is compiled; what only results show (contraction, nvcc's default, and approximate
/// division) is computed once per file, before its first kernel.

#include <tandem/backends/cuda/runtime/space.hpp>

namespace tandem::cuda_impl {

/// What is known of a file's device code.
enum class device_agreement { unknown, kept, contraction, division, flush_to_zero };

/// Runs `kernel`, a file's agreement_kernel, on a stream of its own and waits for it; `unknown`
/// where it cannot run: while `space` is recorded, or on a device without code for it.
device_agreement probe_device_code(const cuda& space, const void* kernel);

/// Throws agreement_error with the file's name and the flag to add.
[[noreturn]] void fail_device_agreement(device_agreement found, const char* file);

}  // namespace tandem::cuda_impl

#if TANDEM_AGREEMENT

/// Never defined: the name is what the linker of device code says.
extern "C" __device__ void tandem_refuses_use_fast_math_and_ftz_unless_TANDEM_AGREEMENT_is_0();
/// Resolved by the compiler. Source: LLVM's "User Guide for NVPTX Back-end", "Reflection
/// Parameters". Its parameters for division and roots are not set in every mode of nvcc.
extern "C" __device__ int __nvvm_reflect(const char*);

namespace tandem::cuda_impl {

/// Writes what the compiler made of this file's arithmetic. The operands are arguments, so that
/// nothing is computed in advance: 1 + 2^-12, 1, 3 and the smallest normal float. Internal linkage,
/// because each file has flags of its own.
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

/// Throws agreement_error unless this file's device code keeps the promise, as far as is known.
static inline void require_device_agreement(const cuda& space) {
  static int known = 0;  // a device_agreement of this file, read and written atomically
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
