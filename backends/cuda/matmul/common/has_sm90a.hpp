// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::cuda_impl {

/// Whether the build holds the kernels for sm_90a: wgmma's, and those whose operands tensor copies
/// bring. Only the library's own files are told; in a test it is always false.
#ifdef TANDEM_CUDA_SM90A
constexpr bool has_sm90a = true;
#else
constexpr bool has_sm90a = false;
#endif

}  // namespace tandem::cuda_impl
