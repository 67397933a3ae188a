// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/view.hpp>

#include <cstdint>

namespace tandem::detail {

/// `data` moved back by `elements`, computed in integers: the result may lie outside the memory,
/// and only kernels index it.
template <class T>
T* moved_back(T* data, index_t elements) {
  const auto bytes = static_cast<std::uintptr_t>(elements) * sizeof(T);
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - bytes);
}

/// |x|.
constexpr index_t magnitude(index_t x) { return x < 0 ? -x : x; }

/// Whether neighbours along the first dimension of a matrix are nearer in memory than those along
/// the second. Dimensions of one element have no neighbours, and steps of zero repeat elements.
template <class View>
  requires(View::rank() == 2)
constexpr bool runs_down(const View& v) {
  if (v.extent(0) == 1 || v.stride(0) == 0) return false;
  return v.extent(1) == 1 || v.stride(1) == 0 || magnitude(v.stride(0)) < magnitude(v.stride(1));
}

/// Drops dimensions of one element, orders the others so that the destination's smallest step is
/// innermost, and merges neighbouring dimensions that form one arithmetic sequence on every side.
/// `Sides` is 1 (a fill) or 2 (a copy).
template <std::size_t Sides>
struct dimensions {
  int rank = 0;
  index_t extent[maximum_rank] = {};
  index_t stride[Sides][maximum_rank] = {};  // side 0 is the destination

  /// A struct rather than a reference to an array, which nvcc cannot bind to a braced list.
  struct steps {
    index_t of[Sides];
  };

  void insert(index_t size, const steps& step) {
    if (size == 1) return;
    int at = rank++;
    for (; at > 0 && magnitude(stride[0][at - 1]) < magnitude(step.of[0]); --at) move(at - 1, at);
    extent[at] = size;
    for (std::size_t side = 0; side < Sides; ++side) stride[side][at] = step.of[side];
  }

  void merge() {
    int last = 0;
    for (int d = 1; d < rank; ++d) {
      if (continues(last, d)) {
        extent[last] *= extent[d];
        for (std::size_t side = 0; side < Sides; ++side) stride[side][last] = stride[side][d];
      } else {
        move(d, ++last);
      }
    }
    if (rank > 0) rank = last + 1;
  }

 private:
  void move(int from, int to) {
    extent[to] = extent[from];
    for (std::size_t side = 0; side < Sides; ++side) stride[side][to] = stride[side][from];
  }

  bool continues(int outer, int inner) const {
    for (std::size_t side = 0; side < Sides; ++side) {
      if (stride[side][outer] != stride[side][inner] * extent[inner]) return false;
    }
    return true;
  }
};

/// Describes the copy of one view's elements into another with the same extents.
template <class Source, class Destination>
copy_problem make_copy_problem(const Source& source, const Destination& destination) {
  static_assert(Source::rank() == Destination::rank());
  dimensions<2> merged;
  for (int d = 0; d < Source::rank(); ++d) {
    merged.insert(source.extent(d),
                  dimensions<2>::steps{{destination.stride(d), source.stride(d)}});
  }
  merged.merge();
  copy_problem problem;
  problem.rank = merged.rank;
  for (int d = 0; d < merged.rank; ++d) {
    problem.extent[d] = merged.extent[d];
    problem.destination_stride[d] = merged.stride[0][d];
    problem.source_stride[d] = merged.stride[1][d];
  }
  problem.element_bytes = sizeof(typename Source::value_type);
  problem.source = source.data_handle();
  problem.destination = destination.data_handle();
  problem.source_kind = Source::memory_type::kind;
  problem.destination_kind = Destination::memory_type::kind;
  return problem;
}

/// Describes the fill of a view with a value, which must live until the fill has been dispatched.
template <class Destination>
fill_problem make_fill_problem(const Destination& destination,
                               const typename Destination::value_type& value) {
  dimensions<1> merged;
  for (int d = 0; d < Destination::rank(); ++d)
    merged.insert(destination.extent(d), dimensions<1>::steps{{destination.stride(d)}});
  merged.merge();
  fill_problem problem;
  problem.rank = merged.rank;
  for (int d = 0; d < merged.rank; ++d) {
    problem.extent[d] = merged.extent[d];
    problem.stride[d] = merged.stride[0][d];
  }
  problem.element_bytes = sizeof(value);
  problem.value = &value;
  problem.destination = destination.data_handle();
  return problem;
}

}  // namespace tandem::detail
