// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter that loses counts, next to one that does not. `count += 1` is a load and a store, and
// another thread may store in between. Here the load and the store are each atomic, so the program
// is valid but gives a wrong answer. With plain accesses its behaviour would be undefined, which
// builds with tandem::checked report (docs/debugging.md).
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

/// The threads among which a space divides a loop: one on serial, and more than one on a GPU.
template <class Space>
int threads_of(const Space& space) {
  if constexpr (requires { space.threads(); }) {
    return space.threads();
  } else {
    return Space::memory_type::host_accessible ? 1 : 1024;
  }
}

}  // namespace

int main() {
  const int n = 1 << 20, threads = threads_of(tandem::default_space{});
  tandem::array<int> racing({1}, 0), atomic({1}, 0);
  const auto lossy = racing.view(), exact = atomic.view();

  // Threads of a busy CPU may take turns, and then lose nothing: they race until they do.
  int lost = 0, rounds = 0;
  for (const int most = threads > 1 ? 50 : 1; lost == 0 && rounds < most; ++rounds) {
    tandem::fill(racing, 0);
    tandem::parallel_for(
        n, TANDEM_LAMBDA(int) {
          const int seen = tandem::atomic_add(lossy(0), 0);
          tandem::atomic_exchange(lossy(0), seen + 1);
        });
    lost = n - tandem::to_vector(racing)[0];
  }
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int) { tandem::atomic_add(exact(0), 1); });

  // A sum of ones needs no atomics and is the fastest of the three.
  const auto reduced = tandem::parallel_reduce(
      n, TANDEM_LAMBDA(int) { return 1; });

  const int counted = tandem::to_vector(atomic)[0];
  std::printf("of %d: the race lost %d, atomics counted %d, the reduction %d\n", n, lost, counted,
              int(reduced));
  if (lost == 0 && threads == 1) std::printf("no count is lost because one thread counts\n");
  if (lost == 0 && threads > 1)
    std::printf(
        "no count is lost: %d threads took turns in each of %d rounds, as on one core or "
        "in a checked build\n",
        threads, rounds);
  return lost >= 0 && lost < n && counted == n && reduced == n ? 0 : 1;
}
