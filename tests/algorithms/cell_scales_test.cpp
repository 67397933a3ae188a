// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of weights whose bins differ in magnitude: what is not counted and what falls into other
// bins must not cost a bin its digits.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/documented_sums.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// n terms of `cells` cells; those of cell c are near 2^exponents[c].
template <class T>
struct terms_of_cells {
  std::vector<int> at;
  std::vector<T> terms;

  terms_of_cells(std::size_t n, const std::vector<int>& exponents) {
    at = random_below<int>(n, exponents.size(), 3);
    terms = random_values<T>(n, 4);
    for (std::size_t i = 0; i < n; ++i)
      terms[i] = std::ldexp(terms[i], exponents[static_cast<std::size_t>(at[i])]);
  }
};

/// The sums must have the documented bits and be accurate relative to the terms of each cell.
template <class T, class Space>
void check_terms(const Space& space, const terms_of_cells<T>& of, std::size_t cells) {
  const std::vector<T> sums = scattered(space, of.at, of.terms, std::vector<T>(cells));
  CHECK(first_difference(sums, documented_scatter(of.at, of.terms, cells)) == -1);
  std::vector<long double> exact(cells);
  std::vector<long double> magnitude(cells);
  for (std::size_t i = 0; i < of.at.size(); ++i) {
    exact[static_cast<std::size_t>(of.at[i])] += of.terms[i];
    magnitude[static_cast<std::size_t>(of.at[i])] += std::fabs(of.terms[i]);
  }
  const long double tolerance = sizeof(T) == 4 ? 0x1p-22L : 0x1p-51L;
  bool close = true;
  for (std::size_t c = 0; c < cells; ++c) {
    const long double error = static_cast<long double>(sums[c]) - exact[c];
    close = close && std::fabs(error) <= tolerance * magnitude[c];
  }
  CHECK(close);
}

/// Exponents of `cells` cells that cover the range of float but for sums near its ends.
std::vector<int> all_exponents(std::size_t cells) {
  std::vector<int> exponents(cells);
  for (std::size_t c = 0; c < cells; ++c) exponents[c] = static_cast<int>(mix(c) % 200) - 100;
  return exponents;
}

/// One cell at 2^100, all others at 1.
std::vector<int> one_large(std::size_t cells) {
  std::vector<int> exponents(cells);
  exponents[cells / 2] = 100;
  return exponents;
}

}  // namespace

TEST_CASE_TEMPLATE("scatter_add: values that are not counted do not decide the scale", Backend,
                   TANDEM_TEST_BACKENDS) {
  if (TANDEM_CHECKED > 0) return;  // a checked build refuses indices outside
  const auto space = Backend::make();
  const std::vector<int> at = {0, -1, 1, 0};
  const auto sums = scattered<float>(space, at, {1.0f, 9.96921e36f, 2.0f, 3.0f}, {0.0f, 0.0f});
  CHECK(sums == std::vector<float>{4.0f, 2.0f});
  // A fill value in every place that is not counted, often enough for a sample to show.
  const std::size_t n = 300'007;
  auto indices = random_below<int>(n, 900, 5);
  auto terms = random_values<double>(n, 6);
  for (std::size_t i = 0; i < n; i += 3) {
    indices[i] = i % 2 == 0 ? -1 : 900;
    terms[i] = i % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1e300;
  }
  CHECK(first_difference(scattered(space, indices, terms, std::vector<double>(900)),
                         documented_scatter(indices, terms, 900)) == -1);
}

TEST_CASE_TEMPLATE("histogram: weights of values outside all bins do not decide the scale", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = to_space(space, std::vector<float>{0.5f, nan, 1.5f, 7.0f});
  const auto weights = to_space(space, std::vector<float>{1.0f, 1e30f, 2.0f, 1e30f});
  tandem::array<float, 1, typename Backend::space> sums({2}, space);
  tandem::histogram(space, x, {.lo = 0.0f, .hi = 2.0f}, weights, sums);
  CHECK(to_host(space, sums) == std::vector<float>{1.0f, 2.0f});
  const auto edges = to_space(space, std::vector<float>{0.0f, 1.0f, 2.0f});
  tandem::histogram(space, x, edges, weights, sums);
  CHECK(to_host(space, sums) == std::vector<float>{1.0f, 2.0f});
}

TEST_CASE_TEMPLATE("scatter_add: a cell keeps its digits beside a cell of large values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(scattered<float>(space, {0, 1}, {1e20f, 1.0f}, {0.0f, 0.0f}) ==
        std::vector<float>{1e20f, 1.0f});
  CHECK(scattered<double>(space, {0, 1, 2}, {1e300, 1.0, 1e-300}, {0.0, 0.0, 0.5}) ==
        std::vector<double>{1e300, 1.0, 0.5 + 1e-300});
  // In a cell with a large value the small one is lost, as in a sum of floats.
  CHECK(scattered<float>(space, {0, 0, 0, 1}, {1e20f, -1e20f, 1.0f, 3.0f}, {0.0f, 0.0f}) ==
        std::vector<float>{0.0f, 3.0f});
}

TEST_CASE_TEMPLATE("scatter_add: cells of all magnitudes", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {5ul, 300ul, 2049ul, 100'003ul}) {
    for (const std::size_t cells : {2ul, 61ul, 3000ul, 50'000ul}) {
      CAPTURE(n);
      CAPTURE(cells);
      for (const auto& exponents : {all_exponents(cells), one_large(cells)}) {
        check_terms(space, terms_of_cells<float>(n, exponents), cells);
        check_terms(space, terms_of_cells<double>(n, exponents), cells);
      }
    }
  }
}

TEST_CASE_TEMPLATE("scatter_add: millions of values beside one that is large", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  // So many on a GPU have blocks with slots for hot cells.
  constexpr bool on_host = Backend::space::memory_type::host_accessible;
  const std::size_t n = (std::size_t{1} << (on_host ? 19 : 22)) + 3;
  for (const std::size_t cells : {100ul, 200'000ul}) {
    CAPTURE(cells);
    terms_of_cells<float> of(n, std::vector<int>(cells));
    of.terms[n / 2] = 1e30f;
    check_terms(space, of, cells);
  }
}

TEST_CASE_TEMPLATE("scatter_add: a cell of many small values keeps their digits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {4000ul, std::size_t{1} << 20}) {
    CAPTURE(n);
    for (const std::size_t cells : {2ul, 5000ul}) {
      // All of one cell's values are equal and add up to far more than one of them.
      std::vector<int> at(n, 0);
      std::vector<float> terms(n, 2.3f);
      at[n / 3] = static_cast<int>(cells) - 1;
      terms[n / 3] = 1e11f;
      const std::vector<float> sums = scattered(space, at, terms, std::vector<float>(cells));
      const double exact = static_cast<double>(n - 1) * 2.3f;
      CHECK(sums[0] == static_cast<float>(exact));
      CHECK(sums[cells - 1] == 1e11f);
      CHECK(first_difference(sums, documented_scatter(at, terms, cells)) == -1);
      // Beside one value that is not small, at either end, they have the scale of all.
      for (const std::size_t place : {std::size_t{0}, n - 1}) {
        terms[place] = -1e9f;
        CHECK(first_difference(scattered(space, at, terms, std::vector<float>(cells)),
                               documented_scatter(at, terms, cells)) == -1);
        terms[place] = 2.3f;
      }
    }
  }
}

TEST_CASE_TEMPLATE("histogram: bins of all magnitudes have the bits of serial", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const std::size_t n = 30'011;
  for (const std::size_t bins : {3ul, 150ul, 20'000ul}) {
    CAPTURE(bins);
    const terms_of_cells<double> of(n, all_exponents(bins));
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(of.at[i]) + 0.25f;
    std::vector<float> edges(bins + 1);
    for (std::size_t b = 0; b <= bins; ++b) edges[b] = static_cast<float>(b);
    const auto check = [&](const auto& weights) {
      using W = typename std::decay_t<decltype(weights)>::value_type;
      const auto sums_on = [&](const auto& on, bool by_edges) {
        const auto values = to_space(on, x);
        const auto terms = to_space(on, weights);
        const auto between = to_space(on, edges);
        tandem::array<W, 1, std::decay_t<decltype(on)>> sums({static_cast<index_t>(bins)}, on);
        if (by_edges)
          tandem::histogram(on, values, between, terms, sums);
        else
          tandem::histogram(on, values, {.lo = 0.0f, .hi = static_cast<float>(bins)}, terms, sums);
        return to_host(on, sums);
      };
      for (const bool by_edges : {false, true})
        CHECK(first_difference(sums_on(space, by_edges), sums_on(reference, by_edges)) == -1);
    };
    check(of.terms);
    check(std::vector<float>(of.terms.begin(), of.terms.end()));
  }
}
