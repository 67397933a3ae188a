// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TANDEM_ISA caps the instruction sets that are used. CTest runs these cases under each value
// (environments.cmake); without it, tandem uses every set that the processor has.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/table.hpp>

using tandem::openmp_impl::instruction_set;
using tandem::openmp_impl::is_usable;

namespace {

std::string cap() {
  const char* const variable = std::getenv("TANDEM_ISA");
  return variable == nullptr ? "" : variable;
}

/// Whether the variable leaves an instruction set enabled, as instruction_set.hpp documents it.
bool permits(instruction_set set) {
  if (cap() == "baseline") return set == instruction_set::baseline;
  if (cap() == "avx2") return set <= instruction_set::avx_vnni;
  return true;
}

}  // namespace

TEST_CASE("openmp instruction sets: no more than TANDEM_ISA permits, and the baseline always") {
  CHECK(is_usable(instruction_set::baseline));
  for (const auto set :
       {instruction_set::avx2, instruction_set::avx_vnni, instruction_set::avx512,
        instruction_set::avx512_bf16, instruction_set::avx512_vnni, instruction_set::avx512_amx}) {
    CAPTURE(static_cast<int>(set));
    CHECK((permits(set) || !is_usable(set)));
  }
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
  CHECK(is_usable(instruction_set::avx2) == (has_avx2 && permits(instruction_set::avx2)));
#endif
}

TEST_CASE("openmp instruction sets: the tables that can be used, the fastest first") {
  using table = tandem::openmp_impl::histogram_kernels;
  std::vector<const table*> wanted;
#if defined(__x86_64__)
  if (is_usable(instruction_set::avx512)) wanted.push_back(&table::avx512);
  if (is_usable(instruction_set::avx2)) wanted.push_back(&table::avx2);
#endif
  wanted.push_back(&table::baseline);
  const auto& usable = tandem::openmp_impl::usable_kernels<table>();
  CHECK(std::vector<const table*>(usable.begin(), usable.end()) == wanted);
  CHECK(&tandem::openmp_impl::best_kernels<table>() == wanted.front());
}
