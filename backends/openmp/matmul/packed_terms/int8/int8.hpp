// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdint>

namespace tandem {

class openmp;

/// Computes a matmul of 8-bit integers, exact modulo 2^32. a and b are packed first, several terms
/// of k per element of 32 bits: four for AMX, AVX-512 VNNI and AVX-VNNI, whose instructions multiply
/// and add four bytes per lane, otherwise two. A product of such elements is blocked like one of
/// floats.
///
/// Scratch: that of a product of floats with a quarter of the terms, and as many bytes as a and b
/// have with k rounded up to 4 and 4 for each row of a, of every entry of the batch; with AMX k is
/// rounded up to 64, and a row of a has 64 bytes more; twice that without any of them. The calling
/// thread keeps up to 64 MiB of it.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<std::int32_t, std::int8_t>& problem);

}  // namespace tandem
