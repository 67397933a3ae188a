// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For any CPU.
#include <tandem/backends/openmp/matmul/packed_terms/int8/make_table.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tandem::openmp_impl {
namespace {

typedef std::uint32_t vector_u32 __attribute__((vector_size(16)));
typedef std::int32_t vector_i32 __attribute__((vector_size(16)));

/// Returns the sums of the products of pairs of 16-bit integers.
[[gnu::always_inline]] inline vector_u32 multiply_pairs(vector_u32 a, vector_u32 b) {
#if defined(__SSE2__)
  return (vector_u32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  const vector_i32 low = ((vector_i32)(a << 16) >> 16) * ((vector_i32)(b << 16) >> 16);
  const vector_i32 high = ((vector_i32)a >> 16) * ((vector_i32)b >> 16);
  return (vector_u32)(low + high);
#endif
}

struct lanes_int8 {
  using element = std::int32_t;
  using vector = vector_u32;
  static constexpr int lanes = 4;
  static vector broadcast(element x) { return vector{} + static_cast<std::uint32_t>(x); }
  static vector fma(vector a, vector b, vector c) { return a * b + c; }
  static vector dot(vector a, vector b, vector sum) { return sum + multiply_pairs(a, b); }
  using mask = int;
  static mask first(int count) { return count; }
  static vector load_part(const element* p, mask m) {
    vector x{};
    for (int lane = 0; lane < m; ++lane) x[lane] = static_cast<std::uint32_t>(p[lane]);
    return x;
  }
  static void store_part(element* p, mask m, vector x) {
    for (int lane = 0; lane < m; ++lane) p[lane] = static_cast<element>(x[lane]);
  }
  static void stream(element* p, vector x) { __builtin_memcpy(p, &x, sizeof x); }
  static void fence() {}
};

// 8 accumulators, 2 vectors of b, one of a and one of products of the 16 registers of x86-64.
constexpr int rows = 4;
constexpr int vectors = 2;

}  // namespace

template <>
constinit const int8_kernels int8_kernels::baseline =
    make_int8_kernels<lanes_int8, int16_pairs, int16_pairs, rows, vectors>("baseline");

}  // namespace tandem::openmp_impl
