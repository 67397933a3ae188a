// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/peers.cuh>

#include <array>
#include <utility>

/// The GPU's targets for matmul: tandem against cuBLAS and the best algorithm of cublasLt, in every
/// type and precision.
namespace perf::matmul_gpu_targets {

using tandem::matmul_kernel;
using tandem::matmul_precision;

/// The k of a small c for which tensor cores are measured with split_k, too.
constexpr index_t divided_k = 10000;

/// Adds tandem, cuBLAS and cublasLt on one product.
template <class T, class In>
void list_product(lineup& add, const mode<T, In>& kind, blas_product product) {
  product.numbers = kind.peer;
  const problem solved = device_problem(product, kind);
  benchmark ours = tandem_on_gpu(
      solved, [=] { return tandem_product(product, kind, matmul_kernel::automatic); });
  ours.same_bits = kind.same_bits;
  add(std::move(ours));
  if (product.k == divided_k && !kind.same_bits) {
    benchmark divided = tandem_on_gpu(
        solved, [=] { return tandem_product(product, kind, matmul_kernel::automatic, true); },
        "split_k");
    divided.same_bits = false;  // of the product in chunks
    add(std::move(divided));
  }
  // For 8-bit integers the peers are fast only with b transposed, so tandem is compared with that.
  blas_product best = product;
  best.b_transposed |= std::is_same_v<In, std::int8_t>;
  if (cublas::is_present())
    add(peer(solved, "cuda", "cublas", [=] { return cublas_product(best, kind); }));
  if (cublaslt::is_present()) {
    add(peer(solved, "cuda", "cublaslt", [=] { return cublaslt_product(best, kind); }));
  }
}

/// Adds every shape of the targets; perf/harness/tables.txt chooses the shapes per type.
template <class T, class In>
void list_mode(lineup& add, const mode<T, In>& kind) {
  const matmul_shape shapes[] = {{256, 512, 256},    {256, 256, 512},     {1000, 1000, 1000},
                                 {1024, 1024, 1024}, {2048, 2048, 2048},  {4095, 4095, 4095},
                                 {4096, 4096, 4096}, {8191, 8191, 8191},  {8192, 8192, 8192},
                                 {5120, 256, 5120},  {65536, 64, 64},     {16, 4096, 4096},
                                 {64, 65536, 64},    {64, divided_k, 64}, {300, 300, 300},
                                 {1, 8192, 8192},    {8192, 8192, 1},     {7, 4096, 11008}};
  for (const auto& [m, k, n] : shapes) {
    for (const bool b_transposed : {false, true})
      list_product(add, kind, {.m = m, .n = n, .k = k, .b_transposed = b_transposed});
  }
  const std::pair<index_t, index_t> batches[] = {
      {1 << 20, 4}, {1 << 18, 8}, {1 << 16, 16}, {16384, 32}, {16384, 64},
      {10240, 128}, {1 << 18, 5}, {65536, 12},   {32768, 24}, {16384, 48},
      {10240, 4},   {10240, 8},   {10240, 16},   {10240, 32}, {1024, 128}};
  for (const auto& [batch, side] : batches)
    list_product(add, kind, {.m = side, .n = side, .k = side, .batch = batch});
}

/// Adds products of 16-bit elements into 16-bit elements, whose unit roundoff is `unit`, and into
/// floats.
template <class In>
void list_sixteen_bits(lineup& add, const std::array<const char*, 2>& types,
                       const std::array<blas_numbers, 2>& peers, double unit) {
  constexpr auto full = matmul_precision::full;
  list_mode<In, In>(add, {types[0], peers[0], full, false, {.chain = place, .result = unit}});
  list_mode<float, In>(add, {types[1], peers[1], full, false, {.chain = place}});
}

void list_device(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  const product_roundoff sum{.chain = place};
  const product_roundoff tf32{.input = 0x1p-10, .chain = place};
  using numbers = blas_numbers;
  using precision = matmul_precision;
  list_mode<float, float>(add, {"f32", numbers::f32, precision::full, true, sum});
  list_mode<double, double>(add, {"f64", numbers::f64, precision::full, true, {.chain = 0x1p-52}});
  list_mode<float, float>(add, {"tf32", numbers::tf32, precision::tf32, false, tf32});
  list_mode<float, float>(add, {"bf16x6", numbers::f32, precision::bf16x6, false, sum});
  list_mode<float, float>(add, {"bf16x9", numbers::f32, precision::bf16x9, false, sum});
  list_sixteen_bits<tandem::bf16>(add, {"bf16", "bf16_f32"}, {numbers::bf16, numbers::bf16_f32},
                                  0x1p-7);
  list_sixteen_bits<tandem::half>(add, {"f16", "f16_f32"}, {numbers::f16, numbers::f16_f32},
                                  0x1p-10);
  list_mode<std::int32_t, std::int8_t>(add, {"i8", numbers::i8, precision::full, true, {}});
}

const registration device(list_device);

}  // namespace perf::matmul_gpu_targets
