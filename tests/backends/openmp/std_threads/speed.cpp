// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times a backend on std::thread with openmp's kernels, openmp, and serial, whose code a new
// backend starts from: tandem_std_threads_speed [THREADS]. Medians of alternating runs.

#include "std_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

/// Returns the time of a call in milliseconds.
template <class Function>
double milliseconds(const Function& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Prints the medians of run(space) on each space and whether the results have the same bits.
template <class Run, class... Space>
bool compare(const char* what, int rounds, const Run& run, const Space&... space) {
  std::vector<double> times[sizeof...(Space)];
  std::vector<float> results[sizeof...(Space)];
  for (int round = 0; round <= rounds; ++round) {
    int i = 0;
    const auto once = [&](const auto& one) {
      const double time = milliseconds([&] { run(one, results[i]); });
      if (round > 0) times[i].push_back(time);  // the first round warms up
      ++i;
    };
    (once(space), ...);
  }
  std::printf("%-28s", what);
  for (const auto& some : times) std::printf(" %12.3f", median(some));
  bool is_same = true;
  for (const auto& result : results)
    is_same = is_same &&
              std::memcmp(result.data(), results[0].data(), result.size() * sizeof(float)) == 0;
  std::printf("  %s\n", is_same ? "same bits" : "DIFFERENT BITS");
  return is_same;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const tandem::test::std_threads std_threads(threads);
  const tandem::openmp openmp(threads);
  const tandem::serial serial;
  std::printf("milliseconds, %d threads  %15s %12s %12s\n", threads, "std_threads", "openmp",
              "serial");
  bool is_same = true;
  for (const int n : {1 << 18, 1 << 20, 1 << 22, 1 << 24}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    tandem::fill_random(openmp, x, tandem::uniform{-1, 1}, 7);
    const auto sum = [&](const auto& space, std::vector<float>& result) {
      result = {tandem::parallel_reduce(space, x)};
    };
    char what[64];
    std::snprintf(what, sizeof what, "sum of %d floats", n);
    is_same &= compare(what, 61, sum, std_threads, openmp, serial);
  }
  for (const int n : {256, 512, 1024}) {
    tandem::array<float, 2, tandem::serial> a({n, n});
    tandem::array<float, 2, tandem::serial> b({n, n});
    tandem::fill_random(openmp, a, tandem::uniform{-1, 1}, 1);
    tandem::fill_random(openmp, b, tandem::uniform{-1, 1}, 2);
    const auto multiply = [&](const auto& space, std::vector<float>& result) {
      result.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
      const tandem::view<float, 2, tandem::layout_right, tandem::host_memory> c(result.data(),
                                                                                {n, n});
      tandem::matmul(space, a, b, c);
    };
    char what[64];
    std::snprintf(what, sizeof what, "%d x %d matmul of floats", n, n);
    // serial takes seconds for larger sizes.
    is_same &= n > 256 ? compare(what, 31, multiply, std_threads, openmp)
                       : compare(what, 31, multiply, std_threads, openmp, serial);
  }
  return is_same ? 0 : 1;
}
