// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the plans of tensor cores: whole batches in as many launches as they take, and for 8-bit
// integers the copies of operands and the sums of slices of k.
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/hopper/int8/launch.cuh>
#include <tandem/backends/cuda/matmul/hopper/run.cuh>
#include <tandem/backends/cuda/matmul/passes/pack_int8.cuh>
#include <tandem/backends/cuda/matmul/passes/split_k_sum_int8.cuh>

#include <tandem/core/detail/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tandem::cuda_impl {
namespace {

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;
using int8_operand = matmul_operand<std::int8_t>;

/// Sizes of the arrays of a call that share its scratch memory, one after the other.
class scratch_layout {
 public:
  /// Makes room for `bytes` more; where they begin.
  std::size_t add(index_t bytes) {
    const std::size_t at = bytes_;
    bytes_ += static_cast<std::size_t>(round_up(bytes, index_t{256}));
    return at;
  }
  std::byte* allocate(const cuda& space) const {
    return bytes_ == 0 ? nullptr : static_cast<std::byte*>(scratch(space, bytes_));
  }

 private:
  std::size_t bytes_ = 0;
};

/// Matrices of an operand that differ.
index_t planes(const int8_operand& x, index_t batch) { return x.batch_stride == 0 ? 1 : batch; }

/// Bytes from row to row of a packed operand.
constexpr index_t int8_pitch(index_t k) { return round_up(k, index_t{16}); }

/// How the copy of an operand of `outer` rows reads it.
int8_pack_access pack_access(const int8_operand& x, index_t outer) {
  const auto words = [](index_t stride) { return stride % 4 == 0; };
  if (x.outer_stride == 1 && outer % 4 == 0 && words(x.k_stride) && words(x.batch_stride) &&
      reinterpret_cast<std::uintptr_t>(x.data) % 4 == 0)
    return int8_pack_access::row_words;
  const bool along_rows =
      tandem::detail::magnitude(x.outer_stride) < tandem::detail::magnitude(x.k_stride);
  return along_rows ? int8_pack_access::rows : int8_pack_access::terms;
}

/// Enqueues the copy of an operand and puts the copy in its place.
void pack(const cuda& space, int8_operand& x, index_t outer, index_t k, index_t batch,
          std::byte* target) {
  const index_t pitch = int8_pitch(k);
  const index_t tiles =
      ceil_div<index_t>(outer, int8_pack_width) * ceil_div<index_t>(k, int8_pack_width);
  auto* const packed = reinterpret_cast<std::int8_t*>(target);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(planes(x, batch))),
      .block = dim3(int8_pack_threads),
      .label = "matmul (pack)"};
  launch(space, shape, &int8_pack_kernel, x, packed, outer, k, pitch, pack_access(x, outer));
  x = {packed, pitch, 1, x.batch_stride == 0 ? 0 : outer * pitch};
}

/// Enqueues the sum of the slices' totals.
void sum_slices(const cuda& space, const int8_arguments& arguments, index_t batch, index_t slices,
                const std::int32_t* totals) {
  const index_t elements = batch * arguments.m * arguments.n;
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(elements, int8_sum_elements))),
      .block = dim3(int8_sum_elements * int8_sum_threads),
      .label = "matmul (split-K sum)"};
  launch(space, shape, &int8_sum_kernel, arguments, totals, batch, slices);
}

void launch_int8(const cuda& space, const mma_plan& plan, const int8_arguments& arguments,
                 index_t batch) {
  launch_mma(space, plan, arguments, batch);
}
void launch_int8(const cuda& space, const tensor_plan& plan, const int8_arguments& arguments,
                 index_t batch) {
  if constexpr (has_sm90a) launch_wgmma_int8(space, plan, arguments, batch);
}

bool packs_a(const mma_plan& plan) { return plan.pack_a; }
bool packs_b(const mma_plan& plan) { return plan.pack_b; }
index_t slice_terms(const mma_plan& plan) { return plan.chunk; }
bool packs_a(const tensor_plan& plan) { return plan.a.packed; }
bool packs_b(const tensor_plan& plan) { return plan.b.packed; }
index_t slice_terms(const tensor_plan& plan) { return plan.slice_k; }

/// Enqueues the products of a batch that one launch takes, with what comes before and after them.
template <class Plan>
void run_int8(const cuda& space, const Plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = int8_pitch(arguments.k);
  const index_t matrix = arguments.m * arguments.n;
  const index_t slices = plan.split_k_slices;
  scratch_layout room;
  const std::size_t a =
      room.add(packs_a(plan) ? planes(arguments.a, batch) * arguments.m * pitch : 0);
  const std::size_t b =
      room.add(packs_b(plan) ? planes(arguments.b, batch) * arguments.n * pitch : 0);
  const std::size_t totals = room.add(slices > 1 ? slices * batch * matrix * 4 : 0);
  std::byte* const memory = room.allocate(space);
  if (packs_a(plan)) pack(space, arguments.a, arguments.m, arguments.k, batch, memory + a);
  if (packs_b(plan)) pack(space, arguments.b, arguments.n, arguments.k, batch, memory + b);
  if (slices == 1) return launch_int8(space, plan, arguments, batch);

  int8_arguments slice = arguments;
  const bool columns = int8_columns(arguments);
  slice.c = reinterpret_cast<std::int32_t*>(memory + totals);
  slice.c_row = columns ? 1 : arguments.n;
  slice.c_column = columns ? arguments.m : 1;
  slice.c_batch = matrix;
  slice.c_slice = batch * matrix;
  slice.finish = {};
  slice.slice_k = slice_terms(plan);
  launch_int8(space, plan, slice, batch);
  sum_slices(space, arguments, batch, slices, slice.c);
}

/// Most matrices of one launch.
index_t launch_batch(const mma_plan&, index_t, index_t) { return matmul_grid_limit; }
index_t launch_batch(const tensor_plan& plan, index_t m, index_t n) {
  const tensor_tile& tile = tensor_tiles[plan.tile];
  const index_t tiles =
      ceil_div<index_t>(m, tile.m()) * ceil_div<index_t>(n, tile.n) * plan.split_k_slices;
  return max(index_t{1}, min(matmul_grid_limit, tensor_launch_tiles / tiles));
}

template <class T, class In>
void run_products(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p) {
  launch_mma(space, plan, bind(p, 0), p.batch);
}
template <class T, class In>
void run_products(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  if constexpr (has_sm90a) run_wgmma(space, plan, p);
}

/// Runs a plan in as many launches as it takes.
template <class Plan, class T, class In>
void run_batch(const cuda& space, const Plan& plan, const matmul_problem<T, In>& p) {
  if constexpr (sizeof(In) == 1) {
    for (index_t first = 0; first < p.batch; first += matmul_grid_limit)
      run_int8(space, plan, bind(p, first), min(p.batch - first, matmul_grid_limit));
  } else {
    const index_t most = launch_batch(plan, p.m, p.n);
    for (index_t first = 0; first < p.batch; first += most)
      run_products(space, plan, batch_slice(p, first, min(p.batch - first, most)));
  }
}

}  // namespace

template <class T, class In>
void run_plan(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p) {
  run_batch(space, plan, p);
}
template <class T, class In>
void run_plan(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  run_batch(space, plan, p);
}

template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, bf16>&);
template void run_plan(const cuda&, const mma_plan&, const int8_problem&);
template void run_plan(const cuda&, const tensor_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const tensor_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const tensor_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const tensor_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const tensor_plan&, const matmul_problem<float, bf16>&);
template void run_plan(const cuda&, const tensor_plan&, const int8_problem&);

}  // namespace tandem::cuda_impl
