// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/explain.hpp>
#include <tandem/backends/cuda/matmul/common/has_sm90a.hpp>
#include <tandem/backends/cuda/matmul/dispatch_tensor.cuh>
#include <tandem/backends/cuda/matmul/hopper/int8/launch.cuh>
#include <tandem/backends/cuda/matmul/mma/launch.cuh>
#include <tandem/backends/cuda/matmul/passes/pack_int8.cuh>
#include <tandem/backends/cuda/matmul/passes/split_k_sum_int8.cuh>
#include <tandem/backends/cuda/matmul/plan/int8.hpp>
#include <tandem/backends/cuda/matmul/reference/reference.hpp>
#include <tandem/core/detail/strided.hpp>

#include <cstdio>

namespace tandem {
namespace cuda_impl {
namespace {

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;
using int8_operand = matmul_operand<std::int8_t>;

/// Scratch memory of a call, cut into pieces one after the other.
class pieces {
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
index_t copies(const int8_operand& x, index_t batch) { return x.batch_stride == 0 ? 1 : batch; }

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
  const index_t pitch = packed_pitch(k);
  const index_t tiles =
      ceil_div<index_t>(outer, int8_pack_width) * ceil_div<index_t>(k, int8_pack_width);
  auto* const packed = reinterpret_cast<std::int8_t*>(target);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(copies(x, batch))),
      .block = dim3(int8_pack_threads),
      .label = "matmul (pack)"};
  launch(space, shape, &int8_pack_kernel, x, packed, outer, k, pitch, pack_access(x, outer));
  x = {packed, pitch, 1, x.batch_stride == 0 ? 0 : outer * pitch};
}

/// Enqueues the sum of the parts' totals.
void run_sum(const cuda& space, const int8_arguments& arguments, index_t batch, index_t parts,
             const std::int32_t* totals) {
  const index_t elements = batch * arguments.m * arguments.n;
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(elements, int8_sum_elements))),
      .block = dim3(int8_sum_elements * int8_sum_threads),
      .label = "matmul (sum of the parts of k)"};
  launch(space, shape, &int8_sum_kernel, arguments, totals, batch, parts);
}

/// Enqueues the products of a plan, operands being where it wants them.
void run_products(const cuda& space, const int8_plan& plan, const int8_arguments& arguments,
                  index_t batch) {
  if constexpr (has_sm90a) {
    if (plan.kernel == tensor_kernel::wgmma)
      return launch_wgmma_int8(space, plan, arguments, batch);
  }
  const auto access = [&](const int8_operand& x, index_t outer) {
    return choose_mma_access(x.data, outer, x.outer_stride, arguments.k, x.k_stride, batch,
                             x.batch_stride);
  };
  const mma_plan tensor{plan.tile, access(arguments.a, arguments.m),
                        access(arguments.b, arguments.n), plan.slice_k};
  launch_mma(space, tensor, arguments, batch, plan.split_k_slices);
}

/// The product on the tensor cores.
void run_tensor(const cuda& space, const int8_plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = packed_pitch(arguments.k);
  const index_t matrix = arguments.m * arguments.n;
  pieces room;
  const std::size_t a =
      room.add(plan.a.packed ? copies(arguments.a, batch) * arguments.m * pitch : 0);
  const std::size_t b =
      room.add(plan.b.packed ? copies(arguments.b, batch) * arguments.n * pitch : 0);
  const std::size_t totals =
      room.add(plan.split_k_slices > 1 ? plan.split_k_slices * batch * matrix * 4 : 0);
  std::byte* const memory = room.allocate(space);
  if (plan.a.packed) pack(space, arguments.a, arguments.m, arguments.k, batch, memory + a);
  if (plan.b.packed) pack(space, arguments.b, arguments.n, arguments.k, batch, memory + b);
  if (plan.split_k_slices == 1) return run_products(space, plan, arguments, batch);

  int8_arguments part = arguments;
  const bool columns = int8_columns(arguments);
  part.c = reinterpret_cast<std::int32_t*>(memory + totals);
  part.c_row = columns ? 1 : arguments.n;
  part.c_column = columns ? arguments.m : 1;
  part.c_batch = matrix;
  part.c_slice = batch * matrix;
  part.finish = {};
  part.slice_k = plan.slice_k;
  run_products(space, plan, part, batch);
  run_sum(space, arguments, batch, plan.split_k_slices, part.c);
}

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
void explain(const int8_problem& p, const int8_plan& plan) {
  if (!explains_matmul()) return;
  const char* const name = plan.kernel == tensor_kernel::reference ? "a reference kernel"
                           : plan.kernel == tensor_kernel::wgmma ? int8_hopper_tiles[plan.tile].name
                           : plan.tile == 0                      ? "mma.sync 128x128"
                                                                 : "mma.sync 64x64";
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr,
               "tandem: matmul i8 %s for %lld of m %lld, n %lld, k %lld; k in %lld part(s)%s%s%s: "
               "%s\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k), print(plan.split_k_slices),
               plan.a.k_major ? "" : ", a by registers", plan.a.packed ? ", a copied" : "",
               plan.b.packed ? ", b copied" : "", plan.reason);
}

void multiply(const cuda& space, const int8_problem& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const tensor_device device = tensor_limits(space);
  const int8_problem p = oriented_int8(problem, device);
  const int8_plan plan = plan_int8(p, device, limits(space).block_shared);
  explain(p, plan);
  if (plan.kernel == tensor_kernel::reference) return run_reference(space, p, p.kernel);
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit)
    run_tensor(space, plan, bind(p, first), min(p.batch - first, matmul_grid_limit));
}

}  // namespace
}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<std::int32_t, std::int8_t>& problem) {
  cuda_impl::multiply(space, problem);
}

}  // namespace tandem
