// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What tandem::cuda does with functions of the user's: templates that nvcc compiles in the user's
/// file.

#include <tandem/backends/cuda/parallel_for.cuh>
#include <tandem/backends/cuda/parallel_grid.cuh>
#include <tandem/backends/cuda/parallel_reduce.cuh>
#include <tandem/backends/cuda/parallel_scan.cuh>
#include <tandem/backends/cuda/reduce_axis.cuh>
#include <tandem/backends/cuda/select.cuh>
#include <tandem/backends/cuda/team.cuh>
