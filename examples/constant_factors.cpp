// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Smooths by five binomial weights, which are equal for all threads: tandem::constant travels in
// the kernel's arguments, which are a GPU's constant memory.
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 100000, reach = 2, taps = 2 * reach + 1;
  tandem::array<float> x(n), y({n}, 0.0f);
  const auto line = x.view(), smooth = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { line(i) = float(i) + (i % 2 == 0 ? 1.0f : -1.0f); });

  const tandem::constant<float, taps> weight{
      {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f}};
  const auto in = x.const_view();
  tandem::parallel_for(
      tandem::range{reach, n - reach}, TANDEM_LAMBDA(int i) {
        float sum = 0;
        for (int k = 0; k < taps; ++k) sum = tandem::fma(weight[k], in(i + k - reach), sum);
        smooth(i) = sum;
      });

  // The weights preserve a straight line and remove an alternating signal. All numbers are
  // multiples of 1/16 below 2^20, which a float represents exactly.
  const auto wrong = tandem::parallel_reduce(
      tandem::range{reach, n - reach},
      TANDEM_LAMBDA(int i) { return smooth(i) == float(i) ? 0 : 1; });
  std::printf("%d of %d elements are not smooth\n", int(wrong), n - 2 * reach);
  return wrong == 0 ? 0 : 1;
}
