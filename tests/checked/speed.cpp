// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times seven kernels that do real work, on one thread. Compiled twice, plain and with
// tandem::checked; speed.py compares the two.

#include <tandem/tandem.hpp>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

using tandem::array;
using tandem::index_t;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::per_lane;
using tandem::team;

namespace {

const tandem::serial one_thread;

/// CPU time of this thread, which other work on the machine does not lengthen.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the best of several runs, in seconds; the first one is not timed.
template <class Function>
double seconds(const Function& f) {
  f();
  double best = 1e30;
  double spent = 0;
  for (int runs = 0; runs < 3 || (spent < 0.05 && runs < 1000); ++runs) {
    const double begin = thread_seconds();
    f();
    const double time = thread_seconds() - begin;
    spent += time;
    best = std::min(best, time);
  }
  return best;
}

void check(const char* kernel, double result, double expected) {
  if (std::abs(result - expected) <= 1e-3 * std::abs(expected)) return;
  std::fprintf(stderr, "%s: %g instead of %g\n", kernel, result, expected);
  std::exit(1);
}

/// c = a * b of n x n elements, a tile of 16 x 16 of c per team.
double matmul(int n) {
  constexpr int tile = 16;
  array<float, 2> left({n, n}, 1.0f);
  array<float, 2> right({n, n}, 2.0f);
  array<float, 2> product({n, n}, 0.0f);
  const auto a = left.view();
  const auto b = right.view();
  const auto c = product.view();
  const int tiles = n / tile;
  const auto kernel = [=](team& t) {
    float* const x = t.scratch<float>(tile * tile);
    float* const y = t.scratch<float>(tile * tile);
    per_lane<float> sum(t, 0.0f);
    const int row = static_cast<int>(t.index()) / tiles * tile;
    const int column = static_cast<int>(t.index()) % tiles * tile;
    for (int k = 0; k < n; k += tile) {
      t.for_each_lane([&](int lane) {
        x[lane] = a(row + lane / tile, k + lane % tile);
        y[lane] = b(k + lane / tile, column + lane % tile);
      });
      t.for_each_lane([&](int lane) {
        float s = sum[lane];
        for (int i = 0; i < tile; ++i) s += x[lane / tile * tile + i] * y[i * tile + lane % tile];
        sum[lane] = s;
      });
    }
    t.for_each_lane([&](int lane) { c(row + lane / tile, column + lane % tile) = sum[lane]; });
  };
  const double time = seconds([&] {
    parallel_teams(one_thread, {index_t{tiles} * tiles, tile * tile, 2 * 4 * tile * tile}, kernel);
  });
  check("matmul", c(n - 1, n / 2), 2.0 * n);
  return time;
}

/// Five points of a plane, from a tile of 32 x 8 with its halo.
double stencil(int n) {
  constexpr int width = 32;
  constexpr int height = 8;
  constexpr int pitch = width + 2;
  array<float, 2> input({n, n}, 1.0f);
  array<float, 2> output({n, n}, 0.0f);
  const auto x = input.view();
  const auto y = output.view();
  const int across = n / width;
  const auto kernel = [=](team& t) {
    float* const tile = t.scratch<float>(pitch * (height + 2));
    const int row = static_cast<int>(t.index()) / across * height;
    const int column = static_cast<int>(t.index()) % across * width;
    t.for_each(height + 2, pitch, [&](int i, int j) {
      const int r = row + i - 1;
      const int c = column + j - 1;
      tile[i * pitch + j] = r >= 0 && r < n && c >= 0 && c < n ? x(r, c) : 0.0f;
    });
    t.for_each_lane([&](int lane) {
      const float* const p = tile + (lane / width + 1) * pitch + lane % width + 1;
      y(row + lane / width, column + lane % width) =
          0.5f * p[0] + 0.125f * (p[-1] + p[1] + p[-pitch] + p[pitch]);
    });
  };
  const double time = seconds([&] {
    parallel_teams(one_thread,
                   {index_t{across} * (n / height), width * height, 4 * pitch * (height + 2)},
                   kernel);
  });
  check("stencil", y(n / 2, n / 2), 1.0);
  return time;
}

/// Transposes through a padded tile of 32 x 32.
double transpose(int n) {
  constexpr int tile = 32;
  constexpr int lanes = 256;
  array<float, 2> input({n, n}, 1.0f);
  array<float, 2> output({n, n}, 0.0f);
  const auto x = input.view();
  const auto y = output.view();
  x(3, 5) = 7;
  const int tiles = n / tile;
  const auto kernel = [=](team& t) {
    float* const block = t.scratch<float>(tile * (tile + 1));
    const int row = static_cast<int>(t.index()) / tiles * tile;
    const int column = static_cast<int>(t.index()) % tiles * tile;
    t.for_each_lane([&](int lane) {
      for (int r = lane / tile; r < tile; r += lanes / tile)
        block[r * (tile + 1) + lane % tile] = x(row + r, column + lane % tile);
    });
    t.for_each_lane([&](int lane) {
      for (int r = lane / tile; r < tile; r += lanes / tile)
        y(column + r, row + lane % tile) = block[lane % tile * (tile + 1) + r];
    });
  };
  const double time = seconds([&] {
    parallel_teams(one_thread, {index_t{tiles} * tiles, lanes, 4 * tile * (tile + 1)}, kernel);
  });
  check("transpose", y(5, 3), 7);
  return time;
}

/// Counts in bins per team in scratch, then adds them to the bins of all teams.
double histogram(int n) {
  constexpr int bins = 64;
  constexpr int lanes = 256;
  constexpr int items = 4096;
  array<int> values(n);
  array<int> counts({bins}, 0);
  const auto x = values.view();
  const auto c = counts.view();
  parallel_for(one_thread, n, [=](int i) { x(i) = i * 37 % bins; });
  const auto kernel = [=](team& t) {
    int* const own = t.scratch<int>(bins);
    t.for_each(bins, [&](int i) { own[i] = 0; });
    const int first = static_cast<int>(t.index()) * items;
    t.for_each_lane([&](int lane) {
      for (int i = lane; i < items; i += lanes) tandem::atomic_add(own[x(first + i)], 1);
    });
    t.for_each(bins, [&](int i) { tandem::atomic_add(c(i), own[i]); });
  };
  const double time = seconds([&] {
    parallel_teams(one_thread, {n / items, lanes, 4 * bins}, kernel);
  });
  check("histogram", c(1) - c(bins - 1), 0);
  return time;
}

/// Prefix sums of blocks of 256, by doubling steps in two buffers.
double scan(int n) {
  constexpr int lanes = 256;
  array<int> values({n}, 1);
  array<int> sums({n}, 0);
  const auto x = values.view();
  const auto y = sums.view();
  const auto kernel = [=](team& t) {
    int* from = t.scratch<int>(lanes);
    int* to = t.scratch<int>(lanes);
    const int first = static_cast<int>(t.index()) * lanes;
    t.for_each_lane([&](int lane) { from[lane] = x(first + lane); });
    for (int step = 1; step < lanes; step *= 2) {
      t.for_each_lane(
          [&](int lane) { to[lane] = from[lane] + (lane >= step ? from[lane - step] : 0); });
      std::swap(from, to);
    }
    t.for_each_lane([&](int lane) { y(first + lane) = from[lane]; });
  };
  const double time = seconds([&] {
    parallel_teams(one_thread, {n / lanes, lanes, 8 * lanes}, kernel);
  });
  check("block scan", y(n - 1), lanes);
  return time;
}

/// The attraction between each pair of n bodies.
double bodies(int n) {
  array<float, 2> places(n, 3);
  array<float, 2> pulls({n, 3}, 0.0f);
  const auto p = places.view();
  const auto f = pulls.view();
  parallel_for(one_thread, n, [=](int i) {
    for (int d = 0; d < 3; ++d) p(i, d) = static_cast<float>((i * (d + 3)) % n);
  });
  const auto kernel = [=](int i) {
    float x = 0;
    float y = 0;
    float z = 0;
    for (int j = 0; j < n; ++j) {
      const float dx = p(j, 0) - p(i, 0);
      const float dy = p(j, 1) - p(i, 1);
      const float dz = p(j, 2) - p(i, 2);
      const float square = dx * dx + dy * dy + dz * dz + 0.01f;
      const float weight = 1 / (square * std::sqrt(square));
      x += weight * dx;
      y += weight * dy;
      z += weight * dz;
    }
    f(i, 0) = x;
    f(i, 1) = y;
    f(i, 2) = z;
  };
  const double time = seconds([&] { parallel_for(one_thread, n, kernel); });
  check("n-body", f(0, 0) == 0 ? 0 : 1, 1);
  return time;
}

/// y = A * x with 16 elements in each of n rows of A.
double sparse(int n) {
  constexpr int width = 16;
  array<int> starts(n + 1);
  array<int> columns(n * width);
  array<double> elements({n * width}, 1.0);
  array<double> input({n}, 1.0);
  array<double> output({n}, 0.0);
  const auto s = starts.view();
  const auto j = columns.view();
  const auto a = elements.view();
  const auto x = input.view();
  const auto y = output.view();
  parallel_for(one_thread, n + 1, [=](int i) { s(i) = i * width; });
  parallel_for(one_thread, n * width, [=](int k) {
    j(k) = static_cast<int>((index_t{k} / width + index_t{k % width} * k) % n);
  });
  const double time = seconds([&] {
    parallel_for(one_thread, n, [=](int i) {
      double sum = 0;
      for (int k = s(i); k < s(i + 1); ++k) sum += a(k) * x(j(k));
      y(i) = sum;
    });
  });
  check("sparse rows", y(n - 1), width);
  return time;
}

}  // namespace

/// An argument selects the one kernel to run.
int main(int argc, char** argv) {
  const struct {
    const char* name;
    double (*run)(int);
    int size;
  } all[] = {{"matmul", matmul, 128},       {"stencil", stencil, 512},
             {"transpose", transpose, 512}, {"histogram", histogram, 1 << 18},
             {"scan", scan, 1 << 16},       {"bodies", bodies, 512},
             {"sparse", sparse, 1 << 14}};
  for (const auto& k : all) {
    if (argc > 1 && std::string(argv[1]) != k.name) continue;
    std::printf("%s %.9f\n", k.name, k.run(k.size));
    std::fflush(stdout);
  }
  return 0;
}
