// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/sort/cub_key.cuh>
#include <tandem/backends/cuda/sort/policy.hpp>
#include <tandem/backends/cuda/sort/radix_passes.hpp>

/// The instances of CUB's radix sort. A file for each kind of values includes this.
///
/// CUB 3.0's dispatch layer rather than its device-wide calls, which choose the items of a thread
/// themselves: theirs is 14 % slower for u32.
namespace tandem::cuda_impl {

template <class Value>
inline constexpr std::size_t bytes_of_value =
    std::is_same_v<Value, cub::NullType> ? 0 : sizeof(Value);

/// What CUB's policy for another device says.
template <class Policy>
struct same_policy {
  static constexpr bool ONESWEEP = true;
  static constexpr int ONESWEEP_RADIX_BITS = Policy::ONESWEEP_RADIX_BITS;
  using HistogramPolicy = typename Policy::HistogramPolicy;
  using ExclusiveSumPolicy = typename Policy::ExclusiveSumPolicy;
  using SingleTilePolicy = typename Policy::SingleTilePolicy;
  using OnesweepPolicy = typename Policy::OnesweepPolicy;
};

/// The same with tandem's choice for the passes.
template <class Policy, radix_policy Chosen>
struct tuned_policy : same_policy<Policy> {
  using OnesweepPolicy = cub::AgentRadixSortOnesweepPolicy<
      Chosen.block, Chosen.items, std::uint32_t, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
      cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, 8>;
};

/// Tuning of keys of 4 or 8 bytes by compute capability, as CUB's dispatch takes it.
template <class Key, class Value>
struct radix_policies {
  using cub_policies = cub::detail::radix::policy_hub<Key, Value, std::uint32_t>;
  static constexpr radix_policy sm90 =
      select_radix(sizeof(Key), Key::order::kind, Key::order::order, bytes_of_value<Value>);

  struct from_700 : cub::ChainedPolicy<700, from_700, from_700>,
                    same_policy<typename cub_policies::Policy700> {};
  struct from_800 : cub::ChainedPolicy<800, from_800, from_700>,
                    same_policy<typename cub_policies::Policy800> {};
  struct from_900 : cub::ChainedPolicy<900, from_900, from_800>,
                    tuned_policy<typename cub_policies::Policy900, sm90> {};
  struct from_1000 : cub::ChainedPolicy<1000, from_1000, from_900>,
                     same_policy<typename cub_policies::Policy1000> {};
  using MaxPolicy = from_1000;
};

/// Narrow keys are CUB's own matter: its GPUs before Hopper sort them otherwise.
template <class Key, class Value>
  requires(sizeof(Key) < 4)
struct radix_policies<Key, Value> : cub::detail::radix::policy_hub<Key, Value, std::uint32_t> {};

/// CUB's call: for the number of bytes that it needs where `memory` is null, else the sort, to the
/// buffers' current sides. In place it may leave the result on either side.
template <class Key, class Value>
void call_cub(const cuda& space, void* memory, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
              cub::DoubleBuffer<Value>& values, index_t size, bool in_place) {
  using dispatch =
      cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, Value, std::uint32_t,
                             cub::detail::identity_decomposer_t, radix_policies<Key, Value>>;
  check(dispatch::Dispatch(memory, bytes, keys, values, static_cast<std::uint32_t>(size), 0,
                           8 * static_cast<int>(sizeof(Key)), in_place, space.native_stream()),
        "sort: cub::DispatchRadixSort");
}

/// From inputs to outputs that do not overlap them.
template <class Key, class Value>
void sort_out_of_place(const cuda& space, const sort_problem& p) {
  cub::DoubleBuffer<Key> keys(static_cast<Key*>(const_cast<void*>(p.keys)),
                              static_cast<Key*>(p.keys_out));
  cub::DoubleBuffer<Value> values(static_cast<Value*>(const_cast<void*>(p.values)),
                                  static_cast<Value*>(p.values_out));
  std::size_t bytes = 0;
  call_cub(space, nullptr, bytes, keys, values, p.size, false);
  const sort_memory memory(space, bytes);
  call_cub(space, memory.data(), bytes, keys, values, p.size, false);
}

/// Outputs in place, with as much memory again to go back and forth between.
template <class Key, class Value>
void sort_in_place(const cuda& space, const sort_problem& p) {
  const std::size_t key_bytes = static_cast<std::size_t>(p.size) * sizeof(Key);
  const std::size_t value_bytes = static_cast<std::size_t>(p.size) * bytes_of_value<Value>;
  cub::DoubleBuffer<Key> keys(static_cast<Key*>(p.keys_out), nullptr);
  cub::DoubleBuffer<Value> values(static_cast<Value*>(p.values_out), nullptr);
  std::size_t bytes = 0;
  call_cub(space, nullptr, bytes, keys, values, p.size, true);
  const sort_memory memory(space, aligned(key_bytes) + aligned(value_bytes) + bytes);
  char* const spare = static_cast<char*>(memory.data());
  keys.d_buffers[1] = reinterpret_cast<Key*>(spare);
  values.d_buffers[1] = reinterpret_cast<Value*>(spare + aligned(key_bytes));
  void* const rest = spare + aligned(key_bytes) + aligned(value_bytes);
  call_cub(space, rest, bytes, keys, values, p.size, true);
  copy_unless_same(space, p.keys_out, keys.Current(), key_bytes);
  if (value_bytes > 0) copy_unless_same(space, p.values_out, values.Current(), value_bytes);
}

/// One instance of the sort, for keys in `Order`.
template <class Order, class Value>
void sort_instance(const cuda& space, const sort_problem& p) {
  const bool keys_apart = p.keys != p.keys_out;
  const bool values_apart = p.values == nullptr || p.values != p.values_out;
  if (keys_apart && values_apart) return sort_out_of_place<sort_key<Order>, Value>(space, p);
  const auto size = static_cast<std::size_t>(p.size);
  copy_unless_same(space, p.keys_out, p.keys, size * p.key_bytes);
  if (p.values != nullptr) copy_unless_same(space, p.values_out, p.values, size * p.value_bytes);
  sort_in_place<sort_key<Order>, Value>(space, p);
}

/// Integers of 1 or 2 bytes have one instance: the order of others is that of unsigned ones with
/// some bits inverted.
template <class Word, class Value>
void sort_narrow(const cuda& space, sort_problem problem) {
  using plain = detail::sort_key<Word, key_kind::unsigned_integer, sort_order::ascending>;
  Word inverted = 0;
  detail::with_kind<Word>(
      problem, [&](auto order) { inverted = decltype(order)::type::ordered_bits(Word{0}); });
  if (inverted != 0) {
    invert_bits(space, problem.keys, problem.keys_out, problem.size, inverted);
    problem.keys = problem.keys_out;
  }
  sort_instance<plain, Value>(space, problem);
  if (inverted != 0) invert_bits(space, problem.keys_out, problem.keys_out, problem.size, inverted);
}

/// Sorts with values of the type's size, aligned as such.
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
