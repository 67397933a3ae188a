// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/vector/bench.hpp>
#include <perf/support/raw_kernels.cuh>

#include <cub/device/device_transform.cuh>

#include <cuda/std/tuple>

namespace perf {

namespace {

struct raw_add {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct raw_multiply {
  __device__ float operator()(float x, float y) const { return x * y; }
};
struct raw_triad {
  __device__ float operator()(float x, float y) const { return __fmaf_rn(triad_scale, y, x); }
};

/// Allocates, copies both inputs in, runs the loop and copies the result out in each run: the cost
/// of a function on arrays of the host.
template <class Owner>
candidate elementwise_on_host_arrays(elementwise operation, index_t n) {
  auto space = std::make_shared<cuda>();
  auto x = host_elements<float, Owner>(*space, n, uniform_values<float>{x_seed});
  auto y = host_elements<float, Owner>(*space, n, uniform_values<float>{y_seed});
  auto z = make_host_array<float, Owner>(n);
  return on_host(
      [=](std::int64_t) {
        const extents<1> size(n);
        device_array<float> device_x(size, *space), device_y(size, *space), device_z(size, *space);
        tandem::copy(*space, *x, device_x);
        tandem::copy(*space, *y, device_y);
        run_elementwise(*space, operation, device_x.const_view(), device_y.const_view(),
                        device_z.view());
        tandem::copy(*space, device_z, *z);
        space->fence();
      },
      [=] { return summary_of(z->data_handle(), n); });
}

template <class Function>
candidate raw_kernel(index_t n, const Function& f) {
  auto data = std::make_shared<vectors<cuda>>(n);
  const index_t groups = groups_of_four(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const auto* x = reinterpret_cast<const float4*>(data->x.set(round).data_handle());
        const auto* y = reinterpret_cast<const float4*>(data->y.set(round).data_handle());
        auto* z = reinterpret_cast<float4*>(data->z.set(round).data_handle());
        raw_binary_kernel<<<raw_blocks(groups), raw_threads, 0, data->space->native_stream()>>>(
            x, y, z, groups, f);
        check_cuda(cudaGetLastError(), "raw kernel");
      },
      [=] { return summary(*data->space, data->z.set(0)); });
}

candidate raw_elementwise(elementwise operation, index_t n) {
  switch (operation) {
    case elementwise::add:
      return raw_kernel(n, raw_add{});
    case elementwise::multiply:
      return raw_kernel(n, raw_multiply{});
    case elementwise::triad:
      return raw_kernel(n, raw_triad{});
  }
  return {};
}

candidate cub_triad(index_t n) {
  auto data = std::make_shared<vectors<cuda>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const float* x = data->x.set(round).data_handle();
        const float* y = data->y.set(round).data_handle();
        check_cuda(cub::DeviceTransform::Transform(::cuda::std::make_tuple(x, y),
                                                   data->z.set(round).data_handle(), n, raw_triad{},
                                                   data->space->native_stream()),
                   "cub::DeviceTransform");
      },
      [=] { return summary(*data->space, data->z.set(0)); });
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const elementwise operation :
       {elementwise::add, elementwise::multiply, elementwise::triad}) {
    for (const index_t n : curve_sizes(chosen)) {
      const problem solved = elementwise_problem(operation, n);
      add(tandem_on_gpu(solved, [=] { return resident_elementwise<cuda>(operation, n); }));
      add(peer(solved, "cuda", "raw", [=] { return raw_elementwise(operation, n); }));
      if (operation == elementwise::triad) {
        add(peer(solved, "cuda", "cub", [=] { return cub_triad(n); }));
      }
      add_through_host(add, solved, [=](auto owner) {
        return elementwise_on_host_arrays<typename decltype(owner)::type>(operation, n);
      });
    }
  }
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
