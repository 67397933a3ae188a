// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tandem {

/// Where a view's elements live, as a type, so that a mix-up does not compile.
enum class memory_kind : unsigned char { host, device, pinned };

/// Ordinary memory of the host.
struct host_memory {
  static constexpr memory_kind kind = memory_kind::host;
  static constexpr bool host_accessible = true;
  static constexpr bool device_accessible = false;
};

/// Memory of a CUDA device; the host may not touch it. Another backend's devices have memory of a
/// type of their own, derived from this one, so that neither takes the other's.
struct device_memory {
  static constexpr memory_kind kind = memory_kind::device;
  static constexpr bool host_accessible = false;
  static constexpr bool device_accessible = true;
};

/// Page-locked memory of the host, which devices reach as well: transfers to and from it run at the
/// link's full speed.
struct pinned_memory {
  static constexpr memory_kind kind = memory_kind::pinned;
  static constexpr bool host_accessible = true;
  static constexpr bool device_accessible = true;
};

/// A team's scratch, which its own kernel reaches: shared memory on a GPU. A view of it goes to no
/// operation and loads every element anew.
struct team_memory {
  static constexpr memory_kind kind = memory_kind::device;
  static constexpr bool host_accessible = false;
  static constexpr bool device_accessible = false;
};

/// Whether a view of `From` may be used where one of `To` is asked for. Memory that the host does
/// not reach is nothing but what it is.
template <class From, class To>
concept memory_convertible =
    std::same_as<From, To> ||
    (From::host_accessible && (From::device_accessible || !To::device_accessible));

}  // namespace tandem
