// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/stream/product_tiles.hpp>

#include <optional>

/// The part of a streamed product's operand that a device holds.
namespace tandem::detail {

/// Whether a streamed product leaves an operand where it is: on the host for a space of the host,
/// in memory of the device for a device.
template <class Space, class View>
inline constexpr bool stays =
    can_access<Space, typename View::memory_type> &&
    (Space::memory_type::host_accessible || !View::memory_type::host_accessible);

/// The elements of a matrix, or of the matrices of a batch, that belong to a box. A matrix that all
/// products share has no products.
template <class View>
auto part_of_matrices(const View& v, const tile_box& box) {
  const slice rows{box.rows.begin, box.rows.end};
  const slice columns{box.columns.begin, box.columns.end};
  if constexpr (View::rank() == 3) {
    return subview(v, slice{box.products.begin, box.products.end}, rows, columns);
  } else {
    return subview(v, rows, columns);
  }
}

/// Extents of matrices of rank 2, or of a batch of them.
template <int Rank>
extents<Rank> matrix_extents(const product_extents& sizes) {
  if constexpr (Rank == 3) {
    return extents<3>(sizes.products, sizes.rows, sizes.columns);
  } else {
    return extents<2>(sizes.rows, sizes.columns);
  }
}

/// A buffer for a box of an operand of the host. Its elements have the operand's order: rows or
/// columns are contiguous.
template <class Space, class View>
class box_buffer {
 public:
  using value_type = typename View::value_type;
  static constexpr int rank = View::rank();

  /// Reserves room for the largest box, none if the operand stays where it is.
  box_buffer(const Space& space, const View& whole, const product_extents& largest)
      : whole_(whole),
        elements_(extents<1>(stays<Space, View> ? 0 : matrix_extents<rank>(largest).size()),
                  space) {}

  /// What a product sees of the box.
  auto at(const tile_box& box) {
    if constexpr (stays<Space, View>) {
      return part_of_matrices(whole_, box);
    } else {
      const index_t rows = box.rows.size();
      const index_t columns = box.columns.size();
      const bool down = magnitude(whole_.stride(rank - 2)) < magnitude(whole_.stride(rank - 1));
      extents<rank> strides;
      if constexpr (rank == 3) strides[0] = rows * columns;
      strides[rank - 2] = down ? 1 : columns;
      strides[rank - 1] = down ? rows : 1;
      const layout_stride::mapping<rank> mapping(
          matrix_extents<rank>({box.products.size(), rows, columns}), strides);
      return view<value_type, rank, layout_stride, typename Space::memory_type>(
          elements_.data_handle(), mapping);
    }
  }

  /// Copies the box to the buffer unless it is there.
  void bring(const Space& space, const tile_box& box) {
    if (held_ && *held_ == box) return;
    held_.reset();
    bring_rows(space, box, box.rows);
    held_ = box;
  }

  /// Copies some rows of a box to its buffer.
  void bring_rows(const Space& space, const tile_box& box, const range& rows) {
    if constexpr (!stays<Space, View>)
      copy(space, part_of_matrices(whole_, {box.products, rows, box.columns}), rows_of(box, rows));
  }

  /// Copies some rows of a box back.
  void give_back(const Space& space, const tile_box& box, const range& rows) {
    if constexpr (!stays<Space, View>)
      copy(space, rows_of(box, rows), part_of_matrices(whole_, {box.products, rows, box.columns}));
  }

 private:
  auto rows_of(const tile_box& box, const range& rows) {
    return part_of_matrices(at(box), {range(box.products.size()),
                                      {rows.begin - box.rows.begin, rows.end - box.rows.begin},
                                      range(box.columns.size())});
  }

  View whole_;
  array<value_type, 1, Space> elements_;
  std::optional<tile_box> held_;
};

}  // namespace tandem::detail
