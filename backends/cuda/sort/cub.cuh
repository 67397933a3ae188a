// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/sort/cub_key.cuh>
#include <tandem/backends/cuda/sort/policy.hpp>
#include <tandem/backends/cuda/sort/radix_passes.hpp>

/// The instances of CUB's radix sort. A file per kind of value includes this header. It names
/// nothing from cub::detail. What it uses, by CUB version:
///
/// - 2.3 (CUDA 12.4) and later: cub::DeviceRadixSort, whose passes process as many keys per thread
///   as CUB chooses, and the two templates that cub_key.cuh specialises.
/// - 3.0 (CUDA 13.0) only: cub::DispatchRadixSort instead, whose last parameter lets the caller
///   override that choice; policy.hpp has better values for several key types. The parameter is
///   undocumented, so no other version is trusted with it: 3.1 and later fall back to
///   cub::DeviceRadixSort at compile time. The order of the result is the same.
namespace tandem::cuda_impl {

template <class Value>
inline constexpr std::size_t bytes_of_value =
    std::is_same_v<Value, cub::NullType> ? 0 : sizeof(Value);

#if CUB_VERSION / 100 == 3000

/// Passes as CUB's policy for some compute capability describes them.
template <class Policy>
struct cub_passes {
  static constexpr bool ONESWEEP = true;
  static constexpr int ONESWEEP_RADIX_BITS = Policy::ONESWEEP_RADIX_BITS;
  using HistogramPolicy = typename Policy::HistogramPolicy;
  using ExclusiveSumPolicy = typename Policy::ExclusiveSumPolicy;
  using SingleTilePolicy = typename Policy::SingleTilePolicy;
  using OnesweepPolicy = typename Policy::OnesweepPolicy;
};

/// CUB's passes with tandem's choice of keys per thread.
template <class Policy, radix_policy Chosen>
struct tuned_passes : cub_passes<Policy> {
  using OnesweepPolicy = cub::AgentRadixSortOnesweepPolicy<
      Chosen.block, Chosen.items, std::uint32_t, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
      cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, 8>;
};

/// The passes for 4- and 8-byte keys by compute capability, in the form that CUB's dispatch
/// expects.
template <class CubPolicies, class Key, class Value>
struct radix_policies {
  static constexpr radix_policy sm90 =
      select_radix(sizeof(Key), Key::order::kind, Key::order::order, bytes_of_value<Value>);

  struct from_700 : cub::ChainedPolicy<700, from_700, from_700>,
                    cub_passes<typename CubPolicies::Policy700> {};
  struct from_800 : cub::ChainedPolicy<800, from_800, from_700>,
                    cub_passes<typename CubPolicies::Policy800> {};
  struct from_900 : cub::ChainedPolicy<900, from_900, from_800>,
                    tuned_passes<typename CubPolicies::Policy900, sm90> {};
  struct from_1000 : cub::ChainedPolicy<1000, from_1000, from_900>,
                     cub_passes<typename CubPolicies::Policy1000> {};
  using MaxPolicy = from_1000;
};

/// CUB's dispatch with radix_policies in place of CUB's policies. Narrow keys keep CUB's, because
/// before Hopper CUB sorts them with a different kind of pass.
template <class Dispatch>
struct tuned_dispatch;
template <cub::SortOrder Order, class Key, class Value, class Offset, class Decomposer,
          class CubPolicies>
struct tuned_dispatch<cub::DispatchRadixSort<Order, Key, Value, Offset, Decomposer, CubPolicies>> {
  using policies =
      std::conditional_t<(sizeof(Key) < 4), CubPolicies, radix_policies<CubPolicies, Key, Value>>;
  using type = cub::DispatchRadixSort<Order, Key, Value, Offset, Decomposer, policies>;
};

/// Calls CUB. If `memory` is null, queries the number of bytes that CUB needs; otherwise sorts into
/// the buffers' current sides. An in-place sort may leave the result on either side.
template <class Key, class Value>
cudaError_t call_cub(void* memory, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                     cub::DoubleBuffer<Value>& values, std::uint32_t size, bool in_place,
                     cudaStream_t stream) {
  using dispatch = typename tuned_dispatch<
      cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, Value, std::uint32_t>>::type;
  return dispatch::Dispatch(memory, bytes, keys, values, size, 0, 8 * static_cast<int>(sizeof(Key)),
                            in_place, stream);
}

#else

/// Calls CUB. If `memory` is null, queries the number of bytes that CUB needs; otherwise sorts into
/// the buffers' current sides. An in-place sort may leave the result on either side.
template <class Key, class Value>
cudaError_t call_cub(void* memory, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                     cub::DoubleBuffer<Value>& values, std::uint32_t size, bool in_place,
                     cudaStream_t stream) {
  using sort = cub::DeviceRadixSort;
  constexpr int bits = 8 * static_cast<int>(sizeof(Key));
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    if (in_place) return sort::SortKeys(memory, bytes, keys, size, 0, bits, stream);
    const Key* const from = keys.Current();
    return sort::SortKeys(memory, bytes, from, keys.Alternate(), size, 0, bits, stream);
  } else {
    if (in_place) return sort::SortPairs(memory, bytes, keys, values, size, 0, bits, stream);
    const Key* const from = keys.Current();
    const Value* const values_from = values.Current();
    return sort::SortPairs(memory, bytes, from, keys.Alternate(), values_from, values.Alternate(),
                           size, 0, bits, stream);
  }
}

#endif

/// Calls CUB and checks the call.
template <class Key, class Value>
void run_cub(const cuda& space, void* memory, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
             cub::DoubleBuffer<Value>& values, index_t size, bool in_place) {
  clear_older_error();
  check(call_cub(memory, bytes, keys, values, static_cast<std::uint32_t>(size), in_place,
                 space.native_stream()),
        "sort: cub::DeviceRadixSort");
}

/// A sort with scratch already allocated, so that running out of memory leaves the outputs
/// untouched.
template <class Key, class Value>
class prepared_sort {
 public:
  /// Allocates CUB's scratch and, for an in-place sort, a second copy of the operands to alternate
  /// with.
  prepared_sort(const cuda& space, const sort_problem& p)
      : space_(space),
        problem_(p),
        in_place_(p.keys == p.keys_out || (p.values != nullptr && p.values == p.values_out)),
        key_bytes_(static_cast<std::size_t>(p.size) * sizeof(Key)),
        value_bytes_(static_cast<std::size_t>(p.size) * bytes_of_value<Value>),
        cub_bytes_(query()),
        memory_(space, spare_bytes() + cub_bytes_) {}

  /// Enqueues the sort of `keys`: the problem's keys, or keys_out if they have been moved there.
  void run(const void* keys) {
    if (!in_place_) return sort_apart(keys);
    copy_unless_same(space_, problem_.keys_out, keys, key_bytes_);
    if (problem_.values != nullptr)
      copy_unless_same(space_, problem_.values_out, problem_.values, value_bytes_);
    sort_outputs();
  }

 private:
  std::size_t spare_bytes() const {
    return in_place_ ? aligned(key_bytes_) + aligned(value_bytes_) : 0;
  }

  std::size_t query() const {
    cub::DoubleBuffer<Key> keys;
    cub::DoubleBuffer<Value> values;
    std::size_t bytes = 0;
    run_cub(space_, nullptr, bytes, keys, values, problem_.size, in_place_);
    return bytes;
  }

  /// Sorts to outputs that do not overlap the inputs.
  void sort_apart(const void* from) {
    cub::DoubleBuffer<Key> keys(static_cast<Key*>(const_cast<void*>(from)),
                                static_cast<Key*>(problem_.keys_out));
    cub::DoubleBuffer<Value> values(static_cast<Value*>(const_cast<void*>(problem_.values)),
                                    static_cast<Value*>(problem_.values_out));
    run_cub(space_, memory_.data(), cub_bytes_, keys, values, problem_.size, false);
  }

  /// Sorts the outputs in place.
  void sort_outputs() {
    char* const spare = static_cast<char*>(memory_.data());
    cub::DoubleBuffer<Key> keys(static_cast<Key*>(problem_.keys_out),
                                reinterpret_cast<Key*>(spare));
    cub::DoubleBuffer<Value> values(static_cast<Value*>(problem_.values_out),
                                    reinterpret_cast<Value*>(spare + aligned(key_bytes_)));
    run_cub(space_, spare + spare_bytes(), cub_bytes_, keys, values, problem_.size, true);
    copy_unless_same(space_, problem_.keys_out, keys.Current(), key_bytes_);
    if (value_bytes_ > 0)
      copy_unless_same(space_, problem_.values_out, values.Current(), value_bytes_);
  }

  const cuda& space_;
  sort_problem problem_;
  bool in_place_;
  std::size_t key_bytes_;
  std::size_t value_bytes_;
  std::size_t cub_bytes_;
  sort_memory memory_;
};

/// Runs the instance of the sort for keys in `Order`.
template <class Order, class Value>
void sort_instance(const cuda& space, const sort_problem& p) {
  prepared_sort<sort_key<Order>, Value>(space, p).run(p.keys);
}

/// Sorts integers of 1 or 2 bytes, which share one instance: each of their orders equals that of
/// unsigned integers with some bits inverted.
template <class Word, class Value>
void sort_narrow(const cuda& space, const sort_problem& problem) {
  using plain = detail::sort_key<Word, key_kind::unsigned_integer, sort_order::ascending>;
  Word inverted = 0;
  detail::with_kind<Word>(
      problem, [&](auto order) { inverted = decltype(order)::type::ordered_bits(Word{0}); });
  if (inverted == 0) return sort_instance<plain, Value>(space, problem);
  sort_problem moved = problem;
  moved.keys = problem.keys_out;
  prepared_sort<sort_key<plain>, Value> sort(space, moved);
  invert_bits(space, problem.keys, problem.keys_out, problem.size, inverted);
  sort.run(problem.keys_out);
  invert_bits(space, problem.keys_out, problem.keys_out, problem.size, inverted);
}

/// Sorts with values that have the size and alignment of Value.
template <class Value>
void sort_with(const cuda& space, const sort_problem& problem) {
  const device_guard current(limits(space));
  const auto run = [&](auto order) {
    sort_instance<typename decltype(order)::type, Value>(space, problem);
  };
  switch (problem.key_bytes) {
    case 1:
      return sort_narrow<std::uint8_t, Value>(space, problem);
    case 2:
      return sort_narrow<std::uint16_t, Value>(space, problem);
    case 4:
      return detail::with_kind<std::uint32_t>(problem, run);
    default:
      return detail::with_kind<std::uint64_t>(problem, run);
  }
}

}  // namespace tandem::cuda_impl
