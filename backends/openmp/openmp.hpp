// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/dispatch.hpp>
#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/loop/teams.hpp>
#include <tandem/backends/openmp/loop/transform.hpp>
#include <tandem/backends/openmp/matmul/dispatch.hpp>
#include <tandem/backends/openmp/memory/copy.hpp>
#include <tandem/backends/openmp/random/dispatch.hpp>
#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/reduce_axis/dispatch.hpp>
#include <tandem/backends/openmp/runtime/resource.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/scan/dispatch.hpp>
#include <tandem/backends/openmp/segments/dispatch.hpp>
#include <tandem/backends/openmp/select/dispatch.hpp>
#include <tandem/backends/openmp/sort/dispatch.hpp>
