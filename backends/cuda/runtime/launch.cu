// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <new>

#include <tandem/core/memory/host_memory.hpp>

namespace tandem::cuda_impl {

namespace {

/// Throws argument_error "label: what (number) > most, the most a block may have on NAME".
[[noreturn]] void fail_limit(const device_limits& device, const char* label,
                             const std::string& what, index_t most) {
  throw argument_error(std::string(label) + ": " + what + " > " + std::to_string(most) +
                       ", the most a block may have on " + device.name);
}

void require_shared(const device_limits& device, const launch_shape& shape) {
  if (shape.shared_bytes <= device.block_shared) return;
  fail_limit(device, shape.label,
             "block with " + std::to_string(shape.shared_bytes) + " bytes of shared memory",
             static_cast<index_t>(device.block_shared));
}

/// Opts a kernel in to all the dynamic shared memory that its static shared memory leaves. A
/// smaller limit, set for one stream, would revoke what another stream was granted.
void opt_in(stream_state& state, const launch_shape& shape, const void* kernel) {
  if (std::find(state.opted_in.begin(), state.opted_in.end(), kernel) != state.opted_in.end())
    return;
  const capture_allowance allowance;  // the kernel may be loaded here
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  const std::size_t available = state.limits->block_shared - attributes.sharedSizeBytes;
  if (shape.shared_bytes > available) {
    fail_limit(*state.limits, shape.label,
               "block with " + std::to_string(shape.shared_bytes) +
                   " bytes of shared memory beside the kernel's own " +
                   std::to_string(attributes.sharedSizeBytes),
               static_cast<index_t>(available));
  }
  try {
    state.opted_in.reserve(state.opted_in.size() + 1);
  } catch (const std::bad_alloc&) {
    detail::fail_host_memory(shape.label, (state.opted_in.size() + 1) * sizeof(kernel));
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(available)),
        "cudaFuncSetAttribute");
  state.opted_in.push_back(kernel);
}

/// Static shared memory that a kernel may have without declaring it here. A library kernel with
/// more requests less than 32 KiB of dynamic shared memory.
constexpr std::size_t static_shared_bytes = std::size_t{16} << 10;

std::string text(const dim3& size) {
  return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
         std::to_string(size.z) + ")";
}

/// Throws the error of a failed launch. If a block is too large for the kernel's registers, this is
/// argument_error with the numbers needed to correct it. If the device has no room for the kernel,
/// it is out_of_memory_error. Otherwise it is device_error, which may stem from earlier work.
[[noreturn]] void fail_launch(const stream_state& state, const launch_shape& shape,
                              const void* kernel, cudaError_t status) {
  const device_limits& device = *state.limits;
  static_cast<void>(cudaGetLastError());
  const unsigned threads = shape.block.x * shape.block.y * shape.block.z;
  cudaFuncAttributes attributes{};
  const bool known = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
  if (status == cudaErrorLaunchOutOfResources && known &&
      attributes.maxThreadsPerBlock < static_cast<int>(threads)) {
    throw argument_error(std::string(shape.label) + ": block of " + std::to_string(threads) +
                         " threads > " + std::to_string(attributes.maxThreadsPerBlock) +
                         ", the most that this kernel's " + std::to_string(attributes.numRegs) +
                         " registers per thread allow on " + device.name);
  }
  if (status == cudaErrorMemoryAllocation) {
    const std::string call = std::string(shape.label) + ": cudaLaunchKernelExC";
    check(status, call.c_str(), known ? attributes.localSizeBytes * threads : 0);
  }
  throw device_error(std::string(shape.label) + ": cudaLaunchKernelExC after " + state.last_label +
                     ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status) +
                     fork_note(status) + "; grid " + text(shape.grid) + ", block " +
                     text(shape.block) + ", " + std::to_string(shape.shared_bytes) +
                     " bytes of shared memory, " + device.name + ", at " + shape.file + ":" +
                     std::to_string(shape.line));
}

}  // namespace

void require_block(const cuda& space, const char* label, index_t x, index_t y, index_t z) {
  const device_limits& device = limits(space);
  const index_t extent[3] = {x, y, z};
  const auto block = [](index_t threads) {
    return "block of " + std::to_string(threads) + " threads";
  };
  for (int d = 0; d < 3; ++d) {
    if (extent[d] < 1)
      throw argument_error(std::string(label) + ": " + block(extent[d]) + " < 1 along " + "xyz"[d]);
    if (extent[d] > device.block_threads)
      fail_limit(device, label, block(extent[d]), device.block_threads);
  }
  if (x * y * z > device.block_threads)
    fail_limit(device, label, block(x * y * z), device.block_threads);
  for (int d = 0; d < 3; ++d) {
    if (extent[d] <= device.block_extent[d]) continue;
    fail_limit(device, label, block(extent[d]) + " along " + "xyz"[d], device.block_extent[d]);
  }
}

void prepare_kernel(const cuda& space, const launch_shape& shape, const void* kernel) {
  const device_guard guard(limits(space));
  opt_in(space.state(), shape, kernel);
}

void launch_kernel(const cuda& space, const launch_shape& shape, const void* kernel,
                   void** arguments) {
  stream_state& state = space.state();
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  require_block(space, shape.label, shape.block.x, shape.block.y, shape.block.z);
  require_shared(*state.limits, shape);
  const device_guard guard(*state.limits);
  // The opt-in limit applies to the sum with the kernel's static shared memory, which a team's
  // collectives use.
  if (shape.shared_bytes + static_shared_bytes > state.limits->default_block_shared)
    opt_in(state, shape, kernel);
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (shape.programmatic_launch) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {shape.cluster, 1, 1};
  }
  const cudaLaunchConfig_t config{.gridDim = shape.grid,
                                  .blockDim = shape.block,
                                  .dynamicSmemBytes = shape.shared_bytes,
                                  .stream = state.stream,
                                  .attrs = attributes,
                                  .numAttrs = count};
  // The launch call with the least overhead, especially for large arguments.
  const cudaError_t status = cudaLaunchKernelExC(&config, kernel, arguments);
  if (status != cudaSuccess) fail_launch(state, shape, kernel, status);
  state.last_label = shape.label;
  state.last_kernel = kernel;
}

}  // namespace tandem::cuda_impl
