// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the plans of tensor cores: whole batches in as many launches as they take, and for 8-bit
// integers the copies of operands and the sums of slices of k.
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/hopper/run.cuh>
#include <tandem/backends/cuda/matmul/passes/pack.cuh>
#include <tandem/backends/cuda/matmul/passes/split_k_sum.cuh>

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

/// Enqueues the copy of an operand and puts the copy in its place.
void pack(const cuda& space, int8_operand& x, index_t outer, index_t k, index_t batch,
          std::byte* target) {
  const index_t pitch = int8_pitch(k);
  const operand_pack shape{.inner = k,
                           .outer = outer,
                           .planes = planes(x, batch),
                           .inner_stride = x.k_stride,
                           .outer_stride = x.outer_stride,
                           .plane_stride = x.batch_stride,
                           .pitch = pitch,
                           .plane = outer * pitch};
  pack_operand(space, shape, reinterpret_cast<const std::uint8_t*>(x.data),
               reinterpret_cast<std::uint8_t*>(target));
  x = {reinterpret_cast<const std::int8_t*>(target), pitch, 1,
       x.batch_stride == 0 ? 0 : outer * pitch};
}

/// Enqueues the products of 8-bit integers that one launch of mma.sync takes, with what comes
/// before and after them.
void run_int8(const cuda& space, const mma_plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = int8_pitch(arguments.k);
  const index_t matrix = arguments.m * arguments.n;
  const index_t slices = plan.split_k_slices;
  scratch_layout room;
  const std::size_t a =
      room.add(plan.pack_a ? planes(arguments.a, batch) * arguments.m * pitch : 0);
  const std::size_t b =
      room.add(plan.pack_b ? planes(arguments.b, batch) * arguments.n * pitch : 0);
  const std::size_t totals = room.add(slices > 1 ? slices * batch * matrix * 4 : 0);
  std::byte* const memory = room.allocate(space);
  if (plan.pack_a) pack(space, arguments.a, arguments.m, arguments.k, batch, memory + a);
  if (plan.pack_b) pack(space, arguments.b, arguments.n, arguments.k, batch, memory + b);
  if (slices == 1) return launch_mma(space, plan, arguments, batch);

  int8_arguments slice = arguments;
  const bool columns = totals_by_columns(arguments);
  slice.c = reinterpret_cast<std::int32_t*>(memory + totals);
  slice.c_row = columns ? 1 : arguments.n;
  slice.c_column = columns ? arguments.m : 1;
  slice.c_batch = matrix;
  slice.c_slice = batch * matrix;
  slice.finish = {};
  slice.slice_k = plan.chunk;
  launch_mma(space, plan, slice, batch);
  sum_slices(space, arguments, static_cast<const std::int32_t*>(slice.c), batch, slices);
}

/// Most matrices of one launch.
template <class In>
index_t launch_batch(const tensor_plan& plan, index_t m, index_t n) {
  const tensor_tile& tile = chosen_tile<In>(plan);
  const index_t tiles =
      ceil_div<index_t>(m, tile.m()) * ceil_div<index_t>(n, tile.n) * plan.split_k_slices;
  return max(index_t{1}, min(matmul_grid_limit, tensor_launch_tiles / tiles));
}

}  // namespace

template <class T, class In>
void run_plan(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p) {
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit) {
    const index_t batch = min(p.batch - first, matmul_grid_limit);
    if constexpr (sizeof(In) == 1) {
      run_int8(space, plan, bind(p, first), batch);
    } else {
      launch_mma(space, plan, bind(p, first), batch);
    }
  }
}
template <class T, class In>
void run_plan(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  if constexpr (has_sm90a) {
    const index_t most = launch_batch<In>(plan, p.m, p.n);
    for (index_t first = 0; first < p.batch; first += most)
      run_wgmma(space, plan, batch_slice(p, first, min(p.batch - first, most)));
  }
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
