// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for few rows have the bits of the naive kernel or, on tensor cores, of mma.sync's
// tiles, whether blocks share k or not.

#include "support/backends.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

#include <iterator>

#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>

using namespace tandem::test;
using tandem::index_t;
using tandem::cuda_impl::few_rows_plan;
using tandem::cuda_impl::reference_plan;

namespace {

constexpr index_t columns[] = {32, 33, 100, 127, 128, 257, 1000, 2049};
constexpr index_t terms[] = {1, 7, 8, 63, 64, 65, 1000, 1023, 1024, 1025, 3000, 5001};

/// Places a along k and b along k or along n, in rows that begin with whole pieces of 16 bytes.
template <class T, class In>
sweep_product<T, In> place_aligned(sweep_product<T, In> p, bool b_k_major, index_t gap) {
  constexpr auto width = static_cast<index_t>(16 / sizeof(In));
  const product_sizes& s = p.size;
  const index_t a_pitch = tandem::round_up(s.k, width) + gap * width;
  const index_t b_pitch = tandem::round_up(b_k_major ? s.k : s.n, width) + gap * width;
  const index_t a_plane = a_pitch * s.m;
  const index_t b_plane = b_pitch * (b_k_major ? s.n : s.k);
  // A nameless list would lose its designators: nvcc 13.0 drops them if p's type is dependent.
  p.a = batch_placement{.batch = a_plane, .row = a_pitch, .column = 1, .span = a_plane * s.batch};
  p.b = batch_placement{.batch = gap == 1 ? 0 : b_plane,
                        .row = b_k_major ? 1 : b_pitch,
                        .column = b_k_major ? b_pitch : 1,
                        .span = b_plane * s.batch};
  return p;
}

/// Chooses a product that the kernels accept: b is contiguous along k or along n. The other stride
/// is any, also 0 or negative.
template <class T>
sweep_product<T, T> choose(choices& pick, std::uint64_t seed, bool b_k_major) {
  sweep_product<T, T> p(seed, 1);
  p.size = {1 + pick.below(3), 1 + pick.below(tandem::cuda_impl::few_rows<T>),
            columns[pick.below(8)], terms[pick.below(12)]};
  const product_sizes& s = p.size;
  p.a = choose_place(pick, s.batch, s.m, s.k, false);
  p.c = choose_place(pick, s.batch, s.m, s.n, true);
  if (pick.one_in(2)) return place_aligned(p, b_k_major, pick.below(3));
  const index_t run = b_k_major ? s.k : s.n;
  const index_t runs = b_k_major ? s.n : s.k;
  const index_t pitch = pick.one_in(6) ? 0 : run + pick.below(4);
  const index_t reach = pitch * (runs - 1) + run;
  const index_t stride = pick.one_in(4) ? -pitch : pitch;
  p.b = batch_placement{.offset = pick.below(4) + (stride < 0 ? pitch * (runs - 1) : 0),
                        .batch = pick.one_in(2) ? 0 : reach,
                        .row = b_k_major ? 1 : stride,
                        .column = b_k_major ? stride : 1};
  p.b.span = p.b.offset + reach * s.batch;
  return p;
}

template <class T>
std::vector<T> values(index_t count, std::uint64_t seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_value<T>(seed, i);
  if (count > 10) x[static_cast<std::size_t>(count / 2)] = T(-0.0);
  return x;
}

template <class T>
void check_seed(const tandem::cuda& space, std::uint64_t seed) {
  choices pick(seed);
  const bool b_k_major = pick.one_in(2);
  const auto p = choose<T>(pick, seed, b_k_major);
  const auto a = to_space(space, values<T>(p.a.span, seed + 1));
  const auto b = to_space(space, values<T>(p.b.span, seed + 2));
  const auto before = values<T>(p.c.span, seed + 3);
  auto c = to_space(space, before);
  auto expected = to_space(space, before);
  constexpr index_t middle = 4096;
  const auto bias = to_space(space, values<T>(3 * middle, seed + 4));
  const T* const bias_data = bias.data_handle() + middle;
  const auto q = problem_of(p, a.data_handle(), b.data_handle(), c.data_handle(), bias_data);
  const index_t chunks = (p.size.k + tandem::matmul_chunk - 1) / tandem::matmul_chunk;
  const few_rows_plan plan{.b_k_major = b_k_major,
                           .vectorized = tandem::cuda_impl::detail::copies_16_bytes(q, b_k_major),
                           .split_k_slices = pick.one_in(3) ? 1 : chunks};
  tandem::cuda_impl::run_plan(space, plan, q);
  tandem::cuda_impl::run_plan(
      space, reference_plan{},
      problem_of(p, a.data_handle(), b.data_handle(), expected.data_handle(), bias_data));
  INFO("seed = " << seed << ", batch = " << p.size.batch << ", m = " << p.size.m
                 << ", n = " << p.size.n << ", k = " << p.size.k << ", b along k: " << b_k_major);
  CHECK(first_other(to_host(space, c), to_host(space, expected)) == -1);
}

/// Compares the kernels on tensor cores with mma.sync's tiles, which wgmma's equal bit for bit.
template <class T, class In>
void check_tensor_seed(const tandem::cuda& space, std::uint64_t seed) {
  choices pick(seed);
  const bool b_k_major = pick.one_in(2);
  sweep_product<T, In> p(seed, 1);
  p.size = {1 + pick.below(3), 1 + pick.below(20), columns[pick.below(8)], terms[pick.below(12)]};
  p.c = choose_place(pick, p.size.batch, p.size.m, p.size.n, true);
  p = place_aligned(p, b_k_major, pick.below(3));
  const auto a = to_space(space, values<In>(p.a.span, seed + 1));
  const auto b = to_space(space, values<In>(p.b.span, seed + 2));
  const auto before = values<T>(p.c.span, seed + 3);
  auto c = to_space(space, before);
  auto expected = to_space(space, before);
  constexpr index_t middle = 4096;
  const auto bias = to_space(space, values<float>(3 * middle, seed + 4));
  const float* const bias_data = bias.data_handle() + middle;
  const bool split_k = pick.one_in(2);
  const index_t chunk = tandem::cuda_impl::tensor_chunk(p.size.k, split_k);
  const index_t chunks = tandem::cuda_impl::tensor_chunks(p.size.k, split_k);
  const few_rows_plan plan{
      .tensor = true,
      .tile = static_cast<int>(pick.below(std::size(tandem::cuda_impl::few_rows_tensor_tiles))),
      .b_k_major = b_k_major,
      .vectorized = true,
      .chunk = chunk,
      .split_k_slices = pick.one_in(3) ? 1 : chunks};
  const auto q = problem_of(p, a.data_handle(), b.data_handle(), c.data_handle(), bias_data);
  REQUIRE(tandem::cuda_impl::detail::copies_16_bytes(q, b_k_major));
  tandem::cuda_impl::run_plan(space, plan, q);
  auto r = problem_of(p, a.data_handle(), b.data_handle(), expected.data_handle(), bias_data);
  r.split_k = split_k;
  tandem::cuda_impl::run_plan(
      space, tandem::cuda_impl::plan_mma(r, tandem::cuda_impl::planned_device(space)), r);
  INFO("seed = " << seed << ", batch = " << p.size.batch << ", m = " << p.size.m
                 << ", n = " << p.size.n << ", k = " << p.size.k << ", b along k: " << b_k_major
                 << ", tile = " << plan.tile << ", slices = " << plan.split_k_slices);
  CHECK(first_other(to_host(space, c), to_host(space, expected)) == -1);
}

}  // namespace

TEST_CASE("matmul: the kernels for few rows on tensor cores have the bits of mma.sync's tiles") {
  const tandem::cuda space(0);
  const auto device = tandem::cuda_impl::planned_device(space);
  if (device.block_shared < tandem::cuda_impl::few_rows_tensor_shared) return;
  const std::uint64_t seeds = takes_few() ? 12 : 120;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    check_tensor_seed<float, float>(space, seed);
    check_tensor_seed<tandem::half, tandem::half>(space, seed);
    check_tensor_seed<float, tandem::half>(space, seed);
    check_tensor_seed<tandem::bf16, tandem::bf16>(space, seed);
    check_tensor_seed<float, tandem::bf16>(space, seed);
  }
}

TEST_CASE_TEMPLATE("matmul: the kernels for few rows have the bits of the naive one", T, float,
                   double) {
  const tandem::cuda space(0);
  const std::uint64_t seeds = takes_few() ? 60 : 600;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) check_seed<T>(space, seed);
}

TEST_CASE_TEMPLATE("matmul: the counters of few rows are zero again for the next product", T, float,
                   double) {
  constexpr index_t k = 8192;
  constexpr index_t n = 2048;  // large enough for the plan to choose few rows
  const tandem::cuda space(0);
  const auto a = to_space(space, values<T>(k, 1));
  const auto b = to_space(space, values<T>(k * n, 2));
  tandem::array<T, 2, tandem::cuda> c(tandem::extents<2>(1, n), space);
  using memory = tandem::cuda::memory_type;
  const auto multiply = [&](tandem::matmul_kernel kernel) {
    tandem::matmul(space, tandem::as_view<memory>(a.data_handle(), 1, k),
                   tandem::as_view<memory>(b.data_handle(), k, n), c.view(), {.kernel = kernel});
    return to_host(space, c);
  };
  const auto expected = multiply(tandem::matmul_kernel::naive);
  for (int repetition = 0; repetition < 20; ++repetition)
    CHECK(first_other(multiply(tandem::matmul_kernel::automatic), expected) == -1);
}
