// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Charge of particles deposited on a grid: each particle gives its cell and the next one a share
// that is linear in its distance to them. Atomic additions come in another order each time, and so
// do their roundings; a weighted histogram has the same bits each time.
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 200000, cells = 256;
  tandem::array<double> x(n), charge(n);
  tandem::fill_random(x, tandem::uniform{0, cells - 1}, 5);
  tandem::fill_random(charge, tandem::normal{0, 1}, 6);
  const auto position = x.const_view(), q = charge.const_view();

  tandem::array<double> by_atomics({cells}, 0.0);
  const auto grid = by_atomics.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) {
        const int cell = int(position(i));
        const double share = position(i) - cell;
        tandem::atomic_add(grid(cell), (1 - share) * q(i));
        tandem::atomic_add(grid(cell + 1), share * q(i));
      });

  // The two shares of each particle as two rows of cells and weights.
  tandem::array<int, 2> cell({2, n});
  tandem::array<double, 2> part({2, n});
  const auto c = cell.view();
  const auto p = part.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) {
        c(0, i) = int(position(i));
        c(1, i) = c(0, i) + 1;
        const double share = position(i) - c(0, i);
        p(0, i) = (1 - share) * q(i);
        p(1, i) = share * q(i);
      });
  tandem::array<double> first(cells), second(cells);
  tandem::histogram(cell, tandem::integer_bins{}, part, first);
  tandem::histogram(cell, tandem::integer_bins{}, part, second);

  const auto a = first.const_view(), b = second.const_view();
  const auto changed = tandem::parallel_reduce(
      cells, TANDEM_LAMBDA(int i) { return a(i) == b(i) ? 0 : 1; });
  const double apart = tandem::parallel_reduce(
      cells, TANDEM_LAMBDA(int i) { return tandem::abs(a(i) - grid(i)); }, tandem::maximum{});
  const double lost = tandem::abs(tandem::parallel_reduce(first) - tandem::parallel_reduce(charge));
  std::printf(
      "%d cells change from run to run; atomics are %.1e apart; %.1e of the charge is lost\n",
      int(changed), apart, lost);
  // Some 1600 additions to a cell, of numbers near 1 and sums below 1000, and n to the whole.
  return changed == 0 && apart < 1600 * 1000 * 1.2e-16 && lost < n * 1000 * 1.2e-16 ? 0 : 1;
}
