// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls that a warm call makes to the CUDA runtime and the system: its launches and copies, and
// none that would block or serialise host threads. A call is warm if the stream has run it before.

#include "backends/cuda/runtime/counted_calls.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

constexpr call_counts one_launch{.launches = 1};
constexpr call_counts one_copy{.copies = 1};

template <class T, int Rank = 1>
using device_array = tandem::array<T, Rank, tandem::cuda>;

/// Counts the calls that f() makes after two warm-up calls of f.
template <class Function>
call_counts warm_calls(const Function& f) {
  f();
  f();
  return calls_of(f);
}

// Named function objects, because nvcc wraps a TANDEM_LAMBDA in heap memory each time that the host
// makes or copies one, which would be counted.

/// Adds one at i, or at column i of row j.
struct add_one {
  tandem::view<float, 1, tandem::layout_right, tandem::device_memory> x;

  TANDEM_FUNCTION void operator()(tandem::index_t i) const { x(i) += 1.0f; }
};
struct add_one_in_plane {
  add_one line;

  TANDEM_FUNCTION void operator()(int j, int i) const { line(j * 1000 + i); }
};

struct half {
  TANDEM_FUNCTION float operator()(float x) const { return x / 2; }
};

struct positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};

struct magnitude {
  tandem::view<const float, 1, tandem::layout_right, tandem::device_memory> x;

  TANDEM_FUNCTION float operator()(tandem::index_t i) const { return tandem::abs(x(i)); }
};

struct idle_team {
  TANDEM_FUNCTION void operator()(tandem::team&) const {}
};

/// A body with the largest captures that a kernel accepts.
struct large_body {
  char bytes[32696];
  TANDEM_FUNCTION void operator()(int) const {}
};

constexpr std::size_t size = large_size;

}  // namespace

TEST_CASE("calls: the counters see what tandem and the standard library do") {
  { const tandem::cuda first(0); }  // creates what all spaces of a device share
  call_counts made = calls_of([] { const tandem::cuda space(0); });
  CHECK(made.locks == 2);
  const tandem::cuda space(0);
  made = calls_of([&] { const device_array<int> x(tandem::extents<1>(100), space); });
  CHECK(made == call_counts{.pooled = 1});
  made = calls_of([&] { space.fence(); });
  CHECK(made == call_counts{.waits = 1});
  std::string text = "a string that is too long to lie in the object itself";
  made = calls_of([&] { text += text; });
  CHECK(made == call_counts{.heap = 1});
}

TEST_CASE("calls: a loop is one launch, whatever its shape and the size of its captures") {
  const tandem::cuda space(0);
  device_array<float> x(tandem::extents<1>(size), 1.0f, space);
  const add_one line{x.view()};
  const add_one_in_plane plane{line};
  const large_body large{};
  const auto exact = tandem::range{3, 1000}.with_block(96);
  CHECK(warm_calls([&] { tandem::parallel_for(space, size, line); }) == one_launch);
  CHECK(warm_calls([&] { tandem::parallel_for(space, exact, line); }) == one_launch);
  CHECK(warm_calls([&] {
          tandem::parallel_for(space, tandem::grid{1000, 1000}, plane);
        }) == one_launch);
  CHECK(warm_calls([&] { tandem::parallel_for(space, 1000, large); }) == one_launch);
  CHECK(calls_of([&] { tandem::parallel_for(space, 0, large); }) == call_counts{});
}

TEST_CASE("calls: teams are one launch, with much shared memory, too") {
  const tandem::cuda space(0);
  const std::size_t limit = tandem::cuda::devices()[0].block_shared;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1024}, limit}) {
    const auto teams = [&] { tandem::parallel_teams(space, {10, 64, bytes}, idle_team{}); };
    CHECK(warm_calls(teams) == one_launch);
  }
}

TEST_CASE("calls: fill, transform and strided copies are one launch, other copies one copy") {
  const tandem::cuda space(0);
  device_array<float, 2> x(tandem::extents<2>(1000, 500), 1.0f, space);
  device_array<float, 2> y(tandem::extents<2>(1000, 500), 1.0f, space);
  tandem::array<float, 2, tandem::cuda_pinned> pinned(tandem::extents<2>(1000, 500));
  std::vector<float> ordinary(500000);
  CHECK(warm_calls([&] { tandem::fill(space, x, 2.0f); }) == one_launch);
  CHECK(warm_calls([&] { tandem::transform(space, x.const_view(), y.view(), half{}); }) ==
        one_launch);
  const auto columns = tandem::subview(x.view(), tandem::all, tandem::slice{0, 500, 2});
  const auto others = tandem::subview(y.view(), tandem::all, tandem::slice{1, 500, 2});
  CHECK(warm_calls([&] { tandem::copy(space, columns, others); }) == one_launch);
  CHECK(warm_calls([&] { tandem::copy(space, x, y); }) == one_copy);
  CHECK(warm_calls([&] { tandem::copy(space, x, pinned); }) == one_copy);
  CHECK(warm_calls([&] { tandem::copy(space, pinned, x); }) == one_copy);
  CHECK(warm_calls([&] { tandem::copy(space, ordinary, x); }) == one_copy);
  CHECK(warm_calls([&] { tandem::copy(space, x, ordinary); }) == one_copy);
  space.fence();
}

TEST_CASE("calls: a reduction is one launch, its result on the host or on the device") {
  const tandem::cuda space(0);
  device_array<float, 0> total(tandem::extents<0>{}, space);
  for (const std::size_t n : {std::size_t{1}, std::size_t{5000}, size}) {
    CAPTURE(n);
    auto x = to_space(space, random_values<float>(n, 1));
    const auto v = x.const_view();
    CHECK(warm_calls([&] { tandem::parallel_reduce(space, v); }) == one_launch);
    CHECK(warm_calls([&] { tandem::parallel_reduce(space, n, magnitude{v}); }) == one_launch);
    CHECK(warm_calls([&] { tandem::argmax(space, v); }) == one_launch);
    CHECK(warm_calls([&] { tandem::dot(space, v, v); }) == one_launch);
    const auto into = [&] {
      tandem::parallel_reduce_into(space, v, tandem::sum<float>{}, total.view());
    };
    CHECK(warm_calls(into) == one_launch);
  }
}

TEST_CASE("calls: a scan is one pass and at most one clear") {
  const tandem::cuda space(0);
  for (const std::size_t n : {std::size_t{1}, std::size_t{5000}, size, 40 * size}) {
    CAPTURE(n);
    device_array<float> x(tandem::extents<1>(n), 1.0f, space);
    device_array<float> y(tandem::extents<1>(n), 1.0f, space);
    const auto made = warm_calls([&] { tandem::parallel_scan(space, x.const_view(), y.view()); });
    CHECK(made.launches + made.clears <= 2);
    CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
  }
  device_array<int> x(tandem::extents<1>(size), 1, space);
  const auto made = warm_calls([&] { tandem::parallel_scan(space, x.const_view(), x.view()); });
  CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
}

TEST_CASE("calls: histograms are launches and clears alone") {
  const tandem::cuda space(0);
  auto x = to_space(space, random_values<float>(size, 1));
  auto k = to_space(space, random_below<int>(size, 100000, 1));
  auto edges = to_space(space, std::vector<float>{-1.0f, 0.0f, 2.0f});
  for (const int bins : {2, 100, 5000, 100000}) {
    CAPTURE(bins);
    device_array<int> counts(tandem::extents<1>(bins), space);
    device_array<float> sums(tandem::extents<1>(bins), space);
    const auto check = [&](const auto& run, int most) {
      const call_counts made = warm_calls(run);
      CHECK(made.launches <= most);
      CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
    };
    const tandem::uniform_bins<float> between{.lo = -4.0f, .hi = 4.0f};
    check([&] { tandem::histogram(space, x.const_view(), between, counts.view()); }, 3);
    check([&] { tandem::histogram(space, k.const_view(), counts.view()); }, 3);
    check([&] { tandem::histogram(space, x.const_view(), between, x.const_view(), sums.view()); },
          4);  // the last one ends at once unless bins need scales for themselves
  }
  device_array<int> counts(tandem::extents<1>(2), space);
  const auto made = warm_calls(
      [&] { tandem::histogram(space, x.const_view(), edges.const_view(), counts.view()); });
  CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
}

TEST_CASE("calls: reductions along an axis are launches and clears alone") {
  const tandem::cuda space(0);
  for (const auto& [rows, columns] : {std::pair{1000, 1000}, std::pair{7, 100000}}) {
    CAPTURE(rows);
    device_array<float, 2> x(tandem::extents<2>(rows, columns), 1.0f, space);
    for (const int along : {0, 1}) {
      device_array<float> y(tandem::extents<1>(along == 0 ? columns : rows), space);
      const auto made = warm_calls([&] {
        tandem::parallel_reduce_into(space, x.const_view(), tandem::axis{along},
                                     tandem::sum<float>{}, y.view());
      });
      CHECK(made.launches <= 2);
      CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
    }
  }
}

TEST_CASE("calls: sorts wait for nothing and take their memory from the stream") {
  const tandem::cuda space(0);
  auto x = to_space(space, random_values<unsigned>(size, 1));
  device_array<unsigned> y(tandem::extents<1>(size), space);
  device_array<float> values(tandem::extents<1>(size), 1.0f, space);
  const auto expect_no_waits = [](const call_counts& made) {
    CHECK(made.launches > 0);
    CHECK(made == call_counts{.launches = made.launches,
                              .copies = made.copies,
                              .clears = made.clears,
                              .pooled = made.pooled});
  };
  expect_no_waits(warm_calls([&] { tandem::sort(space, x.const_view(), y.view()); }));
  expect_no_waits(warm_calls([&] { tandem::sort_by_key(space, y.view(), values.view()); }));
}

TEST_CASE("calls: selections are a clear and one pass, their count on the host or on the device") {
  const tandem::cuda space(0);
  auto x = to_space(space, random_values<float>(size, 1));
  device_array<float> y(tandem::extents<1>(size), space);
  device_array<tandem::index_t, 0> count(tandem::extents<0>{}, space);
  const auto xv = x.const_view();
  const auto expect_one_pass = [](const call_counts& made) {
    CHECK(made.launches <= 2);
    CHECK(made == call_counts{.launches = made.launches, .clears = made.clears});
  };
  expect_one_pass(warm_calls([&] { tandem::copy_if(space, xv, y.view(), positive{}); }));
  expect_one_pass(warm_calls([&] { tandem::unique(space, xv, y.view()); }));
  expect_one_pass(
      warm_calls([&] { tandem::copy_if_into(space, xv, y.view(), positive{}, count.view()); }));
}

TEST_CASE("calls: a matrix product is one launch") {
  const tandem::cuda space(0);
  for (const int n : {64, 500, 2048}) {
    CAPTURE(n);
    device_array<float, 2> a(tandem::extents<2>(n, n), 1.0f, space);
    device_array<float, 2> c(tandem::extents<2>(n, n), 1.0f, space);
    device_array<double, 2> d(tandem::extents<2>(n, n), 1.0, space);
    device_array<double, 2> e(tandem::extents<2>(n, n), 1.0, space);
    CHECK(warm_calls([&] { tandem::matmul(space, a.view(), a.view(), c.view()); }) == one_launch);
    CHECK(warm_calls([&] { tandem::matmul(space, d.view(), d.view(), e.view()); }) == one_launch);
  }
}

TEST_CASE("calls: a replay is one launch, whatever was recorded") {
  const tandem::cuda space(0);
  auto x = to_space(space, random_values<float>(size, 1));
  device_array<float> y(tandem::extents<1>(size), space);
  const auto xv = x.const_view();
  const auto yv = y.view();
  auto graph = tandem::record(space, [=](const tandem::cuda& s) {
    for (int round = 0; round < 5; ++round) {
      tandem::fill(s, yv, 1.0f);
      tandem::parallel_scan(s, xv, yv);
    }
  });
  CHECK(warm_calls([&] { graph.replay(space); }) == one_launch);
}

TEST_CASE("calls: making and destroying an array calls its pool alone") {
  const tandem::cuda space(0);
  using pinned = tandem::array<float, 1, tandem::cuda_pinned>;
  CHECK(warm_calls([&] { const pinned x(tandem::extents<1>(size)); }) == call_counts{});
  CHECK(warm_calls([&] { const device_array<float> x(tandem::extents<1>(size), space); }) ==
        call_counts{.pooled = 1});
}
