// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/curand.hpp>
#include <perf/support/dynamic_library.hpp>

namespace perf {

namespace {

// From cuRAND's manual rather than curand.h, which a machine may lack.
constexpr int dynamic_ordering = 104;  // CURAND_ORDERING_PSEUDO_DYNAMIC

const dynamic_library& library() {
  static const dynamic_library opened({"libcurand.so.10", "libcurand.so"});
  return opened;
}

}  // namespace

bool curand::is_present() { return library().is_open(); }

curand::curand(CUstream_st* stream, generator kind) {
  library().require("curandCreateGenerator", &generator_, static_cast<int>(kind));
  library().require("curandSetStream", generator_, stream);
  // Versions and generators that lack this ordering keep their own.
  library().status_of("curandSetGeneratorOrdering", generator_, dynamic_ordering);
  library().require("curandSetPseudoRandomGeneratorSeed", generator_, 1ULL);
  library().require("curandGenerateSeeds", generator_);
}

curand::~curand() {
  if (generator_ != nullptr) library().status_of("curandDestroyGenerator", generator_);
}

void curand::fill_bits(std::uint32_t* x, std::size_t n) const {
  library().require("curandGenerate", generator_, x, n);
}
void curand::fill_uniform(float* x, std::size_t n) const {
  library().require("curandGenerateUniform", generator_, x, n);
}
void curand::fill_uniform(double* x, std::size_t n) const {
  library().require("curandGenerateUniformDouble", generator_, x, n);
}
void curand::fill_normal(float* x, std::size_t n) const {
  library().require("curandGenerateNormal", generator_, x, n, 0.0f, 1.0f);
}

}  // namespace perf
