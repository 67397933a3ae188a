// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// What every GPU supports in a launch. Plain C++, so that a machine without a GPU can test it.
/// Source: CUDA C++ Programming Guide, "Compute Capabilities".
namespace tandem::cuda_impl {

/// Threads per warp.
inline constexpr int warp_threads = 32;

/// Maximum threads per block.
inline constexpr int max_block_threads = 1024;

/// Maximum blocks of a grid along x, and along y or z.
inline constexpr index_t max_grid_x = 2147483647;
inline constexpr index_t max_grid_yz = 65535;

/// Returns the smallest power of two that is at least n, but at most `most`, itself a power of two.
/// Used for the threads along a dimension of a block.
constexpr int power_of_two_for(index_t n, int most) {
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/// Maximum bytes of kernel arguments, from CUDA 12.1 on.
inline constexpr std::size_t kernel_argument_bytes = 32764;

/// Whether a device runs code in which griddepcontrol is a real instruction, as programmatic
/// dependent launch requires: only code for sm_90 and later waits.
///
/// compiled            architectures as nvcc's __CUDA_ARCH_LIST__ lists them: 800, 900, ..
/// compute_capability  of the device
///
/// A device runs machine code of its major version if there is some. Otherwise it compiles the
/// newest PTX that it can read: that of sm_80, which does not wait, unless newer PTX was kept. The
/// list does not tell which architectures were kept as PTX.
template <std::size_t Count>
constexpr bool has_dependent_launch(const int (&compiled)[Count], int compute_capability) {
  bool own = false;
  bool all = true;
  for (const int architecture : compiled) {
    own |= architecture >= 900 && architecture / 100 == compute_capability / 10 &&
           architecture / 10 <= compute_capability;
    all &= architecture >= 900;
  }
  return compute_capability >= 90 && (own || all);
}

}  // namespace tandem::cuda_impl
