// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/atomic/bench.hpp>
#include <perf/support/gpu.cuh>

namespace perf::atomic_gpu {

__global__ void count_kernel(int* counter, index_t n) {
  if (static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x < n) atomicAdd(counter, 1);
}

candidate raw_counter(index_t n) {
  auto space = std::make_shared<cuda>();
  auto counter = std::make_shared<device_array<std::int32_t>>(extents<1>(1), *space);
  return resident(
      space,
      [=](std::int64_t) {
        constexpr int threads = 256;
        const cudaStream_t stream = space->native_stream();
        check_cuda(cudaMemsetAsync(counter->data_handle(), 0, sizeof(std::int32_t), stream),
                   "cudaMemsetAsync");
        count_kernel<<<static_cast<unsigned>(tandem::ceil_div(n, index_t{threads})), threads, 0,
                       stream>>>(counter->data_handle(), n);
        check_cuda(cudaGetLastError(), "raw kernel");
      },
      [=] { return summary(*space, counter->view()); });
}

/// Makes a candidate each of whose runs copies the count to the host.
template <class Owner>
candidate counter_to_host(index_t n) {
  auto space = std::make_shared<cuda>();
  auto counter = std::make_shared<array<std::int32_t, 0, cuda>>(extents<0>(), *space);
  auto count = make_host_array<std::int32_t, Owner>(1);
  return on_host(
      [=](std::int64_t) {
        count_threads(*space, n, counter->view());
        using memory = typename Owner::memory_type;
        const tandem::view<std::int32_t, 0, tandem::layout_right, memory> here(count->data_handle(),
                                                                               extents<0>());
        tandem::copy(*space, counter->view(), here);
        space->fence();
      },
      [=] { return summary_of(*count->data_handle()); });
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const index_t n : counter_threads(chosen)) {
    const problem solved = counter_problem(n);
    add(tandem_on_gpu(solved, [=] { return resident_counter<cuda>(n); }));
    add(peer(solved, "cuda", "raw", [=] { return raw_counter(n); }));
    add_through_host(add, solved, [=](auto owner) {
      return counter_to_host<typename decltype(owner)::type>(n);
    });
  }
}

const registration gpu(list_gpu);

}  // namespace perf::atomic_gpu
