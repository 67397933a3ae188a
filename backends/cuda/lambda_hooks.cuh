// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The customization points of tandem::cuda that take the user's functions: templates that nvcc
/// compiles in the user's file.

#include <tandem/backends/cuda/loop/grid.cuh>
#include <tandem/backends/cuda/loop/range.cuh>
#include <tandem/backends/cuda/loop/teams.cuh>
#include <tandem/backends/cuda/random/dispatch.cuh>
#include <tandem/backends/cuda/reduce/dispatch.cuh>
#include <tandem/backends/cuda/reduce_axis/dispatch.cuh>
#include <tandem/backends/cuda/scan/dispatch.cuh>
#include <tandem/backends/cuda/segments/dispatch.cuh>
#include <tandem/backends/cuda/segments/runs.cuh>
#include <tandem/backends/cuda/select/dispatch.cuh>
