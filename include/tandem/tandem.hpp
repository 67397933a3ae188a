// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All of tandem: the vocabulary, the configured backends and every algorithm.

#include <tandem/config.hpp>

#include <tandem/default_space.hpp>
#include <tandem/version.hpp>

#include <tandem/algorithms/adjacent_difference.hpp>
#include <tandem/algorithms/argminmax.hpp>
#include <tandem/algorithms/copy.hpp>
#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/dot.hpp>
#include <tandem/algorithms/fill.hpp>
#include <tandem/algorithms/fill_random.hpp>
#include <tandem/algorithms/gather.hpp>
#include <tandem/algorithms/graph.hpp>
#include <tandem/algorithms/histogram.hpp>
#include <tandem/algorithms/iota.hpp>
#include <tandem/algorithms/matmul.hpp>
#include <tandem/algorithms/matmul_options.hpp>
#include <tandem/algorithms/mirror.hpp>
#include <tandem/algorithms/norms.hpp>
#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>
#include <tandem/algorithms/parallel_reduce_axis.hpp>
#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/algorithms/parallel_teams.hpp>
#include <tandem/algorithms/permutation.hpp>
#include <tandem/algorithms/predicates.hpp>
#include <tandem/algorithms/resize.hpp>
#include <tandem/algorithms/reverse.hpp>
#include <tandem/algorithms/sort.hpp>
#include <tandem/algorithms/timeit.hpp>
#include <tandem/algorithms/transform.hpp>
#include <tandem/algorithms/unique.hpp>
#include <tandem/core/annotations.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/atomic.hpp>
#include <tandem/core/axis.hpp>
#include <tandem/core/combined_reducer.hpp>
#include <tandem/core/complex.hpp>
#include <tandem/core/constant.hpp>
#include <tandem/core/distributions.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/fused.hpp>
#include <tandem/core/gelu.hpp>
#include <tandem/core/half.hpp>
#include <tandem/core/layout.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/mdspan.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/philox.hpp>
#include <tandem/core/processor.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducer_concept.hpp>
#include <tandem/core/reducers.hpp>
#include <tandem/core/requirements.hpp>
#include <tandem/core/space.hpp>
#include <tandem/core/subview.hpp>
#include <tandem/core/team.hpp>
#include <tandem/core/team_grid.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view.hpp>
#include <tandem/core/viewable.hpp>
