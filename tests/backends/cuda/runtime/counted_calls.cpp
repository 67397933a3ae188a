// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/runtime/counted_calls.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "support/failing_memory.hpp"

namespace tandem::test {

namespace {

call_counts all;
int questions = 0;  // calls that cost no more than a lookup
std::atomic<cudaError_t> loss{cudaSuccess};

/// Counts a call of the runtime and makes it, unless the device is lost.
template <class... Parameter>
cudaError_t count(int& counter, cudaError_t (*call)(Parameter...),
                  std::type_identity_t<Parameter>... argument) {
  if (inside_runtime == 0) {
    ++counter;
    if (loss != cudaSuccess) return loss;
  }
  ++inside_runtime;
  const cudaError_t status = call(argument...);
  --inside_runtime;
  return status;
}

/// Counts a call that allocates, and fails if memory has run out.
template <class... Parameter>
cudaError_t count_memory(int& counter, cudaError_t (*call)(Parameter...),
                         std::type_identity_t<Parameter>... argument) {
  if (inside_runtime == 0 && memory_fails()) {
    ++counter;
    return cudaErrorMemoryAllocation;
  }
  return count(counter, call, argument...);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const call_counts& c) {
  return out << c.launches << " launches, " << c.copies << " copies, " << c.clears << " clears, "
             << c.waits << " waits, " << c.pooled << " pooled, " << c.allocations
             << " allocations, " << c.heap << " heap, " << c.locks << " locks";
}

call_counts calls_so_far() {
  call_counts counts = all;
  counts.heap = heap_allocations();
  return counts;
}

lost_device::lost_device(cudaError_t error) { loss = error; }
lost_device::~lost_device() { loss = cudaSuccess; }

// Defines the replacement of a runtime function, under the name that the linker's --wrap expects.
#define TANDEM_TEST_COUNT(counter, name, parameters, ...)            \
  extern "C" cudaError_t __real_##name parameters;                   \
  extern "C" cudaError_t __wrap_##name parameters;                   \
  extern "C" cudaError_t __wrap_##name parameters {                  \
    return count(counter, __real_##name __VA_OPT__(, ) __VA_ARGS__); \
  }
#define TANDEM_TEST_MEMORY(counter, name, parameters, ...)                  \
  extern "C" cudaError_t __real_##name parameters;                          \
  extern "C" cudaError_t __wrap_##name parameters;                          \
  extern "C" cudaError_t __wrap_##name parameters {                         \
    return count_memory(counter, __real_##name __VA_OPT__(, ) __VA_ARGS__); \
  }

TANDEM_TEST_COUNT(all.launches, cudaLaunchKernel,
                  (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream),
                  kernel, grid, block, arguments, shared, stream)
TANDEM_TEST_COUNT(all.launches, __cudaLaunchKernel,
                  (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream),
                  kernel, grid, block, arguments, shared, stream)
TANDEM_TEST_COUNT(all.launches, cudaLaunchKernelExC,
                  (const cudaLaunchConfig_t* shape, const void* kernel, void** arguments), shape,
                  kernel, arguments)
TANDEM_TEST_COUNT(all.launches, cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream),
                  graph, stream)

TANDEM_TEST_COUNT(all.copies, cudaMemcpyAsync,
                  (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   cudaStream_t stream),
                  to, from, bytes, kind, stream)
TANDEM_TEST_COUNT(all.copies, cudaMemcpy2DAsync,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                  to, to_pitch, from, from_pitch, width, height, kind, stream)
TANDEM_TEST_COUNT(all.clears, cudaMemsetAsync,
                  (void* to, int value, std::size_t bytes, cudaStream_t stream), to, value, bytes,
                  stream)

TANDEM_TEST_COUNT(all.waits, cudaDeviceSynchronize, (), )
TANDEM_TEST_COUNT(all.waits, cudaStreamSynchronize, (cudaStream_t stream), stream)
TANDEM_TEST_COUNT(all.waits, cudaEventSynchronize, (cudaEvent_t event), event)

TANDEM_TEST_MEMORY(all.pooled, cudaMallocFromPoolAsync,
                   (void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                   memory, bytes, pool, stream)
TANDEM_TEST_MEMORY(all.pooled, cudaMallocAsync,
                   (void** memory, std::size_t bytes, cudaStream_t stream), memory, bytes, stream)
TANDEM_TEST_COUNT(questions, cudaFreeAsync, (void* memory, cudaStream_t stream), memory, stream)
TANDEM_TEST_MEMORY(all.allocations, cudaMalloc, (void** memory, std::size_t bytes), memory, bytes)
TANDEM_TEST_COUNT(all.allocations, cudaFree, (void* memory), memory)
TANDEM_TEST_MEMORY(all.allocations, cudaHostAlloc,
                   (void** memory, std::size_t bytes, unsigned flags), memory, bytes, flags)
TANDEM_TEST_COUNT(all.allocations, cudaFreeHost, (void* memory), memory)

// Wrapped so that the runtime's locks are not counted as tandem's.
TANDEM_TEST_COUNT(questions, cudaGetDevice, (int* device), device)
TANDEM_TEST_COUNT(questions, cudaSetDevice, (int device), device)
TANDEM_TEST_COUNT(questions, cudaGetDeviceCount, (int* devices), devices)
TANDEM_TEST_COUNT(questions, cudaDeviceGetAttribute, (int* value, cudaDeviceAttr which, int device),
                  value, which, device)
TANDEM_TEST_COUNT(questions, cudaGetLastError, (), )
TANDEM_TEST_COUNT(questions, cudaPeekAtLastError, (), )
TANDEM_TEST_COUNT(questions, cudaStreamQuery, (cudaStream_t stream), stream)
TANDEM_TEST_COUNT(questions, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event,
                  stream)
TANDEM_TEST_COUNT(questions, cudaStreamWaitEvent,
                  (cudaStream_t stream, cudaEvent_t event, unsigned flags), stream, event, flags)
TANDEM_TEST_COUNT(questions, cudaPointerGetAttributes,
                  (cudaPointerAttributes * attributes, const void* pointer), attributes, pointer)
TANDEM_TEST_COUNT(questions, cudaFuncGetAttributes,
                  (cudaFuncAttributes * attributes, const void* kernel), attributes, kernel)
TANDEM_TEST_COUNT(questions, cudaFuncSetAttribute,
                  (const void* kernel, cudaFuncAttribute which, int value), kernel, which, value)
TANDEM_TEST_COUNT(questions, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                  (int* blocks, const void* kernel, int threads, std::size_t shared,
                   unsigned flags),
                  blocks, kernel, threads, shared, flags)
TANDEM_TEST_COUNT(questions, __cudaGetKernel, (cudaKernel_t * kernel, const void* function), kernel,
                  function)
#undef TANDEM_TEST_COUNT
#undef TANDEM_TEST_MEMORY

extern "C" int __real_pthread_mutex_lock(pthread_mutex_t* mutex);
extern "C" int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex);
extern "C" int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (inside_runtime == 0) ++all.locks;
  return __real_pthread_mutex_lock(mutex);
}

}  // namespace tandem::test
