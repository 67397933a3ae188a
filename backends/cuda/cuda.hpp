// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/graph.hpp>
#include <tandem/backends/cuda/pinned.hpp>
#include <tandem/backends/cuda/sort.hpp>
#include <tandem/backends/cuda/space.hpp>

// Loops over the user's functions are compiled in the user's file, by nvcc alone.
#if defined(__CUDACC__)
#include <tandem/backends/cuda/kernels.cuh>
#endif
