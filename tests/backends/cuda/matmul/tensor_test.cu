// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares tensor core products with the model of their instructions, bit for bit, and with each
// other: mma.sync and wgmma give the same bits.

#include "backends/cuda/matmul/tensor_core_model.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <array>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>

using namespace tandem::test;

namespace {

using tandem::bf16;
using tandem::half;
using tandem::index_t;
using tandem::cuda_impl::mma_plan;

/// Distribution of the inputs' elements.
enum class kind { ordinary, far_apart, any_bits, special };

template <class In>
In input(kind which, std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t bits = mix(mix(seed) ^ i);
  const double unit = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
  const auto pick = mix(bits);
  if (which == kind::far_apart)
    return In(static_cast<float>(std::ldexp(unit, static_cast<int>(pick % 24) - 12)));
  if (which == kind::special && pick % 64 < 5) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float values[] = {0.0f, -0.0f, infinity, -infinity,
                            std::numeric_limits<float>::quiet_NaN()};
    // Infinities must be rare, or every element becomes NaN.
    return In(values[pick % 64 < 2 || pick / 64 % 32 == 0 ? pick % 64 : 0]);
  }
  if (which == kind::any_bits) {
    if constexpr (sizeof(In) == 2) {
      const In any = In::from_bits(static_cast<std::uint16_t>(bits));
      return std::isfinite(float{any}) ? any : In(1.0f);
    } else {
      const float any = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return std::isfinite(any) ? any : 1.0f;
    }
  }
  return In(static_cast<float>(unit));
}

template <class In>
std::vector<In> inputs(std::size_t count, kind which, std::uint64_t seed) {
  std::vector<In> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = input<In>(which, seed, i);
  return values;
}

/// Returns elements i, i + stride, .. as the tensor cores convert them.
template <class In>
std::vector<float> gathered(const std::vector<In>& x, std::size_t first, std::size_t stride,
                            std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(x[first + i * stride]);
    if constexpr (std::is_same_v<In, float>) values[i] = to_tf32(values[i]);
  }
  return values;
}

/// Whether x and y are the same float, or both NaN.
bool same(float x, float y) {
  return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

/// Counts the elements of c, row-major m x n, that differ from the model's.
template <class In>
std::size_t differences(const std::vector<In>& a, const std::vector<In>& b,
                        const std::vector<float>& c, std::size_t m, std::size_t n, std::size_t k,
                        bool split_k) {
  const auto chunk =
      static_cast<std::size_t>(tandem::cuda_impl::tensor_chunk(static_cast<index_t>(k), split_k));
  // Checks some elements of large products, because the model is slow.
  const std::size_t stride = std::max<std::size_t>(1, m * n * k / 400000) | 1;
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < m * n; at += stride) {
    const auto row = gathered(a, at / n * k, 1, k);
    const auto column = gathered(b, at % n, n, k);
    wrong += !same(c[at], tensor_element(row, column, chunk, tensor_format_of<In>));
  }
  return wrong;
}

/// Computes c = a b with the library.
template <class In>
std::vector<float> library_product(const tandem::cuda& space, const std::vector<In>& a,
                                   const std::vector<In>& b, index_t m, index_t n, index_t k,
                                   bool split_k) {
  const auto on_a = to_space(space, a);
  const auto on_b = to_space(space, b);
  tandem::array<float, 2, tandem::cuda> c(tandem::extents<2>(m, n), space);
  using memory = tandem::cuda::memory_type;
  tandem::matmul(space, tandem::as_view<memory>(on_a.data_handle(), m, k),
                 tandem::as_view<memory>(on_b.data_handle(), k, n), c.view(),
                 {.precision = tandem::matmul_precision::tf32, .split_k = split_k});
  return to_host(space, c);
}

/// Number of mma.sync's tiles that have kernels for In: the smallest one is for 16 bits.
template <class In>
constexpr int mma_tiles_of = sizeof(In) == 2 ? 3 : 2;

/// Computes c = a b with mma.sync, whatever the library would choose. Chunks have separate blocks
/// if k is split.
template <class In>
std::vector<float> mma_product(const tandem::cuda& space, const std::vector<In>& a,
                               const std::vector<In>& b, index_t m, index_t n, index_t k, int tile,
                               bool split_k) {
  const auto on_a = to_space(space, a);
  const auto on_b = to_space(space, b);
  tandem::array<float, 2, tandem::cuda> c(tandem::extents<2>(m, n), space);
  tandem::matmul_problem<float, In> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = on_a.data_handle();
  p.a_row = k;
  p.a_column = 1;
  p.b = on_b.data_handle();
  p.b_row = n;
  p.b_column = 1;
  p.c = c.data_handle();
  p.c_row = n;
  p.c_column = 1;
  p.split_k = split_k;
  mma_plan plan = tandem::cuda_impl::plan_mma(p, {.multiprocessors = 1, .compute_capability = 80});
  plan.tile = tile;
  if (split_k) plan.split_k_slices = tandem::cuda_impl::tensor_chunks(k, true);
  tandem::cuda_impl::run_plan(space, plan, p);
  return to_host(space, c);
}

/// Shapes for the kernels: whole tiles, unaligned rows, a k that no step divides, several chunks of
/// k.
constexpr index_t shapes[][3] = {{16, 8, 16},     {1, 1, 1},      {33, 17, 65},    {64, 64, 1000},
                                 {128, 256, 130}, {130, 70, 513}, {3, 5, 40000},   {1, 300, 48},
                                 {300, 1, 48},    {96, 40, 4096}, {24, 16, 16400}, {64, 66, 5001},
                                 {40, 44, 300},   {50, 46, 334}};

template <class In>
void check_model(bool by_mma, bool split_k = false) {
  const tandem::cuda space(0);
  std::uint64_t seed = 0;
  for (const auto& [m, n, k] : shapes) {
    for (const kind which : {kind::ordinary, kind::far_apart, kind::any_bits, kind::special}) {
      if (takes_few() && which != kind::special) continue;
      const auto a = inputs<In>(static_cast<std::size_t>(m * k), which, ++seed);
      const auto b = inputs<In>(static_cast<std::size_t>(k * n), which, ++seed);
      const auto tile = static_cast<int>(seed / 2 % mma_tiles_of<In>);
      const auto c = by_mma ? mma_product(space, a, b, m, n, k, tile, split_k)
                            : library_product(space, a, b, m, n, k, split_k);
      INFO("m = " << m << ", n = " << n << ", k = " << k << ", inputs " << static_cast<int>(which));
      CHECK(differences(a, b, c, static_cast<std::size_t>(m), static_cast<std::size_t>(n),
                        static_cast<std::size_t>(k), split_k) == 0);
    }
  }
}

/// The model describes Hopper; other generations truncate elsewhere.
bool has_modelled_cores() {
  const tandem::cuda space(0);
  const bool modelled = tandem::cuda_impl::limits(space).compute_capability == 90;
  if (!modelled) MESSAGE("skipped: the model is that of compute capability 9.0");
  return modelled;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: tensor cores give the bits of their model", In, bf16, half, float) {
  if (!has_modelled_cores()) return;
  check_model<In>(false);
}

TEST_CASE_TEMPLATE("matmul: mma.sync gives the bits of the same model", In, bf16, half, float) {
  if (!has_modelled_cores()) return;
  check_model<In>(true);
}

TEST_CASE_TEMPLATE("matmul: a split k gives the bits of the model in chunks of 1024 terms", In,
                   bf16, half, float) {
  if (!has_modelled_cores()) return;
  check_model<In>(false, true);
  check_model<In>(true, true);
}

TEST_CASE_TEMPLATE("matmul: mma.sync and the library's choice agree in every element", In, bf16,
                   half, float) {
  const tandem::cuda space(0);
  for (const auto& [m, n, k] :
       {std::array<index_t, 3>{300, 500, 700}, std::array<index_t, 3>{257, 129, 33000}}) {
    if (takes_few() && k > 1000) continue;
    const auto a = inputs<In>(static_cast<std::size_t>(m * k), kind::far_apart, 5);
    const auto b = inputs<In>(static_cast<std::size_t>(k * n), kind::far_apart, 6);
    const auto chosen = library_product(space, a, b, m, n, k, false);
    for (int tile = 0; tile < mma_tiles_of<In>; ++tile) {
      const auto c = mma_product(space, a, b, m, n, k, tile, false);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < c.size(); ++i) wrong += !same(c[i], chosen[i]);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("matmul: 8-bit integers are exact however k is divided") {
  const tandem::cuda space(0);
  for (const auto& [m, n, k] :
       {std::array<index_t, 3>{64, 64, 65536}, std::array<index_t, 3>{16, 520, 4096},
        std::array<index_t, 3>{130, 70, 10001}}) {
    const auto a = random_values<std::int8_t>(static_cast<std::size_t>(m * k), 1);
    const auto b = random_values<std::int8_t>(static_cast<std::size_t>(k * n), 2);
    const auto on_a = to_space(space, a);
    const auto on_b = to_space(space, b);
    tandem::array<std::int32_t, 2, tandem::cuda> c(tandem::extents<2>(m, n), space);
    using memory = tandem::cuda::memory_type;
    tandem::matmul(space, tandem::as_view<memory>(on_a.data_handle(), m, k),
                   tandem::as_view<memory>(on_b.data_handle(), k, n), c.view());
    const auto result = to_host(space, c);
    std::vector<std::int32_t> wanted(result.size());
    tandem::matmul(tandem::openmp(), tandem::as_view<tandem::host_memory>(a.data(), m, k),
                   tandem::as_view<tandem::host_memory>(b.data(), k, n),
                   tandem::as_view<tandem::host_memory>(wanted.data(), m, n));
    CHECK(result == wanted);
  }
}
