// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product as tutorials write it, one element per thread, then in tiles of shared memory
// whose width is known to the compiler or chosen at run time; and by the library, which also says
// which sizes do not fit.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

using input = tandem::view<const float, 2>;
using output = tandem::view<float, 2>;

/// c(row, column) as one dot product over global memory.
struct naive {
  input a, b;
  output c;

  TANDEM_FUNCTION void operator()(int row, int column) const {
    float sum = 0;
    for (int k = 0; k < a.extent(1); ++k) sum = tandem::fma(a(row, k), b(k, column), sum);
    c(row, column) = sum;
  }
};

/// A team computes one square tile of c, from tiles of a and b that its lanes load into scratch.
/// Width is the tile's width, or 0 where `run_time_width` says it.
template <int Width>
struct tiled {
  input a, b;
  output c;
  int run_time_width = Width;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const int w = Width > 0 ? Width : run_time_width;
    float* const a_tile = t.scratch<float>(w * w);
    float* const b_tile = t.scratch<float>(w * w);
    tandem::per_lane<float> sum(t, 0.0f);
    const int across = int(c.extent(1)) / w;
    const int row = int(t.index()) / across * w, column = int(t.index()) % across * w;
    for (int k = 0; k < a.extent(1); k += w) {
      t.for_each_lane([&](int lane) {
        a_tile[lane] = a(row + lane / w, k + lane % w);
        b_tile[lane] = b(k + lane / w, column + lane % w);
      });
      t.for_each_lane([&](int lane) {
        for (int i = 0; i < w; ++i)
          sum[lane] = tandem::fma(a_tile[lane / w * w + i], b_tile[i * w + lane % w], sum[lane]);
      });
    }
    t.for_each_lane([&](int lane) { c(row + lane / w, column + lane % w) = sum[lane]; });
  }

  /// One team for each tile of c, one lane for each element of a tile.
  tandem::team_shape shape() const {
    const int w = run_time_width;
    return {.teams = c.size() / (w * w),
            .lanes = w * w,
            .scratch_bytes = 2 * sizeof(float) * std::size_t(w) * std::size_t(w)};
  }
};

/// Elements in which x and y differ.
int differences(const tandem::array<float, 2>& x, const tandem::array<float, 2>& y) {
  const auto p = x.const_view(), q = y.const_view();
  return int(tandem::parallel_reduce(
      tandem::grid{p.extent(0), p.extent(1)},
      TANDEM_LAMBDA(int j, int i) { return p(j, i) == q(j, i) ? 0 : 1; }));
}

}  // namespace

int main() {
  const int m = 96, n = 128, k = 64;  // multiples of both widths
  tandem::array<float, 2> a({m, k}), b({k, n}), c({m, n}), d({m, n}), e({m, n}), f({m, n});
  tandem::fill_random(a, tandem::uniform{-1, 1}, 1);
  tandem::fill_random(b, tandem::uniform{-1, 1}, 2);

  tandem::parallel_for(tandem::grid{m, n}, naive{a.const_view(), b.const_view(), c.view()});
  const tiled<16> fixed{a.const_view(), b.const_view(), d.view()};
  tandem::parallel_teams(fixed.shape(), fixed);
  const tiled<0> chosen{a.const_view(), b.const_view(), e.view(), 8};
  tandem::parallel_teams(chosen.shape(), chosen);
  tandem::matmul(a, b, f);

  // All of them add the same products in the same order, so they agree to the last bit.
  const int wrong = differences(c, d) + differences(c, e) + differences(c, f);
  std::printf("%d elements differ from the naive product's\n", wrong);

  bool refused = false;
  try {
    tandem::matmul(b, a, c);
  } catch (const tandem::extent_error& error) {
    std::printf("%s\n", error.what());
    refused = true;
  }
  return wrong == 0 && refused ? 0 : 1;
}
