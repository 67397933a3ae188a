// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/histogram/bench.hpp>
#include <perf/support/raw_kernels.cuh>

#include <cub/device/device_histogram.cuh>

/// Peers of the histogram on the GPU.
namespace perf {

inline float lower_level(const float_samples&) { return float_samples::lo; }
inline float upper_level(const float_samples&) { return float_samples::hi; }
template <class T>
int lower_level(const integer_samples<T>&) {
  return 0;
}
template <class T>
int upper_level(const integer_samples<T>& samples) {
  return samples.bins;
}

/// cub::DeviceHistogram::HistogramEven.
template <class Samples>
candidate cub_histogram(const Samples& samples) {
  auto data = std::make_shared<histogram_data<cuda, Samples>>(samples);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    const auto* x = data->x.set(round).data_handle();
    return cub::DeviceHistogram::HistogramEven(
        scratch, bytes, x, data->counts.data_handle(), samples.bins + 1, lower_level(samples),
        upper_level(samples), samples.n, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return histogram_result(*data->space, data->counts.view()); });
}

/// cub::DeviceHistogram::HistogramRange.
inline candidate cub_edges(index_t n, int bins) {
  auto data = std::make_shared<edges_data<cuda>>(n, bins);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    const float* x = data->x.set(round).data_handle();
    return cub::DeviceHistogram::HistogramRange(scratch, bytes, x, data->counts.data_handle(),
                                                bins + 1, data->edges.data_handle(), n,
                                                data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return histogram_result(*data->space, data->counts.view()); });
}

/// The simplest histogram: one atomic addition in global memory per element.
static __global__ void __launch_bounds__(raw_threads)
    atomic_histogram_kernel(const int4* __restrict__ x, index_t n, int* counts) {
  const index_t first = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const index_t step = index_t{gridDim.x} * blockDim.x;
  for (index_t i = first; i < n; i += step) {
    const int4 group = x[i];
    atomicAdd(counts + group.x, 1);
    atomicAdd(counts + group.y, 1);
    atomicAdd(counts + group.z, 1);
    atomicAdd(counts + group.w, 1);
  }
}

/// Makes a candidate of atomic_histogram_kernel; n must be a multiple of four.
inline candidate atomic_histogram(const integer_samples<std::int32_t>& samples) {
  auto data = std::make_shared<histogram_data<cuda, integer_samples<std::int32_t>>>(samples);
  return resident(
      data->space,
      [=](std::int64_t round) {
        constexpr unsigned blocks = 132 * 8;  // fills the 132 multiprocessors of an sm_90
        int* const counts = data->counts.data_handle();
        const auto stream = data->space->native_stream();
        check_cuda(cudaMemsetAsync(counts, 0, static_cast<std::size_t>(samples.bins) * sizeof(int),
                                   stream),
                   "cudaMemsetAsync");
        atomic_histogram_kernel<<<blocks, raw_threads, 0, stream>>>(
            reinterpret_cast<const int4*>(data->x.set(round).data_handle()), samples.n / 4, counts);
        check_cuda(cudaGetLastError(), "atomics kernel");
      },
      [=] { return histogram_result(*data->space, data->counts.view()); });
}

}  // namespace perf
