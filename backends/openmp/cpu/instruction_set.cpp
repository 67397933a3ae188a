// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/cpu/instruction_set.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tandem::openmp_impl {

/// The tests are those of the -march flags in openmp.cmake; what they leave out (movbe, lzcnt,
/// f16c) came with or before them in every CPU.
instruction_set widest_instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return instruction_set::avx512;
  if (has_v3) return instruction_set::avx2;
#endif
  return instruction_set::baseline;
}

bool has_avx512_vnni() {
#if defined(__x86_64__)
  return widest_instruction_set() == instruction_set::avx512 &&
         __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

bool has_amx_int8() {
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  constexpr unsigned leaf = 7;
  constexpr unsigned amx = 3u << 24;           // of edx: tiles, and 8-bit integers in them
  constexpr unsigned tile_state = 3u << 17;    // of XCR0: shapes and contents
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM of Linux' asm/prctl.h
  constexpr long tile_contents = 18;           // XFEATURE_XTILE_DATA
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (widest_instruction_set() != instruction_set::avx512) return false;
  if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0 || (d & amx) != amx) return false;
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return (a & tile_state) == tile_state &&
         syscall(SYS_arch_prctl, request_permission, tile_contents) == 0;
#else
  return false;
#endif
}

bool has_avx512_bf16() {
#if defined(__x86_64__)
  return widest_instruction_set() == instruction_set::avx512 &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

bool has_fast_avx512_bf16() {
#if defined(__x86_64__)
  return has_avx512_bf16() && __builtin_cpu_is("amd");
#else
  return false;
#endif
}

bool has_avx_vnni() {
#if defined(__x86_64__)
  // __builtin_cpu_supports of clang 14 does not know it.
  constexpr unsigned leaf = 7;
  constexpr unsigned subleaf = 1;
  constexpr unsigned avx_vnni = 1u << 4;  // of eax
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return widest_instruction_set() >= instruction_set::avx2 &&
         __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d) != 0 && (a & avx_vnni) != 0;
#else
  return false;
#endif
}

}  // namespace tandem::openmp_impl
