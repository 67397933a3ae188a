// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>

#include <type_traits>

/// How a block finds the bin of a value among equal bins: it compares the value with the nearest
/// edge, from a table. No value is uncertain, so data on edges costs no more than any other.
namespace tandem::cuda_impl {

/// Equal bins whose edges each block computes into shared memory.
template <class T>
struct uniform_table_rule {
  using value_type = T;
  using index_type = std::uint32_t;

  uniform_bin_rule<T> rule;  ///< nearest_edge_decides()

  __device__ index_type bins() const { return static_cast<index_type>(rule.bins()); }
};

/// The rule of a block that holds the edges around its bins. To close the last bin of all, hi is
/// replaced by the next larger value.
template <class T>
class nearest_edge_rule {
 public:
  using value_type = T;
  using index_type = std::uint32_t;

  __device__ nearest_edge_rule(const uniform_bin_rule<T>& rule, const block_bins& bins,
                               const T* edges)
      : edges_(edges),
        inverse_(rule.numbers().inverse),
        offset_(rule.position_offset(static_cast<int>(bins.first))),
        first_(bins.first),
        count_(static_cast<T>(bins.count)),
        bins_(static_cast<index_type>(rule.bins())) {}

  __device__ index_type bins() const { return bins_; }

  /// Returns a bin of the block, or a number outside its bins; always certain.
  __device__ bin_guess<index_type> guess(T x) const {
    // A small number added to this has the nearest integer in its low 32 bits.
    constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T position = tandem::fma(x, inverse_, offset_);
    const T above = position > 0 ? position : 0;  // 0 for NaN, too
    const T inside = above < count_ ? above : count_;
    const auto edge = static_cast<unsigned>(__builtin_bit_cast(Word, inside + magic) -
                                            __builtin_bit_cast(Word, magic));
    return {first_ + edge - (x >= edges_[edge] ? 0u : 1u), true};
  }

  __device__ index_t locate(T x) const {
    const unsigned bin = guess(x).bin;
    return bin < bins_ ? static_cast<index_t>(bin) : no_bin;
  }

 private:
  const T* edges_;
  T inverse_;
  T offset_;
  unsigned first_;
  T count_;
  index_type bins_;
};

/// Returns the rule of a block, with the edges at `table` in shared memory. All threads must call
/// it.
template <class T>
__device__ inline nearest_edge_rule<T> stage_rule(const uniform_table_rule<T>& rule, void* table,
                                                  const block_bins& bins) {
  T* const edges = static_cast<T*>(table);
  const auto all = static_cast<unsigned>(rule.bins());
  for (unsigned i = threadIdx.x; i <= bins.count; i += blockDim.x) {
    const unsigned number = min(bins.first + i, all);
    T edge = rule.rule.edge(static_cast<int>(number));
    if (number == all) step_up(edge);
    edges[i] = edge;
  }
  return {rule.rule, bins, edges};
}

}  // namespace tandem::cuda_impl
