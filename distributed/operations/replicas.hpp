// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/copy.hpp>

#include <optional>
#include <type_traits>

/// What every member of a group has for the time of an operation.
namespace tandem::detail {

/// Stores a value that the host knows.
template <class T>
struct store_known {
  T* to;
  T value;

  TANDEM_FUNCTION void operator()(index_t) const { *to = value; }
};

/// Whether the host may read the elements of an operand when an operation is called. Members of a
/// device may still be writing memory that they reach.
template <class Space, class View>
inline constexpr bool is_known_to_host =
    View::memory_type::host_accessible &&
    (Space::memory_type::host_accessible || !can_access<Space, typename View::memory_type>);

/// A copy of a sharded array or of an operand of the host on every member, or the replicated array
/// itself.
template <class Space, class X>
class on_every_member {
 public:
  using element = std::remove_const_t<typename X::value_type>;
  using replica = array<element, X::rank(), group<Space>, layout_right>;

  on_every_member(const char* operation, const group<Space>& members, const X& x) {
    if constexpr (sharded_operand<X>) {
      require_members(operation, members, x);
      if (x.is_replicated()) {
        there_ = &x;
        return;
      }
    }
    copy_.emplace(x.extents(), members, replicated);
    there_ = &*copy_;
  }

  on_every_member(const on_every_member&) = delete;
  on_every_member& operator=(const on_every_member&) = delete;

  /// Enqueues the copies of x, if there are any.
  void fill(const group<Space>& members, const X& x) {
    if (copy_.has_value()) copy(members, x, *copy_);
  }
  const replica& operator*() const { return *there_; }
  const replica* operator->() const { return there_; }

 private:
  std::optional<replica> copy_;
  const replica* there_ = nullptr;
};

}  // namespace tandem::detail
