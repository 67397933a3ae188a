// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/overlap.hpp>
#include <tandem/core/detail/strided.hpp>
#include <tandem/core/space.hpp>

#include <limits>
#include <type_traits>

namespace tandem {

/// Owner of Rank-dimensional elements in the memory of a Space. Moves, does not copy, counts no
/// references.
///
/// T       trivially copyable
/// Space   serial, openmp or cuda; default_space where the default is configured
/// Layout  layout_right or layout_left
///
/// Memory comes from and goes back to the space's resource, in the order of the space's work:
/// another stream that uses the array first waits for an event of this one. Elements are
/// uninitialised unless a value is given; either way the pages of host memory are touched first by
/// the threads that later loop over them.
/// Errors: extent_error for a negative extent or a size that overflows; out_of_memory_error.
template <class T, int Rank, class Space, class Layout>
class array {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "tandem: an array holds copyable, mutable bits");
  static_assert(alignof(T) <= 64, "tandem: the memory of an array is aligned to 64 bytes");

 public:
  using value_type = T;
  using space_type = Space;
  using memory_type = typename Space::memory_type;
  using view_type = tandem::view<T, Rank, Layout, memory_type>;
  using const_view_type = tandem::view<const T, Rank, Layout, memory_type>;

  /// No elements, no memory.
  array() : resource_(default_instance<Space>().resource()) {}

  /// Uninitialised elements in the default instance of Space.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank && Rank > 0)
  explicit array(Index... sizes) : array(tandem::extents<Rank>(sizes...)) {}

  /// Uninitialised elements.
  explicit array(const tandem::extents<Rank>& sizes, const Space& space = default_instance<Space>())
      : sizes_(sizes),
        resource_(space.resource()),
        data_(static_cast<T*>(resource_.allocate(bytes(sizes)))) {}

  /// Every element is `value`.
  array(const tandem::extents<Rank>& sizes, std::type_identity_t<T> value,
        const Space& space = default_instance<Space>())
      : array(sizes, space) {
    if (sizes.size() > 0) dispatch_fill(space, detail::make_fill_problem(view(), value));
  }

  /// Takes the memory over; `other` has no elements then.
  array(array&& other) noexcept
      : sizes_(other.sizes_), resource_(other.resource_), data_(other.data_) {
    other.release();
  }
  array& operator=(array&& other) noexcept {
    if (this != &other) {
      free();
      sizes_ = other.sizes_;
      resource_ = other.resource_;
      data_ = other.data_;
      other.release();
    }
    return *this;
  }
  ~array() { free(); }

  /// What kernels capture. Valid while the array lives.
  view_type view() & { return {data_, sizes_}; }
  /// Elements that are only read: loops on a GPU load them faster, see view.
  const_view_type view() const& { return {data_, sizes_}; }
  const_view_type const_view() const& { return view(); }
  /// A view of a temporary array would outlive its elements: name the array first.
  void view() const&& = delete;
  void const_view() const&& = delete;

  static constexpr int rank() { return Rank; }
  const tandem::extents<Rank>& extents() const { return sizes_; }
  index_t extent(int d) const { return sizes_.extent(d); }
  index_t size() const { return sizes_.size(); }
  T* data_handle() { return data_; }
  const T* data_handle() const { return data_; }

  /// Element at (index...), where the host can reach it. Memory of a device has no such operator:
  /// copy it first.
  template <class... Index>
    requires(memory_type::host_accessible && sizeof...(Index) == Rank)
  T& operator()(Index... index) {
    return view()(index...);
  }
  template <class... Index>
    requires(memory_type::host_accessible && sizeof...(Index) == Rank)
  T operator()(Index... index) const {
    return view()(index...);
  }

 private:
  static std::size_t bytes(const tandem::extents<Rank>& sizes) {
    bool none = false;
    for (int d = 0; d < Rank; ++d) {
      if (sizes[d] < 0)
        detail::fail_extents("array", "extent", sizes[d], "<", "smallest extent", 0);
      none |= sizes[d] == 0;
    }
    if (none) return 0;
    auto total = static_cast<index_t>(sizeof(T));
    for (int d = 0; d < Rank; ++d) {
      if (__builtin_mul_overflow(total, sizes[d], &total)) {
        throw extent_error("array: the bytes of " + detail::text(sizes[d]) +
                           " times the other extents overflow 64 bits");
      }
    }
    return static_cast<std::size_t>(total);
  }

  void free() noexcept {
    if (data_ != nullptr) resource_.deallocate(data_, static_cast<std::size_t>(size()) * sizeof(T));
  }
  void release() noexcept {
    data_ = nullptr;
    sizes_ = {};
  }

  tandem::extents<Rank> sizes_;
  typename Space::resource_type resource_;
  T* data_ = nullptr;
};

}  // namespace tandem
