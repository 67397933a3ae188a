// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tandem {

/// A customization point: a backend's function in namespace tandem, found through the type of the
/// space, that replaces a form of algorithms/generic/. Each returns void unless stated otherwise,
/// and is asynchronous in the space's order except `select` and `reduce_runs`. `label` is a const
/// char* that names the user's operation in errors. The backend deduces the template arguments T, R
/// and so on.
enum class hook : unsigned char {
  /// dispatch_transform(space, label, f, y, x...), which computes y(i) = f(x(i)...). It may be
  /// constrained to some kinds of views, but must accept contiguous ones of rank 1, or of rank 2
  /// with y row-major and x column-major.
  transform,
  /// dispatch_scan(space, label, const scan_problem<Load, T, R>&)
  scan,
  /// dispatch_scan_totals(space, label, const scan_problem<Load, T, R>&, const range& tiles, T*
  /// totals), which computes the totals of whole tiles and reads load alone, and
  /// dispatch_scan_part(space, label, const scan_problem<Load, T, R>&, const scan_part<T>&)
  scan_part,
  /// dispatch_reduce_axis(space, label, const reduce_axis_problem<Slices, R>&)
  reduce_axis,
  /// dispatch_segmented_reduce(space, label, const segmented_problem<Load, Offset, R>&)
  segmented_reduce,
  /// dispatch_segmented_scan(space, label, const segmented_scan_problem<Load, Offset, R>&)
  segmented_scan,
  /// index_t dispatch_reduce_runs(space, label, const runs_problem<Key, Load, R>&), which returns
  /// the number of runs
  reduce_runs,
  /// dispatch_histogram(space, const histogram_problem&)
  histogram,
  /// dispatch_matmul(space, const matmul_problem<T>&) for float and double
  matmul,
  /// dispatch_matmul(space, const matmul_problem<T, In>&) for In half or bf16, T float or In
  matmul_16bit,
  /// dispatch_matmul(space, const matmul_problem<std::int32_t, std::int8_t>&)
  matmul_int8,
  /// bool dispatch_matmul_chunks(space, const matmul_problem<T, In>&) for float and double, and for
  /// T float with In half or bf16, which adds the chains of a product's chunks to the totals of
  /// earlier terms in c, or returns false if it has no kernel for that: each chunk is then a
  /// product
  matmul_chunks,
  /// dispatch_sort(space, const sort_problem&)
  sort,
  /// dispatch_merge(space, label, const merge_problem&), which allocates nothing
  merge,
  /// index_t dispatch_select(space, label, const select_problem<T, Keep>&), which returns the
  /// number of elements kept, and dispatch_select_into(space, label, problem, index_t* count),
  /// which writes it to memory of the space and does not block
  select,
  /// dispatch_random(space, const random_problem<Sampler>&), which writes a contiguous rank-1 view.
  /// It may be constrained to some samplers, but must accept uniform_sampler<float>
  random,
  /// dispatch_check_pointer(space, const char* operation, const char* operand, const void* pointer)
  /// throws argument_error for memory that the space cannot access although its type says so
  check_pointer,
  /// auto dispatch_record(std::span<const Space> spaces), a recording with space(p), in place of
  /// spaces[p] for the calls of the sequence, and finish(), which returns an object with
  /// replay(std::span<const Space> spaces)
  record
};

/// The customization points that a backend declares:
///
///   static constexpr hook_set hooks{hook::scan, hook::sort};
class hook_set {
 public:
  template <std::same_as<hook>... Hook>
  constexpr explicit hook_set(Hook... hooks) : bits_((0u | ... | bit_of(hooks))) {}

  constexpr bool has(hook one) const { return (bits_ & bit_of(one)) != 0; }

 private:
  static constexpr unsigned bit_of(hook one) { return 1u << static_cast<unsigned>(one); }

  unsigned bits_;
};

}  // namespace tandem
