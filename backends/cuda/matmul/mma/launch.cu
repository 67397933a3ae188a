// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/mma/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Runs plans of mma.sync: whole batches in as many launches as they take, and for 8-bit integers
/// the copies of operands and the sums of slices of k.
namespace tandem::cuda_impl {
namespace {

/// The arguments as the kernels take them.
template <class T, class In>
mma_arguments<In> mma_arguments_of(const mma_plan& plan, const matmul_arguments<T, In>& p,
                                   index_t batch) {
  using Sum = mma_sum_t<In>;
  const bool rows_vectorizable = (p.m == 1 || p.c_row % 4 == 0) &&
                                 (batch == 1 || p.c_batch % 4 == 0) &&
                                 (plan.split_k_slices == 1 || p.c_slice % 4 == 0);
  const bool aligned = reinterpret_cast<std::uintptr_t>(p.c) % (4 * sizeof(T)) == 0;
  return {.problem = {.a = p.a,
                      .b = p.b,
                      .c = reinterpret_cast<Sum*>(p.c),
                      .c_row = p.c_row,
                      .c_column = p.c_column,
                      .c_batch = p.c_batch,
                      .m = p.m,
                      .n = p.n,
                      .k = p.k,
                      .slice_k = p.slice_k,
                      .c_slice = p.c_slice,
                      .vectorized_c = p.c_column == 1 && rows_vectorizable && aligned,
                      .finish = p.finish},
          .a_access = plan.a,
          .b_access = plan.b,
          .c_is_input_type = std::is_same_v<T, In>,
          .chunk = plan.chunk < p.slice_k ? plan.chunk : p.slice_k};
}

}  // namespace

template <class T, class In>
void launch_mma(const cuda& space, const mma_plan& plan, const matmul_arguments<T, In>& arguments,
                index_t batch) {
  const mma_tile& tile = mma_tiles[plan.tile];
  mma_arguments<In> bound = mma_arguments_of(plan, arguments, batch);
  const index_t tiles =
      ceil_div<index_t>(arguments.m, tile.m) * ceil_div<index_t>(arguments.n, tile.n);
  if (arguments.slice_k > bound.chunk) {
    const index_t sums = tiles * plan.split_k_slices * batch * tile.m * tile.n;
    bound.totals = static_cast<mma_sum_t<In>*>(
        scratch(space, static_cast<std::size_t>(sums) * sizeof(mma_sum_t<In>)));
  }
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.split_k_slices),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = tile.shared_bytes(),
      .label = "matmul (mma)"};
  if (plan.tile == 0) return launch(space, shape, &matmul_mma_kernel<In, 0>, bound);
  launch(space, shape, &matmul_mma_kernel<In, 1>, bound);
}

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

/// Enqueues the products of 8-bit integers that one launch of mma.sync takes, with what comes
/// before and after them.
void run_int8(const cuda& space, const mma_plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = round_up(arguments.k, index_t{16});  // of a packed operand, in bytes
  const index_t matrix = arguments.m * arguments.n;
  const index_t slices = plan.split_k_slices;
  scratch_layout room;
  const std::size_t a =
      room.add(plan.pack_a ? planes(arguments.a, batch) * arguments.m * pitch : 0);
  const std::size_t b =
      room.add(plan.pack_b ? planes(arguments.b, batch) * arguments.n * pitch : 0);
  const std::size_t totals = room.add(slices > 1 ? slices * batch * matrix * 4 : 0);
  std::byte* const memory = room.allocate(space);
  const auto pack = [&](int8_operand& x, index_t outer, std::byte* target) {
    x = copy_operand(space, x, outer, arguments.k, planes(x, batch), true, pitch, target);
  };
  if (plan.pack_a) pack(arguments.a, arguments.m, memory + a);
  if (plan.pack_b) pack(arguments.b, arguments.n, memory + b);
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

template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<bf16, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<half, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, float>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&,
                         const matmul_arguments<std::int32_t, std::int8_t>&, index_t);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, bf16>&);
template void run_plan(const cuda&, const mma_plan&, const int8_problem&);

}  // namespace tandem::cuda_impl
