// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/ladder.cuh>
#include <perf/benchmarks/matmul/peers.cuh>

/// The steps from the naive matrix product to the library's, measured against cuBLAS;
/// docs/matmul.md explains them.
namespace perf::matmul_gpu_targets_ladder {

using tandem::matmul_kernel;

/// Kernel and matrices of a step.
using ladder_kernel = void (*)(ladder_product);
using ladder_matrices = device_matrices<float, float>;

candidate ladder_candidate(const blas_product& product, const mode<float>& kind,
                           ladder_kernel kernel) {
  const auto data = std::make_shared<ladder_matrices>(product);
  return on_device(data, kind, [=](index_t round) {
    const ladder_product given{data->a_data(round),         data->b_data(round),
                               data->c_data(round),         static_cast<int>(product.m),
                               static_cast<int>(product.n), static_cast<int>(product.k)};
    const auto tiles = static_cast<unsigned>(product.m / ladder_side * (product.n / ladder_side));
    kernel<<<tiles, ladder_threads, 0, data->space->native_stream()>>>(given);
    check_cuda(cudaGetLastError(), "ladder kernel");
  });
}

/// Adds a step as a separate problem, since cuBLAS is measured beside each.
template <class T>
void list_step(lineup& add, const char* name, const blas_product& product, const mode<T>& kind,
               const std::function<candidate()>& make) {
  problem solved = device_problem(product, kind);
  solved.name = name;
  benchmark ours = tandem_on_gpu(solved, make);
  ours.same_bits = kind.same_bits;
  add(std::move(ours));
  if (cublas::is_present())
    add(peer(solved, "cuda", "cublas", [=] { return cublas_product(product, kind); }));
}

/// Adds the steps whose kernels are in the library.
template <class T>
void list_library_steps(lineup& add, const blas_product& product, const mode<T>& kind) {
  const auto with = [=](matmul_kernel kernel) {
    return [=] { return tandem_product(product, kind, kernel); };
  };
  list_step(add, "naive", product, kind, with(matmul_kernel::naive));
  list_step(add, "tiled", product, kind, with(matmul_kernel::tiled));
  list_step(add, "library", product, kind, with(matmul_kernel::automatic));
}

void list_ladder(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  using tandem::matmul_precision;
  const mode<float> floats{
      "f32", blas_numbers::f32, matmul_precision::full, true, {.chain = place}};
  const mode<tandem::bf16> sixteen_bits{"bf16",
                                        blas_numbers::bf16,
                                        matmul_precision::full,
                                        false,
                                        {.chain = place, .result = 0x1p-7}};
  const blas_product of_floats{.numbers = floats.peer, .m = 4096, .n = 4096, .k = 4096};
  blas_product of_sixteen_bits = of_floats;
  of_sixteen_bits.numbers = sixteen_bits.peer;
  const auto own = [=](ladder_kernel kernel) {
    return [=] { return ladder_candidate(of_floats, floats, kernel); };
  };
  list_library_steps(add, of_floats, floats);
  list_step(add, "register_tile", of_floats, floats, own(register_tile_kernel));
  list_step(add, "asynchronous_copies", of_floats, floats, own(asynchronous_copies_kernel));
  list_library_steps(add, of_sixteen_bits, sixteen_bits);
}

const registration ladder(list_ladder);

}  // namespace perf::matmul_gpu_targets_ladder
