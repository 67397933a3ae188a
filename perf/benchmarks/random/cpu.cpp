// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of drawing random numbers, and the CPU's targets for them: tandem against the
// standard library's engine and distributions, an engine per thread.
#include <perf/benchmarks/random/bench.hpp>

#include <cmath>
#include <random>

#include <omp.h>

namespace perf {

namespace {

/// The distribution of the standard library; of integers, the engine's words as they are.
template <drawn Kind, class T>
auto distribution_of_std() {
  if constexpr (Kind == drawn::bits) return [](std::mt19937& engine) { return engine(); };
  if constexpr (Kind == drawn::uniform) return std::uniform_real_distribution<T>();
  if constexpr (Kind == drawn::normal) return std::normal_distribution<T>();
}

template <drawn Kind, class T>
void draw_by_std(T* x, index_t n) {
#pragma omp parallel
  {
    std::mt19937 engine(static_cast<unsigned>(omp_get_thread_num()));
    auto draw = distribution_of_std<Kind, T>();
#pragma omp for schedule(static)
    for (index_t i = 0; i < n; ++i) x[i] = static_cast<T>(draw(engine));
  }
}

/// Six standard deviations of the sum of n squares: what other random numbers may differ by.
double tolerance_of(drawn kind, double n) {
  const double variance = kind == drawn::normal ? 2 : 1.0 / 5 - 1.0 / 9;
  return 6 * std::sqrt(2 * variance * n);  // of a difference of two sums
}

template <drawn Kind, class T>
void list_draws(lineup& add) {
  constexpr index_t n = index_t{1} << 26;
  const problem solved = draw_problem<Kind, T>(n);
  add(tandem_on_cpu(solved, "openmp", [] { return random_by_tandem<openmp, Kind, T>(n); }));
  add(peer(solved, "openmp", "mt19937", [] {
    return resident_draw<openmp, T>(
        std::make_shared<openmp>(), n,
        [](const openmp&, const auto& x) { draw_by_std<Kind>(x.data_handle(), x.size()); });
  }));
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  list_draws<drawn::bits, std::uint32_t>(add);
  list_draws<drawn::uniform, float>(add);
  list_draws<drawn::uniform, double>(add);
  list_draws<drawn::normal, float>(add);
}

const registration host(list_host);

}  // namespace

template <drawn Kind, class T>
problem draw_problem(index_t n) {
  const char* name = Kind == drawn::bits ? "bits" : Kind == drawn::normal ? "normal" : "uniform";
  return problem_of("random", name, type_name<T>(), n, sizeof(T), [=] {
    return reference{random_by_tandem<openmp, Kind, T>(n).check(),
                     tolerance_of(Kind, static_cast<double>(n)), "openmp"};
  });
}

template problem draw_problem<drawn::bits, std::uint32_t>(index_t n);
template problem draw_problem<drawn::uniform, float>(index_t n);
template problem draw_problem<drawn::uniform, double>(index_t n);
template problem draw_problem<drawn::normal, float>(index_t n);

}  // namespace perf
