// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/peak_bench.hpp>

#include <perf/support/contenders.hpp>

#include <omp.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace perf {

namespace {

using tandem::index_t;

/// Arrays whose pages lie where the threads that use them run.
struct buffers {
  explicit buffers(index_t n) : x(n), y(n), z(n) {
    fill_with(space, x.view(), uniform_values<float>{11});
    fill_with(space, y.view(), uniform_values<float>{12});
    fill_with(space, z.view(), uniform_values<float>{13});
  }

  tandem::openmp space;
  tandem::array<float, 1, tandem::openmp> x;
  tandem::array<float, 1, tandem::openmp> y;
  tandem::array<float, 1, tandem::openmp> z;
};

/// Exclusive-or of all words: no chain of additions stands between the loop and the memory.
std::uint64_t read_words(const std::uint64_t* __restrict x, index_t n) {
  std::uint64_t all = 0;
#pragma omp parallel for simd reduction(^ : all)
  for (index_t i = 0; i < n; ++i) all ^= x[i];
  return all;
}

/// z = x + scale * y, or z = x where y is null. Stores that bypass the caches save the read of the
/// line that is about to be overwritten; that is the most a memory system gives, and what a loop of
/// a compiler's own is compared with.
void stream(const float* __restrict x, const float* __restrict y, float* __restrict z, index_t n) {
#ifdef __AVX__
  const __m256 scale = _mm256_set1_ps(0.4f);
#pragma omp parallel for
  for (index_t i = 0; i < n / 8; ++i) {
    __m256 value = _mm256_loadu_ps(x + 8 * i);
    if (y != nullptr)
      value = _mm256_add_ps(value, _mm256_mul_ps(scale, _mm256_loadu_ps(y + 8 * i)));
    _mm256_stream_ps(z + 8 * i, value);
  }
#else
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) z[i] = y == nullptr ? x[i] : x[i] + 0.4f * y[i];
#endif
}

constexpr int fma_steps = 1 << 16;
constexpr int fma_chains = 12;  // 2 units x 4 to 5 cycles of latency, and a few to spare
constexpr int vector_bytes = 64;

/// Independent chains of multiply-adds in vectors of 64 bytes, which the compiler splits where
/// registers are narrower. This file is compiled with contraction on, so that each line is one
/// fused instruction.
template <class T>
T multiply_add(T a, T b) {
  typedef T vector __attribute__((vector_size(vector_bytes)));
  vector chain[fma_chains];
  for (int c = 0; c < fma_chains; ++c) chain[c] = vector{} + static_cast<T>(c);
  for (int step = 0; step < fma_steps; ++step) {
#pragma GCC unroll 12
    for (int c = 0; c < fma_chains; ++c) chain[c] = chain[c] * a + b;
  }
  T total = 0;
  for (int c = 0; c < fma_chains; ++c) {
    for (std::size_t lane = 0; lane < vector_bytes / sizeof(T); ++lane) total += chain[c][lane];
  }
  return total;
}

template <class T>
contender fma_peak() {
  auto total = std::make_shared<T>();
  const auto run = [=](std::int64_t) {
    T sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += multiply_add<T>(static_cast<T>(0.999), static_cast<T>(0.001));
    *total = sum;
  };
  return on_host(run, [] { return outcome{}; });
}

template <class T>
entry fma_entry(const char* type) {
  const double lanes = static_cast<double>(vector_bytes / sizeof(T));
  const double flops = 2.0 * lanes * fma_chains * fma_steps * omp_get_max_threads();
  return peer(peak_problem("fma", type, flops / 2, 0, flops), "openmp", "raw",
              [] { return fma_peak<T>(); });
}

contender read_peak(index_t n) {
  auto data = std::make_shared<buffers>(n);
  auto words = std::make_shared<std::uint64_t>();
  const auto run = [=](std::int64_t) {
    *words = read_words(reinterpret_cast<const std::uint64_t*>(data->x.data_handle()), n / 2);
  };
  return on_host(run, [] { return outcome{}; });
}

contender stream_peak(index_t n, bool second_input) {
  auto data = std::make_shared<buffers>(n);
  const auto run = [=](std::int64_t) {
    stream(data->x.data_handle(), second_input ? data->y.data_handle() : nullptr,
           data->z.data_handle(), n);
  };
  return on_host(run, [] { return outcome{}; });
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  const index_t n = peak_elements(chosen);
  const double size = static_cast<double>(n);
  entries.push_back(peer(peak_problem("read", "f32", size, 4 * size, 0), "openmp", "raw",
                         [=] { return read_peak(n); }));
  entries.push_back(peer(peak_problem("copy", "f32", size, 8 * size, 0), "openmp", "raw",
                         [=] { return stream_peak(n, false); }));
  entries.push_back(peer(peak_problem("triad", "f32", size, 12 * size, 0), "openmp", "raw",
                         [=] { return stream_peak(n, true); }));
  entries.push_back(fma_entry<float>("f32"));
  entries.push_back(fma_entry<double>("f64"));
}

const registration cpu(list_cpu);

}  // namespace

problem peak_problem(const std::string& name, const std::string& type, double elements,
                     double bytes, double flops) {
  problem solved{"peak", name, type, std::to_string(static_cast<std::int64_t>(elements))};
  solved.elements = elements;
  solved.bytes = bytes;
  solved.flops = flops;
  solved.expected = [] { return reference{}; };  // nothing is computed that could be wrong
  return solved;
}

std::int64_t peak_elements(const settings& chosen) {
  return std::int64_t{1} << (chosen.quick ? 24 : 27);
}

}  // namespace perf
