// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From which size cub::DeviceReduce takes the time of tandem's own kernel: the figure behind
// `cub_reduce` in backends/cuda/reduce/policy.hpp (docs/decisions/0019-cub-in-reductions.md). Both
// reduce the same integers on the device, in turns. Needs a GPU with 9 GiB free, and in B a build
// of the library with the CUDA backend. In one line:
//
//   nvcc -std=c++20 -O3 -arch=native --extended-lambda --fmad=false
//     -Xcompiler=-ffp-contract=off,-fopenmp -I $B/include perf/scripts/cub_threshold.cu
//     $B/libtandem_cuda.a $B/libtandem_openmp.a $B/libtandem_serial.a $B/libtandem_core.a -ldl
//     -o $B/cub_threshold && $B/cub_threshold

#include <tandem/tandem.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include <cub/device/device_reduce.cuh>

namespace {

using tandem::index_t;

/// Operations that tandem does not know, so that its own kernel combines them at every size, and
/// CUB's reductions by them.
struct plus {
  static constexpr const char* name = "sum";
  template <class T>
  static constexpr T identity = 0;
  template <class T>
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const {
    return a + b;
  }
  template <class... Arguments>
  static cudaError_t by_cub(Arguments&&... arguments) {
    return cub::DeviceReduce::Sum(arguments...);
  }
};
struct smaller {
  static constexpr const char* name = "minimum";
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::max();
  template <class T>
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const {
    return b < a ? b : a;
  }
  template <class... Arguments>
  static cudaError_t by_cub(Arguments&&... arguments) {
    return cub::DeviceReduce::Min(arguments...);
  }
};
struct larger {
  static constexpr const char* name = "maximum";
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::lowest();
  template <class T>
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const {
    return a < b ? b : a;
  }
  template <class... Arguments>
  static cudaError_t by_cub(Arguments&&... arguments) {
    return cub::DeviceReduce::Max(arguments...);
  }
};

/// Elements between -1001 and 1001.
template <class T>
struct set_element {
  tandem::view<T, 1, tandem::layout_right, tandem::device_memory> x;
  TANDEM_FUNCTION void operator()(index_t i) const {
    x(i) = static_cast<T>(i * 7919 % 2003 - 1001);
  }
};

constexpr int turns = 21;
constexpr index_t rotated_bytes = index_t{1} << 29;  // far more than L2 holds

/// Elements of T that fill the device's caches several times over, and two results.
template <class T>
struct data {
  explicit data(index_t n)
      : total(std::max(n, rotated_bytes / index_t{sizeof(T)})),
        x(tandem::extents<1>(total), space),
        own(tandem::extents<0>(), space),
        by_cub(tandem::extents<0>(), space) {
    tandem::parallel_for(space, total, set_element<T>{x.view()});
  }

  /// The elements of call number `call`.
  const T* at(index_t n, index_t call) const { return x.data_handle() + call % (total / n) * n; }

  tandem::cuda space;
  index_t total;
  tandem::array<T, 1, tandem::cuda> x;
  tandem::array<T, 0, tandem::cuda> own;
  tandem::array<T, 0, tandem::cuda> by_cub;
};

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUB: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// Microseconds per call of run(call), over so many calls.
template <class Run>
double time_of(const tandem::cuda& space, index_t calls, const Run& run) {
  const auto start = space.record();
  for (index_t call = 0; call < calls; ++call) run(call);
  const auto stop = space.record();
  return 1e3 * tandem::elapsed_ms(start, stop) / static_cast<double>(calls);
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + turns / 2, times.end());
  return times[turns / 2];
}

/// Medians of the times of two candidates that take turns.
template <class Own, class Cub>
std::pair<double, double> times_of(const tandem::cuda& space, index_t bytes, const Own& own,
                                   const Cub& by_cub) {
  const index_t calls = std::clamp(4 * rotated_bytes / bytes, index_t{2}, index_t{500});
  std::vector<double> own_times, cub_times;
  for (int turn = -1; turn < turns; ++turn) {  // the first of each warms up
    const double of_own = time_of(space, calls, own);
    const double of_cub = time_of(space, calls, by_cub);
    if (turn < 0) continue;
    own_times.push_back(of_own);
    cub_times.push_back(of_cub);
  }
  return {median(own_times), median(cub_times)};
}

/// Measures one operation over the first n elements and prints the row.
template <class T, class Operation>
void measure(data<T>& d, index_t n) {
  const auto reducer = tandem::commutative_reduction(Operation{}, Operation::template identity<T>);
  const auto own = [&](index_t call) {
    const tandem::view<const T, 1, tandem::layout_right, tandem::device_memory> v(
        d.at(n, call), tandem::extents<1>(n));
    tandem::parallel_reduce_into(d.space, v, reducer, d.own.view());
  };
  std::size_t bytes = 0;
  const auto reduce = [&](void* scratch, index_t call) {
    check(Operation::by_cub(scratch, bytes, d.at(n, call), d.by_cub.data_handle(), n,
                            d.space.native_stream()));
  };
  reduce(nullptr, 0);
  tandem::array<unsigned char, 1, tandem::cuda> scratch(
      tandem::extents<1>(static_cast<index_t>(bytes)), d.space);
  const index_t size = n * index_t{sizeof(T)};
  const auto [of_own, of_cub] =
      times_of(d.space, size, own, [&](index_t call) { reduce(scratch.data_handle(), call); });
  const bool agree = tandem::to_vector(d.own)[0] == tandem::to_vector(d.by_cub)[0];
  std::printf("| %s | i%zu | %lld | %lld | %.2f | %.2f | %.3f |%s\n", Operation::name,
              8 * sizeof(T), static_cast<long long>(n), static_cast<long long>(size >> 20), of_own,
              of_cub, of_cub / of_own, agree ? "" : " WRONG");
}

template <class T>
void measure_all() {
  const index_t most = (index_t{1} << 33) / index_t{sizeof(T)};
  data<T> d(most);
  for (index_t n = index_t{1} << 20; n <= most; n *= 2) {
    measure<T, plus>(d, n);
    measure<T, smaller>(d, n);
    measure<T, larger>(d, n);
  }
}

}  // namespace

int main() {
  if (tandem::cuda::devices().empty()) return 77;
  std::printf(
      "| operation | type | elements | MiB | tandem's kernel, us | CUB, us | CUB / tandem |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
  measure_all<std::int32_t>();
  measure_all<std::int64_t>();
}
