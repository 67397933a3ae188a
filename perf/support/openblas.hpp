// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace perf::openblas {

/// Whether this machine has OpenBLAS (Debian: libopenblas0).
bool is_present();

/// The kernels that it runs here, as it names them ("SkylakeX"); "absent" without it.
std::string kernels();

/// Threads of the following products.
void set_threads(int threads);

/// c = a b with a: m x k, b: k x n, c: m x n, row-major.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
              float* c);
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b,
              double* c);

}  // namespace perf::openblas
