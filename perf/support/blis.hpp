// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace perf::blis {

/// Whether this machine has BLIS (Debian: libblis4-openmp or libblis4-pthread).
bool is_present();

/// Name of the kernels that the library runs on this CPU ("skx"); "absent" without it.
std::string kernels();

/// Sets the number of threads of the following products.
void set_threads(int threads);

/// c = a b with a: m x k, b: k x n, c: m x n, row-major; T is float or double.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c);

}  // namespace perf::blis
