// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear regression by the normal equations: X'X and X'y are products of tall matrices on the
// device, and the small system that remains is solved on the host. `linear_regression 26` fits 2^26
// observations.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

constexpr int factors = 4;

/// Solves a x = b for a symmetric positive definite matrix by Cholesky's factorisation, a = L L'.
std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
  const auto at = [&](int i, int j) -> double& {
    return a[std::size_t(i) * factors + std::size_t(j)];
  };
  const auto rhs = [&](int i) -> double& { return b[std::size_t(i)]; };
  for (int j = 0; j < factors; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < factors; ++i) at(i, j) -= at(i, k) * at(j, k);
    const double pivot = std::sqrt(at(j, j));
    for (int i = j; i < factors; ++i) at(i, j) /= pivot;
    for (int k = 0; k < j; ++k) rhs(j) -= at(j, k) * rhs(k);
    rhs(j) /= at(j, j);
  }
  for (int j = factors - 1; j >= 0; --j) {
    for (int i = j + 1; i < factors; ++i) rhs(j) -= at(i, j) * rhs(i);
    rhs(j) /= at(j, j);
  }
  return b;
}

}  // namespace

int main(int argc, char** argv) {
  const tandem::index_t n = tandem::index_t{1} << (argc > 1 ? std::atoi(argv[1]) : 17);
  const std::vector<double> truth{3, -2, 0.5, 0.25};
  const double noise = 0.1;
  using matrix = tandem::array<double, 2>;
  matrix x(n, factors), y(n, 1), coefficients(factors, 1);
  tandem::fill_random(x, tandem::normal{0, 1}, 1);
  tandem::fill(tandem::subview(x, tandem::all, 0), 1.0);  // the intercept
  tandem::fill_random(y, tandem::normal{0, noise}, 2);
  tandem::copy(truth.data(), factors, coefficients);
  tandem::matmul(x, coefficients, y, {.beta = 1});  // y = X truth + noise

  matrix squares(factors, factors), moments(factors, 1);
  tandem::matmul(tandem::transposed(x), x, squares);
  tandem::matmul(tandem::transposed(x), y, moments);
  const auto fit = solve(tandem::to_vector(squares), tandem::to_vector(moments));

  // The residual of the best fit is orthogonal to every column of X and has the noise's variance.
  tandem::copy(fit.data(), factors, coefficients);
  tandem::matmul(x, coefficients, y, {.alpha = -1, .beta = 1});
  tandem::matmul(tandem::transposed(x), y, moments);
  const double slope = tandem::nrm_inf(moments) / double(n);
  const double spread = tandem::norm2(y) / std::sqrt(double(n - factors));
  bool right = slope < 1e-13 && std::abs(spread / noise - 1) < 6 / std::sqrt(2.0 * double(n));
  for (std::size_t i = 0; i < factors; ++i) {
    std::printf("%+.5f ", fit[i]);
    right = right && std::abs(fit[i] - truth[i]) < 6 * noise / std::sqrt(double(n));
  }
  std::printf("fitted to %lld observations, standard deviation of the rest %.5f\n",
              static_cast<long long>(n), spread);
  return right ? 0 : 1;
}
