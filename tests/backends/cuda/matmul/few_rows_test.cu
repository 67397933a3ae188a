// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for few rows have the bits of the naive kernel, whether blocks share k or not.

#include "support/backends.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>

using namespace tandem::test;
using tandem::index_t;
using tandem::cuda_impl::few_rows_plan;
using tandem::cuda_impl::reference_plan;

namespace {

constexpr index_t columns[] = {32, 33, 100, 127, 128, 257, 1000, 2049};
constexpr index_t terms[] = {1, 7, 8, 63, 64, 65, 1000, 1023, 1024, 1025, 3000, 5001};

/// Chooses a product that the kernels accept: b is contiguous along k or along n.
template <class T>
sweep_product<T, T> choose(choices& pick, std::uint64_t seed, bool b_k_major) {
  sweep_product<T, T> p(seed, 1);
  p.size = {1 + pick.below(3), 1 + pick.below(tandem::cuda_impl::few_rows), columns[pick.below(8)],
            terms[pick.below(12)]};
  const product_sizes& s = p.size;
  p.a = choose_place(pick, s.batch, s.m, s.k, false);
  p.c = choose_place(pick, s.batch, s.m, s.n, true);
  const index_t pitch = (b_k_major ? s.k : s.n) + pick.below(4);
  p.b = {.offset = pick.below(4), .row = b_k_major ? 1 : pitch, .column = b_k_major ? pitch : 1};
  p.b.span = pitch * (b_k_major ? s.n : s.k);
  p.b.batch = pick.one_in(2) ? 0 : p.b.span;
  p.b.span = p.b.span * s.batch + p.b.offset;
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
                           .warps = 1 << pick.below(3),
                           .split_k_slices = pick.one_in(3) ? 1 : chunks};
  tandem::cuda_impl::run_plan(space, plan, q);
  tandem::cuda_impl::run_plan(
      space, reference_plan{},
      problem_of(p, a.data_handle(), b.data_handle(), expected.data_handle(), bias_data));
  INFO("seed = " << seed << ", batch = " << p.size.batch << ", m = " << p.size.m
                 << ", n = " << p.size.n << ", k = " << p.size.k << ", b along k: " << b_k_major);
  CHECK(first_other(to_host(space, c), to_host(space, expected)) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: the kernels for few rows have the bits of the naive one", T, float,
                   double) {
  const tandem::cuda space(0);
  const std::uint64_t seeds = takes_few() ? 60 : 600;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) check_seed<T>(space, seed);
}

TEST_CASE_TEMPLATE("matmul: the counters of few rows are zero again for the next product", T, float,
                   double) {
  const tandem::cuda space(0);
  const auto a = to_space(space, values<T>(8192, 1));
  const auto b = to_space(space, values<T>(8192 * 512, 2));
  tandem::array<T, 2, tandem::cuda> c(tandem::extents<2>(1, 512), space);
  using memory = tandem::cuda::memory_type;
  std::vector<T> first;
  for (int repetition = 0; repetition < 20; ++repetition) {
    tandem::matmul(space, tandem::as_view<memory>(a.data_handle(), 1, 8192),
                   tandem::as_view<memory>(b.data_handle(), 8192, 512), c.view());
    const auto result = to_host(space, c);
    if (repetition == 0) first = result;
    CHECK(first_other(result, first) == -1);
  }
}
