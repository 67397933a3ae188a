// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/reduce_axis/bench.hpp>
#include <perf/support/gpu.cuh>
#include <perf/support/raw_kernels.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>

namespace perf::reduce_axis_gpu {

/// Offset of the first element of a row, as CUB's segmented reduction reads it.
struct row_begin {
  index_t columns;
  __host__ __device__ index_t operator()(index_t row) const { return row * columns; }
};

candidate cub_rows(const matrix_shape& shape) {
  using space = cuda;
  auto data = std::make_shared<axis_data<space>>(sums::rows, shape);
  const auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(index_t{0}),
                                                     row_begin{shape.columns});
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    return cub::DeviceSegmentedReduce::Sum(scratch, bytes, data->set(round).data_handle(),
                                           data->out.data_handle(), data->shape.rows, begin,
                                           begin + 1, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return summary(*data->space, data->out.view()); });
}

/// Hand-written sums of short columns: four per thread, with 16 loads of 16 bytes in flight.
/// `width` counts groups of four columns.
__global__ void __launch_bounds__(raw_threads)
    raw_columns_kernel(const float4* __restrict__ x, float4* __restrict__ out, index_t rows,
                       index_t width) {
  const index_t column = static_cast<index_t>(blockIdx.x) * raw_threads + threadIdx.x;
  if (column >= width) return;
  float4 total = make_float4(0, 0, 0, 0);
#pragma unroll 16
  for (index_t row = 0; row < rows; ++row) {
    const float4 term = x[row * width + column];
    total = make_float4(total.x + term.x, total.y + term.y, total.z + term.z, total.w + term.w);
  }
  out[column] = total;
}

candidate raw_columns(const matrix_shape& shape) {
  return resident_axis<cuda>(sums::columns, shape, [](axis_data<cuda>& data, std::int64_t round) {
    const index_t width = groups_of_four(data.shape.columns);
    const auto blocks = static_cast<unsigned>(tandem::ceil_div(width, index_t{raw_threads}));
    raw_columns_kernel<<<blocks, raw_threads, 0, data.space->native_stream()>>>(
        reinterpret_cast<const float4*>(data.set(round).data_handle()),
        reinterpret_cast<float4*>(data.out.data_handle()), data.shape.rows, width);
    check_cuda(cudaGetLastError(), "columns kernel");
  });
}

/// Rows from which on the hand-written kernel, whose threads own columns, has too few threads.
constexpr index_t most_raw_rows = 1024;

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const sums of : {sums::rows, sums::columns}) {
    for (const matrix_shape& shape : matrix_shapes(chosen)) {
      const problem solved = axis_problem(of, shape);
      add(tandem_on_gpu(solved, [=] { return tandem_axis<cuda>(of, shape); }));
      if (of == sums::rows)
        add(peer(solved, "cuda", "cub", [=] { return cub_rows(shape); }));
      else if (shape.rows <= most_raw_rows)
        add(peer(solved, "cuda", "raw", [=] { return raw_columns(shape); }));
      if (chosen.targets) add(read_limit(solved, solved.bytes));
    }
  }
}

const registration gpu(list_gpu);

}  // namespace perf::reduce_axis_gpu
