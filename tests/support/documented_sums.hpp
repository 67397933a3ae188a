// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

/// Computes what scatter_add leaves in out.
template <class T, class Space, class Index>
std::vector<T> scattered(const Space& space, const std::vector<Index>& at,
                         const std::vector<T>& terms, const std::vector<T>& before) {
  auto indices = to_space(space, at);
  auto values = to_space(space, terms);
  auto out = to_space(space, before);
  tandem::scatter_add(space, indices, values, out);
  return to_host(space, out);
}

}  // namespace tandem::test
