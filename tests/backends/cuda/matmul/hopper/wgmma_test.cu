// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares Hopper's kernels with mma.sync: every tile, order and alignment gives the same bits, and
// only c is written.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <cstdint>
#include <set>
#include <variant>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>

using namespace tandem::test;

namespace {

using tandem::bf16;
using tandem::half;
using tandem::index_t;
using tandem::matmul_problem;

/// Device memory of elements that are neither zero nor NaN; the same seed gives the same bits.
template <class T>
class elements {
 public:
  elements(std::size_t count, std::uint64_t seed) : count_(count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = mix(mix(seed) ^ i);
      values[i] = T(static_cast<float>(static_cast<double>(bits >> 11) * 0x1p-52 - 1.0));
    }
    REQUIRE(cudaMalloc(&data_, count * sizeof(T)) == cudaSuccess);
    REQUIRE(cudaMemcpy(data_, values.data(), count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
    // Spaces' streams do not wait for the default stream, and a copy of less than 64 KB may still
    // be in flight when the call returns.
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  }
  elements(const elements&) = delete;
  elements& operator=(const elements&) = delete;
  ~elements() { cudaFree(data_); }

  T* data() const { return static_cast<T*>(data_); }
  std::vector<unsigned char> bytes() const {
    std::vector<unsigned char> copy(count_ * sizeof(T));
    REQUIRE(cudaMemcpy(copy.data(), data_, copy.size(), cudaMemcpyDefault) == cudaSuccess);
    return copy;
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

/// Extents, and by how many elements each row of a, b and c is padded.
struct shape {
  index_t m;
  index_t n;
  index_t k;
  index_t pad_a = 0;
  index_t pad_b = 0;
  index_t pad_c = 0;
  bool a_transposed = false;
  bool b_transposed = false;
};

template <class T, class In>
matmul_problem<T, In> problem_of(const shape& s, const In* a, const In* b, T* c) {
  const index_t a_pitch = (s.a_transposed ? s.m : s.k) + s.pad_a;
  const index_t b_pitch = (s.b_transposed ? s.k : s.n) + s.pad_b;
  matmul_problem<T, In> p;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.a = a;
  p.a_row = s.a_transposed ? 1 : a_pitch;
  p.a_column = s.a_transposed ? a_pitch : 1;
  p.b = b;
  p.b_row = s.b_transposed ? 1 : b_pitch;
  p.b_column = s.b_transposed ? b_pitch : 1;
  p.c = c;
  p.c_row = s.n + s.pad_c;
  p.c_column = 1;
  return p;
}

/// Runs the product with mma.sync alone.
template <class T, class In>
void multiply_by_mma(const tandem::cuda& space, const matmul_problem<T, In>& p) {
  const auto plan = tandem::cuda_impl::plan_mma(p, tandem::cuda_impl::planned_device(space));
  tandem::cuda_impl::run_plan(space, plan, p);
}

template <class T, class In>
void multiply(const tandem::cuda& space, const matmul_problem<T, In>& p) {
  using namespace tandem::cuda_impl;
  matmul_problem<T, In> asked = p;
  if constexpr (std::is_same_v<In, float>) asked.precision = tandem::matmul_precision::tf32;
  const auto plan = plan_matmul(asked, planned_device(space));
  REQUIRE(std::holds_alternative<tensor_plan>(plan.engine));
  dispatch_matmul(space, asked);
}

template <class T, class In>
void check(const tandem::cuda& space, const shape& s) {
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  const auto room = [](index_t rows, index_t pitch) {
    return static_cast<std::size_t>(rows * pitch);
  };
  const elements<In> a(s.a_transposed ? room(s.k, s.m + s.pad_a) : room(s.m, s.k + s.pad_a), 1);
  const elements<In> b(s.b_transposed ? room(s.n, s.k + s.pad_b) : room(s.k, s.n + s.pad_b), 2);
  const elements<T> c(room(s.m, s.n + s.pad_c), 3);
  const elements<T> expected(room(s.m, s.n + s.pad_c), 3);
  multiply(space, problem_of(s, a.data(), b.data(), c.data()));
  multiply_by_mma(space, problem_of(s, a.data(), b.data(), expected.data()));
  space.fence();
  CHECK(c.bytes() == expected.bytes());
}

/// Checks shapes that take every tile, in all orders, aligned and not; if few are wanted, each in
/// one order.
template <class T, class In>
void check_all(const tandem::cuda& space) {
  const index_t extents[][3] = {{1536, 1400, 72}, {1000, 1024, 264}, {3000, 64, 64},
                                {200, 136, 520},  {24, 1000, 264},   {72, 40, 17000},
                                {1, 1, 1},        {2600, 2700, 40},  {2600, 2300, 40}};
  std::set<int> tiles;
  int order = 0;
  for (const auto& e : extents) {
    int skipped = takes_few() ? order++ % 4 : 0;
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        if (takes_few() && skipped-- != 0) continue;
        const index_t pad = a_transposed == b_transposed ? 0 : 8;
        const shape s{e[0], e[1], e[2], pad, pad, pad, a_transposed, b_transposed};
        check<T, In>(space, s);
        const auto p = problem_of<T, In>(s, nullptr, nullptr, nullptr);
        const auto plan =
            tandem::cuda_impl::plan_tensor(p, tandem::cuda_impl::planned_device(space));
        tiles.insert(std::get<tandem::cuda_impl::tensor_plan>(plan.engine).tile);
      }
    }
    if (takes_few()) continue;
    check<T, In>(space, {e[0] - e[0] / 3, e[1], e[2] - e[2] / 3, 1, 3, 1});
  }
  CHECK(tiles.size() >= 3);
}

bool has_wgmma(const tandem::cuda& space) {
  const bool has = tandem::cuda_impl::planned_device(space).runs_sm90a();
  if (!has) MESSAGE("skipped: the device or this build lacks wgmma");
  return has;
}

}  // namespace

TEST_CASE("cuda: wgmma's tiles give mma.sync's bits of bf16, in every order and alignment") {
  const tandem::cuda space;
  if (!has_wgmma(space)) return;
  check_all<bf16, bf16>(space);
  check_all<float, bf16>(space);
}

TEST_CASE("cuda: wgmma's tiles give mma.sync's bits of half, in every order and alignment") {
  const tandem::cuda space;
  if (!has_wgmma(space)) return;
  check_all<half, half>(space);
  check_all<float, half>(space);
}

TEST_CASE("cuda: wgmma's tiles give mma.sync's bits of tf32, in every order and alignment") {
  const tandem::cuda space;
  if (!has_wgmma(space)) return;
  check_all<float, float>(space);
}

TEST_CASE("cuda: a tensor copy leaves what lies beside a row of c, though it writes 16 bytes") {
  const tandem::cuda space;
  if (!has_wgmma(space)) return;
  for (const index_t n : {1, 7, 63, 65, 127, 250}) {
    const index_t pad = 256 - n;  // b is read in place
    check<bf16, bf16>(space, {.m = 130, .n = n, .k = 64, .pad_b = pad, .pad_c = pad});
    check<float, half>(space, {.m = 130, .n = n, .k = 64, .pad_b = pad, .pad_c = pad});
  }
}
