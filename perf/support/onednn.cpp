// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/onednn.hpp>

#include <perf/support/dynamic_library.hpp>

#include <stdexcept>
#include <string>

#include <omp.h>

namespace perf::onednn {

namespace {

/// dnnl_gemm_s8s8s32 of oneDNN's manual: whether a and b are transposed, whether the offset of c is
/// a scalar, a row or a column; alpha, a with its offset, b with its offset, beta, c and its
/// offset.
using integer_product = int(char, char, char, std::int64_t, std::int64_t, std::int64_t, float,
                            const std::int8_t*, std::int64_t, std::int8_t, const std::int8_t*,
                            std::int64_t, std::int8_t, float, std::int32_t*, std::int64_t,
                            const std::int32_t*);

/// dnnl_gemm_bf16bf16f32, which the manual does not document; it has the arguments of dnnl_sgemm.
using bf16_product = int(char, char, std::int64_t, std::int64_t, std::int64_t, float,
                         const tandem::bf16*, std::int64_t, const tandem::bf16*, std::int64_t,
                         float, float*, std::int64_t);
constexpr const char* bf16_product_name = "dnnl_gemm_bf16bf16f32";

const dynamic_library& library() {
  static const dynamic_library opened({"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"});
  return opened;
}

/// Calls product() with OpenMP's number of threads set to `threads`.
template <class Product>
int on_threads(int threads, const Product& product) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  const int status = product();
  omp_set_num_threads(before);
  return status;
}

/// Returns oneDNN's status, 0 for success.
int product_of_bf16(std::int64_t m, std::int64_t n, std::int64_t k, const tandem::bf16* a,
                    const tandem::bf16* b, float* c, int threads) {
  static auto* const product = library().function<bf16_product>(bf16_product_name);
  return on_threads(threads,
                    [&] { return product('N', 'N', m, n, k, 1.0f, a, k, b, n, 0.0f, c, n); });
}

}  // namespace

bool is_present() { return library().is_open(); }

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* a,
              const std::int8_t* b, std::int32_t* c, int threads) {
  static auto* const product = library().function<integer_product>("dnnl_gemm_s8s8s32");
  const std::int32_t nothing = 0;
  const int status = on_threads(threads, [&] {
    return product('N', 'N', 'F', m, n, k, 1.0f, a, k, 0, b, n, 0, 0.0f, c, n, &nothing);
  });
  if (status != 0) throw std::runtime_error("dnnl_gemm_s8s8s32: status " + std::to_string(status));
}

bool multiplies_bf16() {
  static const bool does = [] {
    const tandem::bf16 one(1.0f);
    float c = 0;
    return library().has(bf16_product_name) && product_of_bf16(1, 1, 1, &one, &one, &c, 1) == 0;
  }();
  return does;
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const tandem::bf16* a,
              const tandem::bf16* b, float* c, int threads) {
  const int status = product_of_bf16(m, n, k, a, b, c, threads);
  if (status != 0)
    throw std::runtime_error(std::string(bf16_product_name) + ": status " + std::to_string(status));
}

}  // namespace perf::onednn
