// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/core/contract/strided.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem {

namespace openmp_impl {

/// The loop body y[i] = f(x[i]...) over contiguous elements. Always inlined: g++ splits the loop
/// into several and leaves the body of each as a call if f is large.
template <class Function, class U, class... T>
struct contiguous_transform {
  Function function;
  U* y;
  tuple<const T*...> x;

  [[gnu::always_inline]] void operator()(index_t i) const { store(y[i], i); }
  /// Computes element i into `to` instead of y[i].
  [[gnu::always_inline]] void store(U& to, index_t i) const {
    store(to, i, std::index_sequence_for<T...>{});
  }
  /// Prefetches what the elements [first, first + count) read.
  void prefetch(index_t first, index_t count) const {
    prefetch(first, count, std::index_sequence_for<T...>{});
  }

 private:
  template <std::size_t... Position>
  [[gnu::always_inline]] void store(U& to, index_t i, std::index_sequence<Position...>) const {
    to = detail::as_stored<U>(function(get<Position>(x)[i]...));
  }

  template <std::size_t... Position>
  void prefetch(index_t first, index_t count, std::index_sequence<Position...>) const {
    (prefetch_elements(get<Position>(x) + first, count), ...);
  }

  template <class Element>
  static void prefetch_elements(const Element* at, index_t count) {
    constexpr auto each =
        sizeof(Element) < cache_line_bytes ? cache_line_bytes / sizeof(Element) : std::size_t{1};
    for (index_t i = 0; i < count; i += static_cast<index_t>(each)) __builtin_prefetch(at + i);
  }
};

/// Whether elements may be computed in one place and moved to another as bytes, in cache lines.
template <class U>
inline constexpr bool is_nontemporal_storable =
    has_nontemporal_stores && std::is_trivially_copyable_v<U> &&
    std::is_trivially_default_constructible_v<U> && cache_line_bytes % sizeof(U) == 0;

/// Whether elements begin on cache-line boundaries. An element whose alignment is less than its
/// size may straddle two lines.
template <class U>
bool lines_begin_elements(const U* y) {
  return bytes_to_line(y, cache_line_bytes) % sizeof(U) == 0;
}

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// Computes elements [begin, end) through a block in the core's L1: a loop that compilers vectorise
/// fills it, and non-temporal stores copy whole cache lines from there. Meanwhile the next block's
/// operands are prefetched, so that memory is never idle.
template <class Function, class U, class... T>
[[gnu::noinline]] void transform_nontemporal(const contiguous_transform<Function, U, T...>& shared,
                                             index_t begin, index_t end) {
  const auto loop = shared;
  constexpr auto line = static_cast<index_t>(cache_line_bytes / sizeof(U));
  constexpr index_t length = nontemporal_block_lines * line;
  const auto to_line = bytes_to_line(loop.y + begin, cache_line_bytes) / sizeof(U);
  const index_t whole =
      static_cast<index_t>(to_line) < end - begin ? begin + static_cast<index_t>(to_line) : end;
  count_up<index_t>(begin, whole, loop);
  alignas(cache_line_bytes) U block[static_cast<std::size_t>(length)];
  for (begin = whole; end - begin >= length; begin += length) {
    for (index_t i = 0; i < length; i += line) {
      count_up<index_t>(i, i + line, [&, begin](index_t k) { loop.store(block[k], begin + k); });
      // Keeps g++ from turning the copy of known length into `rep movs`, which is slower.
      asm volatile("");
    }
    const index_t next = end - begin >= 2 * length ? begin + length : begin;
    for (index_t i = 0; i < length; i += line) {
      loop.prefetch(next + i, line);
      store_line_nontemporal(reinterpret_cast<unsigned char*>(loop.y + begin + i),
                             reinterpret_cast<const unsigned char*>(block + i));
    }
  }
  store_fence();
  count_up<index_t>(begin, end, loop);
}

/// The loop body of a transform of matrices over blocks, so that every cache line of an operand
/// that is read or written across its rows is used completely while it is in an L1.
template <class Function, class Output, class... Input>
struct block_transform {
  Function function;
  Output y;
  tuple<Input...> x;
  bool runs_down;         ///< whether y's rows, rather than its columns, are nearest in memory
  index_t blocks_of_row;  ///< blocks along the dimension that is nearest in y

  [[gnu::noinline]] void operator()(index_t block) const {
    const auto loop = *this;
    const int inner = loop.runs_down ? 0 : 1;
    const index_t top = block / loop.blocks_of_row * transform_block;
    const index_t left = block % loop.blocks_of_row * transform_block;
    const index_t bottom = tandem::min(top + transform_block, loop.y.extent(1 - inner));
    const index_t right = tandem::min(left + transform_block, loop.y.extent(inner));
    for (index_t line = top; line < bottom; ++line) {
      if (loop.runs_down) {
        count_up<index_t>(left, right, [&](index_t i) { loop.store(i, line); });
      } else {
        count_up<index_t>(left, right, [&](index_t i) { loop.store(line, i); });
      }
    }
  }

  [[gnu::always_inline]] void store(index_t j, index_t i) const {
    store(j, i, std::index_sequence_for<Input...>{});
  }

 private:
  template <std::size_t... Position>
  [[gnu::always_inline]] void store(index_t j, index_t i, std::index_sequence<Position...>) const {
    y(j, i) = detail::as_stored<typename Output::value_type>(function(get<Position>(x)(j, i)...));
  }
};

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

/// Whether views of these layouts are contiguous, with their elements in the same order.
template <class Layout, class... Other>
inline constexpr bool are_packed_alike =
    Layout::is_always_exhaustive &&
    (std::is_same_v<Layout, Other> && ...);  // NOLINT(misc-redundant-expression): a fold

/// Whether views of these layouts may differ in the dimension that is innermost in memory.
template <class... Layout>
inline constexpr bool may_cross =
    (std::is_same_v<Layout, layout_stride> || ...) ||
    ((std::is_same_v<Layout, layout_left> || ...) && !(std::is_same_v<Layout, layout_left> && ...));

}  // namespace openmp_impl

/// Computes y(i...) = f(x(i...)...) for views of equal extents without gaps, none of which overlaps
/// y. Results that exceed the caches are written by non-temporal stores.
template <class Function, class U, int Rank, class Layout, class Memory, class... T,
          class... OtherLayout, class... OtherMemory>
  requires(openmp_impl::are_packed_alike<Layout, OtherLayout...>)
void dispatch_transform(const openmp& space, const char* label, const Function& f,
                        const view<U, Rank, Layout, Memory>& y,
                        const view<const T, Rank, OtherLayout, OtherMemory>&... x) {
  const index_t n = y.size();
  if (n == 0) return;
  const openmp_impl::contiguous_transform<Function, U, T...> loop{
      f, y.data_handle(), tandem::make_tuple(x.data_handle()...)};
  if constexpr (openmp_impl::is_nontemporal_storable<U>) {
    const auto bytes = static_cast<std::size_t>(n) * (sizeof(U) + ... + sizeof(T));
    if (openmp_impl::prefers_nontemporal_stores(bytes) &&
        openmp_impl::lines_begin_elements(loop.y)) {
      return openmp_impl::run_loop(space, n, false, [loop](index_t begin, index_t end) {
        openmp_impl::transform_nontemporal(loop, begin, end);
      });
    }
  }
  dispatch_for(space, label, range{0, n}, loop);
}

/// Computes y(j, i) = f(x(j, i)...) for matrices of equal extents and of layouts that may differ in
/// the dimension that is innermost. None overlaps y.
template <class Function, class U, class Layout, class Memory, class... T, class... OtherLayout,
          class... OtherMemory>
  requires openmp_impl::may_cross<Layout, OtherLayout...>
void dispatch_transform(const openmp& space, const char* label, const Function& f,
                        const view<U, 2, Layout, Memory>& y,
                        const view<const T, 2, OtherLayout, OtherMemory>&... x) {
  if (y.empty()) return;
  const bool runs_down = detail::runs_down(y);
  const auto blocks = [&](int d) { return ceil_div(y.extent(d), openmp_impl::transform_block); };
  const openmp_impl::block_transform<Function, view<U, 2, Layout, Memory>,
                                     view<const T, 2, OtherLayout, OtherMemory>...>
      loop{f, y, tandem::make_tuple(x...), runs_down, blocks(runs_down ? 0 : 1)};
  if (!runs_down && !(detail::runs_down(x) || ...))
    return dispatch_for(space, label, grid{y.extent(0), y.extent(1)},
                        [loop](index_t j, index_t i) { loop.store(j, i); });
  dispatch_for(space, label, range{0, blocks(0) * blocks(1)}, loop);
}

}  // namespace tandem
