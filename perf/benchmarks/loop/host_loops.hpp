// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/loop/bench.hpp>
#include <perf/support/host_peers.hpp>

#include <memory>

namespace perf {

/// Number of elements of z that differ from the result of one run of Operation.
template <loop Operation, class T>
double wrong_elements(const openmp& space, const T* z, index_t n) {
  const auto wrong = tandem::parallel_reduce(space, n, [z](index_t i) {
    const T wanted = element_of<Operation, T>{}(
        uniform_values<T>{x_seed}(i), uniform_values<T>{y_seed}(i), uniform_values<T>{z_seed}(i));
    return index_t{z[i] != wanted};
  });
  return static_cast<double>(wrong);
}

/// The arrays of a problem, shared by its candidates: a set per candidate would not fit a small
/// machine, and the placement of arrays in memory influences times.
template <class T>
class host_loop_data {
 public:
  explicit host_loop_data(index_t elements)
      : n(elements), x(extents<1>(n), space), y(extents<1>(n), space), z(extents<1>(n), space) {
    fill_with(space, x.view(), uniform_values<T>{x_seed});
    fill_with(space, y.view(), uniform_values<T>{y_seed});
    reset();
  }

  void reset() { fill_with(space, z.view(), uniform_values<T>{z_seed}); }

  openmp space;
  index_t n;
  array<T, 1, openmp> x;
  array<T, 1, openmp> y;
  array<T, 1, openmp> z;
};

/// One set of arrays, shared for as long as a candidate holds it.
template <class T>
using shared_host_data = shared_while_used<host_loop_data<T>, index_t>;

/// Makes a candidate that calls run(data).
template <loop Operation, class T, class Run>
std::function<candidate()> on_shared_host(const std::shared_ptr<shared_host_data<T>>& shared,
                                          const Run& run) {
  return [=] {
    const std::shared_ptr<host_loop_data<T>> data = shared->get();
    candidate made;
    made.run = [=](std::int64_t) { run(*data); };
    made.check = [=] {
      data->reset();
      run(*data);
      return outcome{0, wrong_elements<Operation>(data->space, data->z.data_handle(), data->n)};
    };
    return made;
  };
}

template <class T>
auto input_view(const array<T, 1, openmp>& x) {
  return tandem::view<const T, 1, tandem::layout_right, tandem::host_memory>(x.data_handle(),
                                                                             x.extents());
}

/// A hand-written loop over elements [begin, end), the body of the peers that split ranges.
template <loop Operation, class T>
void run_part(const T* __restrict x, const T* __restrict y, T* __restrict z, index_t begin,
              index_t end) {
#pragma omp simd
  for (index_t i = begin; i < end; ++i) z[i] = element_of<Operation, T>{}(x[i], y[i], z[i]);
}

template <loop Operation, class T>
void raw_line(const T* __restrict x, const T* __restrict y, T* __restrict z, index_t n) {
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) z[i] = element_of<Operation, T>{}(x[i], y[i], z[i]);
}

template <loop Operation, class T>
void run_raw(host_loop_data<T>& data) {
  raw_line<Operation>(data.x.data_handle(), data.y.data_handle(), data.z.data_handle(), data.n);
}

template <loop Operation, class T>
void run_tbb(host_loop_data<T>& data) {
  tbb_for(data.n, [x = data.x.data_handle(), y = data.y.data_handle(), z = data.z.data_handle()](
                      index_t begin, index_t end) { run_part<Operation>(x, y, z, begin, end); });
}

template <loop Operation, class T>
void run_kokkos(host_loop_data<T>& data) {
  kokkos_for(data.n, [x = data.x.data_handle(), y = data.y.data_handle(), z = data.z.data_handle()](
                         index_t i) { z[i] = element_of<Operation, T>{}(x[i], y[i], z[i]); });
}

}  // namespace perf
