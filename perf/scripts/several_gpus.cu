// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a group of all GPUs gains over one, and how fast operands of the host are streamed: the
// figures of docs/guide/larger-than-one-gpu.md. Prints milliseconds of one GPU and of the group,
// medians of 11 calls by the host's clock, each with a fence. Needs 36 GiB on each GPU and 20 GiB
// on the host, and in B a build of the library with the CUDA backend. In one line:
//
//   nvcc -std=c++20 -O3 -arch=native --fmad=false -Xcompiler=-ffp-contract=off,-fopenmp
//     -I $B/include perf/scripts/several_gpus.cu $B/libtandem_cuda_sm90a.a $B/libtandem_cuda.a
//     $B/libtandem_openmp.a $B/libtandem_serial.a $B/libtandem_core.a -ldl
//     -o $B/several_gpus && $B/several_gpus

#include <tandem/distributed.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

using tandem::array;
using tandem::index_t;

struct axpy {
  float a;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    y(i) += a * x(i);
  }
};

struct is_large {
  TANDEM_FUNCTION bool operator()(float value) const { return value > 0.5f; }
};

struct heat {
  template <class U, class V>
  TANDEM_FUNCTION void operator()(index_t k, index_t j, index_t i, const U& u, const V& v) const {
    v(k, j, i) =
        u(k, j, i) + 0.1f * (u(k - 1, j, i) + u(k + 1, j, i) + u(k, j - 1, i) + u(k, j + 1, i) +
                             u(k, j, i - 1) + u(k, j, i + 1) - 6 * u(k, j, i));
  }
};

/// The median of the milliseconds that f takes.
template <class Function>
double milliseconds(const Function& f) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int turn = 0; turn < 13; ++turn) {
    const auto start = clock::now();
    f();
    times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
  }
  std::sort(times.begin() + 2, times.end());  // the first two warm up
  return times[7];
}

/// The times of every operation on a space.
template <class Space>
std::vector<double> times_on(const Space& space) {
  std::vector<double> times;
  const auto add = [&](const auto& f) {
    times.push_back(milliseconds([&] {
      f();
      space.fence();
    }));
  };
  for (const int power : {32, 28, 20}) {
    const index_t n = index_t{1} << power;
    array<float, 1, Space> x(tandem::extents<1>(n), space);
    array<float, 1, Space> y(tandem::extents<1>(n), 1.0f, space);
    add([&] { tandem::fill_random(space, x, tandem::uniform{0, 1}, 1); });
    add([&] { tandem::parallel_for(space, n, axpy{2}, std::as_const(x), y); });
    add([&] { (void)tandem::parallel_reduce(space, x, tandem::sum{}); });
    add([&] { tandem::parallel_scan(space, x, y); });
    add([&] { (void)tandem::copy_if(space, x, y, is_large{}); });
  }
  array<float, 2, Space> a({16384, 16384}, 1.0f, space);
  array<float, 2, Space> b({16384, 16384}, 1.0f, space);
  array<float, 2, Space> c({16384, 16384}, space);
  add([&] { tandem::matmul(space, a, b, c); });
  return times;
}

/// A step of the heat equation; `read` makes the argument of the loop, and sets the halos.
template <class U, class Space, class Read>
double time_of_step(const Space& space, U u, U v, const Read& read) {
  const tandem::grid inner{{1, 1023}, {1, 511}, {1, 511}};
  return milliseconds([&] {
           for (int step = 0; step < 10; ++step) {
             tandem::parallel_for(space, inner, heat{}, read(u), v);
             std::swap(u, v);
           }
           space.fence();
         }) /
         10;
}

void print_streamed(const tandem::cuda& gpu) {
  constexpr index_t n = index_t{1} << 31;
  const auto rate = [](const auto& f) { return 4e-6 * n / milliseconds(f); };
  const std::vector<float> ordinary(static_cast<std::size_t>(n), 1.0f);
  array<float, 1, tandem::cuda_pinned> pinned({n});
  std::copy(ordinary.begin(), ordinary.end(), pinned.data_handle());
  const tandem::streamed big(gpu);
  std::printf("streamed sum of 8 GiB: %.1f GB/s from pinned memory, %.1f from a vector\n",
              rate([&] { (void)tandem::parallel_reduce(big, pinned); }),
              rate([&] { (void)tandem::parallel_reduce(big, ordinary); }));
  std::printf("streamed scan of 8 GiB in place: %.1f GB/s each way\n",
              rate([&] { tandem::parallel_scan(big, pinned, pinned); }));
}

/// A product of matrices of the host with 2^30 elements each, and the same on the device.
void print_streamed_product(const tandem::cuda& gpu) {
  constexpr index_t n = 32768;
  const std::vector<float> a(static_cast<std::size_t>(n * n), 1.0f);
  std::vector<float> c(a.size());
  const auto square = [](auto& values) { return tandem::reshape(values, n, n); };
  const tandem::streamed big(gpu, {.budget = std::size_t{8} << 30});
  const double streamed =
      milliseconds([&] { tandem::matmul(big, square(a), square(a), square(c)); });
  array<float, 2, tandem::cuda> there({n, n}, 1.0f, gpu);
  array<float, 2, tandem::cuda> product({n, n}, gpu);
  const double in_core = milliseconds([&] {
    tandem::matmul(gpu, there, there, product);
    gpu.fence();
  });
  std::printf("streamed product of 32768^3, 8 GiB: %.0f ms, on the device %.0f ms\n", streamed,
              in_core);
}

}  // namespace

int main() {
  const tandem::cuda one;
  const auto all = tandem::devices();
  const auto alone = times_on(one);
  const auto together = times_on(all);
  const char* const names[] = {"fill_random", "y += a x", "sum", "scan", "copy_if"};
  for (std::size_t k = 0; k < alone.size(); ++k) {
    const bool is_product = k == 15;
    std::printf("%-12s %-8s %9.3f %9.3f %6.2f\n", is_product ? "matmul" : names[k % 5],
                is_product ? "16384^3"
                : k < 5    ? "2^32"
                : k < 10   ? "2^28"
                           : "2^20",
                alone[k], together[k], alone[k] / together[k]);
  }
  using field = array<float, 3, tandem::cuda>;
  using fields = tandem::sharded<float, 3, tandem::cuda>;
  const tandem::extents<3> sizes(1024, 512, 512);
  const double step = time_of_step(one, field(sizes, 1.0f, one), field(sizes, 1.0f, one),
                                   [](field& u) { return std::as_const(u).view(); });
  const auto on_all = [&](const auto& read) {
    return time_of_step(all, fields(sizes, 1.0f, all, tandem::halo{1}),
                        fields(sizes, 1.0f, all, tandem::halo{1}), read);
  };
  const double apart = on_all([&](fields& u) -> const fields& {
    tandem::exchange(all, u);
    return u;
  });
  const double overlapped = on_all([](fields& u) { return tandem::exchanged(u); });
  std::printf("a step of a stencil and exchange %.3f %.3f %.2f\n", step, apart, step / apart);
  std::printf("a step that exchanges %.3f %.3f %.2f\n", step, overlapped, step / overlapped);
  print_streamed(one);
  print_streamed_product(one);
}
