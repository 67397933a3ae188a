// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/cpu/instruction_set.hpp>

#include <tandem/core/contract/environment.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tandem::openmp_impl {
namespace {

/// Returns the last instruction set that TANDEM_ISA permits.
instruction_set permitted() {
  switch (detail::word_in_environment("TANDEM_ISA", {"baseline", "avx2", "avx512"})) {
    case 0:
      return instruction_set::baseline;
    case 1:
      return instruction_set::avx_vnni;
    default:
      return instruction_set::avx512_amx;
  }
}

#if defined(__x86_64__)

/// The result of cpuid for a leaf; all zeros if the processor does not have it.
struct cpuid_registers {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;

  cpuid_registers(unsigned leaf, unsigned subleaf) {
    if (__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d) == 0) a = b = c = d = 0;
  }
};

// The tests match the -march flags in openmp.cmake. Every CPU that passes them also has what they
// leave out (movbe, lzcnt, f16c).

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

/// __builtin_cpu_supports of clang 14 does not know AVX-VNNI.
bool has_avx_vnni() {
  constexpr unsigned avx_vnni = 1u << 4;  // of eax
  return has_avx2() && (cpuid_registers(7, 1).a & avx_vnni) != 0;
}

bool has_amx_int8() {
#if defined(SYS_arch_prctl)
  constexpr unsigned amx = 3u << 24;           // of edx: tiles, and 8-bit integers in them
  constexpr unsigned tile_state = 3u << 17;    // of XCR0: shapes and contents
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM of Linux' asm/prctl.h
  constexpr long tile_contents = 18;           // XFEATURE_XTILE_DATA
  if (!has_avx512() || (cpuid_registers(7, 0).d & amx) != amx) return false;
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & tile_state) == tile_state &&
         syscall(SYS_arch_prctl, request_permission, tile_contents) == 0;
#else
  return false;
#endif
}

bool is_supported(instruction_set set) {
  __builtin_cpu_init();
  switch (set) {
    case instruction_set::baseline:
      return true;
    case instruction_set::avx2:
      return has_avx2();
    case instruction_set::avx_vnni:
      return has_avx_vnni();
    case instruction_set::avx512:
      return has_avx512();
    case instruction_set::avx512_bf16:
      return has_avx512() && __builtin_cpu_supports("avx512bf16");
    case instruction_set::avx512_vnni:
      return has_avx512() && __builtin_cpu_supports("avx512vnni");
    case instruction_set::avx512_amx:
      return has_amx_int8();
  }
  return false;
}

#else

bool is_supported(instruction_set set) { return set == instruction_set::baseline; }

#endif

}  // namespace

bool is_usable(instruction_set set) {
  static const instruction_set last = permitted();
  return set <= last && is_supported(set);
}

bool has_fast_avx512_bf16() {
#if defined(__x86_64__)
  return is_usable(instruction_set::avx512_bf16) && __builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace tandem::openmp_impl
