// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Particles deposit their mass on a grid, cloud in cell: each adds to the four cells around it, in
// any order of threads. The density has the same bits on every backend. `particle_deposit
// picture.png` writes a picture.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <tandem/tandem.hpp>

#include "png.hpp"

namespace {

/// White if a cell is empty, and darker blue the more mass it holds, up to 240.
std::vector<std::array<std::uint8_t, 3>> shaded(const std::vector<float>& density) {
  std::vector<std::array<std::uint8_t, 3>> pixels;
  for (const float d : density) {
    const float light = 1 - tandem::sqrt(tandem::min(d / 240.0f, 1.0f));
    const auto grey = std::uint8_t(255 * light);
    pixels.push_back({grey, std::uint8_t(80 + 175 * light), std::uint8_t(150 + 105 * light)});
  }
  return pixels;
}

}  // namespace

int main(int argc, char** argv) {
  const int particles = 200000, cells = 128;
  using cell = tandem::order_free_sum<float>;
  tandem::array<float> x(particles), y(particles), mass(particles);
  tandem::fill_random(x, tandem::normal{64, 12}, 1);
  tandem::fill_random(y, tandem::normal{64, 12}, 2);
  tandem::fill_random(mass, tandem::uniform{0.5, 1.5}, 3);

  // No particle adds more than 1.5 to a cell, and in the worst case all of them hit one cell.
  const auto scale = cell::scale(1.5f, 4 * particles);
  tandem::array<cell, 2> sums({cells, cells}, cell{});
  const auto xv = x.const_view(), yv = y.const_view(), m = mass.const_view();
  const auto s = sums.view();
  tandem::parallel_for(
      particles, TANDEM_LAMBDA(int p) {
        const float column = tandem::floor(xv(p)), row = tandem::floor(yv(p));
        const float right = xv(p) - column, above = yv(p) - row;
        const int i = tandem::to_int32(column) & (cells - 1);  // the grid is periodic
        const int j = tandem::to_int32(row) & (cells - 1);
        const int next_i = (i + 1) & (cells - 1), next_j = (j + 1) & (cells - 1);
        s(j, i).add(scale, m(p) * (1 - right) * (1 - above));
        s(j, next_i).add(scale, m(p) * right * (1 - above));
        s(next_j, i).add(scale, m(p) * (1 - right) * above);
        s(next_j, next_i).add(scale, m(p) * right * above);
      });
  tandem::array<float, 2> density({cells, cells});
  const auto d = density.view();
  tandem::parallel_for(
      tandem::grid{cells, cells}, TANDEM_LAMBDA(int j, int i) { d(j, i) = s(j, i).value(scale); });

  // The mass is conserved, apart from the roundings of four products per particle and of the sums.
  const auto of_cell = density.const_view();
  const double deposited = tandem::parallel_reduce(
      tandem::grid{cells, cells}, TANDEM_LAMBDA(int j, int i) { return double(of_cell(j, i)); });
  const double brought = tandem::parallel_reduce(
      particles, TANDEM_LAMBDA(int p) { return double(m(p)); });
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a over the bits of the density
  for (const float value : tandem::to_vector(density)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("deposited %.6f of %.6f, density %016llx\n", deposited, brought,
              static_cast<unsigned long long>(hash));
  if (argc > 1 && !example::write_png(argv[1], cells, cells, shaded(tandem::to_vector(density)))) {
    std::printf("cannot write %s\n", argv[1]);
    return 1;
  }
  const double error = deposited < brought ? brought - deposited : deposited - brought;
  return error <= 1e-6 * brought && hash == 0xd55a008d08ee2b9du ? 0 : 1;
}
