// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/dynamic_library.hpp>

#include <cstdint>
#include <string>

namespace perf {

/// A BLAS library for the CPU with the kernels that fit it best, called through CBLAS.
class host_blas {
 public:
  /// OpenBLAS (Debian: libopenblas0).
  static const host_blas& openblas();
  /// BLIS (Debian: libblis4-openmp or libblis4-pthread).
  static const host_blas& blis();

  const char* name;  ///< as in the tables

  /// Whether this machine has the library.
  bool is_present() const { return library_.is_open(); }
  /// Name of the kernels that the library runs on this CPU ("SkylakeX"); "absent" without it.
  std::string kernels() const { return is_present() ? kernels_(library_) : "absent"; }
  /// Sets the number of threads of the following products.
  void set_threads(int threads) const { set_threads_(library_, threads); }
  /// c = a b with a: m x k, b: k x n, c: m x n, row-major; T is float or double.
  template <class T>
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c) const;

 private:
  host_blas(const char* called, dynamic_library library,
            std::string (*kernels)(const dynamic_library&),
            void (*set_threads)(const dynamic_library&, int))
      : name(called), library_(library), kernels_(kernels), set_threads_(set_threads) {}

  dynamic_library library_;
  std::string (*kernels_)(const dynamic_library&);
  void (*set_threads_)(const dynamic_library&, int);
};

}  // namespace perf
