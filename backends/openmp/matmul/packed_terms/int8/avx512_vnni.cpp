// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 -mavx512vnni -mprefer-vector-width=512; runs only on CPUs that
// have it (openmp.cmake).
#include <tandem/backends/openmp/matmul/packed_terms/int8/lanes.hpp>

namespace tandem::openmp_impl {
namespace {

/// vpdpbusd multiplies unsigned bytes, here those of b plus 128, by signed bytes and adds four
/// products to a lane.
struct lanes_int8 : sixteen_int8_lanes {
  static vector dot(vector a, vector b, vector sum) {
    return (vector)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)b, (__m512i)a);
  }
  static void start(element* a, std::int64_t stride, std::int64_t rows, std::int64_t terms) {
    subtract_offset<lanes_int8>(a, stride, rows, terms);
  }
  static std::uint32_t total(vector x) {
    return sum_lanes(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
  }
};

// As for floats (kernels/avx512.cpp): the instruction has the same throughput.
constexpr int rows = 8;
constexpr int vectors = 3;

}  // namespace

template <>
constinit const int8_kernels int8_kernels::avx512_vnni =
    make_int8_kernels<lanes_int8, signed_quads, offset_quads, rows, vectors>("avx512_vnni");

}  // namespace tandem::openmp_impl
