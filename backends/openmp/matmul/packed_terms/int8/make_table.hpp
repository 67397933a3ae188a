// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/block.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/pack_kernel.hpp>

/// How elements hold 8-bit integers, the forms of pack_kernel.hpp, and the tables of kernels that
/// multiply them.
namespace tandem::openmp_impl {
namespace {

/// Two terms as 16-bit integers.
struct int16_pairs {
  using source = std::int8_t;
  using element = std::int32_t;
  static constexpr int terms = 2;
  static std::uint32_t part(std::int8_t x, int r) {
    return static_cast<std::uint32_t>(static_cast<std::uint16_t>(x)) << (16 * r);
  }
  static std::int32_t load(const std::int8_t* p) {
    return static_cast<std::int32_t>(part(p[0], 0) | part(p[1], 1));
  }
};

/// Four terms unchanged, or each plus 128 as an unsigned integer.
template <std::uint32_t Flip>
struct int8_quads {
  using source = std::int8_t;
  using element = std::int32_t;
  static constexpr int terms = 4;
  static std::uint32_t part(std::int8_t x, int r) {
    return (static_cast<std::uint32_t>(static_cast<std::uint8_t>(x)) ^ Flip) << (8 * r);
  }
  // The byte order of x86-64; no other target has kernels for quads.
  static std::int32_t load(const std::int8_t* p) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, p, sizeof bits);
    return static_cast<std::int32_t>(bits ^ (Flip * 0x01010101u));
  }
};
using signed_quads = int8_quads<0>;
using offset_quads = int8_quads<0x80>;

template <class Lanes>
constexpr auto start_kernel() -> void (*)(std::int32_t*, std::int64_t, std::int64_t, std::int64_t) {
  if constexpr (has_start<Lanes>) return Lanes::start;
  return nullptr;
}

/// Returns the kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements; FormA and FormB
/// say how elements of a and b hold their terms.
template <class Lanes, class FormA, class FormB, int Rows, int Vectors>
constexpr int8_kernels make_int8_kernels(const char* instruction_set) {
  static_assert(FormA::terms == FormB::terms);
  return {.products = make_matmul_kernels<Lanes, Rows, Vectors>(instruction_set),
          .terms = FormA::terms,
          .pack_a = pack_terms_of_a<FormA>,
          .pack_b = pack_terms_of_b<FormB>,
          .start = start_kernel<Lanes>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
