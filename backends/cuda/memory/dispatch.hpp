// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>

namespace tandem {

class cuda;

/// Copies between views of the device, or of the device and the host, in stream order. Blocks only
/// while it reads or writes pageable host memory.
/// Errors: device_error, out_of_memory_error for buffers of strided views.
void dispatch_copy(const cuda& space, const copy_problem& problem);
/// Fills device memory in stream order. Does not block. Errors: device_error.
void dispatch_fill(const cuda& space, const fill_problem& problem);

}  // namespace tandem
