// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/runtime/counted_calls.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace tandem::test {

namespace {

call_counts all;
int questions = 0;           // calls that cost no more than looking something up
thread_local int depth = 0;  // calls of the CUDA runtime under way, which locks and allocates, too

/// Counts a call of the runtime and makes it.
template <class... Parameter>
cudaError_t count(int& counter, cudaError_t (*call)(Parameter...),
                  std::type_identity_t<Parameter>... argument) {
  if (depth == 0) ++counter;
  ++depth;
  const cudaError_t status = call(argument...);
  --depth;
  return status;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const call_counts& c) {
  return out << c.launches << " launches, " << c.copies << " copies, " << c.clears << " clears, "
             << c.waits << " waits, " << c.pooled << " pooled, " << c.allocations
             << " allocations, " << c.heap << " heap, " << c.locks << " locks";
}

call_counts calls_so_far() { return all; }

// Defines the replacement of a function of the runtime, under the name that the linker's --wrap
// gives it.
#define TANDEM_TEST_COUNT(counter, name, parameters, ...)            \
  extern "C" cudaError_t __real_##name parameters;                   \
  extern "C" cudaError_t __wrap_##name parameters;                   \
  extern "C" cudaError_t __wrap_##name parameters {                  \
    return count(counter, __real_##name __VA_OPT__(, ) __VA_ARGS__); \
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

TANDEM_TEST_COUNT(all.pooled, cudaMallocFromPoolAsync,
                  (void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                  memory, bytes, pool, stream)
TANDEM_TEST_COUNT(all.pooled, cudaMallocAsync,
                  (void** memory, std::size_t bytes, cudaStream_t stream), memory, bytes, stream)
TANDEM_TEST_COUNT(questions, cudaFreeAsync, (void* memory, cudaStream_t stream), memory, stream)
TANDEM_TEST_COUNT(all.allocations, cudaMalloc, (void** memory, std::size_t bytes), memory, bytes)
TANDEM_TEST_COUNT(all.allocations, cudaFree, (void* memory), memory)
TANDEM_TEST_COUNT(all.allocations, cudaHostAlloc,
                  (void** memory, std::size_t bytes, unsigned flags), memory, bytes, flags)
TANDEM_TEST_COUNT(all.allocations, cudaFreeHost, (void* memory), memory)

// Wrapped so that the runtime's own locks are not counted as tandem's.
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

extern "C" int __real_pthread_mutex_lock(pthread_mutex_t* mutex);
extern "C" int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex);
extern "C" int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (depth == 0) ++all.locks;
  return __real_pthread_mutex_lock(mutex);
}

}  // namespace tandem::test

// Replaces the process's operator, so that the standard library's allocations are counted as well.
void* operator new(std::size_t bytes) {
  if (tandem::test::depth == 0) ++tandem::test::all.heap;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
