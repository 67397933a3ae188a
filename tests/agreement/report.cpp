// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// report [MODE]: prints what a space reports about how this file was compiled and about the
// thread's mode, which MODE sets first. tests/checks/check_agreement.py compiles it with several
// flags.

#include <tandem/backends/serial/serial.hpp>

#include <cfenv>
#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

void set_mode(const char* mode) {
  if (std::strcmp(mode, "round-up") == 0) std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  if (std::strcmp(mode, "flush-to-zero") == 0) _mm_setcsr(_mm_getcsr() | 0x8000u);
  if (std::strcmp(mode, "denormals-are-zero") == 0) _mm_setcsr(_mm_getcsr() | 0x0040u);
#elif defined(__aarch64__)
  unsigned long control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  if (std::strcmp(mode, "flush-to-zero") == 0) control |= 1UL << 24;
  asm volatile("msr fpcr, %0" : : "r"(control));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) set_mode(argv[1]);
  try {
    const tandem::serial space;
    std::puts("agrees");
  } catch (const tandem::agreement_error& e) {
    std::puts(e.what());
  }
  return 0;
}
