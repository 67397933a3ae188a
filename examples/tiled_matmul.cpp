// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiplies matrices: one element per thread, then in tiles of shared memory with a compile-time
// or run-time width, and by the library, which also reports sizes that do not fit.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

using matrix = tandem::array<float, 2>;
using input = tandem::view<const float, 2>;

/// A team computes one square tile of c, from tiles of a and b that its lanes load into scratch.
/// Width is the tile's width, or 0 if `run_time_width` gives it.
template <int Width>
struct tiled {
  input a, b;
  tandem::view<float, 2> c;
  int run_time_width = Width;
  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const int w = Width > 0 ? Width : run_time_width;
    float *const a_tile = t.scratch<float>(w * w), *const b_tile = t.scratch<float>(w * w);
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
};

/// Launches one team for each tile of c, with one lane for each element of a tile.
template <int Width>
void multiply(const tiled<Width>& kernel) {
  const int lanes = kernel.run_time_width * kernel.run_time_width;
  const std::size_t scratch_bytes = 2 * sizeof(float) * std::size_t(lanes);
  tandem::parallel_teams({kernel.c.size() / lanes, lanes, scratch_bytes}, kernel);
}

}  // namespace

int main() {
  const int m = 96, n = 128, k = 64;  // multiples of both widths
  matrix a({m, k}), b({k, n}), c({m, n}), d({m, n}), e({m, n}), f({m, n});
  tandem::fill_random(a, tandem::uniform{-1, 1}, 1);
  tandem::fill_random(b, tandem::uniform{-1, 1}, 2);

  const input av = a.const_view(), bv = b.const_view();
  const auto cv = c.view();
  tandem::parallel_for(
      tandem::grid{m, n}, TANDEM_LAMBDA(int row, int column) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum = tandem::fma(av(row, i), bv(i, column), sum);
        cv(row, column) = sum;
      });
  multiply(tiled<16>{av, bv, d.view()});
  multiply(tiled<0>{av, bv, e.view(), 8});
  tandem::matmul(a, b, f);

  // All variants add the same products in the same order, so they agree to the last bit.
  const auto naive = tandem::to_vector(c);
  const bool agree = naive == tandem::to_vector(d) && naive == tandem::to_vector(e) &&
                     naive == tandem::to_vector(f);
  std::printf("the four products %s\n", agree ? "have the same bits" : "differ");
  try {
    tandem::matmul(b, a, c);
  } catch (const tandem::extent_error& error) {
    std::printf("%s\n", error.what());
    return agree ? 0 : 1;
  }
  return 1;  // the product b a is not defined
}
