// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tandem, Thrust and a handwritten kernel take turns on a stream that the program owns: the stream
// orders them, and nothing waits before the result is read.
#include <cstdio>

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <tandem/tandem.hpp>

__global__ void double_each(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] *= 2;
}

int main() {
  const int n = 1 << 16;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) {
    std::puts("no_device_error: there is no GPU to make a stream on");
    return 1;
  }
  int wrong = n;
  {
    const auto space = tandem::cuda::on_stream(stream);  // borrowed: the stream outlives it
    tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(n), space);
    tandem::iota(space, x);

    // Thrust's algorithms take raw pointers with a policy that names their memory.
    int* const first = x.data_handle();
    thrust::sort(thrust::cuda::par.on(stream), first, first + x.size(), thrust::greater<int>());
    double_each<<<n / 256, 256, 0, space.native_stream()>>>(first, n);

    const auto v = x.const_view();
    wrong = static_cast<int>(tandem::parallel_reduce(
        space, n, TANDEM_LAMBDA(int i) { return v(i) == 2 * (n - 1 - i) ? 0 : 1; }));
  }
  cudaStreamDestroy(stream);
  std::printf("%d of %d elements are wrong\n", wrong, n);
  return wrong == 0 ? 0 : 1;
}
