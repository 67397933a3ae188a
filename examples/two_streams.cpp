// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two streams of one device and an event between them. Work in one stream runs in order, work in
// two streams may overlap, and wait() makes one stream wait for the other's work so far. On a CPU a
// space completes each call before it returns, and the program has the same meaning.
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 1 << 18;
  const tandem::default_space left, right;
  tandem::array<int> x({n}, left), y({n}, right);
  const auto a = x.view(), b = y.view();

  // These two are independent, so they may overlap.
  tandem::parallel_for(
      left, n, TANDEM_LAMBDA(int i) { a(i) = i; });
  tandem::parallel_for(
      right, n, TANDEM_LAMBDA(int i) { b(i) = 2 * i; });

  // The left stream needs the result of the right one.
  const auto ready = right.record();
  left.wait(ready);
  tandem::parallel_for(
      left, n, TANDEM_LAMBDA(int i) { a(i) += b(i); });
  left.fence();

  const auto wrong = tandem::parallel_reduce(
      left, n, TANDEM_LAMBDA(int i) { return a(i) == 3 * i ? 0 : 1; });
  std::printf("%d of %d elements came too early\n", int(wrong), n);
  return wrong == 0 ? 0 : 1;
}
