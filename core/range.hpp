// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/function.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tandem {

/// The maximum number of threads per block on any device, and the maximum along the slowest of
/// three dimensions. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
inline constexpr index_t block_threads = 1024;
inline constexpr index_t block_depth = 64;

template <index_t Threads>
struct block_range;
template <index_t Threads>
struct grid_stride_range;
template <int Rank, index_t Threads, bool FromZero = true>
struct block_grid;

/// Indices begin, begin + 1, .., end - 1 of one dimension; none if end == begin. Operations refuse
/// a range that ends before it begins.
///
/// range{n} means 0 to n - 1, like Python's range(n); range{begin, end} gives both ends. There is
/// no step: a loop may compute `first + step * i`.
struct range {
  index_t begin = 0;
  index_t end = 0;
  /// Threads per block on a device, or 0 to let tandem choose. Without blocks, only checked: at
  /// most block_threads.
  index_t block = 0;

  static constexpr int rank = 1;

  constexpr range() = default;
  TANDEM_FUNCTION constexpr explicit range(index_t count) : end(count) {}
  TANDEM_FUNCTION constexpr range(index_t first, index_t last) : begin(first), end(last) {}
  /// A third number is neither a step nor a block.
  template <class Third>
  constexpr range(index_t first, index_t last, Third) : begin(first), end(last) {
    static_assert(sizeof(Third) == 0,
                  "tandem: range{begin, end} has no step and no third number: with_block(threads) "
                  "sets the block, as in range{begin, end}.with_block(256)");
  }

  /// Number of indices, 0 if end < begin; negative if there are 2^63 or more.
  TANDEM_FUNCTION constexpr index_t size() const {
    using count = std::make_unsigned_t<index_t>;
    return end > begin ? static_cast<index_t>(static_cast<count>(end) - static_cast<count>(begin))
                       : 0;
  }

  /// These indices, launched in blocks of exactly `threads` threads. A loop that may have any block
  /// size is compiled for the largest: 64 registers per thread.
  constexpr range with_block(index_t threads) const {
    range result(begin, end);
    result.block = threads;
    return result;
  }

  /// These indices, launched in blocks of `Threads` threads by a kernel compiled for that size: up
  /// to 255 registers per thread in blocks of 256 or fewer.
  template <index_t Threads>
  constexpr block_range<Threads> with_block() const;

  /// These indices, launched as exactly `count` blocks whose threads take every `count` * block-th
  /// index: CUDA's grid-stride loop. range(n).with_block<256>().with_blocks(32) corresponds to
  /// `kernel<<<32, 256>>>` with the loop inside. The default is blocks of 256. A CPU runs
  /// consecutive indices, as in every loop.
  constexpr grid_stride_range<block_threads> with_blocks(index_t count) const;
};

/// A range in blocks with a size known at compile time.
template <index_t Threads>
struct block_range : range {
  static_assert(Threads >= 1 && Threads <= block_threads,
                "tandem: a block has from 1 to 1024 threads");
  constexpr grid_stride_range<Threads> with_blocks(index_t count) const;
};

/// A range launched as a fixed number of blocks, of at most `Threads` threads each.
template <index_t Threads>
struct grid_stride_range : range {
  index_t blocks = 0;
};

template <index_t Threads>
constexpr block_range<Threads> range::with_block() const {
  return {with_block(Threads)};
}
constexpr grid_stride_range<block_threads> range::with_blocks(index_t count) const {
  return {with_block(block != 0 ? block : 256), count};
}
template <index_t Threads>
constexpr grid_stride_range<Threads> block_range<Threads>::with_blocks(index_t count) const {
  return {range::with_block(Threads), count};
}

/// Indices (j, i) or (k, j, i) of a rectangular grid; the last one is contiguous and varies
/// fastest.
///
/// grid{ny, nx} begins at zero; grid{{1, ny - 1}, {1, nx - 1}} has a range for each dimension, as
/// for the interior of a stencil's array.
template <int Rank, bool FromZero = true>
struct grid {
  static_assert(Rank == 2 || Rank == 3,
                "tandem: a grid has 2 or 3 dimensions; use a range or a number for 1");

  tandem::extents<Rank> sizes;
  /// Threads per block along each dimension, in the order of the indices, or zeros to let tandem
  /// choose.
  tandem::extents<Rank> block;

  static constexpr int rank = Rank;

  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a range of one dimension.
  constexpr grid(Index... size) : sizes(size...) {}

  TANDEM_FUNCTION constexpr index_t size() const { return sizes.size(); }

  /// These indices, launched in blocks of exactly this shape, slowest dimension first:
  /// with_block(8, 32).
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  constexpr grid with_block(Index... threads) const {
    grid result = *this;
    result.block = tandem::extents<Rank>(threads...);
    return result;
  }

  /// These indices in blocks of this shape, by a kernel compiled for it, like
  /// range::with_block<128>(): with_block<8, 32>().
  template <index_t... Threads>
    requires(sizeof...(Threads) == Rank && ((Threads >= 1) && ...))
  constexpr block_grid<Rank, (Threads * ...)> with_block() const {
    return {with_block(Threads...)};
  }
};

/// A grid in blocks with a number of threads known at compile time.
template <int Rank, index_t Threads, bool FromZero>
struct block_grid : grid<Rank, FromZero> {
  static_assert(Threads <= block_threads, "tandem: a block has from 1 to 1024 threads");
};

namespace detail {

/// Indices of a grid's dimension; negative, which operations refuse, if `r` ends before it begins.
constexpr index_t counted_size(const range& r) {
  if (r.end >= r.begin) return r.size();
  const index_t missing = range{r.end, r.begin}.size();
  return missing < 0 ? missing : -missing;
}

}  // namespace detail

/// A grid whose ranges say where the indices begin. Terms are numbered from zero, and a block size
/// in a range is the number of threads along its dimension.
template <int Rank>
struct grid<Rank, false> {
  /// The grid of equal extents whose indices begin at zero.
  grid<Rank> counted;
  /// The first index of each dimension.
  extents<Rank> begin;

  static constexpr int rank = Rank;

  constexpr grid(const range& j, const range& i)
    requires(Rank == 2)
      : counted(detail::counted_size(j), detail::counted_size(i)), begin(j.begin, i.begin) {
    counted.block = {j.block, i.block};
  }
  constexpr grid(const range& k, const range& j, const range& i)
    requires(Rank == 3)
      : counted(detail::counted_size(k), detail::counted_size(j), detail::counted_size(i)),
        begin(k.begin, j.begin, i.begin) {
    counted.block = {k.block, j.block, i.block};
  }

  TANDEM_FUNCTION constexpr index_t size() const { return counted.size(); }

  /// These indices, launched in blocks of exactly this shape, slowest dimension first.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  constexpr grid with_block(Index... threads) const {
    grid result = *this;
    result.counted = counted.with_block(threads...);
    return result;
  }

  /// These indices in blocks of this shape, by a kernel compiled for it.
  template <index_t... Threads>
    requires(sizeof...(Threads) == Rank && ((Threads >= 1) && ...))
  constexpr block_grid<Rank, (Threads * ...), false> with_block() const {
    return {with_block(Threads...)};
  }
};

template <std::integral... Index>
grid(Index...) -> grid<static_cast<int>(sizeof...(Index))>;
grid(range, range) -> grid<2, false>;
grid(range, range, range) -> grid<3, false>;

namespace detail {

/// require_block() of a block that the caller chose.
template <int Rank>
[[gnu::noinline, gnu::cold]] void require_chosen_block(const char* operation,
                                                       const extents<Rank>& block) {
  for (int d = 0; d < Rank; ++d)
    if (block[d] < 0) fail_extents(operation, "threads of a block", block[d], "<", "fewest", 1);
  const auto fail = [&](index_t size, const std::string& bound) {
    throw argument_error(message({operation, ": block of ", size, " threads ", bound}));
  };
  index_t threads = 1;
  for (int d = 0; d < Rank; ++d) {
    const index_t most = Rank == 3 && d == 0 ? block_depth : block_threads;
    if (block[d] < 1) fail(block[d], message({"< 1 along dimension ", d}));
    if (block[d] > most) fail(block[d], message({"> ", most, " along dimension ", d}));
    threads *= block[d];
  }
  if (threads > block_threads) fail(threads, message({"> ", block_threads}));
}

/// Throws extent_error if an extent of a block is negative, and argument_error if a device would
/// refuse the block. Applies to spaces without blocks too: a program means the same on all of them.
/// Free if all extents are 0, which leaves the block to the backend.
template <int Rank>
void require_block(const char* operation, const extents<Rank>& block) {
  index_t bits = 0;
  for (int d = 0; d < Rank; ++d) bits |= block[d];
  if (bits != 0) require_chosen_block(operation, block);
}

/// Throws extent_error unless a launch has at least one block, and argument_error if it has more
/// than any device can run.
inline void require_blocks(const char* operation, index_t blocks) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks < 1) fail_extents(operation, "blocks", blocks, "<", "fewest", 1);
  if (blocks > most) throw argument_error(message({operation, ": ", blocks, " blocks > ", most}));
}

/// Throws the error of require_index_fits().
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_index(const char* operation,
                                                              const char* which, index_t index,
                                                              const char* relation, index_t bound,
                                                              int dimension) {
  const std::string index_name =
      dimension < 0 ? which : message({which, " along dimension ", dimension});
  fail_extents(operation, index_name.c_str(), index, relation,
               *relation == '>' ? "largest value of its type" : "smallest value of its type",
               bound);
}

/// Throws extent_error unless the indices from `begin` up to `end` fit `Index`. Messages name the
/// dimension of a grid; that of a range is -1.
template <class Index>
void require_index_fits(const char* operation, index_t begin, index_t end, int dimension = -1) {
  static_assert(std::is_integral_v<Index> && !std::is_same_v<Index, bool>,
                "tandem: a loop's index is an integer other than bool");
  if (end <= begin) return;
  if constexpr (sizeof(Index) < sizeof(index_t)) {
    constexpr index_t highest = static_cast<index_t>(std::numeric_limits<Index>::max());
    if (end - 1 > highest) fail_index(operation, "last index", end - 1, ">", highest, dimension);
  }
  if constexpr (sizeof(Index) < sizeof(index_t) || std::is_unsigned_v<Index>) {
    constexpr index_t lowest = static_cast<index_t>(std::numeric_limits<Index>::min());
    if (begin < lowest) fail_index(operation, "first index", begin, "<", lowest, dimension);
  }
}

/// Throws extent_error unless the indices of a loop can be counted and fit `Index`.
template <class Index>
void require_indices(const char* operation, const range& indices) {
  const index_t begin = indices.begin;
  const index_t end = indices.end;
  index_t count = 0;
  if (end < begin && begin == 0) fail_negative(operation, "indices", end);
  if (end < begin) fail_extents(operation, "end of the range", end, "<", "its begin", begin);
  if (__builtin_sub_overflow(end, begin, &count))
    fail_extents(operation, "last index", end - 1, "is 2^63 or more from", "the first", begin);
  require_index_fits<Index>(operation, begin, end);
}

template <class Index, int Rank>
void require_indices(const char* operation, const grid<Rank>& indices) {
  bool none = false;
  for (int d = 0; d < Rank; ++d) {
    if (indices.sizes[d] < 0) fail_negative(operation, "extent of the grid", indices.sizes[d]);
    require_index_fits<Index>(operation, 0, indices.sizes[d], d);
    none |= indices.sizes[d] == 0;
  }
  index_t count = 1;
  for (int d = 0; d < Rank && !none; ++d) {
    if (__builtin_mul_overflow(count, indices.sizes[d], &count))
      throw extent_error(message({operation, ": the grid has 2^63 indices or more"}));
  }
}

template <class Index, int Rank>
void require_indices(const char* operation, const grid<Rank, false>& indices) {
  for (int d = 0; d < Rank; ++d) {
    index_t end = 0;
    const index_t first = indices.begin[d];
    if (!__builtin_add_overflow(first, indices.counted.sizes[d], &end) && end < first)
      fail_extents(operation, "end of a range of the grid", end, "<", "its begin", first);
  }
  require_indices<Index>(operation, indices.counted);
  for (int d = 0; d < Rank; ++d) {
    const index_t begin = indices.begin[d];
    require_index_fits<Index>(operation, begin, begin + indices.counted.sizes[d], d);
  }
}

/// Throws extent_error unless the indices along dimension D of a grid fit the function's parameter,
/// if that is an integer.
template <class Function, std::size_t D, class Grid>
void require_parameter_fits(const char* operation, const Grid& indices) {
  using Parameter = parameter_type<Function, D>;
  if constexpr (!std::is_integral_v<Parameter>) {
    return;
  } else if constexpr (requires { indices.counted; }) {
    const index_t begin = indices.begin[D];
    require_index_fits<Parameter>(operation, begin, begin + indices.counted.sizes[D], D);
  } else {
    require_index_fits<Parameter>(operation, 0, indices.sizes[D], D);
  }
}

/// Throws extent_error unless the indices of a loop can be counted and fit the function's
/// parameters. Kernels compute them in the first one's type, and their call converts the others.
template <class Function, class Indices>
void require_indices_of(const char* operation, const Indices& indices) {
  require_indices<loop_index<Function>>(operation, indices);
  if constexpr (Indices::rank > 1) require_parameter_fits<Function, 1>(operation, indices);
  if constexpr (Indices::rank > 2) require_parameter_fits<Function, 2>(operation, indices);
}

/// The grid from zero that a loop over `indices` launches.
template <int Rank>
const grid<Rank>& counted(const grid<Rank, false>& indices) {
  return indices.counted;
}
template <int Rank, index_t Threads>
block_grid<Rank, Threads> counted(const block_grid<Rank, Threads, false>& indices) {
  return {indices.counted};
}

/// Adapts a function of the indices of a grid to calls with those of a grid from zero.
template <int Rank, class Index, class Function>
struct shifted;

template <class Index, class Function>
struct shifted<2, Index, Function> {
  Function function;
  Index first[2];

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr auto operator()(Index j, Index i) const {
    return function(static_cast<Index>(first[0] + j), static_cast<Index>(first[1] + i));
  }
};

template <class Index, class Function>
struct shifted<3, Index, Function> {
  Function function;
  Index first[3];

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr auto operator()(Index k, Index j,
                                                                   Index i) const {
    return function(static_cast<Index>(first[0] + k), static_cast<Index>(first[1] + j),
                    static_cast<Index>(first[2] + i));
  }
};

/// Returns `f` for loops over `indices.counted`. The indices have been checked.
template <int Rank, class Function>
auto shift(const grid<Rank, false>& indices, const Function& f) {
  using Index = loop_index<Function>;
  shifted<Rank, Index, Function> result{f, {}};
  for (int d = 0; d < Rank; ++d) result.first[d] = static_cast<Index>(indices.begin[d]);
  return result;
}

}  // namespace detail
}  // namespace tandem
