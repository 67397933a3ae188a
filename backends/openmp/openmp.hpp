// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/copy.hpp>
#include <tandem/backends/openmp/histogram.hpp>
#include <tandem/backends/openmp/matmul.hpp>
#include <tandem/backends/openmp/parallel_for.hpp>
#include <tandem/backends/openmp/parallel_reduce.hpp>
#include <tandem/backends/openmp/parallel_scan.hpp>
#include <tandem/backends/openmp/reduce_axis.hpp>
#include <tandem/backends/openmp/resource.hpp>
#include <tandem/backends/openmp/select.hpp>
#include <tandem/backends/openmp/sort.hpp>
#include <tandem/backends/openmp/space.hpp>
#include <tandem/backends/openmp/team.hpp>
#include <tandem/backends/openmp/transform.hpp>
