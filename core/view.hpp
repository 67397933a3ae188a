// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/kernel/link_guard.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/view/layout.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#if TANDEM_CHECKED
#include <tandem/core/kernel/failure.hpp>
#include <tandem/core/view/text.hpp>
#endif

namespace tandem {

namespace host {

#if TANDEM_CHECKED
[[noreturn]] inline void fail_bounds(const char* view, int dimension, index_t index,
                                     index_t extent) {
  fail_in_kernel<extent_error>("out of range",
                               detail::message({view, ": index ", index, " of dimension ",
                                                dimension, " is outside its extent ", extent}),
                               "indices run from 0 to one less than the extent");
}

[[noreturn]] inline void fail_rows(const char* view, index_t row, index_t begin, index_t end) {
  fail_in_kernel<extent_error>(
      "out of range",
      detail::message({view, ": index ", row, " of dimension 0 is outside the rows that are here, ",
                       begin, " to below ", end}),
      "a member of a group has its rows and their halo, and a chunk of a stream the rows of its "
      "indices");
}

[[noreturn]] inline void fail_memory_space(const char* view) {
  fail_in_kernel<argument_error>("wrong space",
                                 detail::message({view,
                                                  ": its elements lie in the memory of a device, "
                                                  "which code of the host cannot access"}),
                                 "copy them to the host, or run the kernel on the device's space");
}
#endif

template <class T>
T load_constant(const T* p) {
#if TANDEM_CHECKED > 1
  checked::begin_constant_read(p, sizeof(T));
#endif
  return *p;
}
template <class T>
const T* in_register(const T* p) {
  return p;
}

}  // namespace host

namespace detail {

/// Parameter that nobody passes: compilers print its name when they refuse a call.
struct an_element_has_one_integer_index_for_each_dimension {};

/// Integers, enumerations and what else converts to one.
template <class T>
concept element_index = std::is_convertible_v<T, index_t> && !std::is_floating_point_v<T>;

#if TANDEM_CHECKED
/// The rows of a view that have elements: of a part of an array, those that are in it.
struct rows_here {
  index_t begin = 0;
  index_t end = std::numeric_limits<index_t>::max();
};
struct access_to_rows_here {
  template <class View>
  TANDEM_FUNCTION static constexpr auto& of(View& v) {
    return v.here_;
  }
};
template <class View>
TANDEM_FUNCTION constexpr rows_here rows_here_of(const View& v) {
  return access_to_rows_here::of(v);
}
#endif

/// A view of an array of which only the rows begin .. end - 1 have elements: a checked build
/// refuses accesses to others.
template <class View>
View with_rows_here(View v, [[maybe_unused]] index_t begin, [[maybe_unused]] index_t end) {
#if TANDEM_CHECKED
  access_to_rows_here::of(v) = {begin, end};
#endif
  return v;
}

/// Element at `p` of memory that no kernel writes concurrently; devices may move its load past
/// stores to other memory.
template <class T>
TANDEM_FUNCTION inline T load_constant(const T* p) {
  return target::load_constant(p);
}

}  // namespace detail

/// A non-owning, trivially copyable window on elements of type T: pointer, extents and layout.
/// Kernels capture views.
///
/// T       element type; a view of const elements promises that they do not change while a kernel
///         reads them, and for arithmetic elements v(i) is then a value rather than a reference
/// Rank    0 to 6
/// Layout  layout_right (row-major), layout_right_padded (with gaps between rows), layout_left,
///         layout_stride
/// Memory  host_memory, device_memory or pinned_memory; team_memory in kernels of teams
///
/// Names and meaning follow std::mdspan. A checked build checks each access: its indices, and that
/// the running code can access the memory.
template <class T, int Rank, class Layout, class Memory>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using layout_type = Layout;
  using memory_type = Memory;
  using index_type = index_t;
  using extents_type = tandem::extents<Rank>;
  using mapping_type = typename Layout::template mapping<Rank>;
  using data_handle_type = T*;
  static constexpr bool reads_by_value = std::is_const_v<T> && std::is_arithmetic_v<value_type> &&
                                         !std::is_same_v<Memory, team_memory>;
  using reference = std::conditional_t<reads_by_value, value_type, T&>;

  /// Constructs a view without elements.
  constexpr view() = default;

  /// `data` points to the element whose indices are all zero.
  TANDEM_FUNCTION constexpr view(T* data, const extents_type& sizes)
    requires(!std::is_same_v<Layout, layout_stride>)
      : data_(data), mapping_(sizes) {}

  /// A template, so that a braced list of extents does not count as a mapping.
  template <std::same_as<mapping_type> Mapping>
  TANDEM_FUNCTION constexpr view(T* data, const Mapping& mapping)
      : data_(data), mapping_(mapping) {}

  /// Converts elements to const, a fixed layout to layout_stride, and pinned memory to host or
  /// device memory.
  template <class U, class OtherLayout, class OtherMemory>
    requires(std::is_convertible_v<U (*)[], T (*)[]> && memory_convertible<OtherMemory, Memory> &&
             (std::is_same_v<OtherLayout, Layout> || std::is_same_v<Layout, layout_stride>))
  // NOLINTNEXTLINE(google-explicit-constructor): nothing is lost but the right to write.
  TANDEM_FUNCTION constexpr view(const view<U, Rank, OtherLayout, OtherMemory>& other)
      : data_(other.data_handle()), mapping_(other.mapping()) {
#if TANDEM_CHECKED
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer)
    label_ = detail::view_label(other.label());
    here_ = detail::rows_here_of(other);  // NOLINT(cppcoreguidelines-prefer-member-initializer)
#endif
  }

  TANDEM_FUNCTION static constexpr int rank() { return Rank; }

  /// Element at (index...), with one index per dimension.
  template <detail::element_index... Index>
    requires(sizeof...(Index) == Rank)
  TANDEM_FUNCTION constexpr reference operator()(Index... index) const {
#if TANDEM_CHECKED
    check_memory();
    check(static_cast<index_t>(index)...);
#endif
    if constexpr (reads_by_value) {
      return detail::load_constant(data_ + mapping_(index...));
    } else {
      return data_[mapping_(index...)];
    }
  }

  /// Element i of a view of one dimension.
  template <detail::element_index Index>
    requires(Rank == 1)
  TANDEM_FUNCTION constexpr reference operator[](Index i) const {
    return (*this)(i);
  }

  /// Rejects another number of indices than dimensions, as v[j][i] for v(j, i), and floating point.
  template <class Form = detail::an_element_has_one_integer_index_for_each_dimension>
    requires(Rank > 0)  // without arguments, an ellipsis is as good as the element of rank 0
  reference operator()(...) const = delete;
  template <class Index, class Form = detail::an_element_has_one_integer_index_for_each_dimension>
    requires(Rank != 1 || !detail::element_index<Index>)
  reference operator[](Index) const = delete;

  /// The elements in memory order, as an iterator for the standard library (a pointer), if the type
  /// says that they are contiguous and the host can access them:
  ///
  ///   for (float& x : v) x = 0;
  ///   std::sort(v.begin(), v.end());
  constexpr T* begin() const
    requires(Layout::is_always_exhaustive && Memory::host_accessible)
  {
    return data_;
  }
  constexpr T* end() const
    requires(Layout::is_always_exhaustive && Memory::host_accessible)
  {
    return data_ + size();
  }

  TANDEM_FUNCTION constexpr T* data_handle() const { return data_; }
  TANDEM_FUNCTION constexpr const mapping_type& mapping() const { return mapping_; }
  TANDEM_FUNCTION constexpr const extents_type& extents() const { return mapping_.extents(); }
  TANDEM_FUNCTION constexpr index_t extent(int d) const { return mapping_.extents().extent(d); }
  /// Distance in elements between neighbours along dimension `d`.
  TANDEM_FUNCTION constexpr index_t stride(int d) const { return mapping_.stride(d); }
  /// Number of elements.
  TANDEM_FUNCTION constexpr index_t size() const { return mapping_.extents().size(); }
  TANDEM_FUNCTION constexpr bool empty() const { return size() == 0; }
  /// Whether the elements are in memory without gaps.
  TANDEM_FUNCTION constexpr bool is_exhaustive() const { return mapping_.is_exhaustive(); }

  /// This view with a name for the messages of a checked build, which keep its first 31 characters;
  /// no cost in other builds. A null name is none.
  TANDEM_FUNCTION constexpr view named([[maybe_unused]] const char* name) const {
    view result = *this;
#if TANDEM_CHECKED
    if (name == nullptr) name = "";
    result.label_ = detail::view_label(name);
#endif
#if TANDEM_CHECKED > 1
    constexpr bool is_on_host = Memory::host_accessible || std::is_same_v<Memory, team_memory>;
    if constexpr (!detail::on_device && is_on_host) {
      if (!std::is_constant_evaluated()) checked::name_array(data_, name);
    }
#endif
    return result;
  }

  /// The name given by named(), stored in the view.
  TANDEM_FUNCTION constexpr const char* label() const {
#if TANDEM_CHECKED
    return label_.text;
#else
    return "";
#endif
  }

 private:
#if TANDEM_CHECKED
  // A failure ends the program's kernel: by an exception on the host, by a trap on a device after
  // it has printed the text.
  template <class... Index>
  TANDEM_FUNCTION constexpr void check(Index... index) const {
    int d = 0;
    ((index < 0 || index >= extent(d) ? fail_bounds(d, index) : void(), ++d), ...);
    if constexpr (Rank > 0) check_row(index...);
  }
  template <class... Index>
  TANDEM_FUNCTION constexpr void check_row(index_t row, Index...) const {
    if (row < here_.begin || row >= here_.end)
      detail::target::fail_rows(described().text(), row, here_.begin, here_.end);
  }
  TANDEM_FUNCTION constexpr void check_memory() const {
    constexpr bool is_reachable =
        std::is_same_v<Memory, team_memory> ||
        (detail::on_device ? Memory::device_accessible : Memory::host_accessible);
    if constexpr (!is_reachable) detail::target::fail_memory_space(described().text());
  }
  TANDEM_FUNCTION void fail_bounds(int d, index_t index) const {
    detail::target::fail_bounds(described().text(), d, index, extent(d));
  }
  TANDEM_FUNCTION detail::view_text described() const {
    index_t sizes[maximum_rank] = {};
    for (int d = 0; d < Rank; ++d) sizes[d] = extent(d);
    return {label_, data_, Rank, sizes};
  }
  detail::view_label label_;
  detail::rows_here here_;
  friend struct detail::access_to_rows_here;
#endif
  T* data_ = nullptr;
  mapping_type mapping_;
};

/// Whether V is a tandem::view of any kind.
template <class V>
inline constexpr bool is_view = false;
template <class T, int Rank, class Layout, class Memory>
inline constexpr bool is_view<view<T, Rank, Layout, Memory>> = true;

/// A view in the memory of a space: the type of `view()` of an array of that space.
///
///   template <class Space>
///   void step(const Space& space, view_of<Space, float, 2> u, const_view_of<Space, float> source);
template <class Space, class T, int Rank = 1, class Layout = layout_right>
using view_of = view<T, Rank, Layout, typename Space::memory_type>;

/// A view of const elements in the memory of a space: the type of `const_view()` of an array.
template <class Space, class T, int Rank = 1, class Layout = layout_right>
using const_view_of = view<const T, Rank, Layout, typename Space::memory_type>;

namespace detail {

/// The bytes of elements of `size` bytes with these extents. Throws extent_error for a negative
/// extent, and 2^63 bytes or more.
template <int Rank>
constexpr index_t bytes_of_extents(const char* operation, const extents<Rank>& sizes,
                                   std::size_t size) {
  bool none = false;
  for (int d = 0; d < Rank; ++d) {
    if (sizes[d] < 0) fail_negative(operation, "extent", sizes[d]);
    none |= sizes[d] == 0;
  }
  if (none) return 0;
  auto total = static_cast<index_t>(size);
  for (int d = 0; d < Rank; ++d) {
    if (__builtin_mul_overflow(total, sizes[d], &total)) {
      throw extent_error(message(
          {operation, ": the bytes of ", sizes[d], " times the other extents overflow 64 bits"}));
    }
  }
  return total;
}

}  // namespace detail

/// Makes a row-major view of memory of the given kind: as_view<device_memory>(pointer, rows,
/// columns).
///
/// @param data   the first element; the view does not own it
/// @param sizes  the extents in elements, one for each dimension, the last one contiguous
/// Errors        extent_error for a negative extent, and 2^63 bytes or more
template <class Memory, class T, std::integral... Index>
constexpr view<T, sizeof...(Index), layout_right, Memory> as_view(T* data, Index... sizes) {
  const extents<sizeof...(Index)> shape(sizes...);
  detail::bytes_of_extents("as_view", shape, sizeof(T));
  return {data, shape};
}

}  // namespace tandem
