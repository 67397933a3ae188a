// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/sort/dispatch.hpp>

#include <cstddef>
#include <cstdint>

#include <tandem/backends/cuda/memory/strided_words.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/sort/merge_kernel.cuh>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

template <class Order, class Word, class Values>
void launch_merge(const cuda& space, const char* label, const Order& order,
                  const merge_keys<Word>& keys, const Values& values) {
  const index_t tiles = ceil_div(keys.left_size + keys.right_size,
                                 index_t{merge_block * merge_items_of(sizeof(Word))});
  const int per_block = merge_tiles_per_block(tiles, limits(space).multiprocessors);
  launch(space,
         {.grid = dim3(static_cast<unsigned>(ceil_div(tiles, index_t{per_block}))),
          .block = dim3(merge_block),
          .label = label},
         merge_kernel<Order, Word, Values>, order, keys, values, per_block);
}

template <class Values>
Values values_of_merge(const merge_problem& p) {
  using Word = std::remove_pointer_t<decltype(Values::out)>;
  Values values;
  values.left = static_cast<const Word*>(p.left.values);
  values.right = static_cast<const Word*>(p.right.values);
  values.out = static_cast<Word*>(p.values_out);
  values.words = static_cast<index_t>(p.value_bytes / sizeof(Word));
  return values;
}

/// The widest word, of at most 8 bytes, that divides a value and aligns all of them.
std::size_t word_of_values(const merge_problem& p) {
  return lowest_bit(std::size_t{8} | p.value_bytes | reinterpret_cast<std::size_t>(p.left.values) |
                    reinterpret_cast<std::size_t>(p.right.values) |
                    reinterpret_cast<std::size_t>(p.values_out));
}

template <class Order, class Word>
void merge_in_order(const cuda& space, const char* label, const merge_problem& p,
                    const Order& order) {
  const merge_keys<Word> keys{static_cast<const Word*>(p.left.keys),
                              static_cast<const Word*>(p.right.keys),
                              static_cast<Word*>(p.keys_out), p.left.size, p.right.size};
  const auto with = [&](const auto& values) { launch_merge(space, label, order, keys, values); };
  if (p.value_bytes == 0) return with(no_values{});
  switch (word_of_values(p)) {
    case 8:
      return p.value_bytes == 8 ? with(values_of_merge<values_of_a_word<std::uint64_t>>(p))
                                : with(values_of_merge<values_of_words<std::uint64_t>>(p));
    case 4:
      return p.value_bytes == 4 ? with(values_of_merge<values_of_a_word<std::uint32_t>>(p))
                                : with(values_of_merge<values_of_words<std::uint32_t>>(p));
    case 2:
      return with(values_of_merge<values_of_words<std::uint16_t>>(p));
    default:
      return with(values_of_merge<values_of_words<std::uint8_t>>(p));
  }
}

template <class Word>
void merge_words(const cuda& space, const char* label, const merge_problem& problem) {
  detail::with_order_object<Word>(problem, [&](const auto& order) {
    merge_in_order<std::remove_cvref_t<decltype(order)>, Word>(space, label, problem, order);
  });
}

}  // namespace
}  // namespace cuda_impl

void dispatch_merge(const cuda& space, const char* label, const merge_problem& problem) {
  switch (problem.key_bytes) {
    case 1:
      return cuda_impl::merge_words<std::uint8_t>(space, label, problem);
    case 2:
      return cuda_impl::merge_words<std::uint16_t>(space, label, problem);
    case 4:
      return cuda_impl::merge_words<std::uint32_t>(space, label, problem);
    default:
      return cuda_impl::merge_words<std::uint64_t>(space, label, problem);
  }
}

}  // namespace tandem
