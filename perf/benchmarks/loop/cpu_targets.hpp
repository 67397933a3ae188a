// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/loop/bench.hpp>
#include <perf/support/random_data.hpp>

#include <memory>

namespace perf {

inline constexpr double host_triad_scale = 0.4;

/// The element that an operation computes of x, y and z.
template <loop Operation, class T>
struct host_element {
  T operator()(T x, T y, T z) const {
    if constexpr (Operation == loop::triad) {
      return tandem::fma(static_cast<T>(host_triad_scale), y, x);
    } else if constexpr (Operation == loop::copy) {
      return x;
    } else {
      return z + T(1);
    }
  }
};

/// The arrays of a problem, shared by its candidates: a set per candidate would not fit a small
/// machine, and the placement of arrays in memory influences times.
template <class T>
class host_loop_data {
 public:
  explicit host_loop_data(index_t elements)
      : n(elements), x(extents<1>(n), space), y(extents<1>(n), space), z(extents<1>(n), space) {
    fill_with(space, x.view(), uniform_values<T>{1});
    fill_with(space, y.view(), uniform_values<T>{2});
    reset();
  }

  void reset() { fill_with(space, z.view(), uniform_values<T>{3}); }

  /// Number of elements of z that differ from the result of one run of Operation.
  template <loop Operation>
  outcome wrong_elements() const {
    const T* const result = z.data_handle();
    const auto wrong = tandem::parallel_reduce(space, n, [result](index_t i) {
      const T wanted = host_element<Operation, T>{}(
          uniform_values<T>{1}(i), uniform_values<T>{2}(i), uniform_values<T>{3}(i));
      return index_t{result[i] != wanted};
    });
    return {0, static_cast<double>(wrong)};
  }

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
      return data->template wrong_elements<Operation>();
    };
    return made;
  };
}

}  // namespace perf
