// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/block.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/int8/kernels.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/int8/pack.hpp>

namespace tandem::openmp_impl {
namespace {

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
