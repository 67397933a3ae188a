// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the hash of each function of one float over all 2^32 inputs on the default space, and
// compares it with the kept one:
//
//   function_hashes [FUNCTION ...]
//
// exhaustive.cpp compares the results themselves with MPFR, and computes the same hashes. Exits
// with 1 if a hash differs.

#include <cstdio>
#include <string_view>

#include <tandem/tandem.hpp>

#include "math/function_hashes.hpp"

namespace {

using tandem::index_t;

/// Adds input number i to the hash of a function.
template <class Function>
struct hash_term {
  TANDEM_FUNCTION std::uint64_t operator()(index_t i) const {
    const auto bits = static_cast<std::uint32_t>(i);
    return tandem::test::pair_hash(bits, Function{}(__builtin_bit_cast(float, bits)));
  }
};

template <class Function>
std::uint64_t hash_of_function() {
  return tandem::parallel_reduce(tandem::range{0, index_t{1} << 32}, hash_term<Function>{},
                                 tandem::sum<std::uint64_t>{});
}

struct subject {
  std::string_view name;
  std::uint64_t (*hash)();
};

#define TANDEM_SUBJECT(function)                                                    \
  struct function##_of {                                                            \
    TANDEM_FUNCTION float operator()(float x) const { return tandem::function(x); } \
  };
TANDEM_SUBJECT(exp)
TANDEM_SUBJECT(exp2)
TANDEM_SUBJECT(expm1)
TANDEM_SUBJECT(log)
TANDEM_SUBJECT(log2)
TANDEM_SUBJECT(log10)
TANDEM_SUBJECT(log1p)
TANDEM_SUBJECT(sin)
TANDEM_SUBJECT(cos)
TANDEM_SUBJECT(tan)
TANDEM_SUBJECT(asin)
TANDEM_SUBJECT(acos)
TANDEM_SUBJECT(atan)
TANDEM_SUBJECT(sinh)
TANDEM_SUBJECT(cosh)
TANDEM_SUBJECT(tanh)
TANDEM_SUBJECT(cbrt)
TANDEM_SUBJECT(rsqrt)
TANDEM_SUBJECT(erf)
TANDEM_SUBJECT(erfc)
#undef TANDEM_SUBJECT

const subject subjects[] = {
    {"exp", hash_of_function<exp_of>},     {"exp2", hash_of_function<exp2_of>},
    {"expm1", hash_of_function<expm1_of>}, {"log", hash_of_function<log_of>},
    {"log2", hash_of_function<log2_of>},   {"log10", hash_of_function<log10_of>},
    {"log1p", hash_of_function<log1p_of>}, {"sin", hash_of_function<sin_of>},
    {"cos", hash_of_function<cos_of>},     {"tan", hash_of_function<tan_of>},
    {"asin", hash_of_function<asin_of>},   {"acos", hash_of_function<acos_of>},
    {"atan", hash_of_function<atan_of>},   {"sinh", hash_of_function<sinh_of>},
    {"cosh", hash_of_function<cosh_of>},   {"tanh", hash_of_function<tanh_of>},
    {"cbrt", hash_of_function<cbrt_of>},   {"rsqrt", hash_of_function<rsqrt_of>},
    {"erf", hash_of_function<erf_of>},     {"erfc", hash_of_function<erfc_of>},
};

/// Whether the function's hash is the kept one; prints a line about it.
bool check(const subject& s) {
  const std::uint64_t hash = s.hash();
  const bool same = hash == tandem::test::kept_hash(s.name);
  std::printf("%.*s: %016llx, %s\n", static_cast<int>(s.name.size()), s.name.data(),
              static_cast<unsigned long long>(hash), same ? "as kept" : "NOT the kept one");
  std::fflush(stdout);
  return same;
}

}  // namespace

int main(int count, char** arguments) {
  int wrong = 0;
  for (const subject& s : subjects) {
    bool named = count == 1;
    for (int i = 1; i < count; ++i) named = named || arguments[i] == s.name;
    if (named && !check(s)) ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}
