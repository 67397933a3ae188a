// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3; runs only on CPUs that have it (openmp.cmake).
#include <tandem/backends/openmp/matmul/packed_terms/int8/lanes.hpp>

namespace tandem::openmp_impl {
namespace {

/// Pairs of 16 bits: vpmaddubsw would multiply bytes, but saturates their sums.
struct lanes_int8 : eight_int8_lanes {
  static vector dot(vector a, vector b, vector sum) {
    return sum + (vector)_mm256_madd_epi16((__m256i)a, (__m256i)b);
  }
};

// As for floats (kernels/avx2.cpp), and a register for products.
constexpr int rows = 6;
constexpr int vectors = 2;

}  // namespace

template <>
constinit const int8_kernels int8_kernels::avx2 =
    make_int8_kernels<lanes_int8, int16_pairs, int16_pairs, rows, vectors>("avx2");

}  // namespace tandem::openmp_impl
