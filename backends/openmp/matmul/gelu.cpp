// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/gelu.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/core/gelu.hpp>

namespace tandem::openmp_impl {
namespace {

template <class T>
[[gnu::always_inline]] inline void gelu_each(T* x, index_t count, index_t stride) {
  if (stride == 1) {
    for (index_t i = 0; i < count; ++i) x[i] = gelu(x[i]);
  } else {
    for (index_t i = 0; i < count; ++i) x[i * stride] = gelu(x[i * stride]);
  }
}

template <class T>
void gelu_baseline(T* x, index_t count, index_t stride) {
  gelu_each(x, count, stride);
}

#if defined(__x86_64__)
// Flattened, so that the vector loop contains no call. Without the instruction for it, each fused
// multiply-add is a call of the C library.
template <class T>
[[gnu::target("avx2,fma"), gnu::flatten]] void gelu_avx2(T* x, index_t count, index_t stride) {
  gelu_each(x, count, stride);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma"), gnu::flatten]] void gelu_avx512(T* x, index_t count,
                                                                                index_t stride) {
  gelu_each(x, count, stride);
}
#endif

template <class T>
void gelu_widest(T* x, index_t count, index_t stride) {
#if defined(__x86_64__)
  static const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return gelu_avx512(x, count, stride);
  if (widest == instruction_set::avx2) return gelu_avx2(x, count, stride);
#endif
  gelu_baseline(x, count, stride);
}

}  // namespace

void apply_gelu(float* x, index_t count, index_t stride) { gelu_widest(x, count, stride); }
void apply_gelu(double* x, index_t count, index_t stride) { gelu_widest(x, count, stride); }

}  // namespace tandem::openmp_impl
