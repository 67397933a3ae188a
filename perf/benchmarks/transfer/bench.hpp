// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// Copies of floats between an array of the host and one of a GPU.
enum class transfer { to_device, to_host };

/// A copy of n floats. Its bytes are those that cross the link.
problem transfer_problem(transfer way, index_t n);

inline constexpr std::uint64_t transfer_seed = 5;

}  // namespace perf
