// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

/// The reproducible sums of docs/numerics.md, computed from the description.
namespace tandem::test {

__extension__ using wide = __int128;

/// The sums of docs/numerics.md for terms at one scale, in 128-bit integers.
template <class T>
class documented_sums {
 public:
  documented_sums(double bound, std::uint64_t terms, std::size_t cells) : cells_(cells) {
    while ((wide{1} << m_) < wide{terms}) ++m_;
    int exponent = -1022;
    if (bound > 0x1p-1022 && std::frexp(bound, &exponent) == 0.5) --exponent;
    q_ = std::min(62 - m_ - exponent, 1022);
  }

  void add(std::size_t cell, T term) {
    sums& s = cells_[cell];
    if (!std::isfinite(term)) {
      (std::isnan(term) ? s.nan : term > 0 ? s.above : s.below) = true;
      return;
    }
    const double scaled = std::ldexp(static_cast<double>(term), q_);
    const double whole = std::rint(scaled);
    s.whole += static_cast<wide>(whole);
    if (sizeof(T) == 8)
      s.fraction += static_cast<wide>(std::rint(std::ldexp(scaled - whole, 63 - m_)));
  }
  bool is_finite(std::size_t cell) const {
    return !cells_[cell].nan && !cells_[cell].above && !cells_[cell].below;
  }
  /// Counts the terms of a cell `times` times.
  void multiply(std::size_t cell, std::uint64_t times) {
    cells_[cell].whole *= times;
    cells_[cell].fraction *= times;
  }
  T value(std::size_t cell) const {
    const sums& s = cells_[cell];
    if (s.nan || (s.above && s.below)) return std::numeric_limits<T>::quiet_NaN();
    if (s.above || s.below) return (s.above ? 1 : -1) * std::numeric_limits<T>::infinity();
    const auto rounded = static_cast<double>(static_cast<std::int64_t>(s.whole));
    if (sizeof(T) == 4) return static_cast<T>(std::ldexp(rounded, -q_));
    const auto rest =
        static_cast<double>(static_cast<std::int64_t>(s.whole - static_cast<wide>(rounded)));
    const double fraction =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(s.fraction)), m_ - 63);
    return static_cast<T>(std::ldexp(rounded + (rest + fraction), -q_));
  }

 private:
  struct sums {
    wide whole = 0;
    wide fraction = 0;
    bool nan = false;
    bool above = false;
    bool below = false;
  };

  std::vector<sums> cells_;
  int m_ = 0;
  int q_ = 0;
};

/// Returns the sums of scatter_add and of weighted histograms: of terms[i] in cell at[i], if there
/// is such a cell.
template <class T>
std::vector<T> documented_scatter(const std::vector<int>& at, const std::vector<T>& terms,
                                  std::size_t cells) {
  std::vector<double> largest(cells + 1, 0.0);  // by cell, and last of all
  const auto for_each_term = [&](const auto& f) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (at[i] >= 0 && static_cast<std::size_t>(at[i]) < cells)
        f(static_cast<std::size_t>(at[i]), terms[i]);
    }
  };
  for_each_term([&](std::size_t cell, T term) {
    if (!std::isfinite(term)) return;
    largest[cell] = std::fmax(largest[cell], std::fabs(static_cast<double>(term)));
    largest[cells] = std::fmax(largest[cells], largest[cell]);
  });
  documented_sums<T> sums(largest[cells], terms.size(), cells);
  for_each_term([&](std::size_t cell, T term) { sums.add(cell, term); });
  std::vector<T> result(cells);
  int m = 0;
  while ((std::uint64_t{1} << m) < terms.size()) ++m;
  const int s = std::max(sizeof(T) == 4 ? 36 - m : 70 - 2 * m, 12);
  int exponent = 0;
  if (std::frexp(largest[cells], &exponent) == 0.5) --exponent;
  std::map<std::size_t, documented_sums<T>> own;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    result[cell] = sums.value(cell);
    const bool all_small = 0 < largest[cell] && largest[cell] < std::ldexp(1.0, exponent - s);
    if (all_small && sums.is_finite(cell))
      own.emplace(cell, documented_sums<T>(largest[cell], terms.size(), 1));
  }
  for_each_term([&](std::size_t cell, T term) {
    if (const auto found = own.find(cell); found != own.end()) found->second.add(0, term);
  });
  for (const auto& [cell, sum] : own) result[cell] = sum.value(0);
  return result;
}

/// Computes what scatter_add leaves in out.
template <class T, class Space, class Index = int>
std::vector<T> scattered(const Space& space, const std::vector<Index>& at,
                         const std::vector<T>& terms, const std::vector<T>& before) {
  auto indices = to_space(space, at);
  auto values = to_space(space, terms);
  auto out = to_space(space, before);
  tandem::scatter_add(space, indices, values, out);
  return to_host(space, out);
}

}  // namespace tandem::test
