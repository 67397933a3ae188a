// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Tuning of the OpenMP backend: allocation. None of it changes a result.
namespace tandem::openmp_impl {

/// Blocks of at least this many bytes are advised into huge pages and touched in parallel.
inline constexpr std::size_t huge_page_bytes = std::size_t{8} << 20;

}  // namespace tandem::openmp_impl
