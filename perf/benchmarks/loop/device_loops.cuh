// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/loop/bench.hpp>
#include <perf/support/raw_kernels.cuh>

#include <cub/device/device_transform.cuh>

#include <type_traits>

#include <cuda/std/tuple>

namespace perf {

/// The peers' operation, on elements and on 16-byte words of elements.
template <loop Operation, class T>
struct applied {
  static constexpr int inputs = has_two_inputs<Operation> ? 2 : 1;

  __host__ __device__ T operator()(T x, T y = T()) const {
    return element_of<Operation, T>{}(x, y, x);
  }
  __device__ float4 operator()(float4 x, float4 y) const {
    return {(*this)(x.x, y.x), (*this)(x.y, y.y), (*this)(x.z, y.z), (*this)(x.w, y.w)};
  }
  __device__ double2 operator()(double2 x, double2 y) const {
    return {(*this)(x.x, y.x), (*this)(x.y, y.y)};
  }
};

/// The arrays of a problem, shared by its candidates: a set per candidate would not fit the device,
/// and the placement of arrays in memory influences times.
template <class T>
class loop_data {
 public:
  explicit loop_data(const loop_case& asked) : asked(asked) {
    x.fill(*space, uniform_values<T>{x_seed});
    y.fill(*space, uniform_values<T>{y_seed});
  }

  T* x_at(std::int64_t round) { return x.set(round).data_handle() + asked.place().offset; }
  T* y_at(std::int64_t round) { return y.set(round).data_handle() + asked.place().offset; }
  T* z_at(std::int64_t round) { return z.set(round).data_handle() + asked.place().offset; }
  void reset() { z.fill(*space, uniform_values<T>{z_seed}); }
  cudaStream_t stream() const { return space->native_stream(); }

  loop_case asked;
  /// Number of arrays per round.
  int arrays() const {
    return asked.operation == loop::increment ? 1 : asked.operation == loop::copy ? 2 : 3;
  }

  std::shared_ptr<cuda> space = std::make_shared<cuda>();
  rotating_array<T, cuda> x{*space, asked.place().span(), arrays()};
  rotating_array<T, cuda> y{*space, asked.place().span(), arrays()};
  rotating_array<T, cuda> z{*space, asked.place().span(), arrays()};
};

/// One set of arrays, shared for as long as a candidate holds it.
template <class T>
using shared_data = shared_while_used<loop_data<T>, loop_case>;

/// Counts elements of set 0 that differ from the loop's result, including those in gaps, which must
/// be unchanged. Independent of the loops that are measured.
template <loop Operation, class T>
__global__ void count_wrong(const T* z, placement place, unsigned long long* wrong) {
  const index_t stride = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t m = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; m < place.span();
       m += stride) {
    const index_t from = m - place.offset;
    const index_t column = place.rows > 1 ? from % place.pitch : from;
    const bool covered =
        from >= 0 && column % place.step == 0 && column / place.step < place.columns;
    const T before = uniform_values<T>{z_seed}(m);
    const T x = Operation == loop::increment ? before : uniform_values<T>{x_seed}(m);
    const T wanted = applied<Operation, T>{}(x, uniform_values<T>{y_seed}(m));
    if (z[m] != (covered ? wanted : before)) atomicAdd(wrong, 1ULL);
  }
}

template <loop Operation, class T>
outcome wrong_elements(loop_data<T>& data) {
  device_array<unsigned long long> wrong(extents<1>(1), 0ULL, *data.space);
  count_wrong<Operation><<<1024, 256, 0, data.stream()>>>(data.z.set(0).data_handle(),
                                                          data.asked.place(), wrong.data_handle());
  check_cuda(cudaGetLastError(), "check");
  return {0, static_cast<double>(on_the_host(*data.space, wrong.view()).front())};
}

/// Makes a candidate that calls enqueue(data, round).
template <loop Operation, class T, class Enqueue>
std::function<candidate()> on_shared(const std::shared_ptr<shared_data<T>>& shared,
                                     const Enqueue& enqueue) {
  return [=] {
    const std::shared_ptr<loop_data<T>> data = shared->get();
    candidate made = resident(
        data->space, [=](std::int64_t round) { enqueue(*data, round); }, [] { return outcome{}; });
    made.check = [=] {
      data->reset();
      enqueue(*data, 0);
      return wrong_elements<Operation>(*data);
    };
    return made;
  };
}

template <class T>
auto line_view(T* data, const placement& place) {
  return tandem::view<T, 1, tandem::layout_right, tandem::device_memory>(data,
                                                                         extents<1>(place.columns));
}

// Fastest on sm_90 of blocks of 128 to 512 threads with 1 to 8 loads in flight, for arrays that
// need few blocks, for larger ones, and for loops over single elements rather than words.
inline constexpr index_t small_bytes = 8 << 20;
inline constexpr int small_loads = 4;
inline constexpr int large_loads = 1;
inline constexpr int element_loads = 4;

template <class T>
const raw_word<T>* words(const T* p) {
  return reinterpret_cast<const raw_word<T>*>(p);
}
template <class T>
raw_word<T>* words(T* p) {
  return reinterpret_cast<raw_word<T>*>(p);
}

/// The arrays of one round as the hand-written kernels take them; an update is its own input.
template <loop Operation, class T>
struct raw_arrays {
  raw_arrays(loop_data<T>& data, std::int64_t round)
      : z(data.z_at(round)),
        x(Operation == loop::increment ? z : data.x_at(round)),
        y(data.y_at(round)) {}

  T* z;
  const T* x;
  const T* y;
};

/// Runs the hand-written kernel over contiguous elements.
template <loop Operation, class T>
void run_raw_words(loop_data<T>& data, const raw_arrays<Operation, T>& at) {
  const index_t n = data.asked.place().size() * index_t{sizeof(T)} / index_t{sizeof(raw_word<T>)};
  const bool is_small = n * index_t{sizeof(raw_word<T>)} <= small_bytes;
  const auto launch = [&](auto loads) {
    constexpr int each = decltype(loads)::value;
    raw_loop_kernel<each><<<raw_blocks(n, each), raw_threads, 0, data.stream()>>>(
        words(at.x), words(at.y), words(at.z), n, applied<Operation, T>{});
  };
  if (is_small) {
    launch(std::integral_constant<int, small_loads>());
  } else {
    launch(std::integral_constant<int, large_loads>());
  }
  check_cuda(cudaGetLastError(), "raw kernel");
}

template <loop Operation, class T>
void run_cub(loop_data<T>& data, std::int64_t round) {
  const T* x = data.x_at(round);
  const T* y = data.y_at(round);
  const auto run = [&](const auto& inputs) {
    check_cuda(cub::DeviceTransform::Transform(inputs, data.z_at(round), data.asked.columns,
                                               applied<Operation, T>{}, data.stream()),
               "cub::DeviceTransform");
  };
  if constexpr (has_two_inputs<Operation>) {
    run(::cuda::std::make_tuple(x, y));
  } else {
    run(::cuda::std::make_tuple(x));
  }
}

}  // namespace perf
