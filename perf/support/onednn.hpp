// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include <tandem/core/numbers/half.hpp>

namespace perf::onednn {

/// Whether this machine has oneDNN 2 or 3 (Debian: libdnnl2).
bool is_present();

/// c = a b with a: m x k, b: k x n, c: m x n, row-major, on `threads` threads.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* a,
              const std::int8_t* b, std::int32_t* c, int threads);

/// Whether oneDNN multiplies bf16 on this processor.
bool multiplies_bf16();

/// A product of bf16, accumulated in floats in an order of oneDNN's own.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const tandem::bf16* a,
              const tandem::bf16* b, float* c, int threads);

}  // namespace perf::onednn
