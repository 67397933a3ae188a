// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/ladder.cuh>
#include <perf/benchmarks/matmul/peers.cuh>

/// The steps from the naive matrix product to the library's, against cuBLAS: docs/matmul.md.
namespace perf {

namespace {

using tandem::matmul_kernel;

/// The matrices of a step, and its kernel.
using ladder_kernel = void (*)(ladder_product);
using ladder_matrices = device_matrices<float, float>;

contender ladder_contender(const blas_product& product, const mode<float>& how,
                           ladder_kernel kernel) {
  const auto data = std::make_shared<ladder_matrices>(product);
  return on_device(data, how, [=](tandem::index_t round) {
    const ladder_product given{data->a_data(round),         data->b_data(round),
                               data->c_data(round),         static_cast<int>(product.m),
                               static_cast<int>(product.n), static_cast<int>(product.k)};
    const auto tiles = static_cast<unsigned>(product.m / ladder_side * (product.n / ladder_side));
    kernel<<<tiles, ladder_threads, 0, data->space->native_stream()>>>(given);
    check_cuda(cudaGetLastError(), "a kernel of the ladder");
  });
}

/// A problem of its own for each step, since cuBLAS is measured beside each.
template <class T>
void list_step(std::vector<entry>& entries, const char* name, const blas_product& product,
               const mode<T>& how, const std::function<contender()>& make) {
  problem solved = device_problem(product, how);
  solved.name = name;
  entry ours = tandem_on_gpu(solved, make);
  ours.same_bits = how.same_bits;
  entries.push_back(std::move(ours));
  if (cublas::is_present())
    entries.push_back(peer(solved, "cuda", "cublas", [=] { return cublas_product(product, how); }));
}

/// The steps of which the library holds the kernel.
template <class T>
void list_library_steps(std::vector<entry>& entries, const blas_product& product,
                        const mode<T>& how) {
  const auto with = [=](matmul_kernel kernel) {
    return [=] { return tandem_product(product, how, kernel); };
  };
  list_step(entries, "naive", product, how, with(matmul_kernel::naive));
  list_step(entries, "tiled", product, how, with(matmul_kernel::tiled));
  list_step(entries, "library", product, how, with(matmul_kernel::automatic));
}

void list_ladder(const settings& chosen, std::vector<entry>& entries) {
  if (!chosen.limits || !gpu_present()) return;
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
    return [=] { return ladder_contender(of_floats, floats, kernel); };
  };
  list_library_steps(entries, of_floats, floats);
  list_step(entries, "register_tile", of_floats, floats, own(register_tile_kernel));
  list_step(entries, "asynchronous_copies", of_floats, floats, own(asynchronous_copies_kernel));
  list_library_steps(entries, of_sixteen_bits, sixteen_bits);
}

const registration ladder(list_ladder);

}  // namespace

}  // namespace perf
