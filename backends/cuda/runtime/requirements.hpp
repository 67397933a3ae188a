// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Failures of <tandem/require_in_kernel.hpp> on the way from a device to the host.
namespace tandem::cuda_impl {

/// Gives the kernels of the current device, number `device`, a record for their failures, in
/// page-locked memory. Once per device, before its first stream; without a call where no file
/// includes that header. Errors: out_of_memory_error, device_error.
void prepare_requirements(int device);

/// Throws requirement_error where a kernel of the device has failed one since the last call. A read
/// of the host's memory, after the device's work is done.
void check_requirements(int device);

}  // namespace tandem::cuda_impl
