// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/increment/bench.hpp>
#include <perf/support/raw_kernels.cuh>

namespace perf {

namespace {

struct add_one {
  __device__ float operator()(float x) const { return x + 1.0f; }
};

/// Allocates, copies in, increments and copies out in each run.
template <class Owner>
candidate increment_of_host_array(const increment_shape& shape) {
  auto space = std::make_shared<cuda>();
  auto host =
      host_elements<float, Owner>(*space, shape.size(), uniform_values<float>{increment_seed});
  return on_host(
      [=](std::int64_t) {
        device_array<float> x(extents<1>(shape.size()), *space);
        tandem::copy(*space, *host, x);
        increment(*space, shape, x.view());
        tandem::copy(*space, x, *host);
        space->fence();
      },
      [=] { return summary_of(host->data_handle(), shape.size()); });
}

candidate raw_increment(const increment_shape& shape) {
  auto data = std::make_shared<increment_data<cuda>>(shape.size());
  const index_t groups = groups_of_four(shape.size());
  return resident(
      data->space,
      [=](std::int64_t round) {
        auto* x = reinterpret_cast<float4*>(data->x.set(round).data_handle());
        raw_update_kernel<<<raw_blocks(groups), raw_threads, 0, data->space->native_stream()>>>(
            x, groups, add_one{});
        check_cuda(cudaGetLastError(), "raw kernel");
      },
      [=] { return summary(*data->space, data->x.set(0)); });
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const increment_shape& shape : increment_shapes(chosen)) {
    const problem solved = increment_problem(shape);
    add(tandem_on_gpu(solved, [=] { return resident_increment<cuda>(shape); }));
    add(peer(solved, "cuda", "raw", [=] { return raw_increment(shape); }));
    add_through_host(add, solved, [=](auto owner) {
      return increment_of_host_array<typename decltype(owner)::type>(shape);
    });
  }
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
