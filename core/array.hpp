// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/strided.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/space.hpp>
#include <tandem/core/tools/comparison/recording.hpp>
#include <tandem/core/view/overlap.hpp>
#include <tandem/core/view/viewable.hpp>

#include <initializer_list>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem {

namespace detail {

/// Arguments that nobody gives: compilers print their names when they refuse a call.
struct capture_a_view_instead_of_an_array {};
struct kernels_read_a_view_and_the_host_a_mirror {};
struct extents_are_in_braces_and_elements_listed_by_of {};

}  // namespace detail

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

  /// Not copied: a kernel captures a.view(), and copy(space, a, b) copies elements.
  array(const array&, detail::capture_a_view_instead_of_an_array = {}) = delete;
  array& operator=(const array&) = delete;  // copy(space, a, b) copies elements

  /// No elements, no memory.
  array() : resource_(default_instance<Space>().resource()) {}

  /// Uninitialised elements in the default instance of Space.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank && Rank > 0)
  explicit array(Index... sizes) : array(tandem::extents<Rank>(sizes...)) {}

  /// More numbers than extents and a value: array<float>{1, 2, 3} is array<float>::of({1, 2, 3}),
  /// and array<float, 2>(3, 4, 0.0f) is array<float, 2>({3, 4}, 0.0f).
  template <class... Number, class Form = detail::extents_are_in_braces_and_elements_listed_by_of>
    requires(sizeof...(Number) > (Rank == 1 ? 2 : Rank) && (std::is_arithmetic_v<Number> && ...))
  explicit array(Number...) = delete;

  /// Uninitialised elements: array<float, 2>({3, 4}). Named beside the extents below, which are no
  /// better than a temporary array as the meaning of such a list.
  template <std::integral Index, std::size_t Count>
    requires(Count == Rank)
  explicit array(const Index (&sizes)[Count]) : array(as_extents(sizes)) {}

  /// Uninitialised elements.
  ///
  /// Complexity  an allocation: no element is written
  explicit array(const tandem::extents<Rank>& sizes, const Space& space = default_instance<Space>())
      : sizes_(sizes), resource_(space.resource()), data_(allocate(resource_, sizes)) {
    if (detail::is_recording()) [[unlikely]]
      detail::note_array(data_, sizes.size(), detail::format_of<T>(), detail::access_of(space));
  }

  /// Every element is `value`.
  ///
  /// Complexity  an allocation, and one pass that writes the elements
  array(const tandem::extents<Rank>& sizes, std::type_identity_t<T> value,
        const Space& space = default_instance<Space>())
      : array(sizes, space) {
    if (sizes.size() > 0) dispatch_fill(space, detail::make_fill_problem(view(), value));
  }

  /// A copy of the elements of a container of the host, or of another operand of the same rank:
  ///
  ///   std::vector<float> values(100);
  ///   tandem::array<float> x(values);
  ///
  /// The space must reach the source: an array of a host's space cannot read memory of a device
  /// (to_vector and mirror do). Waits until the elements are there.
  ///
  /// Complexity  an allocation, and one copy
  template <viewable Source>
    requires(!std::is_same_v<std::remove_cvref_t<Source>, array> &&
             as_view_t<const Source&>::rank() == Rank)
  explicit array(const Source& source, const Space& space = default_instance<Space>())
      : array(tandem::as_view(source).extents(), space) {
    using From = as_view_t<const Source&>;
    static_assert(std::is_same_v<typename From::value_type, T>,
                  "tandem: array: the source has elements of another type");
    constexpr bool works_on_device =
        memory_convertible<typename From::memory_type, memory_type> && requires { space.fence(); };
    static_assert(From::memory_type::host_accessible || works_on_device,
                  "tandem: array: only a space of the device can read memory of a device: use "
                  "to_vector or mirror");
    const From from = tandem::as_view(source);
    detail::require_data("array", "source", from);
    if (size() > 0) dispatch_copy(space, detail::make_copy_problem(from, view()));
    if constexpr (requires { space.fence(); }) space.fence();
  }

  /// An array of these elements: array<float>::of({1, 2, 3}). Named, because array<int>{3} has
  /// three elements.
  ///
  /// Complexity  an allocation, and one copy
  static array of(std::initializer_list<T> values, const Space& space = default_instance<Space>())
    requires(Rank == 1)
  {
    return array(values, space);
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

  /// Element at (index...), where the host can reach it. Memory of a device has no such element:
  /// a kernel reads those of view(), and the host those of mirror(a).
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
  template <class Instead = detail::kernels_read_a_view_and_the_host_a_mirror, class... Index>
    requires(!memory_type::host_accessible && sizeof...(Index) == Rank)
  T operator()(Index... index) const = delete;
  /// Element i of an array of one dimension, where the host can reach it.
  T& operator[](index_t i)
    requires(memory_type::host_accessible && Rank == 1)
  {
    return view()(i);
  }
  T operator[](index_t i) const
    requires(memory_type::host_accessible && Rank == 1)
  {
    return view()(i);
  }

  /// The elements in the order in which they lie in memory, where the host can reach them: for
  /// range-for and the algorithms of the standard library.
  T* begin()
    requires memory_type::host_accessible
  {
    return data_;
  }
  T* end()
    requires memory_type::host_accessible
  {
    return data_ + size();
  }
  const T* begin() const
    requires memory_type::host_accessible
  {
    return data_;
  }
  const T* end() const
    requires memory_type::host_accessible
  {
    return data_ + size();
  }

 private:
  template <class Index>
  static tandem::extents<Rank> as_extents(const Index* sizes) {
    tandem::extents<Rank> result;
    for (int d = 0; d < Rank; ++d) result[d] = static_cast<index_t>(sizes[d]);
    return result;
  }

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
        throw extent_error(detail::message(
            {"array: the bytes of ", sizes[d], " times the other extents overflow 64 bits"}));
      }
    }
    return static_cast<std::size_t>(total);
  }

  static T* allocate(typename Space::resource_type resource, const tandem::extents<Rank>& sizes) {
    const std::size_t size = bytes(sizes);
    try {
#if TANDEM_CHECKED > 1
      if constexpr (is_watched) {
        if (size > 0)
          return add_watched(resource.allocate(size + checked::bytes_around(size)), sizes);
      }
#endif
      return static_cast<T*>(resource.allocate(size));
    } catch (const out_of_memory_error& e) {
      detail::fail_memory("array", e);
    }
  }

#if TANDEM_CHECKED > 1
  static constexpr bool is_watched = std::is_same_v<memory_type, host_memory>;

  static T* add_watched(void* memory, const tandem::extents<Rank>& sizes) {
    const typename Layout::template mapping<Rank> mapping(sizes);
    index_t extents[maximum_rank] = {};
    index_t strides[maximum_rank] = {};
    for (int d = 0; d < Rank; ++d) {
      extents[d] = sizes.extent(d);
      strides[d] = mapping.stride(d);
    }
    return static_cast<T*>(checked::add_array(memory, bytes(sizes), checked::element_type_of<T>(),
                                              Rank, extents, strides));
  }

  static void free_watched(void* memory, std::size_t bytes) {
    default_instance<Space>().resource().deallocate(memory, bytes);
  }
#endif

  void free() noexcept {
    if (detail::is_recording()) [[unlikely]]
      detail::forget_array(data_);
#if TANDEM_CHECKED > 1
    if constexpr (is_watched) return checked::remove_array(data_, free_watched);
#endif
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
