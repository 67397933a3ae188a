// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/agreement/agreement.hpp>

#include <tandem/core/errors.hpp>

namespace tandem::detail {

namespace {

/// Whether the calling thread rounds to nearest and neither flushes subnormal results to zero nor
/// treats subnormal operands as zero.
bool is_mode_ieee() noexcept {
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

/// Returns the remedy for a fault, which follows the file's name.
const char* remedy(build_fault fault) {
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

}  // namespace

void fail_build(const char* file, const char* what) {
  constexpr const char* way_out =
      "; or give up the same bits on every backend with TANDEM_AGREEMENT=0 (docs/numerics.md)";
  throw agreement_error(message({"tandem: ", file, " ", what, way_out}));
}

void require_ieee_mode() {
  if (is_mode_ieee() || !known_agreement().is_promised) return;
  throw agreement_error(
      "tandem: this thread flushes subnormal numbers to zero or does not round to nearest, as a "
      "program does that is linked with -ffast-math or loads a library that is: remove it, reset "
      "the mode (_MM_SET_FLUSH_ZERO_MODE, _MM_SET_DENORMALS_ZERO_MODE, fesetround), or give up the "
      "same bits on every backend with TANDEM_AGREEMENT=0 (docs/numerics.md)");
}

void require_agreement() {
  const agreement_record& known = known_agreement();
  const int fault = __atomic_load_n(&known.fault, __ATOMIC_ACQUIRE);
  if (fault != 0) fail_build(known.file, remedy(static_cast<build_fault>(fault)));
  require_ieee_mode();
}

}  // namespace tandem::detail
