// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/data.hpp"

#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using tandem::index_t;

namespace {

/// A term that takes `rounds` steps of work.
struct slow_term {
  int* calls;
  int rounds;

  float operator()(int i) const {
    __atomic_fetch_add(&calls[i], 1, __ATOMIC_RELAXED);
    float value = 1;
    for (int k = 0; k < rounds; ++k) value = value * 0.5f + 1;
    return value;
  }
};

template <class Reducer>
void check_calls(int n, int rounds, const Reducer& reducer) {
  const tandem::openmp space(3);
  std::vector<int> calls(static_cast<std::size_t>(n));
  tandem::parallel_reduce(space, n, slow_term{calls.data(), rounds}, reducer);
  long wrong = 0;
  for (const int count : calls) wrong += count != 1;
  CAPTURE(n);
  CAPTURE(rounds);
  CHECK(wrong == 0);
}

using four_results = tandem::combined_reducer<tandem::sum<float>, tandem::minimum<float>,
                                              tandem::maximum<float>, tandem::product<float>>;
using floats = tandem::view<const float, 1, tandem::layout_right, tandem::host_memory>;

/// Reduces x to four results, to three, and to both of its extremes.
template <class Space>
std::vector<float> results_of(const Space& space, const std::vector<float>& x) {
  const floats view(x.data(), tandem::extents<1>(static_cast<index_t>(x.size())));
  const auto four = tandem::parallel_reduce(space, view, four_results({}, {}, {}, {}));
  const auto three = tandem::parallel_reduce(
      space, view,
      tandem::combined_reducer{tandem::product<float>{}, tandem::maximum<float>{},
                               tandem::sum<float>{}});
  const auto both = tandem::parallel_reduce(space, view, tandem::minmax<float>{});
  return {tandem::get<0>(four),  tandem::get<1>(four),  tandem::get<2>(four),
          tandem::get<3>(four),  tandem::get<0>(three), tandem::get<1>(three),
          tandem::get<2>(three), both.minimum,          both.maximum};
}

/// Returns the position of the smallest element, or of the first NaN if there is one.
index_t lowest_of(const std::vector<float>& x, int threads) {
  const floats view(x.data(), tandem::extents<1>(static_cast<index_t>(x.size())));
  const tandem::openmp space(threads);
  return tandem::parallel_reduce(space, view, tandem::minloc<float>{}).index;
}

long differing(const std::vector<float>& a, const std::vector<float>& b) {
  long count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += !tandem::test::same_bits(a[i], b[i]);
  return count;
}

/// Sums over an axis of a matrix of that many rows and columns.
template <class Space>
std::vector<float> sums_over(const Space& space, const std::vector<float>& x, index_t rows,
                             index_t columns, int along) {
  using matrix = tandem::view<const float, 2, tandem::layout_right, tandem::host_memory>;
  using line = tandem::view<float, 1, tandem::layout_right, tandem::host_memory>;
  const index_t outputs = along == 0 ? columns : rows;
  std::vector<float> sums(static_cast<std::size_t>(outputs));
  const matrix view(x.data(), tandem::extents<2>(rows, columns));
  tandem::parallel_reduce_into(space, view, tandem::axis{along}, tandem::sum<float>{},
                               line(sums.data(), tandem::extents<1>(outputs)));
  return sums;
}

}  // namespace

TEST_CASE("openmp: a reduction computes each term once, be it cheap or dear") {
  const tandem::combined_reducer three{tandem::sum<float>{}, tandem::minmax<float>{},
                                       tandem::maxloc<float>{}};
  for (const int rounds : {0, 30, 3000}) {
    for (const int n : {1, 17, 300, 2048, 2049, 8191, 8192, 20000}) {
      if (rounds == 3000 && n > 2049) continue;
      check_calls(n, rounds, tandem::sum<float>{});
      check_calls(n, rounds, tandem::minimum<float>{});
      check_calls(n, rounds, tandem::minloc<float>{});
      check_calls(n, rounds, three);
    }
  }
}

TEST_CASE("openmp: several results have serial's bits where a NaN or a zero of either sign is") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t size :
       std::vector<std::size_t>{512, 1024, 1536, 2048, 3072, 4096, 5000, 7680, 8192, 15360, 15872,
                                16384, 16896, 600000}) {
    std::vector<float> x = tandem::test::random_values<float>(size, 5);
    for (std::size_t i = 0; i < size; ++i) x[i] = i % 7 == 0 ? -0.0f : i % 11 == 0 ? 0.0f : x[i];
    for (const std::size_t at : {std::size_t{0}, size / 3, size - 1, size}) {
      std::vector<float> y = x;
      if (at < size) y[at] = nan;
      const std::vector<float> wanted = results_of(tandem::serial(), y);
      CAPTURE(size);
      CAPTURE(at);
      CHECK(differing(results_of(tandem::openmp(1), y), wanted) == 0);
      CHECK(differing(results_of(tandem::openmp(3), y), wanted) == 0);
      CHECK(differing(results_of(tandem::openmp(7), y), wanted) == 0);
    }
  }
}

TEST_CASE("openmp: infinities that cancel out are no NaN among the terms") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t size : std::vector<std::size_t>{8192, 16384 + 700, 100000}) {
    std::vector<float> x = tandem::test::random_values<float>(size, 9);
    x[size / 5] = infinity;
    x[size / 5 + 1] = -infinity;
    x[size / 7] = 0;
    for (const bool has_nan : {false, true}) {
      if (has_nan) x[size / 5 + 2] = nan;
      const std::vector<float> wanted = results_of(tandem::serial(), x);
      CAPTURE(size);
      CHECK(tandem::is_nan(wanted[0]));
      CHECK(tandem::is_nan(wanted[1]) == has_nan);
      for (const int threads : {1, 2, 5, 16}) {
        CAPTURE(threads);
        CHECK(differing(results_of(tandem::openmp(threads), x), wanted) == 0);
      }
    }
  }
}

TEST_CASE("openmp: results have serial's bits for any number of threads") {
  const std::size_t size = (std::size_t{1} << 17) + 12345;
  const std::vector<float> x = tandem::test::random_values<float>(size, 11);
  const std::vector<float> wanted = results_of(tandem::serial(), x);
  for (int threads = 1; threads <= 17; ++threads) {
    CAPTURE(threads);
    CHECK(differing(results_of(tandem::openmp(threads), x), wanted) == 0);
  }
}

TEST_CASE("openmp: positions are found in every block, whatever the number of threads") {
  constexpr index_t tile = tandem::openmp_impl::argminmax_tile<float>;
  for (const index_t size :
       {tile - 1, tile, 2 * tile - 1, 2 * tile, 3 * tile + 5, 70 * tile + 77}) {
    const auto count = static_cast<std::size_t>(size);
    std::vector<float> x = tandem::test::random_values<float>(count, 12);
    for (float& value : x) value = value < 0 ? -value : value;
    for (const index_t at :
         {index_t{0}, tile / 2, tile - 1, tile, 2 * tile, 3 * tile + 4, size - 1}) {
      if (at >= size) continue;
      const auto first = static_cast<std::size_t>(at);
      const float kept[2] = {x[first], x[count - 1]};
      x[first] = x[count - 1] = -1;
      CAPTURE(size);
      CAPTURE(at);
      for (const int threads : {1, 2, 3, 16, 17}) CHECK(lowest_of(x, threads) == at);
      x[first] = kept[0];
      x[count - 1] = kept[1];
    }
  }
}

TEST_CASE("openmp: threads reduce the subtrees nearest to their shares of a loop") {
  using reducer = tandem::sum<double>;
  constexpr index_t leaf = tandem::openmp_impl::leaf_terms<reducer>;
  const auto load = [](index_t) { return 0.0; };
  for (const int threads : {2, 3, 14, 16}) {
    for (const index_t n : {100'000, 250'000, 1'000'000, 1'048'576, 1'048'583, 4'000'000}) {
      const index_t terms = tandem::openmp_impl::even_subtree_terms<reducer>(n, threads);
      const tandem::openmp_impl::subtree_reduction<decltype(load), reducer> reduction{
          load, {}, nullptr, 1, n, terms, tandem::openmp_impl::data_location::l2};
      CAPTURE(threads);
      CAPTURE(n);
      CHECK(terms % leaf == 0);
      CHECK((terms & (terms - 1)) == 0);
      const index_t step = tandem::openmp_impl::step_of_shares(n / threads);
      const index_t most = step < leaf ? leaf / 2 : terms > step ? leaf - 1 : 0;
      index_t at = 0;
      for (int part = 0; part < threads; ++part) {
        const auto subtrees = reduction.share_of(part, threads);
        const auto indices = tandem::openmp_impl::line_share_of(0, n, part, threads);
        CHECK(subtrees.begin == at);
        at = subtrees.end;
        CHECK(tandem::abs(subtrees.begin * terms - indices.begin) <= most);
      }
      CHECK(at == tandem::ceil_div(n, terms));
    }
  }
  CHECK(tandem::openmp_impl::even_subtree_terms<reducer>(leaf * 32, 2) == leaf * 16);
}

TEST_CASE("openmp: sums over an axis have serial's bits for any number of rows of a lane") {
  for (const index_t rows : {1, 63, 64, 65, 127, 128, 129, 255, 256, 321, 2047, 2049, 4500}) {
    for (const index_t columns : {1, 31, 65, 128, 130, 600}) {
      const auto count = static_cast<std::size_t>(rows * columns);
      const std::vector<float> x = tandem::test::random_values<float>(count, 6);
      for (const int along : {0, 1}) {
        const std::vector<float> wanted = sums_over(tandem::serial(), x, rows, columns, along);
        CAPTURE(rows);
        CAPTURE(columns);
        CAPTURE(along);
        CHECK(differing(sums_over(tandem::openmp(1), x, rows, columns, along), wanted) == 0);
        CHECK(differing(sums_over(tandem::openmp(3), x, rows, columns, along), wanted) == 0);
      }
    }
  }
}
