// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/cublaslt.hpp>
#include <perf/support/dynamic_library.hpp>

#include <array>
#include <limits>

namespace perf {

namespace {

// Declared here rather than taken from cublasLt.h, which a machine may lack; from cublasLt's
// manual. All of its handles and descriptors are pointers.
using handle_t = void*;

constexpr int most_algorithms = 8;  // requested from the heuristic

// Attributes, by their values in the manual.
constexpr int operation_transpose_a = 3;
constexpr int layout_batch_count = 5;
constexpr int layout_batch_stride = 6;
constexpr int preference_workspace = 1;

/// cublasLtMatmulHeuristicResult_t.
struct proposal {
  std::array<std::uint64_t, 8> algorithm;
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

const dynamic_library& library() {
  static const dynamic_library opened({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
  return opened;
}

void require_success(int status, const char* call) {
  if (status != 0)
    throw std::runtime_error(std::string(call) + ": cublasLt status " + std::to_string(status));
}

/// Calls a function of the library that returns a status.
template <class... Arguments>
void call_library(const char* name, Arguments... arguments) {
  require_success(library().function<int(Arguments...)>(name)(arguments...), name);
}

/// The library's handle, which holds no stream and serves the whole process.
handle_t handle() {
  static const handle_t created = [] {
    handle_t made = nullptr;
    call_library("cublasLtCreate", &made);
    return made;
  }();
  return created;
}

/// Calls the destroying function `name` on `thing` unless it is null.
void destroy(const char* name, void* thing) {
  if (thing != nullptr) library().function<int(void*)>(name)(thing);
}

}  // namespace

bool cublaslt::is_present() { return library().is_open(); }

/// cublasLt is column-major and sees row-major c = a b as c' = b' a': its first operand is b.
cublaslt::cublaslt(CUstream_st* stream, const blas_product& product, void* workspace)
    : stream_(stream), product_(product), workspace_(workspace) {
  const blas_types types = types_of(product.numbers);
  call_library("cublasLtMatmulDescCreate", &operation_, types.compute, types.scale);
  const int transpose = product.b_transposed ? 1 : 0;
  call_library("cublasLtMatmulDescSetAttribute", operation_, operation_transpose_a,
               static_cast<const void*>(&transpose), sizeof transpose);
  const auto [numbers, m, n, k, batch, b_transposed] = product;
  b_ = b_transposed ? layout(types.in, k, n, k, product.b_size())
                    : layout(types.in, n, k, n, product.b_size());
  a_ = layout(types.in, k, m, k, product.a_size());
  c_ = layout(types.out, n, m, n, product.c_size());
  propose();
  if (proposed_.empty()) throw std::runtime_error("cublasLt proposes no algorithm");
  chosen_ = proposed_.front();
}

cublaslt::~cublaslt() {
  for (void* const each : {a_, b_, c_}) destroy("cublasLtMatrixLayoutDestroy", each);
  destroy("cublasLtMatmulDescDestroy", operation_);
}

void* cublaslt::layout(int type, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                       std::int64_t batch_stride) const {
  void* made = nullptr;
  call_library("cublasLtMatrixLayoutCreate", &made, type, static_cast<std::uint64_t>(rows),
               static_cast<std::uint64_t>(columns), stride);
  if (product_.batch == 1) return made;
  const auto batch = static_cast<std::int32_t>(product_.batch);
  call_library("cublasLtMatrixLayoutSetAttribute", made, layout_batch_count,
               static_cast<const void*>(&batch), sizeof batch);
  call_library("cublasLtMatrixLayoutSetAttribute", made, layout_batch_stride,
               static_cast<const void*>(&batch_stride), sizeof batch_stride);
  return made;
}

void cublaslt::propose() {
  void* preference = nullptr;
  call_library("cublasLtMatmulPreferenceCreate", &preference);
  call_library("cublasLtMatmulPreferenceSetAttribute", preference, preference_workspace,
               static_cast<const void*>(&workspace_bytes), sizeof workspace_bytes);
  proposal found[most_algorithms] = {};
  int count = 0;
  // An error means that there is none.
  const int status =
      library()
          .function<int(handle_t, void*, void*, void*, void*, void*, void*, int, proposal*, int*)>(
              "cublasLtMatmulAlgoGetHeuristic")(handle(), operation_, b_, a_, c_, c_, preference,
                                                most_algorithms, found, &count);
  destroy("cublasLtMatmulPreferenceDestroy", preference);
  if (status != 0) return;
  for (int i = 0; i < count; ++i) {
    if (found[i].status == 0) proposed_.push_back(found[i].algorithm);
  }
}

void cublaslt::choose(const std::function<double(const std::function<void()>&)>& seconds_of,
                      const void* a, const void* b, void* c) {
  double least = std::numeric_limits<double>::infinity();
  for (const algorithm& each : proposed_) {
    if (call(each, a, b, c) != 0) continue;
    const double seconds = seconds_of([&] { call(each, a, b, c); });
    if (seconds >= least) continue;
    least = seconds;
    chosen_ = each;
  }
  if (least == std::numeric_limits<double>::infinity())
    throw std::runtime_error("none of cublasLt's proposed algorithms works");
}

void cublaslt::multiply(const void* a, const void* b, void* c) const {
  require_success(call(chosen_, a, b, c), "cublasLtMatmul");
}

int cublaslt::call(const algorithm& chosen, const void* a, const void* b, void* c) const {
  using matmul = int(handle_t, void* operation, const void* alpha, const void* a, void* a_layout,
                     const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                     void* d, void* d_layout, const algorithm* chosen, void* workspace,
                     std::size_t bytes, CUstream_st* stream);
  static matmul* const function = library().function<matmul>("cublasLtMatmul");
  const blas_factor one(product_.numbers, 1);
  const blas_factor zero(product_.numbers, 0);
  return function(handle(), operation_, one.address(), b, b_, a, a_, zero.address(), c, c_, c, c_,
                  &chosen, workspace_, workspace_bytes, stream_);
}

}  // namespace perf
