// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of each row of a matrix: reductions along an axis between loops over all elements. The
// result has the same bits on every backend.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <tandem/tandem.hpp>

int main() {
  const int rows = 1000, columns = 512;
  tandem::array<float, 2> x({rows, columns});
  const auto xv = x.view();
  const tandem::grid all{rows, columns};
  tandem::parallel_for(
      all, TANDEM_LAMBDA(int i, int j) { xv(i, j) = float((i * 31 + j * 17) % 200 - 100); });

  // Subtracts the row's largest element so that no exponential overflows.
  tandem::array<float> largest(rows), sum(rows);
  tandem::parallel_reduce_into(x, tandem::axis{1}, tandem::maximum{}, largest);
  const auto top = largest.const_view(), total = sum.const_view();
  tandem::parallel_for(
      all, TANDEM_LAMBDA(int i, int j) { xv(i, j) = tandem::exp(xv(i, j) - top(i)); });
  tandem::parallel_reduce_into(x, tandem::axis{1}, tandem::sum{}, sum);
  tandem::parallel_for(
      all, TANDEM_LAMBDA(int i, int j) { xv(i, j) /= total(i); });

  // Each row now adds up to 1, apart from the roundings of the division and of two sums, nine each.
  tandem::parallel_reduce_into(x, tandem::axis{1}, tandem::sum{}, sum);
  const float error = tandem::parallel_reduce(
      rows, TANDEM_LAMBDA(int i) { return tandem::abs(total(i) - 1.0f); }, tandem::maximum{});
  const float bound = 19.0f * 5.96e-8f;        // unit roundoffs of float
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a over the bits of the probabilities
  for (const float value : tandem::to_vector(x)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("softmax of %d rows: their sums differ from 1 by %.1e at most, hash %016llx\n", rows,
              double(error), static_cast<unsigned long long>(hash));
  return error <= bound && hash == 0x65648c74c4ffa834u ? 0 : 1;
}
