// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tandem {

/// The memory that holds a view's elements, as a type, so that a mix-up does not compile.
enum class memory_kind : unsigned char { host, device, pinned };

/// Ordinary host memory.
struct host_memory {
  static constexpr memory_kind kind = memory_kind::host;
  static constexpr bool host_accessible = true;
  static constexpr bool device_accessible = false;
};

/// Memory of a CUDA device, which the host may not access. Devices of another backend have a
/// separate memory type derived from this one, so that neither accepts the other's.
struct device_memory {
  static constexpr memory_kind kind = memory_kind::device;
  static constexpr bool host_accessible = false;
  static constexpr bool device_accessible = true;
};

/// Page-locked host memory, which devices can access too: transfers to and from it run at the
/// link's full speed.
struct pinned_memory {
  static constexpr memory_kind kind = memory_kind::pinned;
  static constexpr bool host_accessible = true;
  static constexpr bool device_accessible = true;
};

/// A team's scratch, which only its kernel can access: shared memory on a GPU. No operation takes a
/// view of it, and each access loads the element again.
struct team_memory {
  static constexpr memory_kind kind = memory_kind::device;
  static constexpr bool host_accessible = false;
  static constexpr bool device_accessible = false;
};

/// Whether a view of `From` may be used as a view of `To`. Memory that the host cannot access
/// converts to nothing else.
template <class From, class To>
concept memory_convertible =
    std::same_as<From, To> ||
    (From::host_accessible && (From::device_accessible || !To::device_accessible));

}  // namespace tandem
