// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/loop/bench.hpp>
#include <perf/support/gpu.cuh>

namespace perf {

inline constexpr double triad_scale = 0.4;
inline constexpr std::uint64_t x_seed = 2;
inline constexpr std::uint64_t y_seed = std::uint64_t{1} << 40;
inline constexpr std::uint64_t z_seed = std::uint64_t{1} << 41;

/// The peers' operation, on elements and on 16-byte words of elements.
template <loop Operation, class T>
struct applied {
  static constexpr int inputs = Operation == loop::triad ? 2 : 1;

  __host__ __device__ T operator()(T x, T y = T()) const {
    if constexpr (Operation == loop::triad) return tandem::fma(static_cast<T>(triad_scale), y, x);
    if constexpr (Operation == loop::increment) return x + T(1);
    return x;
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
    return asked.operation == loop::triad ? 3 : asked.operation == loop::copy ? 2 : 1;
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

}  // namespace perf
