// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose matrices are in memory of the host, within a budget.
#include <perf/benchmarks/scale/bench.hpp>
#include <perf/support/dynamic_library.hpp>

#include <string>
#include <vector>

namespace perf::scale_gpu {
namespace {

constexpr std::size_t budget = std::size_t{2} << 30;

template <class Owner>
using matrix = array<float, 2, Owner>;

/// Square matrices a, b and c of an owner.
template <class Owner>
struct square_matrices {
  explicit square_matrices(index_t side)
      : a(extents<2>(side, side), Owner()),
        b(extents<2>(side, side), Owner()),
        c(extents<2>(side, side), Owner()) {
    const cuda gpu;
    matrix<cuda> entries(extents<2>(side, side), gpu);
    for (auto* to : {&a, &b}) {
      tandem::parallel_for(gpu, tandem::grid{side, side}, set_entry{to == &a ? 29 : 37}, entries);
      tandem::copy(gpu, entries, *to);
    }
    gpu.fence();
  }

  matrix<Owner> a;
  matrix<Owner> b;
  matrix<Owner> c;
};

template <class Space, class Owner>
outcome product_outcome(const Space& space, const matrix<Owner>& c) {
  const tandem::view<const float, 1, tandem::layout_right, typename Owner::memory_type> line(
      c.data_handle(), extents<1>(c.size()));
  return line_outcome(space, c.size(), line);
}

candidate in_core(index_t side) {
  auto data = std::make_shared<square_matrices<cuda>>(side);
  auto space = std::make_shared<cuda>();
  return on_host(
      [=](std::int64_t) {
        tandem::matmul(*space, data->a, data->b, data->c);
        space->fence();
      },
      [=] { return product_outcome(*space, data->c); });
}

using on_pinned = square_matrices<tandem::cuda_pinned>;

candidate by_stream(const std::shared_ptr<on_pinned>& data) {
  auto big = std::make_shared<tandem::streamed<cuda>>(cuda(), tandem::streaming{.budget = budget});
  return on_host([=](std::int64_t) { tandem::matmul(*big, data->a, data->b, data->c); },
                 [=] { return product_outcome(openmp(), data->c); });
}

/// cublasXt on one GPU with blocks of 4096; declared here, from cuBLAS' manual.
class cublas_xt {
 public:
  cublas_xt() {
    library().require("cublasXtCreate", &handle_);
    int device = 0;
    library().require("cublasXtDeviceSelect", handle_, 1, &device);
    library().require("cublasXtSetBlockDim", handle_, 4096);
  }
  cublas_xt(const cublas_xt&) = delete;
  cublas_xt& operator=(const cublas_xt&) = delete;
  ~cublas_xt() { static_cast<void>(library().status_of("cublasXtDestroy", handle_)); }

  static const dynamic_library& library() {
    static const dynamic_library opened({"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
    return opened;
  }

  /// It is column-major and sees row-major c = a b as c' = b' a'.
  void multiply(on_pinned& data) const {
    const auto side = static_cast<std::size_t>(data.c.extent(0));
    const float one = 1;
    const float zero = 0;
    library().require("cublasXtSgemm", handle_, 0, 0, side, side, side, &one,
                      std::as_const(data.b).data_handle(), side,
                      std::as_const(data.a).data_handle(), side, &zero, data.c.data_handle(), side);
  }

 private:
  void* handle_ = nullptr;
};

candidate by_cublas_xt(const std::shared_ptr<on_pinned>& data) {
  auto handle = std::make_shared<cublas_xt>();
  return on_host([=](std::int64_t) { handle->multiply(*data); },
                 [=] { return product_outcome(openmp(), data->c); });
}

void list_products(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  const index_t side = chosen.quick ? 2048 : 24576;
  const std::string length = std::to_string(side);
  problem solved = problem_of("scale", "streamed_matmul", "f32", side * side, 12, [=] {
    const candidate made = in_core(side);
    const outcome result = made.check();
    return reference{result, 1e-4 * result.value, "one GPU"};
  });
  solved.size = length + "x" + length + "x" + length;
  solved.flops = 2.0 * static_cast<double>(side) * solved.elements;
  auto data = std::make_shared<shared_while_used<on_pinned, index_t>>(side);
  add(on_one_gpu(solved, [=] { return in_core(side); }));
  add(tandem_through_host(solved, "pinned", [=] { return by_stream(data->get()); }));
  if (cublas_xt::library().has("cublasXtSgemm")) {
    add(peer_through_host(solved, "cublasxt", "pinned", [=] { return by_cublas_xt(data->get()); }));
  }
}

const registration products(list_products);

}  // namespace
}  // namespace perf::scale_gpu
