// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/dispatch.hpp>
#include <tandem/backends/cuda/matmul/dispatch.hpp>
#include <tandem/backends/cuda/memory/dispatch.hpp>
#include <tandem/backends/cuda/memory/pinned.hpp>
#include <tandem/backends/cuda/runtime/graph.hpp>
#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/backends/cuda/sort/dispatch.hpp>

// Only nvcc compiles loops over the user's functions, in the user's file.
#if defined(__CUDACC__)
#include <tandem/backends/cuda/loop/grid.cuh>
#include <tandem/backends/cuda/loop/range.cuh>
#include <tandem/backends/cuda/loop/teams.cuh>
#include <tandem/backends/cuda/loop/transform.cuh>
#include <tandem/backends/cuda/random/dispatch.cuh>
#include <tandem/backends/cuda/reduce/dispatch.cuh>
#include <tandem/backends/cuda/reduce_axis/dispatch.cuh>
#include <tandem/backends/cuda/scan/dispatch.cuh>
#include <tandem/backends/cuda/segments/dispatch.cuh>
#include <tandem/backends/cuda/select/dispatch.cuh>
#endif
