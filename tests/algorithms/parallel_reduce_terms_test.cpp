// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

using namespace tandem::test;

namespace {

/// The terms of another load functor starting at `first`: lets a reduction reach billions of terms
/// without those before.
template <class Load>
struct late_terms {
  Load load;
  tandem::index_t first;

  TANDEM_FUNCTION auto operator()(tandem::index_t i) const { return load(first + i); }
};

/// A number that makes each index visible.
struct plane_number {
  TANDEM_FUNCTION std::int64_t operator()(tandem::index_t j, tandem::index_t i) const {
    return 1000003 * j + i;
  }
};
struct volume_number {
  TANDEM_FUNCTION std::int64_t operator()(tandem::index_t k, tandem::index_t j,
                                          tandem::index_t i) const {
    return 1000003 * k + 1009 * j + i;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: indices of any type, up to the last that it has", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const std::size_t n : {1ul, 300ul, 2048ul, 9001ul, 300000ul}) {
    const auto values = random_values<float>(n, n);
    auto x = to_space(space, values);
    auto r = to_space(reference, values);
    const auto v = x.const_view();
    const float wanted = tandem::parallel_reduce(reference, r.const_view());
    const auto count = static_cast<tandem::index_t>(n);
    const auto sum_over = [&](tandem::index_t begin, const auto& term) {
      return tandem::parallel_reduce(space, tandem::range{begin, begin + count}, term);
    };
    const tandem::index_t top = (tandem::index_t{1} << 32) - count;
    const tandem::index_t bottom = -(tandem::index_t{1} << 31);
    CHECK(same_bits(sum_over(
                        0, TANDEM_LAMBDA(unsigned i) { return v(i); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        top, TANDEM_LAMBDA(unsigned i) { return v(tandem::index_t{i} - top); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        bottom, TANDEM_LAMBDA(int i) { return v(tandem::index_t{i} - bottom); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        0, TANDEM_LAMBDA(std::size_t i) { return v(i); }),
                    wanted));
    if (n <= 300)
      CHECK(same_bits(sum_over(
                          0, TANDEM_LAMBDA(short i) { return v(i); }),
                      wanted));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: a NaN anywhere reaches every extreme", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::combined_reducer all{tandem::minimum<float>{}, tandem::maxloc<float>{},
                                     tandem::minmax<float>{}};
  for (const std::size_t n : {1ul, 511ul, 4096ul, 70001ul}) {
    for (const std::size_t at : {0ul, n / 3, n / 2, n - 1}) {
      auto values = random_values<float>(n, 7);
      values[at] = std::nanf("");
      auto x = to_space(space, values);
      const auto v = x.const_view();
      INFO("n = " << n << ", at = " << at);
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::minimum<float>{})));
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::maximum<float>{})));
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::minmax<float>{}).maximum));
      const auto [low, high, both] = tandem::parallel_reduce(
          space, static_cast<int>(n), TANDEM_LAMBDA(int i) { return v(i); }, all);
      CHECK(std::isnan(low));
      CHECK(high.index == static_cast<tandem::index_t>(at));
      CHECK(std::isnan(both.minimum));
    }
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: the bits of serial where threads help each other", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto values = random_values<float>((1ul << 22) + 7, 41);
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = x.const_view();
  const auto w = r.const_view();
  CHECK(same_bits(tandem::parallel_reduce(space, v), tandem::parallel_reduce(reference, w)));
  CHECK(tandem::argmin(space, v).index == tandem::argmin(reference, w).index);
}

namespace {

/// Checks a reduction over a grid whose terms count their calls; if the grid has a single plane,
/// checks that plane too.
template <class Index, class Space>
void check_grid_terms(const Space& space, tandem::index_t depth, tandem::index_t height,
                      tandem::index_t width) {
  using tandem::index_t;
  const index_t n = depth * height * width;
  auto x = to_space(space, random_values<float>(static_cast<std::size_t>(n), 5));
  tandem::array<int, 1, Space> calls(tandem::extents<1>(n), 0, space);
  const auto v = x.const_view();
  const auto c = calls.view();
  CAPTURE(depth);
  CAPTURE(height);
  CAPTURE(width);
  const auto place = TANDEM_LAMBDA(Index k, Index j, Index i) {
    const index_t row = static_cast<index_t>(k) * height + static_cast<index_t>(j);
    const index_t at = row * width + static_cast<index_t>(i);
    c(at) = c(at) + 1;
    return v(at);
  };
  CHECK(same_bits(tandem::parallel_reduce(space, tandem::grid{depth, height, width}, place),
                  tandem::parallel_reduce(space, v)));
  int wanted_calls = 1;
  if (depth == 1) {
    const auto plane = TANDEM_LAMBDA(Index j, Index i) {
      const index_t at = static_cast<index_t>(j) * width + static_cast<index_t>(i);
      c(at) = c(at) + 1;
      return v(at);
    };
    const auto peak =
        tandem::parallel_reduce(space, tandem::grid{height, width}, plane, tandem::maxloc<float>{});
    const auto wanted = tandem::parallel_reduce(space, v, tandem::maxloc<float>{});
    CHECK(peak.index == wanted.index);
    CHECK(same_bits(peak.value, wanted.value));
    ++wanted_calls;
  }
  CHECK(to_host(space, calls) == std::vector<int>(static_cast<std::size_t>(n), wanted_calls));
}

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: a term of a grid is called once and may store", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_grid_terms<int>(space, 1, 1, 1);
  check_grid_terms<int>(space, 1, 700, 3);
  check_grid_terms<int>(space, 1, 3, 4099);
  check_grid_terms<tandem::index_t>(space, 7, 255, 31);
  check_grid_terms<unsigned char>(space, 3, 256, 256);
  check_grid_terms<int>(space, 256, 1, 300);
}

TEST_CASE_TEMPLATE("parallel_reduce: a grid of ranges has the bits of its grid from zero", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int ny = 203;
  const int nx = 517;
  const auto values = random_values<float>(static_cast<std::size_t>(ny * nx), 3);
  const auto x = to_space(space, values);
  const auto v = tandem::reshape(x.const_view(), ny, nx);
  const auto inside = tandem::subview(v, tandem::slice{1, ny - 1}, tandem::slice{2, nx - 2});
  const tandem::grid indices{{1, ny - 1}, {2, nx - 2}};
  const auto term = TANDEM_LAMBDA(int j, int i) { return v(j, i); };
  CHECK(same_bits(tandem::parallel_reduce(space, indices, term),
                  tandem::parallel_reduce(space, inside)));
  const auto highest = tandem::parallel_reduce(space, indices, term, tandem::maxloc{});
  CHECK(highest.index == tandem::parallel_reduce(space, inside, tandem::maxloc{}).index);
  tandem::array<float, 1, typename Backend::space> rows(tandem::extents<1>(ny - 2), space);
  tandem::array<float, 1, typename Backend::space> wanted(tandem::extents<1>(ny - 2), space);
  tandem::parallel_reduce_into(space, indices, tandem::axis{1}, term, tandem::sum{}, rows);
  tandem::parallel_reduce_into(space, inside, tandem::axis{1}, tandem::sum{}, wanted);
  CHECK(to_host(space, rows) == to_host(space, wanted));
}

TEST_CASE_TEMPLATE("parallel_reduce: terms of a grid beyond 32 bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr tandem::index_t past = tandem::index_t{1} << 32;
  const tandem::index_t height = 70001;
  const tandem::index_t width = 90001;
  const tandem::sum<std::int64_t> sum;
  const plane_number plane;
  const volume_number volume;
  for (const tandem::index_t first : {past - 1000, past, past + 123456789}) {
    const tandem::index_t count = 5000;
    std::int64_t wanted_plane = 0;
    std::int64_t wanted_volume = 0;
    for (tandem::index_t i = first; i < first + count; ++i) {
      wanted_plane += plane(i / width, i % width);
      wanted_volume += volume(i / (width * 7), i / width % 7, i % width);
    }
    const auto load_plane = tandem::detail::make_load(tandem::grid{height, width}, plane, sum);
    const auto load_volume =
        tandem::detail::make_load(tandem::grid{height / 7, tandem::index_t{7}, width}, volume, sum);
    INFO("first = " << first);
    CHECK(dispatch_reduce(space, "late", count, late_terms<decltype(load_plane)>{load_plane, first},
                          sum) == wanted_plane);
    CHECK(dispatch_reduce(space, "late", count,
                          late_terms<decltype(load_volume)>{load_volume, first},
                          sum) == wanted_volume);
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: a range that begins beyond 32 bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const tandem::index_t begin :
       {(tandem::index_t{1} << 31) - 3, (tandem::index_t{1} << 32) - 3,
        (tandem::index_t{1} << 40) + 1}) {
    std::int64_t wanted = 0;
    for (tandem::index_t i = begin; i < begin + 5000; ++i) wanted += i % 1000003;
    INFO("begin = " << begin);
    CHECK(tandem::parallel_reduce(
              space, tandem::range{begin, begin + 5000},
              TANDEM_LAMBDA(tandem::index_t i) { return std::int64_t{i % 1000003}; }) == wanted);
  }
}

namespace {

/// Queries a view's rank and a constant's size inside a kernel.
template <class View>
struct ranks_and_sizes {
  View x;
  tandem::constant<int, 3> three;

  TANDEM_FUNCTION int operator()(int) const {
    return x.rank() + x.extents().rank() + static_cast<int>(three.size());
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: the elements of a strided matrix in row-major order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(300 * 70, 5);
  auto memory = to_space(space, values);
  const auto columns = tandem::transposed(
      tandem::as_view<typename Backend::space::memory_type>(memory.data_handle(), 300, 70));
  std::vector<float> rows;
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t j = 0; j < 300; ++j) rows.push_back(values[j * 70 + i]);
  }
  auto in_order = to_space(tandem::serial(), rows);
  const float wanted = tandem::parallel_reduce(tandem::serial(), in_order.const_view());
  CHECK(same_bits(tandem::parallel_reduce(space, columns), wanted));
  const ranks_and_sizes<std::remove_const_t<decltype(columns)>> term{columns, {{1, 2, 3}}};
  CHECK(tandem::parallel_reduce(space, 10, term) == 70);
}
