// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's targets for functions of floats: tandem's against a copy, and against a hand-written
// kernel with CUDA's.
#include <perf/benchmarks/functions/bench.hpp>
#include <perf/support/raw_kernels.cuh>

namespace perf::functions_gpu {

/// CUDA's function, on 16-byte words of floats.
template <function F>
struct function_of_cuda {
  static constexpr int inputs = 1;

  __device__ float operator()(float v) const {
    if constexpr (F == function::exp) return ::expf(v);
    if constexpr (F == function::log) return ::logf(v);
    if constexpr (F == function::sin) return ::sinf(v);
    if constexpr (F == function::pow) return ::powf(v, static_cast<float>(function_exponent));
  }
  __device__ float4 operator()(float4 v, float4) const {
    return {(*this)(v.x), (*this)(v.y), (*this)(v.z), (*this)(v.w)};
  }
};

template <function F>
struct raw_function {
  template <class X, class Y>
  void operator()(const cuda& space, const X& x, const Y& y) const {
    const auto* from = reinterpret_cast<const float4*>(x.data_handle());
    const index_t n = x.size() / 4;
    // One load in flight, as for a large copy in benchmarks/loop: there are many blocks.
    raw_loop_kernel<1><<<raw_blocks(n, 1), raw_threads, 0, space.native_stream()>>>(
        from, from, reinterpret_cast<float4*>(y.data_handle()), n, function_of_cuda<F>{});
    check_cuda(cudaGetLastError(), "raw kernel");
  }
};

candidate copy_limit(index_t n) {
  candidate made = resident_function<cuda>(
      n, [](const auto& space, const auto& x, const auto& y) { tandem::copy(space, x, y); });
  made.check = nullptr;
  return made;
}

template <function F>
void list_function(lineup& add) {
  constexpr index_t n = index_t{1} << 27;
  const problem solved = function_problem<F>(n);
  add(tandem_on_gpu(solved, [=] { return resident_function<cuda>(n, transform_by<F>{}); }));
  add(limit(solved, "copy", [=] { return copy_limit(n); }));
  add(peer(solved, "cuda", "raw", [=] { return resident_function<cuda>(n, raw_function<F>{}); }));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  list_function<function::exp>(add);
  list_function<function::log>(add);
  list_function<function::sin>(add);
  list_function<function::pow>(add);
}

const registration gpu(list_gpu);

}  // namespace perf::functions_gpu
