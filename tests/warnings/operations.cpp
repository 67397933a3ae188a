// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the main operations as a program's author writes them, compiled with that author's
// warnings (tests/checks/check_warnings.py).

#include <cstdio>
#include <iostream>
#include <utility>

#include <tandem/dlpack.hpp>
#include <tandem/print.hpp>
#include <tandem/require_in_kernel.hpp>
#include <tandem/tandem.hpp>

namespace {

constexpr int n = 256;

void loop_and_reduce() {
  using T = float;
  tandem::array<T> x({n}, T{1}), y({n}, T{2}), z({n}, T{3});
  const auto in = x.const_view();
  const auto out = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { out(i) = in(i) + T{1}; });
  tandem::transform(
      x, y, z, TANDEM_LAMBDA(T a, T b) { return a + b; });
  tandem::fill(z, T{4});
  tandem::copy(z, x);
  tandem::iota(x);
  std::cout << tandem::parallel_reduce(x, tandem::sum{}) << tandem::dot(x, y)
            << tandem::parallel_reduce(
                   n, TANDEM_LAMBDA(int i) { return in(i); }, tandem::maximum{})
            << tandem::argmin(x).index << tandem::norm2(x) << tandem::asum(x) << tandem::nrm_inf(x)
            << x << '\n';
  const auto [sum, peak] = tandem::parallel_reduce(
      n, TANDEM_LAMBDA(int i) { return in(i); },
      tandem::combined_reducer{tandem::sum{}, tandem::maximum{}});
  std::cout << sum << peak << '\n';
  tandem::array<T, 2> table({16, 16}, T{1});
  tandem::array<T> sums(16);
  tandem::parallel_reduce_into(table, tandem::axis{0}, tandem::sum{}, sums);
  tandem::parallel_reduce_into(table, tandem::axis{1}, tandem::minimum{}, sums);
  const auto offsets = tandem::array<int>::of({0, 2, 2, 5});
  tandem::array<T> parts(3);
  tandem::segmented_reduce(x, offsets, parts);
  tandem::segmented_scan(x, offsets, x);
  const tandem::array<int> index({n}, 3);
  tandem::scatter_add(index, z, y);
  tandem::gather(x, index, y);
}

void scan_sort_and_select() {
  using T = float;
  tandem::array<T> x({n}, T{1}), y({n}, T{2}), z({n}, T{3});
  tandem::parallel_scan(x, y);
  tandem::parallel_scan(x, y, tandem::sum{}, tandem::exclusive{T{0}});
  tandem::parallel_scan(
      x, y, TANDEM_LAMBDA(T a, T b) { return a < b ? b : a; });
  tandem::sort(x);
  tandem::sort(x, y);
  tandem::sort_by_key(x, z);
  const auto kept = tandem::copy_if(
      x, y, TANDEM_LAMBDA(T a) { return a > T{0}; });
  const auto different = tandem::unique(x, y);
  const auto above = tandem::count_if(
      x, TANDEM_LAMBDA(T a) { return a > T{2}; });
  tandem::array<T> keys(n);
  const auto runs = tandem::reduce_by_key(x, z, keys, y);
  tandem::reverse(x);
  tandem::shuffle(x, 1);
  tandem::adjacent_difference(x, y);
  std::cout << kept << different << above << runs << '\n';
}

void count_multiply_and_draw() {
  using T = float;
  tandem::array<T> x(n), weights({n}, T{1}), sums(16);
  tandem::array<int> counts(16);
  tandem::fill_random(x, tandem::normal{}, 1);
  tandem::fill_random(x, tandem::uniform{}, 2);
  tandem::fill_random(x, tandem::exponential{}, 3);
  tandem::fill_random(counts, tandem::uniform_int<int>{1, 6}, 4);
  tandem::fill_random(counts, tandem::poisson{}, 5);
  tandem::histogram(x, {.lo = T{-4}, .hi = T{4}}, counts);
  tandem::histogram(x, {.lo = T{-4}, .hi = T{4}}, weights, sums);
  const auto edges = tandem::array<T>::of({T{0}, T{1}, T{2}});
  tandem::array<int> halves(2);
  tandem::histogram(x, edges, halves);
  tandem::array<T, 2> a({16, 8}, T{1}), b({8, 16}, T{2}), c({16, 16}, T{0});
  tandem::matmul(a, b, c);
  tandem::matmul(a, b, c, {.alpha = T{2}, .beta = T{1}});
  tandem::matmul(tandem::transposed(b), b, c);
  tandem::dlpack::managed_tensor* const tensor = tandem::to_dlpack(std::move(x));
  tensor->deleter(tensor);
}

template <class T>
void call_functions() {
  tandem::array<T> x({n}, T{1}), y({n}, T{2});
  const auto values = x.const_view();
  const auto out = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) {
        const T v = values(i);
        tandem::require_in_kernel(i < n, "an index", i);
        out(i) = tandem::exp(v) + tandem::log(v) + tandem::pow(v, v) + tandem::sin(v) +
                 tandem::tan(v) + tandem::atan2(v, v) + tandem::acos(v) + tandem::tanh(v) +
                 tandem::erf(v) + tandem::erfc(v) + tandem::cbrt(v) + tandem::hypot(v, v) +
                 tandem::sqrt(v) + tandem::floor(v) + tandem::fmod(v, v) + tandem::exp2(v) +
                 tandem::expm1(v) + tandem::log1p(v) + tandem::log2(v) + tandem::log10(v) +
                 tandem::asin(v) + tandem::atan(v) + tandem::sinh(v) + tandem::cosh(v);
      });
}

void teams_and_atomics() {
  tandem::array<float> x({n}, 1.0f);
  tandem::array<int> count({1}, 0);
  const auto v = x.view();
  const auto c = count.view();
  const tandem::team_shape shape{.teams = 4, .lanes = 64, .scratch_bytes = 64 * sizeof(float)};
  tandem::parallel_teams(
      shape, TANDEM_LAMBDA(tandem::team & t) {
        float* const shared = t.scratch<float>(64);
        t.for_each_lane([&](int lane) { shared[lane] = v(t.index() * 64 + lane); });
        tandem::per_lane<float> mine(t, 0.0f);
        t.for_each_lane([&](int lane) { mine[lane] = shared[63 - lane]; });
        const float sum = t.reduce(mine);
        t.for_each_lane([&](int lane) { v(t.index() * 64 + lane) = sum; });
      });
  tandem::parallel_for(
      tandem::grid{16, 16},
      TANDEM_LAMBDA(int j, int i) { tandem::atomic_add(c(0), j < i ? 1 : 0); });
  tandem::array<tandem::half> halves({n}, tandem::half(1.0f));
  tandem::array<tandem::bf16> short_floats({n}, tandem::bf16(1.0f));
  std::cout << float(tandem::parallel_reduce(halves, tandem::maximum{}))
            << float(tandem::parallel_reduce(short_floats, tandem::maximum{}));
}

}  // namespace

int main() {
  try {
    loop_and_reduce();
    scan_sort_and_select();
    count_multiply_and_draw();
    call_functions<float>();
    call_functions<double>();
    teams_and_atomics();
  } catch (const tandem::error& failure) {
    std::puts(failure.what());
    return 1;
  }
  return 0;
}
