// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/target.hpp>

#include <cstddef>
#include <type_traits>

namespace tandem {

namespace detail {

/// Type in which offsets are summed. Unsigned on the host: if a function object sums unsigned
/// indices, g++ can then split the sums; otherwise it would gather neighbours one by one (a stencil
/// over size_t takes four times as long). Signed on a device, because its compiler benefits from
/// sums that cannot overflow.
using offset_sum = std::conditional_t<on_device, index_t, std::size_t>;

/// Returns the offset of one past the last element of a mapping with these extents and strides; 0
/// if it is empty. With zero or negative strides it is the largest offset plus one.
template <int Rank, class Mapping>
TANDEM_FUNCTION constexpr index_t span_size(const Mapping& mapping) {
  index_t last = 0;
  for (int d = 0; d < Rank; ++d) {
    if (mapping.extents().extent(d) == 0) return 0;
    const index_t step = mapping.stride(d);
    if (step > 0) last += step * (mapping.extents().extent(d) - 1);
  }
  return last + 1;
}

}  // namespace detail

/// Row-major: the last index is contiguous. std::layout_right of C++23.
struct layout_right {
  /// Whether no mapping leaves gaps between elements.
  static constexpr bool is_always_exhaustive = true;

  template <int Rank>
  class mapping {
   public:
    constexpr mapping() = default;
    TANDEM_FUNCTION constexpr explicit mapping(const tandem::extents<Rank>& sizes)
        : sizes_(sizes) {}

    TANDEM_FUNCTION constexpr const tandem::extents<Rank>& extents() const { return sizes_; }

    /// Offset in elements of the element at (index...).
    template <class... Index>
    TANDEM_FUNCTION constexpr index_t operator()(Index... index) const {
      detail::offset_sum offset = 0;
      int d = 0;
      ((offset = (d == 0 ? 0 : offset * static_cast<detail::offset_sum>(sizes_[d])) +
                 static_cast<detail::offset_sum>(index),
        ++d),
       ...);
      return static_cast<index_t>(offset);
    }

    TANDEM_FUNCTION constexpr index_t stride(int d) const {
      index_t step = 1;
      for (int later = d + 1; later < Rank; ++later) step *= sizes_[later];
      return step;
    }

    TANDEM_FUNCTION constexpr index_t required_span_size() const { return sizes_.size(); }
    TANDEM_FUNCTION constexpr bool is_exhaustive() const { return true; }

   private:
    tandem::extents<Rank> sizes_;
  };
};

/// Column-major: the first index is contiguous. std::layout_left of C++23.
struct layout_left {
  static constexpr bool is_always_exhaustive = true;

  template <int Rank>
  class mapping {
   public:
    constexpr mapping() = default;
    TANDEM_FUNCTION constexpr explicit mapping(const tandem::extents<Rank>& sizes)
        : sizes_(sizes) {}

    TANDEM_FUNCTION constexpr const tandem::extents<Rank>& extents() const { return sizes_; }

    /// Offset in elements of the element at (index...).
    template <class... Index>
    TANDEM_FUNCTION constexpr index_t operator()(Index... index) const {
      detail::offset_sum offset = 0;
      detail::offset_sum step = 1;
      int d = 0;
      ((offset += static_cast<detail::offset_sum>(index) * step,
        step *= static_cast<detail::offset_sum>(sizes_[d]), ++d),
       ...);
      return static_cast<index_t>(offset);
    }

    TANDEM_FUNCTION constexpr index_t stride(int d) const {
      index_t step = 1;
      for (int earlier = 0; earlier < d; ++earlier) step *= sizes_[earlier];
      return step;
    }

    TANDEM_FUNCTION constexpr index_t required_span_size() const { return sizes_.size(); }
    TANDEM_FUNCTION constexpr bool is_exhaustive() const { return true; }

   private:
    tandem::extents<Rank> sizes_;
  };
};

/// Row-major with a gap after each row, as in windows of a wider matrix and pitched allocations:
/// rows begin `pitch` elements apart. std::layout_right_padded of C++26.
///
/// Unlike layout_stride, it tells the compiler that neighbours in a row are one element apart:
/// loops that update such a view in place can load ahead of their stores.
struct layout_right_padded {
  static constexpr bool is_always_exhaustive = false;

  template <int Rank>
  class mapping {
    static_assert(Rank >= 2, "tandem: layout_right_padded has rows, so a rank of 2 at least");

   public:
    constexpr mapping() = default;
    /// Rows without gaps.
    TANDEM_FUNCTION constexpr explicit mapping(const tandem::extents<Rank>& sizes)
        : sizes_(sizes), pitch_(sizes[Rank - 1]) {}
    TANDEM_FUNCTION constexpr mapping(const tandem::extents<Rank>& sizes, index_t pitch)
        : sizes_(sizes), pitch_(pitch) {}

    TANDEM_FUNCTION constexpr const tandem::extents<Rank>& extents() const { return sizes_; }

    /// Offset in elements of the element at (index...).
    template <class... Index>
    TANDEM_FUNCTION constexpr index_t operator()(Index... index) const {
      detail::offset_sum offset = 0;
      int d = 0;
      ((offset = (d == 0 ? 0 : offset * static_cast<detail::offset_sum>(step(d))) +
                 static_cast<detail::offset_sum>(index),
        ++d),
       ...);
      return static_cast<index_t>(offset);
    }

    TANDEM_FUNCTION constexpr index_t stride(int d) const {
      index_t distance = 1;
      for (int later = d + 1; later < Rank; ++later) distance *= step(later);
      return distance;
    }

    TANDEM_FUNCTION constexpr index_t required_span_size() const {
      return detail::span_size<Rank>(*this);
    }
    TANDEM_FUNCTION constexpr bool is_exhaustive() const {
      return pitch_ == sizes_[Rank - 1] || sizes_.size() == sizes_[Rank - 1];
    }

   private:
    /// The distance between neighbours of the dimension before `d`, counted in indices of dimension
    /// `d`.
    TANDEM_FUNCTION constexpr index_t step(int d) const {
      return d == Rank - 1 ? pitch_ : sizes_[d];
    }

    tandem::extents<Rank> sizes_;
    index_t pitch_ = 0;
  };
};

/// Any strides, in elements: zero repeats a dimension, a negative one reverses it.
/// std::layout_stride of C++23.
struct layout_stride {
  static constexpr bool is_always_exhaustive = false;

  template <int Rank>
  class mapping {
   public:
    constexpr mapping() = default;
    TANDEM_FUNCTION constexpr mapping(const tandem::extents<Rank>& sizes,
                                      const tandem::extents<Rank>& strides)
        : sizes_(sizes), strides_(strides) {}

    /// Converts a mapping of another layout: indices map to the same offsets.
    template <class Other>
    TANDEM_FUNCTION constexpr explicit mapping(const Other& other) : sizes_(other.extents()) {
      for (int d = 0; d < Rank; ++d) strides_[d] = other.stride(d);
    }

    TANDEM_FUNCTION constexpr const tandem::extents<Rank>& extents() const { return sizes_; }

    /// Offset in elements of the element at (index...).
    template <class... Index>
    TANDEM_FUNCTION constexpr index_t operator()(Index... index) const {
      detail::offset_sum offset = 0;
      int d = 0;
      ((offset +=
        static_cast<detail::offset_sum>(index) * static_cast<detail::offset_sum>(strides_[d]),
        ++d),
       ...);
      return static_cast<index_t>(offset);
    }

    TANDEM_FUNCTION constexpr index_t stride(int d) const { return strides_[d]; }
    TANDEM_FUNCTION constexpr index_t required_span_size() const {
      return detail::span_size<Rank>(*this);
    }

    /// Whether the elements are in row-major or column-major order without gaps.
    TANDEM_FUNCTION constexpr bool is_exhaustive() const {
      return matches<layout_right>() || matches<layout_left>();
    }

   private:
    template <class Layout>
    TANDEM_FUNCTION constexpr bool matches() const {
      const typename Layout::template mapping<Rank> packed(sizes_);
      for (int d = 0; d < Rank; ++d) {
        if (sizes_[d] > 1 && strides_[d] != packed.stride(d)) return false;
      }
      return true;
    }

    tandem::extents<Rank> sizes_;
    tandem::extents<Rank> strides_;
  };
};

}  // namespace tandem
