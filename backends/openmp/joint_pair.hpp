// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fold_tile.hpp>
#include <tandem/backends/openmp/joint_tile.hpp>
#include <tandem/backends/openmp/prefetch.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// Whether tiles are folded jointly in pairs, row by row. One alone has too few lanes for the
/// adders, which wait for a sum before they begin the next, but the accumulators of two need 32
/// registers of 64 bytes. Sum, product, minimum and maximum of 2^17 floats, a core of a Zen 5, 5.8
/// us, tile by tile 7.5; in 16 registers of 32 bytes, which do not hold them, 11.
inline constexpr bool folds_pairs = vector_bytes == 64;

/// One part of two tiles.
template <class R, int Lanes>
struct joint_pair_part {
  explicit joint_pair_part(const R& reducer) : first(reducer), second(reducer) {}

  joint_part<R, Lanes> first;
  joint_part<R, Lanes> second;
};

/// Appends a row of each tile, the first tile's at x, to all lanes of all parts, or begins them.
template <bool Begin, int Lanes, class T, class... R>
[[gnu::always_inline]] inline void append_pairs(const T* x, index_t index,
                                                lane_array<flag_of<T>, Lanes>& met_nan,
                                                joint_pair_part<R, Lanes>&... part) {
  constexpr int next = Lanes * canonical::rows;
  for (int l = 0; l < Lanes; ++l) {
    const bool met = __builtin_isunordered(x[l], x[l + next]);
    met_nan[l] = (Begin ? 0 : met_nan[l]) | -flag_of<T>{met};
    (part.first.template append<Begin, 1>(l, x, index), ...);
    (part.second.template append<Begin, 1>(l, x + next, index + next), ...);
  }
}

/// Folds all parts of two whole tiles of the numbers at x, the first of which has this index, in
/// one pass, each as it is folded alone. A NaN in either tile makes both extremes NaN, as it does
/// what they are combined to. `Ahead`: each row asks for one of a later pair. That pays where cores
/// share the cache, four results of 2^24 floats, 14 threads of a Xeon, 243 us, 310 without,
/// smallest and largest 265 and 288 (on a Zen 5 it costs up to 10 %); from memory it loses to
/// asking for a pair at once, smallest and largest of 2^24, 2 threads of a Zen 5, 1.52 and 1.06 ms.
template <int Lanes, bool Ahead, class T, class R, int... I>
void fold_joint_pair(const T* x, index_t index, const R& reducer, typename R::accumulator* folded,
                     std::integer_sequence<int, I...>) {
  constexpr std::size_t row_bytes = Lanes * sizeof(T);
  lane_array<flag_of<T>, Lanes> met_nan;
  const auto fold = [&](auto... part) {
    append_pairs<true, Lanes>(x, index, met_nan, part...);
    for (int row = 1; row < canonical::rows; ++row) {
      keep_in_order(row);
      const T* const at = x + row * Lanes;
      if constexpr (Ahead) {
        prefetch_behind(at, row_bytes);
        prefetch_behind(at + Lanes * canonical::rows, row_bytes);
      }
      append_pairs<false, Lanes>(at, index + row * Lanes, met_nan, part...);
    }
    flag_of<T> any = 0;
    for (int l = 0; l < Lanes; ++l) any |= met_nan[l];
    folded[0] = join_parts(reducer, part.first.folded(any != 0)...);
    folded[1] = join_parts(reducer, part.second.folded(any != 0)...);
  };
  fold(joint_pair_part<decltype(part_reducer<I>(reducer)), Lanes>(part_reducer<I>(reducer))...);
}

}  // namespace tandem::openmp_impl
