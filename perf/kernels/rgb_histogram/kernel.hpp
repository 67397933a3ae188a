// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <cstdint>

namespace perf {

/// Colours of a pixel, and counters of one image.
inline constexpr int colours = 3;
inline constexpr int rgb_counters = colours * 256;

/// Pixels that a team counts in its scratch before it adds its counts to those of all.
inline constexpr int pixels_of_team = 65536;

/// The bytes of the benchmark's image, whose colours differ in their distribution.
struct image_bytes {
  TANDEM_FUNCTION std::uint8_t operator()(tandem::index_t i) const {
    return static_cast<std::uint8_t>(
        bin_values{1, 256, i % colours == 0 ? spread::uniform : spread::normal}(i));
  }
};

/// Histograms of the three colours of an image of interleaved bytes, with 256 bins each. Sizes are
/// multiples of pixels_of_team.
template <class Space>
struct rgb_histogram {
  static constexpr const char* name = "rgb_histogram_by_teams";
  static constexpr const char* type = "u8";

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {1 << 20}, {1 << 24}, {1 << 26});
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = colours * static_cast<double>(size[0])};
  }

  rgb_histogram(const Space& space, const kernel_size& size)
      : bytes(filled(space, colours * size[0], image_bytes{})),
        counts(tandem::extents<1>(rgb_counters), space) {}

  void reset(const Space& space) { tandem::fill(space, counts, -1); }
  outcome result(const Space& space) { return summary(space, counts.view()); }

  void run(const Space& space) {
    const auto of = bytes.const_view();
    const auto out = counts.view();
    tandem::fill(space, counts, 0);
    const tandem::team_shape shape{of.size() / (colours * pixels_of_team), 512,
                                   rgb_counters * sizeof(int)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          int* const own = team.scratch<int>(rgb_counters);
          const tandem::index_t first = team.index() * (colours * pixels_of_team);
          team.for_each(rgb_counters, [&](int c) { own[c] = 0; });
          team.for_each(pixels_of_team, [=](int pixel) {
            const tandem::index_t at = first + colours * pixel;
            tandem::atomic_add(own[of(at)], 1, tandem::scope::team);
            tandem::atomic_add(own[256 + of(at + 1)], 1, tandem::scope::team);
            tandem::atomic_add(own[512 + of(at + 2)], 1, tandem::scope::team);
          });
          team.for_each(rgb_counters, [&](int c) { tandem::atomic_add(out(c), own[c]); });
        });
  }

  tandem::array<std::uint8_t, 1, Space> bytes;
  tandem::array<int, 1, Space> counts;  ///< of red, green and blue
};

}  // namespace perf
