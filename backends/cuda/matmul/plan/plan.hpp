// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/candidates.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor_candidates.hpp>

#include <type_traits>
#include <variant>

/// How a product is computed, as values: plan_matmul (plan_matmul.hpp) makes one of a problem and a
/// device, explain() prints it, the dispatch runs it.
namespace tandem::cuda_impl {

using tandem::detail::batch_slice;
using tandem::detail::transposed;

/// c has no elements: nothing runs.
struct empty_plan {
  const char* reason = "c is empty";
};

/// A kernel in the canonical shape for any extents and strides: the tiled one, or the naive one.
struct reference_plan {
  matmul_kernel kernel = matmul_kernel::naive;
  const char* reason = "";
};

/// The reference kernel that a problem asks for, the naive one if it asks for none.
constexpr reference_plan reference_for(matmul_kernel asked, const char* reason) {
  return {asked == matmul_kernel::tiled ? asked : matmul_kernel::naive, reason};
}

/// Fused multiply-adds, or the tensor cores of fp64, which give the same bits.
struct fma_plan {
  int candidate = 0;  ///< index into matmul_candidates
  operand_major a = operand_major::k_major;
  operand_major b = operand_major::k_major;
  bool vectorized = false;  ///< whether 16 bytes are copied at a time where the engine can
  /// Whether b is first copied into aligned rows, which `b` and `vectorized` then describe.
  bool pack_b = false;
  /// Blocks that share a tile's k: 1, or one per chunk, whose totals a second kernel adds in order.
  index_t split_k_slices = 1;
  double cost = 0;  ///< as estimated: multiply-adds of the busiest multiprocessor
  const char* reason = "";
};

/// A batch of small products, several per block or in panels.
struct batched_plan {
  int candidate = 0;  ///< index into batched_candidates
  const char* reason = "";
};

/// Tensor cores by mma.sync.
struct mma_plan {
  int tile = 0;  ///< index into mma_tiles
  mma_access a = mma_access::k_major;
  mma_access b = mma_access::k_major;
  index_t chunk = 0;    ///< terms of k that the instruction sums before totals are added
  bool pack_a = false;  ///< 8-bit integers: copied first so that rows are aligned
  bool pack_b = false;
  index_t split_k_slices = 1;  ///< 8-bit integers: of `chunk` terms each
  const char* reason = "";
};

/// How wgmma's kernels read an operand.
struct tensor_operand {
  bool k_major = true;       ///< contiguous along k, else along the rows of a (columns of b)
  bool packed = false;       ///< copied first, since TMA cannot read it in place
  bool transposing = false;  ///< the copy changes which index is contiguous
  bool whole_lines = true;   ///< its rows begin with 128-byte lines of memory
};

/// Tensor cores by wgmma.
struct tensor_plan {
  int tile = 0;              ///< index into tensor_tiles, of 8-bit integers into int8_hopper_tiles
  int cluster = 1;           ///< blocks that share tiles of an operand
  bool shares_a = false;     ///< which is a, else b
  int group = tensor_group;  ///< rows of tiles
  tensor_operand a = {};
  tensor_operand b = {};
  index_t chunk = 0;           ///< terms of k between two totals
  index_t split_k_slices = 1;  ///< slices of k that blocks of their own take
  index_t slice_k = 0;         ///< terms of one slice
  double cost = 0;             ///< clocks, as estimated
  const char* reason = "";
};

/// Floats as sums of products of their bf16 components.
struct bf16x_plan {
  int products = 6;
  const char* reason = "";
};

/// The engines that multiply elements of In, one of which a plan holds.
template <class In>
struct matmul_engines {
  using type = std::variant<empty_plan, reference_plan, mma_plan, tensor_plan>;
};
template <>
struct matmul_engines<float> {
  using type = std::variant<empty_plan, reference_plan, fma_plan, batched_plan, mma_plan,
                            tensor_plan, bf16x_plan>;
};
template <>
struct matmul_engines<double> {
  using type = std::variant<empty_plan, reference_plan, fma_plan, batched_plan>;
};

/// How a problem is computed.
template <class In>
struct matmul_plan {
  bool transposes = false;  ///< c transposed is computed: the engine is planned for transposed(p)
  typename matmul_engines<In>::type engine = {};
  const char* fallback = "";  ///< why what was asked for is not what runs
};

}  // namespace tandem::cuda_impl
