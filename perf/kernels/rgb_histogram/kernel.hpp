// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <algorithm>
#include <cstdint>

namespace perf {

/// Colours of a pixel, and counters of one image.
inline constexpr int colours = 3;
inline constexpr int rgb_counters = colours * 256;

/// What a lane reads at a time: three words, the bytes of eight pixels.
using image_word = unsigned long long;
inline constexpr int pixels_of_item = 8;

/// Copies of the counters in a team's scratch, among which its warps alternate.
inline constexpr int counter_copies = 4;

/// Pixels per team: enough to amortise its counters; large images are split among 1024 teams.
inline int pixels_of_team(index_t pixels) {
  return static_cast<int>(std::max(pixels / 1024, index_t{8192}));
}

/// Counts the bytes of a word, the first of which has the colour `phase`.
[[gnu::always_inline]] TANDEM_FUNCTION inline void count_word(int* counters, image_word word,
                                                              int phase) {
  const auto count = [=](int byte) {
    const auto value = static_cast<int>(word >> 8 * byte & 255);
    tandem::atomic_add(counters[256 * ((phase + byte) % colours) + value], 1, tandem::scope::team);
  };
  count(0), count(1), count(2), count(3), count(4), count(5), count(6), count(7);
}

/// The bytes of the benchmark's image, whose colours differ in their distribution.
struct image_bytes {
  TANDEM_FUNCTION std::uint8_t operator()(index_t i) const {
    return static_cast<std::uint8_t>(
        bin_values{1, 256, i % colours == 0 ? spread::uniform : spread::normal}(i));
  }
};

/// Histograms of the three colours of an image of interleaved bytes, with 256 bins each. Sizes are
/// powers of two from 8192 on.
template <class Space>
struct rgb_histogram {
  static constexpr const char* name = "rgb_histogram_by_teams";
  static constexpr const char* type = "u8";

  static inline const kernel_sizes sizes{{{1 << 20}, {1 << 22}, {1 << 24}}, {{1 << 26}}};
  static constexpr kernel_cost cost_each{.bytes = colours};

  rgb_histogram(const Space& space, const kernel_size& size)
      : bytes(filled(space, colours * size[0], image_bytes{})),
        of_teams(extents<2>(size[0] / pixels_of_team(size[0]), rgb_counters), space),
        counts(extents<1>(rgb_counters), space) {}

  void reset(const Space& space) { tandem::fill(space, counts, -1); }
  outcome result(const Space& space) { return summary(space, counts.view()); }

  void run(const Space& space) {
    const auto image = tandem::as_view<typename Space::memory_type>(
        reinterpret_cast<const image_word*>(bytes.data_handle()),
        bytes.size() / index_t{sizeof(image_word)});
    const auto out = of_teams.view();
    const int items = pixels_of_team(bytes.size() / colours) / pixels_of_item;
    const tandem::team_shape shape{of_teams.extent(0), 512,
                                   counter_copies * rgb_counters * sizeof(int)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          int* const all = team.scratch<int>(counter_copies * rgb_counters);
          const index_t first = team.index() * items;
          team.for_each(counter_copies * rgb_counters, [=](int c) { all[c] = 0; });
          team.for_each(items, [=](int item) {
            int* const own = all + item / 32 % counter_copies * rgb_counters;
            const index_t at = 3 * (first + item);
            const image_word words[] = {image(at), image(at + 1), image(at + 2)};
            count_word(own, words[0], 0);
            count_word(own, words[1], 2);
            count_word(own, words[2], 1);
          });
          team.for_each(rgb_counters, [=](int c) {
            int sum = all[c];
            for (int copy = 1; copy < counter_copies; ++copy) sum += all[copy * rgb_counters + c];
            out(team.index(), c) = sum;
          });
        });
    tandem::parallel_reduce_into(space, of_teams, tandem::axis{0}, tandem::sum<int>{}, counts);
  }

  array<std::uint8_t, 1, Space> bytes;
  array<int, 2, Space> of_teams;
  array<int, 1, Space> counts;  ///< of red, green and blue
};

}  // namespace perf
