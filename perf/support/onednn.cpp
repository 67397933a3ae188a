// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/onednn.hpp>

#include <perf/support/dynamic_library.hpp>

#include <stdexcept>
#include <string>

#include <omp.h>

namespace perf::onednn {

namespace {

/// dnnl_gemm_s8s8s32 of oneDNN's manual: a and b transposed or not, whether the offset of c is one
/// number, a row or a column; alpha, a with its offset, b with its offset, beta, c and its offset.
using integer_product = int(char, char, char, std::int64_t, std::int64_t, std::int64_t, float,
                            const std::int8_t*, std::int64_t, std::int8_t, const std::int8_t*,
                            std::int64_t, std::int8_t, float, std::int32_t*, std::int64_t,
                            const std::int32_t*);

const dynamic_library& library() {
  static const dynamic_library opened({"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"});
  return opened;
}

}  // namespace

bool is_present() { return library().is_open(); }

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* a,
              const std::int8_t* b, std::int32_t* c, int threads) {
  static auto* const product = library().function<integer_product>("dnnl_gemm_s8s8s32");
  // It asks OpenMP for its threads.
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  const std::int32_t nothing = 0;
  const int status = product('N', 'N', 'F', m, n, k, 1.0f, a, k, 0, b, n, 0, 0.0f, c, n, &nothing);
  omp_set_num_threads(before);
  if (status != 0) throw std::runtime_error("dnnl_gemm_s8s8s32: status " + std::to_string(status));
}

}  // namespace perf::onednn
