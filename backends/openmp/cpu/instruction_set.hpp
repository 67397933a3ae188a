// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

/// Kernels for several instruction sets: how they are compiled, and how one is chosen at run time.
///
/// A kind of kernels is a table of functions, a struct. It has a static member of its own type per
/// instruction set, named as the set is:
///
///   struct table {
///     void (*kernel)(...);
///     static const table baseline;
///     static const table avx2;
///     static const table avx512;
///   };
///
/// Each member is defined in the file of that name, which alone is compiled for the instruction set
/// (openmp.cmake). Kernels have internal linkage, since the linker keeps one copy of an inline
/// function, and that of an AVX-512 file must not serve other processors. Such files may include
/// the core for its constants and types, but may not call its inline functions
/// (tests/checks/check_isa_symbols.py).
namespace tandem::openmp_impl {

/// The instruction sets for which there are kernels: the compiler's default, x86-64-v3 (avx2),
/// x86-64-v4 (avx512), and one of these with the extension named.
enum class instruction_set {
  baseline,
  avx2,
  avx_vnni,  ///< 8-bit dot products in vectors of 256 bits
  avx512,
  avx512_bf16,  ///< dot products of pairs of bf16
  avx512_vnni,  ///< 8-bit dot products in vectors of 512 bits
  avx512_amx    ///< products of tiles of 8-bit integers
};

/// Whether this processor has an instruction set and the environment variable TANDEM_ISA permits
/// it: `baseline`, `avx2` (and AVX-VNNI) or `avx512` (and its extensions) caps what is used, for
/// tests and comparisons. It is read once; any other value has no effect. It changes no result, and
/// does not affect the sort of Highway, which chooses its instructions itself.
///
/// Asking for avx512_amx asks Linux to let this process use tiles, for all threads and for good.
/// From then on Linux refuses alternate signal stacks that could not hold the tiles' 8 KiB.
bool is_usable(instruction_set set);

/// Whether AVX-512 BF16 is at least as fast as multiplying floats: AMD's processors issue as many
/// of these instructions per cycle as fused multiply-adds, Intel's a quarter.
bool has_fast_avx512_bf16();

/// Returns the tables of one kind that can be used, the fastest first.
template <class Table>
const std::vector<const Table*>& usable_kernels() {
  static const std::vector<const Table*> tables = [] {
    std::vector<const Table*> usable;
    [[maybe_unused]] const auto add = [&](instruction_set set, const Table& table) {
      if (is_usable(set)) usable.push_back(&table);
    };
#if defined(__x86_64__)
    if constexpr (requires { &Table::avx512_amx; })
      add(instruction_set::avx512_amx, Table::avx512_amx);
    if constexpr (requires { &Table::avx512_vnni; })
      add(instruction_set::avx512_vnni, Table::avx512_vnni);
    if constexpr (requires { &Table::avx512_bf16; })
      add(instruction_set::avx512_bf16, Table::avx512_bf16);
    if constexpr (requires { &Table::avx512; }) add(instruction_set::avx512, Table::avx512);
    if constexpr (requires { &Table::avx_vnni; }) add(instruction_set::avx_vnni, Table::avx_vnni);
    if constexpr (requires { &Table::avx2; }) add(instruction_set::avx2, Table::avx2);
#endif
    if constexpr (requires { &Table::baseline; }) add(instruction_set::baseline, Table::baseline);
    return usable;
  }();
  return tables;
}

/// Returns the fastest table of a kind that has kernels for every processor.
template <class Table>
const Table& best_kernels() {
  static const Table& best = *usable_kernels<Table>().front();
  return best;
}

}  // namespace tandem::openmp_impl
