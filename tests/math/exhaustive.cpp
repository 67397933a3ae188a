// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the functions of <tandem/core/math.hpp> with MPFR, for every float:
//
//   exhaustive [--stride N] [--first BITS] [--exact] [--list] [FUNCTION ...]
//
// The C library's double function, which glibc states to be within 4 ulp, decides a float if its
// result, 16 ulp up or down, always rounds to that float. MPFR decides the other inputs, some
// thousands per function, or all of them with --exact. Prints the hash of all results, which is
// kept in function_hashes.hpp. Exits with 1 if a result is not the correctly rounded one, or if the
// hash of all floats is not the kept one.

#include <tandem/core/math.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <mpfr.h>

#include "math/function_hashes.hpp"

namespace {

using mpfr_function = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

struct subject {
  std::string_view name;
  void (*evaluate)(const float* x, float* y, int count);
  double (*nearly)(double);
  mpfr_function exact;
};

#define TANDEM_SUBJECT(function)                                                        \
  subject {                                                                             \
    #function,                                                                          \
        [](const float* x, float* y, int count) {                                       \
          for (int i = 0; i < count; ++i) y[i] = tandem::function(x[i]);                \
        },                                                                              \
        [](double x) { return std::function(x); },                                      \
        [](mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_##function(y, x, r); } \
  }

const subject subjects[] = {
    TANDEM_SUBJECT(exp),
    TANDEM_SUBJECT(exp2),
    TANDEM_SUBJECT(expm1),
    TANDEM_SUBJECT(log),
    TANDEM_SUBJECT(log2),
    TANDEM_SUBJECT(log10),
    TANDEM_SUBJECT(log1p),
    TANDEM_SUBJECT(sin),
    TANDEM_SUBJECT(cos),
    TANDEM_SUBJECT(tan),
    TANDEM_SUBJECT(asin),
    TANDEM_SUBJECT(acos),
    TANDEM_SUBJECT(atan),
    TANDEM_SUBJECT(sinh),
    TANDEM_SUBJECT(cosh),
    TANDEM_SUBJECT(tanh),
    TANDEM_SUBJECT(cbrt),
    subject{"rsqrt",
            [](const float* x, float* y, int count) {
              for (int i = 0; i < count; ++i) y[i] = tandem::rsqrt(x[i]);
            },
            [](double x) { return 1.0 / std::sqrt(x); },
            [](mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_rec_sqrt(y, x, r); }},

    TANDEM_SUBJECT(erf),
    TANDEM_SUBJECT(erfc),

};

/// Returns the correctly rounded result, subnormal numbers included.
float rounded(const subject& s, float x) {
  mpfr_t value;
  mpfr_init2(value, 24);
  mpfr_set_flt(value, x, MPFR_RNDN);
  const int inexact = s.exact(value, value, MPFR_RNDN);
  mpfr_subnormalize(value, inexact, MPFR_RNDN);
  const float result = mpfr_get_flt(value, MPFR_RNDN);
  mpfr_clear(value);
  return result;
}

std::uint32_t comparable(float x) {
  return x != x ? 0x7fc00000u : __builtin_bit_cast(std::uint32_t, x);
}

struct options {
  std::uint64_t first = 0;
  std::uint64_t stride = 1;
  bool exact = false;
  bool list = false;
};

/// Returns how many results are wrong, and prints the first of them.
int check(const subject& s, const options& o) {
  constexpr int block = 4096;
  static std::array<float, block> x;
  static std::array<float, block> y;
  std::uint64_t hash = 0;
  int wrong = 0;
  int doubtful = 0;
  for (std::uint64_t bits = o.first; bits < (std::uint64_t{1} << 32);) {
    int count = 0;
    for (; count < block && bits < (std::uint64_t{1} << 32); ++count, bits += o.stride) {
      x[static_cast<std::size_t>(count)] =
          __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    }
    s.evaluate(x.data(), y.data(), count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double near = s.nearly(x[i]);
      float expected = static_cast<float>(near * (1 - 0x1p-48));
      if (o.exact || comparable(expected) != comparable(static_cast<float>(near * (1 + 0x1p-48)))) {
        expected = rounded(s, x[i]);
        ++doubtful;
        if (o.list) {
          std::printf("%.*s 0x%08x 0x%08x\n", static_cast<int>(s.name.size()), s.name.data(),
                      comparable(x[i]), comparable(expected));
        }
      }
      hash += tandem::test::pair_hash(__builtin_bit_cast(std::uint32_t, x[i]), y[i]);
      if (comparable(y[i]) != comparable(expected) && ++wrong <= 40) {
        std::printf("  %.*s(0x%08x): 0x%08x, not 0x%08x\n", static_cast<int>(s.name.size()),
                    s.name.data(), comparable(x[i]), comparable(y[i]), comparable(expected));
      }
    }
  }
  std::printf("%.*s: hash %016llx, %d inputs decided by MPFR, %d results wrong\n",
              static_cast<int>(s.name.size()), s.name.data(), static_cast<unsigned long long>(hash),
              doubtful, wrong);
  const bool is_kept = hash == tandem::test::kept_hash(s.name);
  if (o.first == 0 && o.stride == 1 && !is_kept) {
    std::printf("  which is not the kept hash\n");
    ++wrong;
  }
  std::fflush(stdout);
  return wrong;
}

}  // namespace

int main(int count, char** arguments) {
  mpfr_set_emin(-148);  // exponents of float, for mpfr_subnormalize
  mpfr_set_emax(128);
  options o;
  std::vector<std::string_view> names;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--stride" && i + 1 < count) {
      o.stride = std::strtoull(arguments[++i], nullptr, 0);
    } else if (argument == "--first" && i + 1 < count) {
      o.first = std::strtoull(arguments[++i], nullptr, 0);
    } else if (argument == "--list") {
      o.list = true;
    } else if (argument == "--exact") {
      o.exact = true;
    } else {
      names.push_back(argument);
    }
  }
  int wrong = 0;
  for (const subject& s : subjects) {
    bool named = names.empty();
    for (const std::string_view name : names) named = named || name == s.name;
    if (named) wrong += check(s, o);
  }
  return wrong == 0 ? 0 : 1;
}
