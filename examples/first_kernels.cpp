// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First kernels: incrementing a vector and a matrix, a sum of two vectors, and a product with fewer
// threads than elements.
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 100000, rows = 300, columns = 200;

  // One dimension: the loop a[i] += 1 over i.
  tandem::array<int> line({n}, 41);
  const auto a = line.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { a(i) += 1; });

  // Two dimensions: the last index is the contiguous one.
  tandem::array<int, 2> matrix({rows, columns}, 6);
  const auto m = matrix.view();
  tandem::parallel_for(
      tandem::grid{rows, columns}, TANDEM_LAMBDA(int j, int i) { m(j, i) += 1; });

  // z = x + y.
  tandem::array<float> x({n}, 0.5f), y({n}, 1.5f), z(n);
  tandem::transform(
      x, y, z, TANDEM_LAMBDA(float p, float q) { return p + q; });

  // A launch of a fixed shape, 16 blocks of 256 threads, whatever the size of the data: each thread
  // takes every 4096th element.
  tandem::array<float> product(n);
  const auto p = x.const_view(), q = y.const_view();
  const auto r = product.view();
  const int threads = 16 * 256;
  tandem::parallel_for(
      tandem::range{threads}.with_block(256), TANDEM_LAMBDA(int thread) {
        for (int i = thread; i < n; i += threads) r(i) = p(i) * q(i);
      });

  const bool right = tandem::all_of(
                         line, TANDEM_LAMBDA(int v) { return v == 42; }) &&
                     tandem::all_of(
                         matrix, TANDEM_LAMBDA(int v) { return v == 7; }) &&
                     tandem::all_of(
                         z, TANDEM_LAMBDA(float v) { return v == 2.0f; }) &&
                     tandem::all_of(
                         product, TANDEM_LAMBDA(float v) { return v == 0.75f; });
  std::printf("increments, sum and product are %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
