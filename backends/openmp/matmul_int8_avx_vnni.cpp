// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3 -mavxvnni and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/matmul_int8_vnni.hpp>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// As __m256i, without the attributes that a template argument would lose with a warning.
typedef long long integer_vector __attribute__((vector_size(32)));

/// As those of matmul_int8_avx512_vnni.cpp, in half the lanes.
struct lanes_int8 {
  using element = std::int32_t;
  typedef std::uint32_t vector __attribute__((vector_size(32)));
  static constexpr int lanes = 8;
  static vector broadcast(element x) { return (vector)_mm256_set1_epi32(x); }
  static vector fma(vector a, vector b, vector c) { return a * b + c; }
  static vector dot(vector a, vector b, vector sum) {
    return (vector)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)b, (__m256i)a);
  }
  static void start(const element* a, std::int64_t stride, std::int64_t rows, std::int64_t terms,
                    element* first) {
    take_back_offset<lanes_int8>(a, stride, rows, terms, first);
  }
  static std::uint32_t total(vector x) { return sum_lanes(x); }
  using mask = integer_vector;
  static mask first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static vector load_part(const element* p, mask m) { return (vector)_mm256_maskload_epi32(p, m); }
  static void store_part(element* p, mask m, vector x) { _mm256_maskstore_epi32(p, m, (__m256i)x); }
  static void stream(element* p, vector x) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)x);
  }
  static void fence() { _mm_sfence(); }
};

// As the floats' (matmul_avx2.cpp): an instruction takes as long.
constexpr int rows = 6;
constexpr int vectors = 2;

}  // namespace

constinit const int8_kernels matmul_int8_avx_vnni =
    make_int8_kernels<lanes_int8, signed_quads, offset_quads, rows, vectors>("avx_vnni");

}  // namespace tandem::openmp_impl
