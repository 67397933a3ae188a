// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/several_results/kernel.hpp>

#include <limits>

namespace perf::several_results_openmp {

void extremes_by_hand(sum_and_extremes<openmp>& kernel) {
  const int* const x = kernel.x.data_handle();
  const index_t n = kernel.x.size();
  std::int64_t sum = 0;
  int least = std::numeric_limits<int>::max();
  int most = std::numeric_limits<int>::min();
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(min : least) \
    reduction(max : most)
  for (index_t i = 0; i < n; ++i) {
    sum += x[i];
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  *kernel.found.data_handle() = tandem::make_tuple(sum, least, most);
}

struct extremes_of {
  std::int64_t sum;
  int least;
  int most;
};

/// Adds the halves of 16 bits in 32 bits, which a batch cannot exceed: vectors of 32 bits have
/// twice the elements of those of 64. The high half has the sign.
extremes_of of_batch(const int* __restrict x, index_t n) {
  int low = 0;
  int high = 0;
  int least = x[0];
  int most = x[0];
#pragma GCC unroll 4
  for (index_t i = 0; i < n; ++i) {
    low += x[i] & 0xffff;
    high += x[i] >> 16;
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  return {std::int64_t{high} * 65536 + low, least, most};
}

void extremes_tuned(sum_and_extremes<openmp>& kernel) {
  constexpr index_t batch = 4096;
  const int* const x = kernel.x.data_handle();
  const index_t n = kernel.x.size();
  std::int64_t sum = 0;
  int least = std::numeric_limits<int>::max();
  int most = std::numeric_limits<int>::min();
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(min : least) \
    reduction(max : most)
  for (index_t begin = 0; begin < n; begin += batch) {
    const extremes_of found = of_batch(x + begin, std::min(batch, n - begin));
    sum += found.sum;
    least = std::min(least, found.least);
    most = std::max(most, found.most);
  }
  *kernel.found.data_handle() = tandem::make_tuple(sum, least, most);
}

void fields_by_hand(field_sums<openmp>& kernel) {
  const double* const volume = kernel.volume.data_handle();
  const double* const density = kernel.density.data_handle();
  const double* const energy = kernel.energy.data_handle();
  const double* const pressure = kernel.pressure.data_handle();
  const double* const u = kernel.u.data_handle();
  const double* const v = kernel.v.data_handle();
  const index_t rows = kernel.volume.extent(0) - 1;
  const index_t pitch = kernel.volume.extent(1);
  double volumes = 0;
  double masses = 0;
  double internal = 0;
  double kinetic = 0;
  double pressures = 0;
#pragma omp parallel for schedule(static) \
    reduction(+ : volumes, masses, internal, kinetic, pressures)
  for (index_t j = 0; j < rows; ++j) {
#pragma omp simd reduction(+ : volumes, masses, internal, kinetic, pressures)
    for (index_t i = j * pitch; i < (j + 1) * pitch - 1; ++i) {
      const auto square = [=](index_t at) { return u[at] * u[at] + v[at] * v[at]; };
      const double squares =
          0.25 * (square(i) + square(i + 1) + square(i + pitch) + square(i + pitch + 1));
      const double mass = volume[i] * density[i];
      volumes += volume[i];
      masses += mass;
      internal += mass * energy[i];
      kinetic += 0.5 * mass * squares;
      pressures += volume[i] * pressure[i];
    }
  }
  *kernel.found.data_handle() = tandem::make_tuple(volumes, masses, internal, kinetic, pressures);
}

const registration extremes(
    list_kernel<openmp, sum_and_extremes<openmp>, extremes_by_hand, extremes_tuned>);
const registration fields(list_kernel<openmp, field_sums<openmp>, fields_by_hand>);

}  // namespace perf::several_results_openmp
