// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/reduce/bench.hpp>
#include <perf/support/gpu.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>

/// Peers of the reductions on the GPU: CUB.
namespace perf {

struct magnitude_operation {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return tandem::abs(x);
  }
};

/// CUB's output: a value, and a position if the case finds one.
template <class T>
struct cub_output {
  explicit cub_output(const cuda& space) : value(extents<0>(), space), index(extents<0>(), space) {}

  array<T, 0, cuda> value;
  array<::cuda::std::int64_t, 0, cuda> index;
};

template <class Case>
inline constexpr bool finds_position = requires(typename Case::result r) { r.index; };

/// Whether CUB has a reduction for the case.
template <class Case>
inline constexpr bool has_cub_reduction =
    finds_position<Case> || (std::is_arithmetic_v<typename Case::result> &&
                             !std::is_same_v<Case, std::remove_const_t<decltype(ordered_case)>>);

/// CUB's two-phase call on set number `round`.
template <class Case, class Data, class Output>
cudaError_t call_cub(void* scratch, std::size_t& bytes, const Case& what, Data& data,
                     Output& output, std::int64_t round) {
  using T = typename Case::element;
  using input = typename Data::input;
  const input x = data.x.set(round);
  const T* from = x.data_handle();
  const index_t n = x.size();
  T* to = output.value.data_handle();
  const cudaStream_t stream = data.space->native_stream();
  if constexpr (finds_position<Case>) {
    auto* const index = output.index.data_handle();
    if constexpr (std::is_same_v<decltype(what.reducer), tandem::minloc<T>>)
      return cub::DeviceReduce::ArgMin(scratch, bytes, from, to, index, n, stream);
    return cub::DeviceReduce::ArgMax(scratch, bytes, from, to, index, n, stream);
  } else if constexpr (std::is_same_v<decltype(what.reducer), tandem::maximum<T>>) {
    return cub::DeviceReduce::Max(scratch, bytes, from, to, n, stream);
  } else if constexpr (Case::kind == operands::values) {
    return cub::DeviceReduce::Sum(scratch, bytes, from, to, n, stream);
  } else if constexpr (Case::kind == operands::magnitudes) {
    return cub::DeviceReduce::TransformReduce(scratch, bytes, from, to, n, ::cuda::std::plus<T>{},
                                              magnitude_operation{}, T{0}, stream);
  } else {
    const auto products = thrust::make_transform_iterator(
        thrust::counting_iterator<index_t>(0), product_term<input>{x, input(data.y->set(round))});
    return cub::DeviceReduce::Sum(scratch, bytes, products, to, n, stream);
  }
}

/// CUB's call, ready to run, and its data.
template <class Case>
struct cub_call {
  using T = typename Case::element;

  cub_call(const Case& what, index_t n)
      : data(std::make_shared<reduce_data<cuda, Case>>(n)),
        output(std::make_shared<cub_output<T>>(*data->space)) {
    run = two_phase(*data->space, [=, data = data, output = output](
                                      void* scratch, std::size_t& bytes, std::int64_t round) {
      return call_cub(scratch, bytes, what, *data, *output, round);
    });
  }

  std::shared_ptr<reduce_data<cuda, Case>> data;
  std::shared_ptr<cub_output<T>> output;
  std::function<void(std::int64_t)> run;
};

/// Makes a candidate whose data and result stay on the device.
template <class Case>
candidate cub_reduction(const Case& what, index_t n) {
  const cub_call<Case> call(what, n);
  return resident(call.data->space, call.run, [=] {
    const cuda& space = *call.data->space;
    const auto value = on_the_host(space, call.output->value.view())[0];
    if constexpr (finds_position<Case>) {
      const auto index = on_the_host(space, call.output->index.view())[0];
      return result_outcome(typename Case::result{value, index});
    } else {
      return result_outcome(value);
    }
  });
}

/// Makes a candidate whose result reaches the host by a copy to page-locked memory and a wait.
template <class Case>
candidate cub_reduction_to_host(const Case& what, index_t n) {
  using T = typename Case::element;
  const cub_call<Case> call(what, n);
  const auto result = make_host_array<T, tandem::cuda_pinned>(1);
  return on_host(
      [=](std::int64_t round) {
        call.run(round);
        const cudaStream_t stream = call.data->space->native_stream();
        check_cuda(cudaMemcpyAsync(result->data_handle(), call.output->value.data_handle(),
                                   sizeof(T), cudaMemcpyDeviceToHost, stream),
                   "cudaMemcpyAsync");
        check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      },
      [=] { return summary_of(*result->data_handle()); });
}

}  // namespace perf
