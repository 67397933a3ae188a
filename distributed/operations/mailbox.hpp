// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/core/array.hpp>

namespace tandem::detail {

/// A space whose arrays hold what members report to the host.
template <class Space>
struct mailbox_space {
  using type = Space;
};
template <has_mirror_space Space>
struct mailbox_space<Space> {
  using type = typename Space::mirror_space;
};

/// An array into which a space writes and from which the host reads, once the space has been waited
/// for.
template <class Space, class T>
using mailbox = array<T, 1, typename mailbox_space<Space>::type>;

}  // namespace tandem::detail
