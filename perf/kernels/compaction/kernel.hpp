// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Elements above this are kept: about a third of those of the benchmark.
inline constexpr float kept_above = 0.3f;

/// Stream compaction: the elements above kept_above, in their order, and their number.
template <class Space>
struct compaction {
  static constexpr const char* name = "compaction";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{1 << 20}, {1 << 23}, {1 << 25}}, {{1 << 27}}};
  /// Reads all elements and writes 35 % of them.
  static constexpr kernel_cost cost_each{.bytes = 1.35 * sizeof(float)};

  compaction(const Space& space, const kernel_size& size)
      : x(filled(space, size[0], uniform_values<float>{1})),
        kept(extents<1>(size[0]), space),
        count(extents<1>(1), space) {}

  void reset(const Space& space) {
    tandem::fill(space, kept, 0.0f);
    tandem::fill(space, count, index_t{-1});
  }
  outcome result(const Space& space) {
    const outcome elements = summary(space, kept.view());
    const outcome number = summary(space, count.view());
    return {elements.bits ^ number.bits, elements.value + number.value};
  }

  void run(const Space& space) {
    using memory = typename Space::memory_type;
    const tandem::view<index_t, 0, tandem::layout_right, memory> number(count.data_handle(), {});
    tandem::copy_if_into(
        space, x, kept, TANDEM_LAMBDA(float value) { return value > kept_above; }, number);
  }

  array<float, 1, Space> x;
  array<float, 1, Space> kept;
  array<index_t, 1, Space> count;
};

}  // namespace perf
