// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel is an ordinary function object, so the code that a GPU runs can also run on the CPU: by
// `serial`, one index after the other, so that a debugger stops at a breakpoint inside it; or
// called directly, for the one element that is wrong. The bits are those of the GPU.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

/// steps(i) is how often n -> n / 2 or 3 n + 1 must be applied before i + 1 becomes 1.
template <class Steps>
struct collatz {
  Steps steps;

  TANDEM_FUNCTION void operator()(int i) const {
    long long n = i + 1;
    int count = 0;
    for (; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps(i) = count;
  }
};

/// The steps of 1 to n, computed on `space`.
template <class Space>
tandem::array<int, 1, Space> count_steps(const Space& space, int n) {
  tandem::array<int, 1, Space> steps({n}, space);
  const auto v = steps.view();
  tandem::parallel_for(space, n, collatz<decltype(v)>{v});
  return steps;
}

}  // namespace

int main() {
  const int n = 10000;
  const tandem::default_space space;
  const auto fast = count_steps(space, n);
  const auto slow = count_steps(tandem::serial{}, n);

  const auto found = tandem::to_vector(space, fast);
  const auto expected = tandem::to_vector(tandem::serial{}, slow);
  int different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) different += found[i] == expected[i] ? 0 : 1;
  std::printf("%d of %d elements differ between the spaces\n", different, n);

  // Calls the kernel for one element, on this thread, into memory of this function.
  int steps[27] = {};
  const auto by_hand = tandem::as_view<tandem::host_memory>(steps, 27);
  collatz<decltype(by_hand)>{by_hand}(26);
  std::printf("27 takes %d steps\n", steps[26]);
  return different == 0 && steps[26] == 111 && found[26] == 111 ? 0 : 1;
}
