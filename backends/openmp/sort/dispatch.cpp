// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort/dispatch.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/sort/buckets.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>

namespace tandem {

namespace openmp_impl {

namespace {

/// Reads element i of memory that may hold another type of the same size.
template <class Word>
Word load_word(const void* memory, index_t i) {
  Word word;
  std::memcpy(&word, static_cast<const char*>(memory) + i * index_t{sizeof(Word)}, sizeof(Word));
  return word;
}

/// A problem's elements, as the first pass of a sort reads them.
template <class Order, class Word, class Payload>
struct key_source {
  Order order;
  const void* keys;
  const void* values;  // null: the positions of the keys travel with them

  Word rank(index_t i) const { return order.ordered_bits(load_word<Word>(keys, i)); }
  Payload payload(index_t i) const {
    if constexpr (std::is_same_v<Payload, no_payload>) {
      return {};
    } else {
      return values != nullptr ? load_word<Payload>(values, i) : static_cast<Payload>(i);
    }
  }
};

/// Whether even a single thread divides the elements into buckets.
template <class Line>
bool exceeds_cache(index_t n) {
  const std::size_t payload = Line::has_payload ? sizeof(typename Line::payload_type) : 0;
  return 2 * static_cast<std::size_t>(n) * (sizeof(typename Line::word) + payload) >
         sort_cache_bytes;
}

/// Sorts to the keys of the problem, and to `payloads`.
template <class Payload, class Order, class Word>
void sort_span(int threads, const sort_problem& p, const Order& order, const void* values,
               Payload* payloads) {
  using line = key_value_span<Word, Payload>;
  const index_t n = p.size;
  const key_source<Order, Word, Payload> source{order, p.keys, values};
  const line out{static_cast<Word*>(p.keys_out), payloads};
  using sorter_type = bucket_sorter<Order, Word, Payload>;
  const sorter_type sorter(threads, order);
  const bool is_whole = threads == 1 && (sorter_type::is_vector() || !exceeds_cache<line>(n));
  const bool needs_spare = n > insertion_keys;
  if (needs_spare && is_whole && sorter_type::is_vector())
    return sorter.sort_by_vectors(source, out, n);
  const sort_scratch<Word> ranks(threads, needs_spare ? n : 0);
  const sort_scratch<Payload> spare_payloads(threads, needs_spare && line::has_payload ? n : 0);
  const line spare{ranks.data(), spare_payloads.data()};
  const std::uint64_t varying = varying_bits_of(threads, source, n);
  if (!is_whole && bit_length(varying) > 1) return sorter.sort(source, out, spare, n, varying);
  for_static_blocks(threads, n, [&](index_t, share part) {
    for (index_t i = part.begin; i < part.end; ++i) out.take(i, source, i);
  });
  sorter.sort_on_one_thread(out, spare, out, n, varying);
}

/// Computes values_out[i] = values[source[i]] for values of any size; in place through `copy`.
template <class Index>
void move_values(int threads, const sort_problem& p, const Index* source, char* copy) {
  const auto bytes = static_cast<index_t>(p.value_bytes);
  const char* from = static_cast<const char*>(p.values);
  if (p.values == p.values_out) {
    for_static_blocks(threads, p.size, [&](index_t, share part) {
      std::memcpy(copy + part.begin * bytes, from + part.begin * bytes,
                  static_cast<std::size_t>((part.end - part.begin) * bytes));
    });
    from = copy;
  }
  char* const to = static_cast<char*>(p.values_out);
  for_static_blocks(threads, p.size, [&](index_t, share part) {
    for (index_t i = part.begin; i < part.end; ++i) {
      std::memcpy(to + i * bytes, from + static_cast<index_t>(source[i]) * bytes,
                  static_cast<std::size_t>(bytes));
    }
  });
}

/// Sorts positions along with the keys and then permutes the values.
template <class Index, class Word, class Order>
void sort_positions(int threads, const sort_problem& p, const Order& order) {
  const sort_scratch<Index> positions(threads, p.size);
  const bool in_place = p.values == p.values_out;
  const sort_scratch<char> copy(threads,
                                in_place ? p.size * static_cast<index_t>(p.value_bytes) : 0);
  sort_span<Index, Order, Word>(threads, p, order, nullptr, positions.data());
  move_values(threads, p, positions.data(), copy.data());
}

template <class Payload>
bool is_aligned(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % alignof(Payload) == 0;
}

/// Values of 4 and 8 bytes travel with the keys; positions replace others.
template <class Word, class Order>
void sort_as(int threads, const sort_problem& p, const Order& order) {
  if (p.values == nullptr)
    return sort_span<no_payload, Order, Word>(threads, p, order, nullptr, nullptr);
  if (p.value_bytes == 4 && is_aligned<std::uint32_t>(p.values_out)) {
    return sort_span<std::uint32_t, Order, Word>(threads, p, order, p.values,
                                                 static_cast<std::uint32_t*>(p.values_out));
  }
  if (p.value_bytes == 8 && is_aligned<std::uint64_t>(p.values_out)) {
    return sort_span<std::uint64_t, Order, Word>(threads, p, order, p.values,
                                                 static_cast<std::uint64_t*>(p.values_out));
  }
  if (p.size <= index_t{0xffffffff}) return sort_positions<std::uint32_t, Word>(threads, p, order);
  sort_positions<std::uint64_t, Word>(threads, p, order);
}

template <class Word>
void sort_words(int threads, const sort_problem& problem) {
  detail::with_order_object<Word>(
      problem, [&](const auto& order) { sort_as<Word>(threads, problem, order); });
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
