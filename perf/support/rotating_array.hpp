// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/random_data.hpp>

namespace perf {

/// Bytes through which a device's rounds rotate: more than any L2 cache holds (60 MB on sm_90, 126
/// MB on sm_100).
inline constexpr index_t rotated_bytes = index_t{256} << 20;

/// Several sets of n elements, used in turn, so that a device reads its data from memory rather
/// than from its cache, as a program with several arrays would. On the host there is one set: loops
/// on the CPU run with warm caches, which favours the CPU at sizes that fit them.
template <class T, class Space>
class rotating_array {
 public:
  using memory_type = typename Space::memory_type;
  using view_type = tandem::view<T, 1, tandem::layout_right, memory_type>;

  /// `arrays` is the number of rotating arrays per round; they share `rotated_bytes`.
  rotating_array(const Space& space, index_t n, int arrays = 1)
      : n_(n),
        stride_(tandem::round_up(
            n, index_t{64})),  // sets start on the same alignment, 256 bytes or more
        sets_(memory_type::host_accessible ? 1 : count(stride_ * arrays)),
        memory_(extents<1>(stride_ * sets_), space) {}

  /// Elements of the set of this round.
  view_type set(index_t round) {
    return {memory_.data_handle() + round % sets_ * stride_, extents<1>(n_)};
  }

  /// Fills all sets; set 0 holds values(0), values(1), ...
  template <class Values>
  void fill(const Space& space, const Values& values) {
    fill_with(space, memory_.view(), values);
    space.fence();
  }

 private:
  static index_t count(index_t elements) {
    return tandem::ceil_div(rotated_bytes, elements * static_cast<index_t>(sizeof(T)));
  }

  index_t n_;
  index_t stride_;
  index_t sets_;
  array<T, 1, Space> memory_;
};

}  // namespace perf
