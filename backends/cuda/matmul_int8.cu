// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul_explain.hpp>
#include <tandem/backends/cuda/matmul_int8.hpp>
#include <tandem/backends/cuda/matmul_int8_pack.cuh>
#include <tandem/backends/cuda/matmul_int8_sum.cuh>
#include <tandem/backends/cuda/matmul_mma_launch.cuh>
#include <tandem/backends/cuda/matmul_naive.cuh>
#include <tandem/backends/cuda/matmul_tiled.cuh>
#include <tandem/backends/cuda/matmul_wgmma_int8_launch.cuh>

#include <cstdio>

namespace tandem {
namespace cuda_impl {
namespace {

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;
using int8_operand = matmul_operand<std::int8_t>;

constexpr index_t grid_limit = 65535;  // blocks of a grid along y and along z

/// Arguments of the matrices `first`, first + 1, .. of the batch, k undivided.
int8_arguments bind(const int8_problem& p, index_t first) {
  return {.a = {p.a + first * p.a_batch, p.a_row, p.a_column, p.a_batch},
          .b = {p.b + first * p.b_batch, p.b_column, p.b_row, p.b_batch},
          .c = p.c + first * p.c_batch,
          .c_row = p.c_row,
          .c_column = p.c_column,
          .c_batch = p.c_batch,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .part_k = p.k,
          .finish = tandem::detail::finish_of(p)};
}

void run_naive(const cuda& space, const int8_arguments& arguments, index_t batch) {
  const index_t tiles =
      ceil_div<index_t>(arguments.m, naive_rows) * ceil_div<index_t>(arguments.n, naive_columns);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(naive_columns, naive_rows),
      .label = "matmul (naive)"};
  launch(space, shape, &matmul_naive_kernel<std::int32_t, std::int8_t>, arguments);
}

void run_tiled(const cuda& space, const int8_arguments& arguments, index_t batch) {
  const index_t width = 32;
  const index_t tiles = ceil_div(arguments.m, width) * ceil_div(arguments.n, width);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(width), static_cast<unsigned>(width)),
      .shared_bytes = 2 * static_cast<std::size_t>(width * width),
      .label = "matmul (tiled)"};
  launch(space, shape, &matmul_tiled_kernel<std::int32_t, std::int8_t>, arguments);
}

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
  const index_t along_k = x.k_stride < 0 ? -x.k_stride : x.k_stride;
  const index_t along_rows = x.outer_stride < 0 ? -x.outer_stride : x.outer_stride;
  return along_rows < along_k ? int8_pack_access::rows : int8_pack_access::terms;
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
#ifdef TANDEM_CUDA_SM90A
  if (plan.kernel == int8_kernel::wgmma) return launch_wgmma_int8(space, plan, arguments, batch);
#endif
  const auto access = [&](const int8_operand& x, index_t outer) {
    return choose_mma_access(x.data, outer, x.outer_stride, arguments.k, x.k_stride, batch,
                             x.batch_stride);
  };
  const mma_plan tensor{plan.tile, access(arguments.a, arguments.m),
                        access(arguments.b, arguments.n), plan.part_k};
  launch_mma(space, tensor, arguments, batch, plan.parts);
}

/// The product on the tensor cores.
void run_tensor(const cuda& space, const int8_plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = packed_pitch(arguments.k);
  const index_t matrix = arguments.m * arguments.n;
  pieces room;
  const std::size_t a =
      room.add(plan.pack_a ? copies(arguments.a, batch) * arguments.m * pitch : 0);
  const std::size_t b =
      room.add(plan.pack_b ? copies(arguments.b, batch) * arguments.n * pitch : 0);
  const std::size_t totals = room.add(plan.parts > 1 ? plan.parts * batch * matrix * 4 : 0);
  std::byte* const memory = room.allocate(space);
  if (plan.pack_a) pack(space, arguments.a, arguments.m, arguments.k, batch, memory + a);
  if (plan.pack_b) pack(space, arguments.b, arguments.n, arguments.k, batch, memory + b);
  if (plan.parts == 1) return run_products(space, plan, arguments, batch);

  int8_arguments part = arguments;
  part.c = reinterpret_cast<std::int32_t*>(memory + totals);
  part.c_row = arguments.n;
  part.c_column = 1;
  part.c_batch = matrix;
  part.c_part = batch * matrix;
  part.finish = {};
  part.part_k = plan.part_k;
  run_products(space, plan, part, batch);
  run_sum(space, arguments, batch, plan.parts, part.c);
}

/// Whether this build has code for Hopper's own instructions.
constexpr bool build_has_wgmma() {
#ifdef TANDEM_CUDA_SM90A
  return true;
#else
  return false;
#endif
}

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
void explain(const int8_problem& p, const int8_plan& plan) {
  if (!explains_matmul()) return;
  const char* const name = plan.kernel == int8_kernel::naive   ? "matmul naive"
                           : plan.kernel == int8_kernel::tiled ? "matmul tiled"
                           : plan.kernel == int8_kernel::wgmma ? int8_hopper_tiles[plan.tile].name
                           : plan.tile == 0                    ? "matmul i8 mma 128x128"
                                                               : "matmul i8 mma 64x64";
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s for %lld of m %lld, n %lld, k %lld; k in %lld part(s)%s%s: %s\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k), print(plan.parts),
               plan.pack_a ? ", a copied" : "", plan.pack_b ? ", b copied" : "", plan.reason);
}

void multiply(const cuda& space, const int8_problem& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const int8_problem p = oriented_int8(problem);
  const device_limits& device = limits(space);
  const int8_plan plan = plan_int8(p, {.multiprocessors = device.multiprocessors,
                                       .compute_capability = device.compute_capability,
                                       .block_shared = device.block_shared,
                                       .has_wgmma = build_has_wgmma()});
  explain(p, plan);
  for (index_t first = 0; first < p.batch; first += grid_limit) {
    const index_t batch = min(p.batch - first, grid_limit);
    const int8_arguments arguments = bind(p, first);
    if (plan.kernel == int8_kernel::naive) {
      run_naive(space, arguments, batch);
    } else if (plan.kernel == int8_kernel::tiled) {
      run_tiled(space, arguments, batch);
    } else {
      run_tensor(space, plan, arguments, batch);
    }
  }
}

}  // namespace
}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<std::int32_t, std::int8_t>& problem) {
  cuda_impl::multiply(space, problem);
}

}  // namespace tandem
