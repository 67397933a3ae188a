// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All of tandem: the vocabulary, the configured backends and every algorithm.

// Macros of <windows.h> and others.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#include <tandem/config.hpp>

#include <tandem/default_space.hpp>
#include <tandem/version.hpp>

#include <tandem/algorithms/adjacent_difference.hpp>
#include <tandem/algorithms/argminmax.hpp>
#include <tandem/algorithms/compare.hpp>
#include <tandem/algorithms/copy.hpp>
#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/detail/call_forms.hpp>
#include <tandem/algorithms/dot.hpp>
#include <tandem/algorithms/fill.hpp>
#include <tandem/algorithms/fill_random.hpp>
#include <tandem/algorithms/gather.hpp>
#include <tandem/algorithms/histogram.hpp>
#include <tandem/algorithms/iota.hpp>
#include <tandem/algorithms/matmul.hpp>
#include <tandem/algorithms/multiply.hpp>
#include <tandem/algorithms/norms.hpp>
#include <tandem/algorithms/nth_element.hpp>
#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>
#include <tandem/algorithms/parallel_reduce_axis.hpp>
#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/algorithms/parallel_teams.hpp>
#include <tandem/algorithms/partial_reduce.hpp>
#include <tandem/algorithms/permutation.hpp>
#include <tandem/algorithms/predicates.hpp>
#include <tandem/algorithms/reduce_by_key.hpp>
#include <tandem/algorithms/resize.hpp>
#include <tandem/algorithms/reverse.hpp>
#include <tandem/algorithms/scatter_add.hpp>
#include <tandem/algorithms/segmented_reduce.hpp>
#include <tandem/algorithms/segmented_scan.hpp>
#include <tandem/algorithms/sort.hpp>
#include <tandem/algorithms/support/graph.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/algorithms/support/timeit.hpp>
#include <tandem/algorithms/transform.hpp>
#include <tandem/algorithms/unique.hpp>
#include <tandem/core/annotations.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/atomic.hpp>
#include <tandem/core/constant.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/mdspan.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/fixed_point.hpp>
#include <tandem/core/numbers/fused.hpp>
#include <tandem/core/numbers/gelu.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/numbers/order_free_sum.hpp>
#include <tandem/core/random/distributions.hpp>
#include <tandem/core/random/philox.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers.hpp>
#include <tandem/core/reducers/combined.hpp>
#include <tandem/core/reducers/concept.hpp>
#include <tandem/core/reducers/finished.hpp>
#include <tandem/core/reducers/initial.hpp>
#include <tandem/core/requirements.hpp>
#include <tandem/core/space.hpp>
#include <tandem/core/team.hpp>
#include <tandem/core/team/grid.hpp>
#include <tandem/core/tools/comparison/comparison.hpp>
#include <tandem/core/tools/timing/timing.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view.hpp>
#include <tandem/core/view/layout.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/core/view/viewable.hpp>

#pragma pop_macro("max")
#pragma pop_macro("min")
