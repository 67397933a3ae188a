// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>
#include <tandem/core/contract/strided.hpp>

#include <type_traits>
#include <utility>

/// How element-wise algorithms accept operands of any rank and layout.
namespace tandem::detail {

/// Elements at a constant `stride`, beginning with the first element of v.
template <class View>
auto as_line(const View& v, index_t stride) {
  return view<const typename View::value_type, 1, layout_stride, typename View::memory_type>(
      v.data_handle(), layout_stride::mapping<1>({v.size()}, {stride}));
}

/// Packs v's elements into memory of the space.
template <class Space, class View>
auto packed(const Space& space, const View& v) {
  array<typename View::value_type, View::rank(), Space> copied(v.extents(), space);
  copy(space, v, copied);
  return copied;
}

/// Calls run(line...) with rank-1 views of the elements of views of equal extents. All of them list
/// the elements in one order: in place if every view has a uniform stride, else as packed copies.
template <class Space, class Run, class X, class... View>
void with_lines(const Space& space, const Run& run, const X& x, const View&... views) {
  using merger = dimensions<1 + sizeof...(View)>;
  merger merged;
  for (int d = 0; d < X::rank(); ++d)
    merged.insert(x.extent(d), typename merger::steps{{x.stride(d), views.stride(d)...}});
  merged.merge();
  if (merged.rank <= 1) {
    const auto stride = [&](std::size_t side) {
      return merged.rank == 0 ? index_t{1} : merged.stride[side][0];
    };
    [&]<std::size_t... Position>(std::index_sequence<Position...>) {
      run(as_line(x, stride(0)), as_line(views, stride(Position + 1))...);
    }(std::index_sequence_for<View...>{});
  } else {
    const auto line = [](const auto& copied) { return flattened(copied.const_view()); };
    run(line(packed(space, x)), line(packed(space, views))...);
  }
}

/// The elements of a view of any rank by their flat, row-major index.
template <class View>
struct flat_elements {
  using value_type = typename View::value_type;
  View view;

  TANDEM_FUNCTION value_type operator()(index_t i) const {
    return load_constant(view.data_handle() + flat_offset(view, i));
  }
};

/// Reduces element-wise terms in row-major order. make(view...) returns the function object that
/// computes a term from its indices, for views of rank 1 to 3 that hold the elements of `views`.
/// `name` is the operation's name in errors, which call the operands x and y.
template <class Space, class Reducer, class Make, class X, class... View>
auto reduce_elements(const Space& space, const char* name, const Reducer& reducer, const Make& make,
                     const X& x, const View&... views) {
  constexpr bool is_row_major = std::is_same_v<typename X::layout_type, layout_right> &&
                                (std::is_same_v<typename View::layout_type, layout_right> && ...);
  const auto reduce = [&](const auto& indices, const auto& terms) {
    return reduce_terms(space, name, indices, terms, reducer,
                        operands{input{"x", x}, input{"y", views}...},
                        [&] { (require_same_extents(name, "x", x, "y", views), ...); });
  };
  if constexpr (X::rank() == 1) {
    return reduce(x.size(), make(x, views...));
  } else if constexpr (is_row_major) {
    return reduce(x.size(), make(flattened(x), flattened(views)...));
  } else if constexpr (X::rank() == 2) {
    return reduce(grid{x.extent(0), x.extent(1)}, make(x, views...));
  } else if constexpr (X::rank() == 3) {
    return reduce(grid{x.extent(0), x.extent(1), x.extent(2)}, make(x, views...));
  } else {
    return reduce(x.size(), make(flat_elements<X>{x}, flat_elements<View>{views}...));
  }
}

}  // namespace tandem::detail
