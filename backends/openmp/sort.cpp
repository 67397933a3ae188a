// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tandem/backends/openmp/blocks.hpp>
#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/radix_sort.hpp>
#include <tandem/backends/openmp/space.hpp>
#include <tandem/backends/openmp/workspace.hpp>

namespace tandem {

namespace openmp_impl {

namespace {

/// Element i of memory that may hold another type of the same size.
template <class Word>
Word load_word(const void* memory, index_t i) {
  Word word;
  std::memcpy(&word, static_cast<const char*>(memory) + i * index_t{sizeof(Word)}, sizeof(Word));
  return word;
}

/// values_out[i] = values[source[i]], of any size, in place through a copy.
template <class Index>
void move_values(int threads, const sort_problem& p, const Index* source) {
  const auto bytes = static_cast<index_t>(p.value_bytes);
  const bool in_place = p.values == p.values_out;
  const workspace<char> copy(in_place ? p.size * bytes : 0);
  const char* from = static_cast<const char*>(p.values);
  if (in_place) {
    for_blocks(threads, p.size, [&](index_t, share part) {
      std::memcpy(copy.data() + part.begin * bytes, from + part.begin * bytes,
                  static_cast<std::size_t>((part.end - part.begin) * bytes));
    });
    from = copy.data();
  }
  char* const to = static_cast<char*>(p.values_out);
  for_blocks(threads, p.size, [&](index_t, share part) {
    const auto move = [&](auto size) {
      for (index_t i = part.begin; i < part.end; ++i) {
        std::memcpy(to + i * bytes, from + static_cast<index_t>(source[i]) * bytes,
                    static_cast<std::size_t>(size));
      }
    };
    // A size that the compiler knows is one load and one store.
    if (bytes == 4) return move(std::integral_constant<index_t, 4>{});
    if (bytes == 8) return move(std::integral_constant<index_t, 8>{});
    move(bytes);
  });
}

/// Sorts with the values' positions as Index, or without values where that is no_index.
template <class Order, class Word, class Index>
void sort_as(int threads, const sort_problem& p) {
  // Integers in the order of their ranks share one instance.
  using ranks = std::conditional_t<
      Order::has_equals, Order,
      detail::key_order<Word, key_kind::unsigned_integer, sort_order::ascending>>;
  radix_sorter<ranks, Word, Index> sorter(threads, p.size);
  for_blocks(threads, p.size, [&](index_t, share part) {
    for (index_t i = part.begin; i < part.end; ++i)
      sorter.set(i, Order::rank(load_word<Word>(p.keys, i)));
  });
  sorter.sort();
  for_blocks(threads, p.size, [&](index_t, share part) {
    for (index_t i = part.begin; i < part.end; ++i) {
      const Word key = Order::key(sorter.rank(i));
      std::memcpy(static_cast<char*>(p.keys_out) + i * index_t{sizeof(Word)}, &key, sizeof(Word));
    }
  });
  if constexpr (!std::is_same_v<Index, no_index>) move_values(threads, p, sorter.indices());
}

template <class Word>
void sort_words(int threads, const sort_problem& problem) {
  detail::with_kind<Word>(problem, [&](auto order) {
    using Order = typename decltype(order)::type;
    if (problem.values == nullptr) return sort_as<Order, Word, no_index>(threads, problem);
    if (problem.size <= index_t{0xffffffff})
      return sort_as<Order, Word, std::uint32_t>(threads, problem);
    sort_as<Order, Word, std::uint64_t>(threads, problem);
  });
}

}  // namespace
}  // namespace openmp_impl

void dispatch_sort(const openmp& space, const sort_problem& problem) {
  if (problem.size == 0) return;
  const int threads = problem.size < openmp_impl::sort_fork_keys ? 1 : space.threads();
  switch (problem.key_bytes) {
    case 1:
      return openmp_impl::sort_words<std::uint8_t>(threads, problem);
    case 2:
      return openmp_impl::sort_words<std::uint16_t>(threads, problem);
    case 4:
      return openmp_impl::sort_words<std::uint32_t>(threads, problem);
    default:
      return openmp_impl::sort_words<std::uint64_t>(threads, problem);
  }
}

}  // namespace tandem
