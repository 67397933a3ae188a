// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cfloat>
#include <mutex>

namespace tandem::cuda_impl {

namespace {

/// The kernel's result, in static memory, which cannot run out.
__device__ device_agreement found_by_kernel;

/// Launches the kernel on `stream` and copies its result.
cudaError_t run_probe(const void* kernel, cudaStream_t stream, device_agreement& found) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  void* result = nullptr;
  cudaError_t status = cudaGetSymbolAddress(&result, found_by_kernel);
  if (status != cudaSuccess) return status;
  float above_one = 1 + 0x1p-12f;
  float one = 1;
  float three = 3;
  float tiny = FLT_MIN;
  void* arguments[] = {&above_one, &one, &three, &tiny, &result};
  status = cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, stream);
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(&found, result, sizeof found, cudaMemcpyDeviceToHost, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  return status;
}

}  // namespace

device_agreement probe_device_code(const cuda& space, const void* kernel) {
  const stream_state& state = space.state();
  auto found = device_agreement::unknown;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (state.recording != nullptr || cudaStreamIsCapturing(state.stream, &capture) != cudaSuccess ||
      capture != cudaStreamCaptureStatusNone)
    return found;
  const device_guard guard(*state.limits);
  const capture_allowance allowance;
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (status == cudaSuccess) {
    status = run_probe(kernel, stream, found);
    static_cast<void>(cudaStreamDestroy(stream));
  }
  if (status == cudaSuccess) return found;
  static_cast<void>(cudaGetLastError());
  return device_agreement::unknown;
}

void fail_device_agreement(device_agreement found, const char* file) {
  switch (found) {
    case device_agreement::contraction:
      detail::fail_build(file,
                         "was compiled to fuse a * b + c in device code, as nvcc does by default: "
                         "add --fmad=false, and write tandem::fma where one rounding is wanted");
    case device_agreement::division:
      detail::fail_build(file, "was compiled for approximate division: remove -prec-div=false");
    default:
      detail::fail_build(file, "was compiled to flush subnormal numbers to zero: remove -ftz=true");
  }
}

}  // namespace tandem::cuda_impl
