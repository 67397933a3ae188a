// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The conditions under which backends give the same bits (docs/numerics.md), as far as a program
/// can check them: the compiler's macros while a file is compiled, what it made of some expressions
/// of the file before main, and the processor's mode when a space is made and in each parallel
/// region. A file compiled with TANDEM_AGREEMENT=0 checks and promises nothing.

#include <tandem/config.hpp>
#include <tandem/core/errors.hpp>

#if TANDEM_AGREEMENT
// __GCC_IEC_559 is 0 under g++ for every option that gives up a rule of IEEE 754.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error \
    "tandem: -ffast-math, -Ofast and their parts change results, which are to be the same bits \
on every backend: remove them from this file, or give that up with TANDEM_AGREEMENT=0 \
(docs/numerics.md)"
#elif __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16  // 16: _Float16 has its own arithmetic
#error \
    "tandem: this compiler computes in a wider type than float (-mfpmath=387), so results are \
not the same bits on every backend: use -mfpmath=sse, or give that up with TANDEM_AGREEMENT=0 \
(docs/numerics.md)"
#endif
#endif

namespace tandem::detail {

/// What the compiler did to a file's arithmetic that no macro tells.
enum class build_fault { none, contraction, reassociation, reciprocals, unsigned_zeros, no_nans };

/// What the program's files registered before main.
struct agreement_record {
  bool is_promised = false;  ///< at least one file relies on the same bits
  int fault = 0;             ///< a build_fault, the first one found
  char file[256] = {};       ///< where; cut to fit
};

inline agreement_record& known_agreement() {
  static agreement_record record;
  return record;
}

/// Whether the calling thread rounds to nearest and neither flushes subnormal results to zero nor
/// takes subnormal operands for zero.
inline bool is_mode_ieee() noexcept {
#if defined(__x86_64__)
  unsigned mode = 0;
  asm volatile("stmxcsr %0" : "=m"(mode));
  constexpr unsigned flush_to_zero = 0x8000;
  constexpr unsigned denormals_are_zero = 0x0040;
  constexpr unsigned rounding = 0x6000;
  return (mode & (flush_to_zero | denormals_are_zero | rounding)) == 0;
#elif defined(__aarch64__)
  unsigned long mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  constexpr unsigned long flush_to_zero = 1UL << 24;
  constexpr unsigned long rounding = 3UL << 22;
  return (mode & (flush_to_zero | rounding)) == 0;
#else
  return true;
#endif
}

/// What to do about a fault, after the name of the file.
inline const char* remedy(build_fault fault) {
  switch (fault) {
    case build_fault::contraction:
      return "was compiled to fuse a * b + c where the processor can, as g++ does by default: add "
             "-ffp-contract=off, and write tandem::fma where one rounding is wanted";
    case build_fault::reassociation:
      return "was compiled to reorder sums: remove -fassociative-math and -funsafe-math-"
             "optimizations";
    case build_fault::reciprocals:
      return "was compiled to multiply by reciprocals in place of division: remove "
             "-freciprocal-math and -funsafe-math-optimizations";
    case build_fault::unsigned_zeros:
      return "was compiled without the sign of zero: remove -fno-signed-zeros and "
             "-funsafe-math-optimizations";
    default:
      return "was compiled without NaN: remove -fno-honor-nans and -ffinite-math-only";
  }
}

/// Throws the agreement_error of a file's compilation.
[[noreturn]] inline void fail_build(const char* file, const char* what) {
  throw agreement_error(std::string("tandem: ") + file + " " + what +
                        "; or give up the same bits on every backend with TANDEM_AGREEMENT=0 "
                        "(docs/numerics.md)");
}

/// Throws agreement_error if the calling thread's mode changes results that the program relies on.
inline void require_ieee_mode() {
  if (is_mode_ieee() || !known_agreement().is_promised) return;
  throw agreement_error(
      "tandem: this thread flushes subnormal numbers to zero or does not round to nearest, as a "
      "program does that is linked with -ffast-math or loads a library that is: remove it, reset "
      "the mode (_MM_SET_FLUSH_ZERO_MODE, _MM_SET_DENORMALS_ZERO_MODE, fesetround), or give up the "
      "same bits on every backend with TANDEM_AGREEMENT=0 (docs/numerics.md)");
}

/// Throws agreement_error unless the program was compiled and the calling thread computes as the
/// same bits on every backend require. Every space calls it when it is made.
inline void require_agreement() {
  const agreement_record& known = known_agreement();
  const int fault = __atomic_load_n(&known.fault, __ATOMIC_ACQUIRE);
  if (fault != 0) fail_build(known.file, remedy(static_cast<build_fault>(fault)));
  require_ieee_mode();
}

#if TANDEM_AGREEMENT

/// What the compiler made of this file's arithmetic. Internal linkage: each file has flags of its
/// own. Operands are read from volatile objects, so that nothing is computed in advance.
static build_fault probe_this_file() noexcept {
  const volatile float values[] = {1 + 0x1p-12f, 1.0f, 0x1p30f, 5.0f, -0.0f, __builtin_nanf("")};
  const float above_one = values[0];
  const float one = values[1];
  const float large = values[2];
  const float five = values[3];
  const float negative_zero = values[4];
  const float nan = values[5];
  if (above_one * above_one - one != 0x1p-11f) return build_fault::contraction;
  if ((large + one) - large != 0.0f) return build_fault::reassociation;
  if (five / 3.0f != 0x1.aaaaaap+0f) return build_fault::reciprocals;
  if (__builtin_signbit(negative_zero + 0.0f)) return build_fault::unsigned_zeros;
  const bool is_nan_equal = nan == nan;  // NOLINT(misc-redundant-expression)
  return is_nan_equal ? build_fault::no_nans : build_fault::none;
}

/// Records that this file relies on the same bits, and how it was compiled.
static bool register_this_file(const char* file) noexcept {
  agreement_record& known = known_agreement();
  __atomic_store_n(&known.is_promised, true, __ATOMIC_RELAXED);
  const int fault = static_cast<int>(probe_this_file());
  if (fault == 0 || known.fault != 0) return true;
  for (unsigned i = 0; i + 1 < sizeof known.file && file[i] != 0; ++i) known.file[i] = file[i];
  __atomic_store_n(&known.fault, fault, __ATOMIC_RELEASE);
  return true;
}

[[maybe_unused]] static const bool is_this_file_registered = register_this_file(__BASE_FILE__);

#endif

}  // namespace tandem::detail
