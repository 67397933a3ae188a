// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// The nine populations of a cell of the D2Q9 lattice: at rest, moving east, north, west, south,
/// and along the diagonals from north-east on, counter-clockwise.
struct populations {
  float rest, e, n, w, s, ne, nw, sw, se;
};

/// A step of the single-relaxation-time model of Bhatnagar, Gross and Krook with its equilibrium of
/// second order. Source: Krueger et al., "The Lattice Boltzmann Method" (2017), section 3.4.
[[gnu::always_inline]] TANDEM_FUNCTION inline populations collide(const populations& f) {
  constexpr float rate = 1.2f;
  const float density = f.rest + (f.e + f.w) + (f.n + f.s) + ((f.ne + f.sw) + (f.nw + f.se));
  const float inverse = 1.0f / density;
  const float x = ((f.e - f.w) + (f.ne - f.sw) + (f.se - f.nw)) * inverse;
  const float y = ((f.n - f.s) + (f.ne - f.sw) + (f.nw - f.se)) * inverse;
  const float still = 1.0f - 1.5f * (x * x + y * y);
  const auto relaxed = [=](float population, float weight, float along) {
    const float equilibrium = weight * density * (still + along * (3.0f + 4.5f * along));
    return population + rate * (equilibrium - population);
  };
  constexpr float straight = 1.0f / 9;
  constexpr float diagonal = 1.0f / 36;
  return {relaxed(f.rest, 4.0f / 9, 0),   relaxed(f.e, straight, x),
          relaxed(f.n, straight, y),      relaxed(f.w, straight, -x),
          relaxed(f.s, straight, -y),     relaxed(f.ne, diagonal, x + y),
          relaxed(f.nw, diagonal, y - x), relaxed(f.sw, diagonal, -x - y),
          relaxed(f.se, diagonal, x - y)};
}

/// What flows into a cell; at(q, j, i) is population q of a cell.
template <class At>
[[gnu::always_inline]] TANDEM_FUNCTION inline populations inflow(const At& at, int j, int i) {
  return {at(0, j, i),         at(1, j, i - 1),     at(2, j - 1, i),
          at(3, j, i + 1),     at(4, j + 1, i),     at(5, j - 1, i - 1),
          at(6, j - 1, i + 1), at(7, j + 1, i + 1), at(8, j + 1, i - 1)};
}

template <class At>
[[gnu::always_inline]] TANDEM_FUNCTION inline void store(const At& at, int j, int i,
                                                         const populations& f) {
  at(0, j, i) = f.rest;
  at(1, j, i) = f.e;
  at(2, j, i) = f.n;
  at(3, j, i) = f.w;
  at(4, j, i) = f.s;
  at(5, j, i) = f.ne;
  at(6, j, i) = f.nw;
  at(7, j, i) = f.sw;
  at(8, j, i) = f.se;
}

/// The populations of the cells of a plane in one line, a pointer or a view: in planes of
/// populations (a struct of arrays), or cell by cell. Its indices fit an int.
template <bool InPlanes, class Line>
struct lattice {
  Line line;
  int rows;
  int columns;

  TANDEM_FUNCTION decltype(auto) operator()(int q, int j, int i) const {
    if constexpr (InPlanes) {
      return line[q * rows * columns + j * columns + i];
    } else {
      return line[(j * columns + i) * 9 + q];
    }
  }
};

/// A view of an array of cells, each with its populations, indexed as one of nine planes.
template <class View>
struct cells_of {
  View cells;

  TANDEM_FUNCTION decltype(auto) operator()(int q, int j, int i) const { return cells(j, i, q); }
};

/// Two steps of a lattice Boltzmann model on a plane within a border that does not change, each of
/// which pulls what flows into a cell and relaxes it; in planes of populations (a struct of arrays)
/// or an array of cells.
template <class Space, bool InPlanes>
struct lattice_boltzmann {
  using populations_array = array<float, 3, Space>;

  static constexpr const char* name = InPlanes ? "lattice_boltzmann_soa" : "lattice_boltzmann_aos";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{256, 256}, {768, 768}, {2048, 2048}}};
  static constexpr kernel_cost cost_each{.bytes = 2 * 2 * 9 * sizeof(float)};

  lattice_boltzmann(const Space& space, const kernel_size& size)
      : now(extents_of(size), space), next(extents_of(size), space) {}

  static extents<3> extents_of(const kernel_size& size) {
    if constexpr (InPlanes) {
      return {9, size[0], size[1]};
    } else {
      return {size[0], size[1], 9};
    }
  }
  /// An array as at(q, j, i). Indices of its line are of 32 bits, which a GPU multiplies for less;
  /// g++ vectorises the arithmetic of a cell if its view is indexed.
  template <class Array>
  auto populations_of(Array& of) const {
    if constexpr (InPlanes) {
      return lattice<true, decltype(line_of(of))>{line_of(of), static_cast<int>(rows()),
                                                  static_cast<int>(columns())};
    } else {
      return cells_of<decltype(of.view())>{of.view()};
    }
  }
  index_t rows() const { return now.extent(InPlanes ? 1 : 0); }
  index_t columns() const { return now.extent(InPlanes ? 2 : 1); }

  /// Fluid at rest whose density varies by a tenth.
  void reset(const Space& space) {
    const auto a = populations_of(now);
    const auto b = populations_of(next);
    const uniform_values<float> noise{1};
    tandem::parallel_for(
        space, tandem::grid(rows(), columns()), TANDEM_LAMBDA(int j, int i) {
          const float density = 1.0f + 0.1f * noise(index_t{j} * 65536 + i);
          const float straight = density / 9;
          const float diagonal = density / 36;
          const populations f{4 * straight, straight, straight, straight, straight,
                              diagonal,     diagonal, diagonal, diagonal};
          store(a, j, i, f);
          store(b, j, i, f);
        });
  }
  outcome result(const Space& space) { return summary(space, now.view()); }

  void run(const Space& space) {
    step(space, now, next);
    step(space, next, now);
  }

  void step(const Space& space, const populations_array& before, populations_array& after) {
    const auto in = populations_of(before);
    const auto out = populations_of(after);
    const auto relax = TANDEM_LAMBDA(int j, int i) { store(out, j, i, collide(inflow(in, j, i))); };
    const tandem::grid inside{{1, rows() - 1}, {1, columns() - 1}};
    if constexpr (InPlanes) {  // nine streams each are enough for a thread of a GPU
      tandem::parallel_for(space, inside.template with_block<1, 128>(), relax);
    } else {
      tandem::parallel_for(space, inside, relax);
    }
  }

  populations_array now;
  populations_array next;
};

}  // namespace perf
