// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// What every GPU allows a launch. Plain C++, so that it is tested on a machine without a GPU.
/// Source: CUDA C++ Programming Guide, "Compute Capabilities".
namespace tandem::cuda_impl {

/// Threads of a warp.
inline constexpr int warp_threads = 32;

/// The most threads of a block.
inline constexpr int max_block_threads = 1024;

/// The most blocks of a grid along x, and along y or z.
inline constexpr index_t max_grid_x = 2147483647;
inline constexpr index_t max_grid_yz = 65535;

/// The smallest power of two that is at least n, or `most`, itself a power of two, if that is
/// smaller: threads along a dimension of a block.
constexpr int power_of_two_for(index_t n, int most) {
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/// Bytes of arguments per kernel, from CUDA 12.1 on.
inline constexpr std::size_t kernel_argument_bytes = 32764;

/// Whether a device runs code in which griddepcontrol is an instruction rather than nothing, as
/// programmatic dependent launch requires: only code for sm_90 and later waits.
///
/// compiled            architectures as nvcc's __CUDA_ARCH_LIST__ lists them: 800, 900, ..
/// compute_capability  of the device
///
/// A device runs machine code of its own major version where there is some, and otherwise compiles
/// the newest PTX that it can read: that of sm_80, which does not wait, unless newer PTX was kept.
/// The list does not tell which architectures were kept as PTX.
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
