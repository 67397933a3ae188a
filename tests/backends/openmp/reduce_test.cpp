// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

/// A term that takes `rounds` steps of work.
struct slow_term {
  int* calls;
  int rounds;

  float operator()(int i) const {
    __atomic_fetch_add(&calls[i], 1, __ATOMIC_RELAXED);
    float value = 1;
    for (int k = 0; k < rounds; ++k) value = value * 0.5f + 1;
    return value;
  }
};

template <class Reducer>
void check_calls(int n, int rounds, const Reducer& reducer) {
  const tandem::openmp space(3);
  std::vector<int> calls(static_cast<std::size_t>(n));
  tandem::parallel_reduce(space, n, slow_term{calls.data(), rounds}, reducer);
  long wrong = 0;
  for (const int count : calls) wrong += count != 1;
  CAPTURE(n);
  CAPTURE(rounds);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("openmp: a reduction computes each term once, be it cheap or dear") {
  const tandem::several three{tandem::sum<float>{}, tandem::minmax<float>{},
                              tandem::maximum_at<float>{}};
  for (const int rounds : {0, 30, 3000}) {
    for (const int n : {1, 17, 300, 2048, 2049, 8191, 8192, 20000}) {
      if (rounds == 3000 && n > 2049) continue;
      check_calls(n, rounds, tandem::sum<float>{});
      check_calls(n, rounds, tandem::minimum<float>{});
      check_calls(n, rounds, tandem::minimum_at<float>{});
      check_calls(n, rounds, three);
    }
  }
}
