// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/half.hpp>

#include <cstdint>
#include <type_traits>

/// What the element types of a problem, T of c and In of a and b, mean for the kernels.
namespace tandem::openmp_impl {

/// The type as which kernels read an element of type In: a 16-bit float as its bits.
template <class In>
using matmul_source =
    std::conditional_t<std::is_same_v<In, half> || std::is_same_v<In, bf16>, std::uint16_t, In>;

/// The kernels for c of type T and operands of type In.
template <class T, class In>
using matmul_kernels_for = matmul_kernels<detail::matmul_sum_t<T>, matmul_source<In>>;

/// Whether kernels can multiply a and b without packing them; otherwise both are always packed.
template <class T, class In>
inline constexpr bool multiplies_unpacked =
    std::is_same_v<detail::matmul_sum_t<T>, matmul_source<In>>;

/// Whether results are rounded to c's type after the kernels.
template <class T>
inline constexpr bool rounds_results = !std::is_same_v<T, detail::matmul_sum_t<T>>;

/// Whether kernels can read and write all matrices in place.
template <class T, class In>
inline constexpr bool works_in_place = multiplies_unpacked<T, In> && !rounds_results<T>;

/// Returns an operand as the kernels read it.
template <class In>
const matmul_source<In>* source_of(const In* operand) {
  static_assert(sizeof(matmul_source<In>) == sizeof(In));
  return reinterpret_cast<const matmul_source<In>*>(operand);
}

}  // namespace tandem::openmp_impl
