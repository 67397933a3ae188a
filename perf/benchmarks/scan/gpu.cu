// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/scan/bench.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_scan.cuh>

namespace perf::scan_gpu {

template <class T, class Owner>
candidate scan_of_host_array(index_t n) {
  auto space = std::make_shared<cuda>();
  auto x = host_elements<T, Owner>(*space, n, scan_values<T>{scan_seed});
  auto y = make_host_array<T, Owner>(n);
  return on_host(
      [=](std::int64_t) {
        const extents<1> size(n);
        device_array<T> device_x(size, *space), device_y(size, *space);
        tandem::copy(*space, *x, device_x);
        tandem::parallel_scan(*space, device_x.const_view(), device_y.view(), tandem::sum<T>{});
        tandem::copy(*space, device_y, *y);
        space->fence();
      },
      [=] { return scan_outcome(y->data_handle(), n); });
}

template <class T>
candidate cub_scan(index_t n, scan_kind kind = scan_kind::inclusive) {
  auto data = std::make_shared<scan_data<cuda, T>>(n);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    const T* x = data->x.set(round).data_handle();
    T* y = data->y.set(round).data_handle();
    const cudaStream_t stream = data->space->native_stream();
    if (kind == scan_kind::inclusive)
      return cub::DeviceScan::InclusiveSum(scratch, bytes, x, y, n, stream);
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, x, y, n, stream);
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return scan_result(*data->space, data->y.set(0)); });
}

constexpr index_t largest = index_t{1} << 30;

/// Sizes of the plot, and a large one if the device has room for twice the input and output.
template <class T>
std::vector<index_t> scan_sizes(const settings& chosen) {
  std::vector<index_t> sizes = curve_sizes(chosen);
  const std::size_t bytes = 5 * static_cast<std::size_t>(largest) * sizeof(T);
  if (!chosen.quick && cuda::devices()[0].free_memory > bytes) sizes.push_back(largest);
  return sizes;
}

template <class T>
void list_type(const settings& chosen, lineup& add) {
  for (const index_t n : scan_sizes<T>(chosen)) {
    const problem solved = scan_problem<T>(n);
    add(tandem_on_gpu(solved, [=] { return resident_scan<cuda, T>(n); }));
    add(peer(solved, "cuda", "cub", [=] { return cub_scan<T>(n); }));
    if (n == largest) continue;  // transfers are bound by the link at half a GB already
    add_through_host(add, solved, [=](auto owner) {
      return scan_of_host_array<T, typename decltype(owner)::type>(n);
    });
  }
}

/// Adds the targets' benchmarks of one type: one bound by the launch, one by bandwidth.
template <class T>
void list_targets(lineup& add) {
  for (const index_t n : {index_t{1} << 20, index_t{1} << 27}) {
    for (const scan_kind kind : {scan_kind::inclusive, scan_kind::exclusive}) {
      const problem solved = scan_problem<T>(n, kind);
      add(tandem_on_gpu(solved, [=] { return resident_scan<cuda, T>(n, kind); }));
      add(peer(solved, "cuda", "cub", [=] { return cub_scan<T>(n, kind); }));
    }
  }
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  if (chosen.targets) {
    list_targets<float>(add);
    list_targets<double>(add);
    list_targets<std::int32_t>(add);
    list_targets<std::int64_t>(add);
    return;
  }
  list_type<float>(chosen, add);
  list_type<std::int32_t>(chosen, add);
}

const registration gpu(list_gpu);

}  // namespace perf::scan_gpu
