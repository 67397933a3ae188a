// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/strided.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/numbers/narrowing.hpp>
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

/// Parameters that nobody passes: compilers print their type names when they refuse a call.
struct capture_a_view_instead_of_an_array {};
struct kernels_read_a_view_and_the_host_a_mirror {};
struct extents_are_integers_in_braces_and_elements_listed_by_of {};
struct cast_the_value_to_the_type_of_the_elements {};

/// A value that elements of type T can be made with.
template <class Value, class T>
concept value_for = std::is_convertible_v<Value, T> && !loses_fraction<Value, T>;

/// Whether arguments begin with a number and are neither Rank extents nor, in one dimension, an
/// extent with a value, a space or both.
template <int Rank, class Space, class First, class... Rest>
inline constexpr bool is_wrong_list =
    std::is_arithmetic_v<First> &&
    ((std::is_arithmetic_v<Rest> || std::is_same_v<Rest, Space>)&&...) &&
    !(sizeof...(Rest) + 1 == Rank && std::is_integral_v<First> &&
      (std::is_integral_v<Rest> && ...)) &&
    !(Rank == 1 && std::is_integral_v<First> &&
      (sizeof...(Rest) == 1 || (sizeof...(Rest) == 2 && (std::is_same_v<Rest, Space> || ...))));

}  // namespace detail

/// Owns Rank-dimensional elements in the memory of a Space. Movable but not copyable; without
/// reference counts.
///
/// T       trivially copyable
/// Space   serial, openmp or cuda; default_space if a default is configured
/// Layout  layout_right or layout_left
///
/// The space's resource allocates and frees the memory in the order of the space's work: another
/// stream that uses the array must first wait for an event of this one. Elements are uninitialised
/// unless a value is given; either way, the threads that later loop over host memory touch its
/// pages first.
/// Errors: extent_error for a negative extent or a size that overflows; out_of_memory_error.
template <class T, int Rank, class Space, class Layout>
class array {
  static_assert(std::is_trivially_copyable_v<T>,
                "tandem: an array's elements are trivially copyable, which std::pair, std::tuple, "
                "std::string and containers are not: use a struct of numbers");
  static_assert(!std::is_const_v<T>,
                "tandem: an array's elements are not const: const_view() reads them");
  static_assert(alignof(T) <= 64, "tandem: the memory of an array is aligned to 64 bytes");

 public:
  using value_type = T;
  using space_type = Space;
  using memory_type = typename Space::memory_type;
  using view_type = tandem::view<T, Rank, Layout, memory_type>;
  using const_view_type = tandem::view<const T, Rank, Layout, memory_type>;

  /// Not copyable: a kernel captures a.view(), and copy(space, a, b) copies elements.
  array(const array&, detail::capture_a_view_instead_of_an_array = {}) = delete;
  array& operator=(const array&) = delete;  // copy(space, a, b) copies elements

  /// Constructs an array without elements and memory.
  array() : resource_(default_instance<Space>().resource()) {}

  /// Allocates uninitialised elements in the default instance of Space. Implicit for several
  /// extents: array<float, 2>({n, 4}), of integers of different types, moves such an array.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank && Rank > 0)
  // NOLINTNEXTLINE(google-explicit-constructor): one argument is one extent, and explicit.
  explicit(Rank == 1) array(Index... sizes) : array(tandem::extents<Rank>(sizes...)) {}

  /// Rejects other numbers of extents than dimensions, fractions, and what follows extents without
  /// braces: array<float>{1, 2, 3} is array<float>::of({1, 2, 3}), and array<float, 2>(3, 4, 0.0f)
  /// is array<float, 2>({3, 4}, 0.0f).
  template <class... Argument,
            class Form = detail::extents_are_integers_in_braces_and_elements_listed_by_of>
    requires detail::is_wrong_list<Rank, Space, Argument...>
  explicit array(Argument...) = delete;
  template <std::integral Index, std::size_t Count, class... Argument,
            class Form = detail::extents_are_integers_in_braces_and_elements_listed_by_of>
    requires(Count != Rank)
  explicit array(const Index (&&)[Count], const Argument&...) = delete;

  /// Allocates uninitialised elements: array<float, 2>({3, 4}). Declared next to the constructor
  /// from extents because such a list could also mean a temporary array.
  template <std::integral Index, std::size_t Count>
    requires(Count == Rank)
  explicit array(const Index (&sizes)[Count]) : array(as_extents(sizes)) {}

  /// Allocates uninitialised elements. A template, because the move of an array is preferred to
  /// it then: {n, 4} of two types of integers, which could mean either, is not ambiguous.
  ///
  /// Complexity  one allocation; no element is written
  template <class AfterOthers = void>
  explicit array(const tandem::extents<Rank>& sizes, const Space& space = default_instance<Space>())
      : sizes_(sizes), resource_(space.resource()), data_(allocate(resource_, sizes)) {
    if (detail::is_recording()) [[unlikely]]
      detail::note_array(data_, sizes.size(), detail::format_of<T>(), detail::access_of(space));
  }

  /// Allocates elements that all equal `value`: array<float>({n}, 1.0f). An integer of another type
  /// throws argument_error if T does not hold it. Explicit for one extent without braces, because
  /// `array<int> x = {7, 1}` reads as a list of elements.
  ///
  /// Complexity  one allocation, and one pass that writes the elements
  explicit(Rank == 1) array(const tandem::extents<Rank>& sizes, std::type_identity_t<T> value,
                            const Space& space = default_instance<Space>())
      : array(sizes, space) {
    if (sizes.size() > 0) dispatch_fill(space, detail::make_fill_problem(view(), value));
  }
  template <detail::counting_integer Value>
    requires(detail::counting_integer<T> && !std::is_same_v<Value, T>)
  explicit(Rank == 1) array(const tandem::extents<Rank>& sizes, Value value,
                            const Space& space = default_instance<Space>())
      : array(sizes, detail::held<T>("array", "value", value), space) {}
  template <std::integral Index, std::size_t Count, detail::value_for<T> Value>
    requires(Rank == 1 && Count == 1)
  array(const Index (&&size)[Count], const Value& value,
        const Space& space = default_instance<Space>())
      : array(as_extents(size), value, space) {}

  /// Rejects a value that converts only explicitly, and floating point for integers:
  /// array<half>({3}, 0.5f) is array<half>({3}, half(0.5f)).
  template <class Value, class Cast = detail::cast_the_value_to_the_type_of_the_elements>
    requires(std::is_constructible_v<T, Value> && !std::is_same_v<Value, Space> &&
             !detail::value_for<Value, T>)
  array(const tandem::extents<Rank>&, Value, const Space& = default_instance<Space>()) = delete;

  /// Copies the elements of a host container, or of another operand of the same rank:
  ///
  ///   std::vector<float> values(100);
  ///   tandem::array<float> x(values);
  ///
  /// The space must be able to access the source: an array of a host space cannot read device
  /// memory (to_vector and mirror can). Blocks until the elements are copied.
  ///
  /// Complexity  one allocation, and one copy
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

  /// Makes an array of these elements: array<float>::of({1, 2, 3}). A named function, because
  /// array<int>{3} has three elements.
  ///
  /// Complexity  one allocation, and one copy
  static array of(std::initializer_list<T> values, const Space& space = default_instance<Space>())
    requires(Rank == 1)
  {
    return array(values, space);
  }

  /// Takes over the memory; `other` then has no elements.
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

  /// Returns the view that kernels capture. Valid during the array's lifetime.
  view_type view() & { return {data_, sizes_}; }
  /// Returns a view of read-only elements: GPU loops load them faster, see view.
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

  /// Element at (index...), if the host can access it. Device memory has no such element: a kernel
  /// reads the elements of view(), and the host those of mirror(a).
  template <detail::element_index... Index>
    requires(memory_type::host_accessible && sizeof...(Index) == Rank)
  T& operator()(Index... index) {
    return view()(index...);
  }
  template <detail::element_index... Index>
    requires(memory_type::host_accessible && sizeof...(Index) == Rank)
  T operator()(Index... index) const {
    return view()(index...);
  }
  template <class Instead = detail::kernels_read_a_view_and_the_host_a_mirror, class... Index>
    requires(!memory_type::host_accessible && sizeof...(Index) == Rank)
  T operator()(Index... index) const = delete;
  /// Element i of an array of one dimension, if the host can access it.
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

  /// Rejects another number of indices than dimensions, as a[j][i] for a(j, i), and floating point.
  template <class Form = detail::an_element_has_one_integer_index_for_each_dimension>
    requires(Rank > 0)
  T& operator()(...) const = delete;
  template <class Index, class Form = detail::an_element_has_one_integer_index_for_each_dimension>
    requires(Rank != 1 || !detail::element_index<Index>)
  T& operator[](Index) const = delete;
  template <class Index, class Instead = detail::kernels_read_a_view_and_the_host_a_mirror>
    requires(Rank == 1 && !memory_type::host_accessible)
  T& operator[](Index) const = delete;

  /// The elements in memory order, if the host can access them: for range-for and the algorithms of
  /// the standard library.
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

  static T* allocate(typename Space::resource_type resource, const tandem::extents<Rank>& sizes) {
    const auto size = static_cast<std::size_t>(detail::bytes_of_extents("array", sizes, sizeof(T)));
    try {
#if TANDEM_CHECKED > 1
      if constexpr (is_watched) {
        if (size > 0)
          return add_watched(resource.allocate(size + checked::bytes_around(size)), size, sizes);
      }
#endif
      return static_cast<T*>(resource.allocate(size));
    } catch (const out_of_memory_error& e) {
      detail::fail_memory("array", e);
    }
  }

#if TANDEM_CHECKED > 1
  static constexpr bool is_watched = std::is_same_v<memory_type, host_memory>;

  static T* add_watched(void* memory, std::size_t size, const tandem::extents<Rank>& sizes) {
    const typename Layout::template mapping<Rank> mapping(sizes);
    index_t extents[maximum_rank] = {};
    index_t strides[maximum_rank] = {};
    for (int d = 0; d < Rank; ++d) {
      extents[d] = sizes.extent(d);
      strides[d] = mapping.stride(d);
    }
    return static_cast<T*>(
        checked::add_array(memory, size, checked::element_type_of<T>(), Rank, extents, strides));
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
