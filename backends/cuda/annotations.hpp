// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The core's macros as nvcc needs them; core/annotations.hpp explains their purpose. Other
/// compilers see plain C++.

#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12
#error "tandem needs CUDA 12.0 or later for tandem::cuda, whose nvcc is the first with C++20"
#include <tandem/backends/cuda/cuda_is_too_old>
#endif

#if defined(__CUDACC__)
#define TANDEM_FUNCTION __host__ __device__
#define TANDEM_LAMBDA [=] __host__ __device__
#endif

#if defined(__CUDA_ARCH__)
#define TANDEM_DEVICE_PASS 1
#elif defined(__CUDACC__)
#define TANDEM_DEVICE_PASS 0
#endif

#if defined(__CUDACC__)
#include <tandem/backends/cuda/primitives/device_atomics.cuh>
#include <tandem/backends/cuda/primitives/device_functions.cuh>
#include <tandem/backends/cuda/primitives/device_requirements.cuh>
#include <tandem/backends/cuda/primitives/device_team.cuh>
#include <tandem/backends/cuda/primitives/host_loop.cuh>
#endif
