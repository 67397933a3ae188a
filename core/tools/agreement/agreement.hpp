// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The conditions of bitwise reproducibility across backends (docs/numerics.md), as far as a
/// program can check them: the compiler's macros while a file is compiled, its code for some
/// expressions of the file before main, and the processor's mode when a space is constructed and in
/// each parallel region. A file compiled with TANDEM_AGREEMENT=0 checks and promises nothing.

#include <tandem/settings.hpp>

#if TANDEM_AGREEMENT
// Under g++, __GCC_IEC_559 is 0 for every option that breaks a rule of IEEE 754.
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

/// Changes to a file's arithmetic that no macro reveals.
enum class build_fault { none, contraction, reassociation, reciprocals, unsigned_zeros, no_nans };

/// What the program's files registered before main.
struct agreement_record {
  bool is_promised = false;  ///< at least one file relies on bitwise reproducibility
  int fault = 0;             ///< a build_fault, the first one found
  char file[256] = {};       ///< its file, truncated to fit
};

inline agreement_record& known_agreement() {
  static agreement_record record;
  return record;
}

/// Throws the agreement_error of a file's compilation; `what` follows its name.
[[noreturn]] void fail_build(const char* file, const char* what);

/// Throws agreement_error if the calling thread's mode changes results that the program relies on.
void require_ieee_mode();

/// Throws agreement_error unless the program's compilation and the calling thread meet the
/// conditions of bitwise reproducibility. Every space calls it on construction.
void require_agreement();

#if TANDEM_AGREEMENT

/// Probes the code that the compiler made of this file's arithmetic. Internal linkage: each file
/// has separate flags. Operands are read from volatile objects, so that nothing is computed in
/// advance.
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

/// Records that this file relies on bitwise reproducibility, and how it was compiled.
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
