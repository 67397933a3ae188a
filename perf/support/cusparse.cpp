// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/cusparse.hpp>
#include <perf/support/dynamic_library.hpp>

namespace perf {

namespace {

// From cuSPARSE's manual rather than cusparse.h, which a machine may lack.
constexpr int not_transposed = 0;
constexpr int of_int = 2;     // CUSPARSE_INDEX_32I
constexpr int from_zero = 0;  // CUSPARSE_INDEX_BASE_ZERO
constexpr int of_double = 1;  // CUDA_R_64F

const dynamic_library& library() {
  static const dynamic_library opened({"libcusparse.so.12", "libcusparse.so"});
  return opened;
}

}  // namespace

bool cusparse::is_present() { return library().is_open(); }

cusparse::cusparse(CUstream_st* stream, const product& computed, algorithm chosen,
                   const std::function<void*(std::size_t)>& allocate)
    : chosen_(chosen) {
  library().require("cusparseCreate", &handle_);
  library().require("cusparseSetStream", handle_, stream);
  create(computed);
  std::size_t bytes = 0;
  call("cusparseSpMV_bufferSize", &bytes);
  scratch_ = allocate(bytes);
  if (library().has("cusparseSpMV_preprocess")) call("cusparseSpMV_preprocess", scratch_);
}

void cusparse::create(const product& computed) {
  library().require("cusparseCreateConstCsr", &matrix_, computed.rows, computed.columns,
                    computed.elements, static_cast<const void*>(computed.offsets),
                    static_cast<const void*>(computed.column),
                    static_cast<const void*>(computed.value), of_int, of_int, from_zero, of_double);
  library().require("cusparseCreateConstDnVec", &x_, computed.columns,
                    static_cast<const void*>(computed.x), of_double);
  library().require("cusparseCreateDnVec", &y_, computed.rows, static_cast<void*>(computed.y),
                    of_double);
}

cusparse::~cusparse() {
  if (matrix_ != nullptr) library().status_of("cusparseDestroySpMat", matrix_);
  for (void* const vector : {x_, y_}) {
    if (vector != nullptr) library().status_of("cusparseDestroyDnVec", vector);
  }
  if (handle_ != nullptr) library().status_of("cusparseDestroy", handle_);
}

template <class Last>
void cusparse::call(const char* name, Last last) const {
  static const double one = 1;
  static const double zero = 0;
  library().require(name, handle_, not_transposed, static_cast<const void*>(&one), matrix_, x_,
                    static_cast<const void*>(&zero), y_, of_double, static_cast<int>(chosen_),
                    last);
}

void cusparse::multiply() const { call("cusparseSpMV", scratch_); }

}  // namespace perf
