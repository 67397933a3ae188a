// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Kernels for several instruction sets: how they are compiled, and how one is chosen at run time.
///
/// A kind of kernels is a table of functions, a struct. It has a static member of that type per
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
/// the core for its constants and types, but may not call its inline functions, other than those
/// that are always inlined
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
/// it does not affect the sort of Highway, which chooses its instructions itself.
///
/// A query for avx512_amx permanently requests permission to use AMX from Linux, for all threads of
/// the process. From then on Linux rejects alternate signal stacks that are too small for the
/// tiles' 8 KiB.
bool is_usable(instruction_set set);

/// Whether AVX-512 BF16 is at least as fast as multiplying floats: AMD's processors issue as many
/// of these instructions per cycle as fused multiply-adds, Intel's a quarter as many.
bool has_fast_avx512_bf16();

/// The usable tables of one kind, fastest first.
template <class Table>
class kernel_list {
 public:
  /// Adds a table if its instruction set can be used.
  void add(instruction_set set, const Table& table) {
    if (is_usable(set)) tables_[count_++] = &table;
  }
  const Table* const* begin() const { return tables_; }
  const Table* const* end() const { return tables_ + count_; }
  const Table* front() const { return tables_[0]; }
  bool empty() const { return count_ == 0; }

 private:
  const Table* tables_[7] = {};  // one per instruction set at most
  std::size_t count_ = 0;
};

/// Returns the usable tables of one kind. Allocates nothing: the first call may come from an
/// operation that has run out of memory.
template <class Table>
const kernel_list<Table>& usable_kernels() {
  static const kernel_list<Table> tables = [] {
    kernel_list<Table> usable;
#if defined(__x86_64__)
    if constexpr (requires { &Table::avx512_amx; })
      usable.add(instruction_set::avx512_amx, Table::avx512_amx);
    if constexpr (requires { &Table::avx512_vnni; })
      usable.add(instruction_set::avx512_vnni, Table::avx512_vnni);
    if constexpr (requires { &Table::avx512_bf16; })
      usable.add(instruction_set::avx512_bf16, Table::avx512_bf16);
    if constexpr (requires { &Table::avx512; }) usable.add(instruction_set::avx512, Table::avx512);
    if constexpr (requires { &Table::avx_vnni; })
      usable.add(instruction_set::avx_vnni, Table::avx_vnni);
    if constexpr (requires { &Table::avx2; }) usable.add(instruction_set::avx2, Table::avx2);
#endif
    if constexpr (requires { &Table::baseline; })
      usable.add(instruction_set::baseline, Table::baseline);
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
