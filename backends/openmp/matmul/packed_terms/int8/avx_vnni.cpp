// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3 -mavxvnni; runs only on CPUs that have it (openmp.cmake).
#include <tandem/backends/openmp/matmul/packed_terms/int8/lanes.hpp>

namespace tandem::openmp_impl {
namespace {

/// The lanes of avx512_vnni.cpp at half the width.
struct lanes_int8 : eight_int8_lanes {
  static vector dot(vector a, vector b, vector sum) {
    return (vector)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)b, (__m256i)a);
  }
  static void start(element* a, std::int64_t stride, std::int64_t rows, std::int64_t terms) {
    subtract_offset<lanes_int8>(a, stride, rows, terms);
  }
  static std::uint32_t total(vector x) { return sum_lanes(x); }
};

// As for floats (kernels/avx2.cpp): the instruction has the same throughput.
constexpr int rows = 6;
constexpr int vectors = 2;

}  // namespace

template <>
constinit const int8_kernels int8_kernels::avx_vnni =
    make_int8_kernels<lanes_int8, signed_quads, offset_quads, rows, vectors>("avx_vnni");

}  // namespace tandem::openmp_impl
