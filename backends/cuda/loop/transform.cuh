// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/grid.cuh>
#include <tandem/core/contract/strided.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem {

namespace cuda_impl {

/// A transform of matrices as its kernel sees it. Rows and columns are those of the output in
/// memory: neighbouring columns are nearest. Steps are in elements.
template <class Function, class U, class... T>
struct matrix_transform {
  Function function;
  U* y;
  tuple<const T*...> x;
  index_t rows;
  index_t columns;
  index_t row_step[1 + sizeof...(T)];  ///< the output's, then the inputs'
  index_t column_step[1 + sizeof...(T)];
  bool is_across[sizeof...(T)];  ///< of each input: neighbouring rows are nearest
  unsigned tiles_per_row;
};

/// A thread's elements of an operand, matrix_tiles.threads / matrix_tiles.side rows apart.
template <class T>
struct tile_elements {
  T of[matrix_tiles.side * matrix_tiles.side / matrix_tiles.threads];
};

/// The part of a matrix that a block computes, and the thread's place in it.
struct matrix_tile {
  static constexpr unsigned side = matrix_tiles.side;
  static constexpr unsigned step = matrix_tiles.threads / side;
  static constexpr unsigned items = side / step;

  index_t top;
  index_t left;
  unsigned lane;
  unsigned first;  ///< the thread's elements are in lines first, first + step, ..

  /// Reads an input along the output's rows, or along its columns if Crossed.
  template <bool Crossed, class T>
  __device__ void read(tile_elements<T>& value, const T* x, index_t rows, index_t columns,
                       index_t row_step, index_t column_step) const {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const index_t row = top + (Crossed ? lane : first + k * step);
      const index_t column = left + (Crossed ? first + k * step : lane);
      if (row < rows && column < columns)
        value.of[k] = detail::load_constant(x + row * row_step + column * column_step);
    }
  }

  /// Exchanges what a block has read along columns for what its threads compute.
  template <class T>
  __device__ void exchange(tile_elements<T>& value, T (&shared)[side][side + 1]) const {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) shared[first + k * step][lane] = value.of[k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) value.of[k] = shared[lane][first + k * step];
  }
};

/// Computes a tile per block. Inputs whose columns are contiguous are read along them and exchanged
/// in shared memory, each in its own tile. Input K may be such a one if bit K of Shared is set.
/// Each thread issues all its loads before its first store.
template <unsigned Shared, class Function, class U, class... T>
__global__ void __launch_bounds__(matrix_tiles.threads)
    matrix_transform_kernel(const __grid_constant__ matrix_transform<Function, U, T...> m) {
  ptx::grid_dependency_wait();
  const matrix_tile tile{static_cast<index_t>(blockIdx.x / m.tiles_per_row) * matrix_tile::side,
                         static_cast<index_t>(blockIdx.x % m.tiles_per_row) * matrix_tile::side,
                         threadIdx.x % matrix_tile::side, threadIdx.x / matrix_tile::side};
  tuple<tile_elements<T>...> values;
  const auto run = [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    const auto read_input = [&]<std::size_t K, bool MayCross>() {
      auto& value = get<K>(values);
      const auto* const x = get<K>(m.x);
      if constexpr (MayCross) {
        if (m.is_across[K])
          return tile.read<true>(value, x, m.rows, m.columns, m.row_step[K + 1],
                                 m.column_step[K + 1]);
      }
      tile.read<false>(value, x, m.rows, m.columns, m.row_step[K + 1], m.column_step[K + 1]);
    };
    (read_input.template operator()<Position, (Shared >> Position & 1) != 0>(), ...);
    const auto exchange_input = [&]<std::size_t K, bool MayCross>() {
      if constexpr (MayCross) {
        using Element = std::remove_cvref_t<decltype(get<K>(values).of[0])>;
        __shared__ Element shared[matrix_tile::side][matrix_tile::side + 1];
        if (m.is_across[K]) tile.exchange(get<K>(values), shared);
      }
    };
    (exchange_input.template operator()<Position, (Shared >> Position & 1) != 0>(), ...);
#pragma unroll
    for (unsigned k = 0; k < matrix_tile::items; ++k) {
      const index_t row = tile.top + tile.first + k * matrix_tile::step;
      const index_t column = tile.left + tile.lane;
      if (row < m.rows && column < m.columns)
        m.y[row * m.row_step[0] + column * m.column_step[0]] =
            detail::as_stored<U>(m.function(static_cast<const T&>(get<Position>(values).of[k])...));
    }
  };
  run(std::index_sequence_for<T...>{});
}

/// Whether a kernel may keep elements of this type in registers and shared memory.
template <class T>
inline constexpr bool is_tile_element =
    std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> &&
    sizeof(T) <= 16;

/// Whether all these layouts have the last dimension innermost: loops suit them as they are.
template <class... Layout>
inline constexpr bool are_row_major =
    ((std::is_same_v<Layout, layout_right> || std::is_same_v<Layout, layout_right_padded>)&&...);

/// Returns the inputs whose layouts may have another innermost dimension than the output's: bit K
/// for input K.
template <class Layout, class... Other>
consteval unsigned inputs_across() {
  unsigned bits = 0;
  unsigned bit = 1;
  const auto add = [&](bool is_alike) {
    if (!is_alike) bits |= bit;
    bit *= 2;
  };
  (add(are_row_major<Layout, Other> ||
       (std::is_same_v<Layout, layout_left> && std::is_same_v<Other, layout_left>)),
   ...);
  return bits;
}

/// Returns the largest of some sizes in bytes.
consteval std::size_t largest_of(std::size_t largest, auto... others) {
  ((largest = others > largest ? others : largest), ...);
  return largest;
}

/// The loop body of a transform of matrices that need no tiles.
template <class Function, class Output, class... Input>
struct transform_body {
  using user_function = Function;
  static constexpr std::size_t element_bytes =
      largest_of(sizeof(typename Output::value_type), sizeof(typename Input::value_type)...);

  Function function;
  Output y;
  tuple<Input...> x;

  __device__ void operator()(index_t j, index_t i) const {
    store(j, i, std::index_sequence_for<Input...>{});
  }

 private:
  template <std::size_t... Position>
  __device__ void store(index_t j, index_t i, std::index_sequence<Position...>) const {
    y(j, i) = detail::as_stored<typename Output::value_type>(function(get<Position>(x)(j, i)...));
  }
};

}  // namespace cuda_impl

/// Computes y(j, i) = f(x(j, i)...) for matrices of equal extents, none of which overlaps y and
/// some of which may be column-major. Neighbouring threads compute what is nearest in y.
template <class Function, class U, class Layout, class Memory, class... T, class... OtherLayout,
          class... OtherMemory>
  requires(!cuda_impl::are_row_major<Layout, OtherLayout...> &&
           (cuda_impl::is_tile_element<T> && ...) && (0 + ... + sizeof(T)) <= 32)
void dispatch_transform(const cuda& space, const char* label, const Function& f,
                        const view<U, 2, Layout, Memory>& y,
                        const view<const T, 2, OtherLayout, OtherMemory>&... x) {
  if (y.size() == 0) return;
  const bool is_turned = detail::runs_down(y);
  // A narrow matrix would leave most of a tile idle.
  if ((!is_turned && !(detail::runs_down(x) || ...)) ||
      tandem::min(y.extent(0), y.extent(1)) < cuda_impl::matrix_tiles.least_side) {
    using body = cuda_impl::transform_body<Function, view<U, 2, Layout, Memory>,
                                           view<const T, 2, OtherLayout, OtherMemory>...>;
    return dispatch_for(space, label, grid{y.extent(0), y.extent(1)},
                        body{f, y, tandem::make_tuple(x...)});
  }
  const int row = is_turned ? 1 : 0;
  const int column = 1 - row;
  const auto tiles = [&](int d) {
    return ceil_div(y.extent(d), index_t{cuda_impl::matrix_tiles.side});
  };
  const cuda_impl::matrix_transform<Function, U, T...> loop{
      f,
      y.data_handle(),
      tandem::make_tuple(x.data_handle()...),
      y.extent(row),
      y.extent(column),
      {y.stride(row), x.stride(row)...},
      {y.stride(column), x.stride(column)...},
      {(detail::runs_down(x) != is_turned)...},
      static_cast<unsigned>(tiles(column))};
  cuda_impl::require_argument_size<decltype(loop)>();
  cuda_impl::launch(
      space,
      {.grid = dim3(static_cast<unsigned>(tiles(row) * tiles(column))),
       .block = dim3(static_cast<unsigned>(cuda_impl::matrix_tiles.threads)),
       .label = label,
       .programmatic_launch = true},
      cuda_impl::matrix_transform_kernel<cuda_impl::inputs_across<Layout, OtherLayout...>(),
                                         Function, U, T...>,
      loop);
}

}  // namespace tandem
