// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/peak/bench.hpp>

#include <perf/support/candidates.hpp>

#include <omp.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace perf {

namespace {

/// Arrays whose pages are first touched by the threads that use them.
struct buffers {
  explicit buffers(index_t n) : x(n), y(n), z(n) {
    fill_with(space, x.view(), uniform_values<float>{11});
    fill_with(space, y.view(), uniform_values<float>{12});
    fill_with(space, z.view(), uniform_values<float>{13});
  }

  openmp space;
  array<float, 1, openmp> x;
  array<float, 1, openmp> y;
  array<float, 1, openmp> z;
};

/// Exclusive-or of all words, so that no chain of additions limits the loop. With a static schedule
/// each thread reads the pages that it has filled; with a dynamic one, faster cores read more.
std::uint64_t read_words(const std::uint64_t* __restrict x, index_t n, omp_sched_t kind) {
  constexpr index_t block = index_t{1} << 15;  // 256 KiB
  omp_set_schedule(kind, 0);
  std::uint64_t all = 0;
#pragma omp parallel for schedule(runtime) reduction(^ : all)
  for (index_t first = 0; first < n; first += block) {
    const index_t last = first + block < n ? first + block : n;
#pragma omp simd reduction(^ : all)
    for (index_t i = first; i < last; ++i) all ^= x[i];
  }
  return all;
}

/// x = scale * x + 1 in place, which reads no line only to overwrite it.
void update(float* x, index_t n) {
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) x[i] = 0.4f * x[i] + 1.0f;
}

/// z = x + scale * y, or z = x if y is null, with non-temporal stores, which save the read of
/// lines about to be overwritten: the highest bandwidth that a memory system gives.
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

constexpr int fma_steps = 1 << 13;
constexpr int fma_chains = 12;  // 2 units x 4 to 5 cycles of latency, and a few to spare
constexpr int fma_pieces_per_thread = 128;
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// Independent chains of multiply-adds in registers. This file is compiled with contraction, so
/// that each step is one fused instruction. `start` differs per call, since the compiler would
/// merge equal calls.
template <class T>
T multiply_add(T a, T b, T start) {
  typedef T vector __attribute__((vector_size(vector_bytes)));
  vector chain[fma_chains];
  for (int c = 0; c < fma_chains; ++c) chain[c] = vector{} + (start + static_cast<T>(c));
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

/// Threads take small pieces dynamically. With equal parts the slowest thread would determine the
/// time, and some threads of a virtual machine may share a core.
template <class T>
candidate fma_peak() {
  auto total = std::make_shared<T>();
  const auto run = [=](std::int64_t) {
    // Volatile, since the compiler would fold 0.999 * 1 + 0.001 to 1 and drop that chain.
    volatile T factor = static_cast<T>(0.999);
    const T a = factor;
    const int pieces = fma_pieces_per_thread * omp_get_max_threads();
    T sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int piece = 0; piece < pieces; ++piece)
      sum += multiply_add(a, static_cast<T>(0.001), static_cast<T>(piece));
    *total = sum;
  };
  return on_host(run, [] { return outcome{}; });
}

template <class T>
benchmark fma_benchmark(const char* type) {
  const double lanes = static_cast<double>(vector_bytes / sizeof(T));
  const double flops =
      2.0 * lanes * fma_chains * fma_steps * fma_pieces_per_thread * omp_get_max_threads();
  return peer(peak_problem("fma", type, flops / 2, 0, flops), "openmp", "raw",
              [] { return fma_peak<T>(); });
}

candidate read_peak(index_t n, omp_sched_t kind) {
  auto data = std::make_shared<buffers>(n);
  auto words = std::make_shared<std::uint64_t>();
  const auto run = [=](std::int64_t) {
    *words = read_words(reinterpret_cast<const std::uint64_t*>(data->x.data_handle()), n / 2, kind);
  };
  return on_host(run, [] { return outcome{}; });
}

candidate stream_peak(index_t n, bool second_input) {
  auto data = std::make_shared<buffers>(n);
  const auto run = [=](std::int64_t) {
    stream(data->x.data_handle(), second_input ? data->y.data_handle() : nullptr,
           data->z.data_handle(), n);
  };
  return on_host(run, [] { return outcome{}; });
}

candidate update_peak(index_t n) {
  auto data = std::make_shared<buffers>(n);
  return on_host([=](std::int64_t) { update(data->x.data_handle(), n); }, [] { return outcome{}; });
}

void list_cpu(const settings& chosen, lineup& add) {
  const index_t n = peak_elements(chosen);
  const double size = static_cast<double>(n);
  const auto memory = [&](const char* name, double bytes, std::function<candidate()> make) {
    add(peer(peak_problem(name, "f32", size, bytes * size, 0), "openmp", "raw", std::move(make)));
  };
  memory("read", 4, [=] { return read_peak(n, omp_sched_static); });
  memory("read_balanced", 4, [=] { return read_peak(n, omp_sched_dynamic); });
  memory("update", 8, [=] { return update_peak(n); });
  memory("copy", 8, [=] { return stream_peak(n, false); });
  memory("triad", 12, [=] { return stream_peak(n, true); });
  add(fma_benchmark<float>("f32"));
  add(fma_benchmark<double>("f64"));
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
