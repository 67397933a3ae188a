// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/reduce_bench.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_reduce.cuh>

namespace perf {

namespace {

/// Data and result stay on the device.
contender resident_sum(terms kind, tandem::index_t n) {
  auto data = std::make_shared<sum_data<tandem::cuda>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        sum_into(*data->space, kind, data->set(round), data->total.view());
      },
      [=] { return summary(*data->space, data->total.view()); });
}

/// What a call with an array of the host costs: memory of the device, the copy, the sum, its way
/// back.
template <class Owner>
contender sum_of_host_array(terms kind, tandem::index_t n) {
  auto space = std::make_shared<tandem::cuda>();
  auto total = std::make_shared<float>();
  auto host = host_elements<float, Owner>(*space, n, uniform_values<float>{sum_seed});
  return on_host(
      [=](std::int64_t) {
        device_array<float> x(tandem::extents<1>(n), *space);
        tandem::copy(*space, *host, x);
        *total = sum_of(*space, kind, x.const_view());
      },
      [=] { return summary_of(*total); });
}

struct magnitude {
  __host__ __device__ float operator()(float x) const { return fabsf(x); }
};

contender cub_sum(terms kind, tandem::index_t n) {
  auto data = std::make_shared<sum_data<tandem::cuda>>(n);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    const float* x = data->set(round).data_handle();
    float* total = data->total.data_handle();
    const cudaStream_t stream = data->space->native_stream();
    if (kind == terms::values) return cub::DeviceReduce::Sum(scratch, bytes, x, total, n, stream);
    return cub::DeviceReduce::TransformReduce(
        scratch, bytes, x, total, n, ::cuda::std::plus<float>{}, magnitude{}, 0.0f, stream);
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return summary(*data->space, data->total.view()); });
}

void list_gpu(const settings& chosen, std::vector<entry>& entries) {
  if (!gpu_present()) return;
  constexpr tandem::index_t largest = tandem::index_t{1} << 30;
  for (const terms kind : {terms::values, terms::magnitudes}) {
    std::vector<tandem::index_t> sizes = curve_sizes(chosen);
    if (!chosen.quick) sizes.push_back(largest);
    for (const tandem::index_t n : sizes) {
      const problem sum = sum_problem(kind, n);
      entries.push_back(tandem_on_gpu(sum, [=] { return resident_sum(kind, n); }));
      entries.push_back(peer(sum, "cuda", "cub", [=] { return cub_sum(kind, n); }));
      entries.push_back(
          tandem_through_host(sum, "to_host", [=] { return sum_to_host<tandem::cuda>(kind, n); }));
      if (n == largest) continue;  // 4 GB through the link tell no more than half a GB
      add_through_host(entries, sum, [=](auto owner) {
        return sum_of_host_array<typename decltype(owner)::type>(kind, n);
      });
    }
  }
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
