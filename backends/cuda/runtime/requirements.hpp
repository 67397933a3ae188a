// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::cuda_impl {

struct stream_state;

/// Throws requirement_error where a kernel of the stream's device has failed one since the last
/// call (require_in_kernel.hpp). The stream is idle. Without a file that includes that header
/// this is a lock.
void check_requirements(const stream_state& state);

}  // namespace tandem::cuda_impl
