// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Groups of spaces, such as the GPUs of a machine, and arrays that are shared out among them.

// Macros of <windows.h> and others.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#include <tandem/tandem.hpp>

#include <tandem/core/files/mapped.hpp>
#include <tandem/distributed/cut/cut.hpp>
#include <tandem/distributed/files/save_load.hpp>
#include <tandem/distributed/group/graph.hpp>
#include <tandem/distributed/group/group.hpp>
#include <tandem/distributed/group/sharded.hpp>
#include <tandem/distributed/group/timeit.hpp>
#include <tandem/distributed/operations/call_forms.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/elementwise.hpp>
#include <tandem/distributed/operations/histogram.hpp>
#include <tandem/distributed/operations/matmul.hpp>
#include <tandem/distributed/operations/matmul_transposed.hpp>
#include <tandem/distributed/operations/parallel_for.hpp>
#include <tandem/distributed/operations/parallel_reduce.hpp>
#include <tandem/distributed/operations/parallel_reduce_axis.hpp>
#include <tandem/distributed/operations/parallel_reduce_into.hpp>
#include <tandem/distributed/operations/parallel_scan.hpp>
#include <tandem/distributed/operations/parallel_teams.hpp>
#include <tandem/distributed/operations/permutation.hpp>
#include <tandem/distributed/operations/predicates.hpp>
#include <tandem/distributed/operations/rearrange.hpp>
#include <tandem/distributed/operations/reduce_by_key.hpp>
#include <tandem/distributed/operations/reductions.hpp>
#include <tandem/distributed/operations/scatter_add.hpp>
#include <tandem/distributed/operations/segments.hpp>
#include <tandem/distributed/operations/select.hpp>
#include <tandem/distributed/operations/sort.hpp>
#include <tandem/distributed/stream/matmul.hpp>
#include <tandem/distributed/stream/operations.hpp>
#include <tandem/distributed/stream/parallel_scan.hpp>
#include <tandem/distributed/stream/reductions.hpp>
#include <tandem/distributed/stream/select.hpp>
#include <tandem/distributed/stream/sort.hpp>
#include <tandem/distributed/stream/streamed.hpp>
#include <tandem/distributed/stream/weighted_histogram.hpp>

#pragma pop_macro("max")
#pragma pop_macro("min")
