// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/contract/strided.hpp>
#include <tandem/distributed/cut/cut.hpp>
#include <tandem/distributed/group/group.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

/// Rows of each neighbour that a part of a sharded array keeps a copy of; exchange() refreshes
/// them.
struct halo {
  index_t rows = 0;
};

/// Says that every member of a group has all rows of an array.
struct replicated_t {};
inline constexpr replicated_t replicated{};

/// The rows of a sharded array that one member of its group holds.
template <class View>
struct array_part {
  int member;     ///< its number in the group
  index_t begin;  ///< the number of the first row in the whole
  View view;      ///< the rows, in the member's memory
};

namespace detail {

/// Parameter that nobody passes: compilers print its name when they refuse a call.
struct pass_a_sharded_array_as_an_argument_of_the_operation {};
struct extents_then_any_value_then_the_group_then_a_cut_halo_or_replicated {};

/// How an array is shared out among the members of a group.
struct sharding {
  cut rows;
  index_t halo_rows = 0;
  bool is_replicated = false;

  void take(const cut& given) { rows = given; }
  void take(halo given) { halo_rows = given.rows; }
  void take(replicated_t) { is_replicated = true; }
};

template <class T>
concept sharding_option =
    std::same_as<T, cut> || std::same_as<T, halo> || std::same_as<T, replicated_t>;

template <int Rank>
index_t elements_of_row(const extents<Rank>& sizes) {
  index_t product = 1;
  for (int d = 1; d < Rank; ++d) product *= sizes.extent(d);
  return product;
}

}  // namespace detail

/// An array whose rows (dimension 0) are shared out among the members of a group, in order; with
/// `replicated`, an array of which every member has all rows.
///
///   tandem::array<float, 2, tandem::group<tandem::cuda>> u({ny, nx}, 0.0f, gpus, tandem::halo{1});
///   tandem::sharded<float, 2> b({k, n}, gpus, tandem::replicated);
///
/// The extents may be followed by a value for all elements, and the group by a cut (by default
/// cut::even), a halo and `replicated`, in any order. Row-major. Movable but not copyable. It has
/// no view of all its elements: pass it to operations on the group, which give kernels views with
/// the indices of the whole, or take its parts().
///
/// Errors: extent_error for a negative extent or halo, a halo of more rows than the array, a size
/// that overflows, or a cut of other rows or parts than the array and the group have;
/// out_of_memory_error, which names the member.
template <class T, int Rank, class Space>
class array<T, Rank, group<Space>, layout_right> {
  static_assert(Rank >= 1, "tandem: a sharded array has rows: its rank is at least 1");

 public:
  using value_type = T;
  using space_type = group<Space>;
  using part_array = array<T, Rank, Space>;
  using view_type = typename part_array::view_type;
  using const_view_type = typename part_array::const_view_type;
  /// What as_view() refuses it for.
  static constexpr bool is_in_parts = true;

  /// An array without elements and parts, which no group takes as an operand.
  array() = default;

  /// Allocates uninitialised elements.
  ///
  /// Complexity  one allocation per member
  template <detail::sharding_option... Option>
  explicit array(const tandem::extents<Rank>& sizes, const group<Space>& members,
                 const Option&... options)
      : sizes_(sizes) {
    (how_.take(options), ...);
    allocate(members);
  }

  /// Allocates elements, halos included, that all equal `value`. An integer of another type throws
  /// argument_error if T does not hold it.
  ///
  /// Complexity  one allocation per member, and one pass that writes the elements
  template <detail::sharding_option... Option>
  array(const tandem::extents<Rank>& sizes, std::type_identity_t<T> value,
        const group<Space>& members, const Option&... options)
      : sizes_(sizes) {
    (how_.take(options), ...);
    allocate(members, value);
  }
  template <detail::counting_integer Value, detail::sharding_option... Option>
    requires(detail::counting_integer<T> && !std::is_same_v<Value, T>)
  array(const tandem::extents<Rank>& sizes, Value value, const group<Space>& members,
        const Option&... options)
      : array(sizes, detail::held<T>("sharded array", "value", value), members, options...) {}

  /// Rejects a value that converts only explicitly, and floating point for integers, as an array of
  /// one space does.
  template <class Value, class Cast = detail::cast_the_value_to_the_type_of_the_elements,
            detail::sharding_option... Option>
    requires(std::is_constructible_v<T, Value> && !detail::value_for<Value, T>)
  array(const tandem::extents<Rank>&, Value, const group<Space>&, const Option&...) = delete;

  /// Rejects other arguments, such as one space, a group of another one, or a value behind it.
  template <
      class Form = detail::extents_then_any_value_then_the_group_then_a_cut_halo_or_replicated>
  explicit array(const tandem::extents<Rank>&, ...) = delete;
  template <
      class Form = detail::extents_then_any_value_then_the_group_then_a_cut_halo_or_replicated>
  explicit array(const group<Space>&, const tandem::extents<Rank>&) = delete;

  array(const array&) = delete;
  array& operator=(const array&) = delete;  // copy(group, a, b) copies elements
  array(array&&) noexcept = default;
  array& operator=(array&&) noexcept = default;
  ~array() = default;

  /// Rejected: no view covers the elements of several members.
  template <class Form = detail::pass_a_sharded_array_as_an_argument_of_the_operation>
  void view() const = delete;

  static constexpr int rank() { return Rank; }
  const tandem::extents<Rank>& extents() const { return sizes_; }
  index_t extent(int d) const { return sizes_.extent(d); }
  index_t size() const { return sizes_.size(); }
  /// Elements of a row.
  index_t row_size() const { return detail::elements_of_row(sizes_); }

  /// Which rows the members hold; of a replicated array, no parts.
  const cut& rows() const { return how_.rows; }
  bool is_replicated() const { return how_.is_replicated; }
  /// Rows of each neighbour that a part has a copy of.
  index_t halo_rows() const { return how_.halo_rows; }
  /// The number of members that hold parts.
  int members() const { return static_cast<int>(parts_.size()); }

  /// The rows that member p owns, as a view of its memory without the halo; of a replicated array,
  /// all rows.
  view_type part(int p) { return own_rows(parts_[static_cast<std::size_t>(p)].view(), p); }
  const_view_type part(int p) const {
    return own_rows(parts_[static_cast<std::size_t>(p)].const_view(), p);
  }
  /// The parts of all members, for other libraries: plain views of the members' memory, with the
  /// number of their first row.
  ///
  ///   for (const auto& one : x.parts())
  ///     cublasSscal(handle[one.member], int(one.view.size()), &two, one.view.data_handle(), 1);
  std::vector<array_part<view_type>> parts() { return parts_of<view_type>(*this); }
  std::vector<array_part<const_view_type>> parts() const {
    return parts_of<const_view_type>(*this);
  }

  /// The view that a kernel of member p sees: indices are those of the whole, and only those of the
  /// member's rows and of their halo have elements.
  view_type whole(int p) { return moved(parts_[static_cast<std::size_t>(p)].view(), p); }
  const_view_type whole(int p) const {
    return moved(parts_[static_cast<std::size_t>(p)].const_view(), p);
  }

 private:
  template <class View, class Array>
  static std::vector<array_part<View>> parts_of(Array& x) {
    auto list = detail::list_for<array_part<View>>("sharded array", x.members());
    for (int p = 0; p < x.members(); ++p)
      list.push_back({p, x.is_replicated() ? 0 : x.rows().begin(p), x.part(p)});
    return list;
  }

  template <class... Value>
  void allocate(const group<Space>& members, const Value&... value) {
    prepare(members);
    detail::for_each_member(members, [&](int p) {
      parts_.emplace_back(sizes_of_part(p), value..., members.member(p));
    });
  }

  void prepare(const group<Space>& members) {
    const index_t rows = sizes_.extent(0);
    detail::bytes_of_extents("sharded array", sizes_, sizeof(T));
    if (how_.halo_rows < 0) detail::fail_negative("sharded array", "halo", how_.halo_rows);
    if (how_.halo_rows > rows && rows > 0)
      detail::fail_extents("sharded array", "halo", how_.halo_rows, ">", "rows", rows);
    parts_ = detail::list_for<part_array>("sharded array", members.size());
    if (how_.is_replicated) {
      detail::require(how_.rows.parts() == 0 && how_.halo_rows == 0, "sharded array",
                      "a replicated array has neither a cut nor a halo");
      return;
    }
    if (how_.rows.parts() == 0) how_.rows = cut::even(rows, members.size(), row_size());
    detail::require_equal("sharded array", "parts of the cut", how_.rows.parts(),
                          "members of the group", members.size());
    detail::require_equal("sharded array", "rows of the cut", how_.rows.rows(), "rows of the array",
                          rows);
  }

  tandem::extents<Rank> sizes_of_part(int p) const {
    tandem::extents<Rank> result = sizes_;
    if (!how_.is_replicated) result[0] = how_.rows.size(p) + 2 * how_.halo_rows;
    return result;
  }

  template <class View>
  View own_rows(const View& all, int p) const {
    if (how_.is_replicated) return all;
    tandem::extents<Rank> sizes = sizes_;
    sizes[0] = how_.rows.size(p);
    return {all.data_handle() + how_.halo_rows * row_size(), sizes};
  }

  template <class View>
  View moved(const View& all, int p) const {
    if (how_.is_replicated) return all;
    const index_t before = how_.rows.begin(p) - how_.halo_rows;
    return detail::with_rows_here(
        View(detail::moved_back(all.data_handle(), before * row_size()), sizes_), before,
        how_.rows.end(p) + how_.halo_rows);
  }

  tandem::extents<Rank> sizes_;
  detail::sharding how_;
  std::vector<part_array> parts_;
};

/// An array that is shared out among the members of a group of `Space`.
template <class T, int Rank = 1, class Space = default_space>
using sharded = array<T, Rank, group<Space>, layout_right>;

namespace detail {

template <class X>
inline constexpr bool is_sharded = false;
template <class T, int Rank, class Space>
inline constexpr bool is_sharded<array<T, Rank, group<Space>, layout_right>> = true;
template <class X>
concept sharded_operand = is_sharded<std::remove_cvref_t<X>>;

/// The view of a member's elements, of const ones if the array is const.
template <class X>
using whole_view = decltype(std::declval<X&>().whole(0));

}  // namespace detail
}  // namespace tandem
