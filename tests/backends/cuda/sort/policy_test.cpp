// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the CUDA backend's sorts are plain data, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/sort/policy.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda sorts: a block's keys fit the 48 KiB that need no opt-in") {
  using tandem::key_kind;
  using tandem::sort_order;
  for (const auto kind : {key_kind::signed_integer, key_kind::floating_point}) {
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      for (const std::size_t value_bytes : {0u, 4u}) {
        for (const std::size_t key_bytes : {4u, 8u}) {
          const radix_policy chosen = select_radix(key_bytes, kind, order, value_bytes);
          const auto keys = static_cast<std::size_t>(chosen.block * chosen.items);
          CHECK(keys * key_bytes + 256 * sizeof(unsigned) <= std::size_t{48} << 10);
        }
      }
    }
  }
}
