// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves the heat equation on a group: rows of the plate on several members, which exchange a halo
// of one row before each step. The members are the GPUs of the machine if the program is for GPUs
// and there are several, else parts of one space. Ten steps are recorded, and on GPUs replayed as
// one graph. The result has the bits of one space. `heat_on_group 8192` is for a plate of 8192 x
// 8192.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <tandem/distributed.hpp>

namespace {

/// after = before + rate * (the five-point Laplacian of before).
struct heat {
  float rate;

  template <class U, class V>
  TANDEM_FUNCTION void operator()(tandem::index_t j, tandem::index_t i, const U& u,
                                  const V& v) const {
    const float around = u(j - 1, i) + u(j + 1, i) + u(j, i - 1) + u(j, i + 1);
    v(j, i) = u(j, i) + rate * (around - 4.0f * u(j, i));
  }
};

/// All GPUs if there are several, else three parts of one space.
template <class Space>
tandem::group<Space> make_group() {
  if constexpr (requires { Space::devices(); }) {
    if (Space::devices().size() > 1) return tandem::devices<Space>();
  }
  return tandem::shards<Space>(3);
}

/// One step from u to v, on a space or a group, whose members read each other's rows.
template <class Space, class Plate>
void step(const Space& space, Plate& u, Plate& v) {
  const tandem::grid inside{{1, u.extent(0) - 1}, {1, u.extent(1) - 1}};
  if constexpr (requires { tandem::exchange(space, u); }) tandem::exchange(space, u);
  tandem::parallel_for(space, inside, heat{0.2f}, std::as_const(u), v);
}

/// The plate after some steps, ten at a time. `halo` is what arrays of a group need.
template <class Space, class... Halo>
std::vector<float> plate_after(const char* name, const Space& space, tandem::index_t n, int steps,
                               const std::vector<float>& start, Halo... halo) {
  tandem::array<float, 2, Space> u({n, n}, space, halo...), v({n, n}, space, halo...);
  tandem::copy(space, start, u);
  tandem::copy(space, start, v);
  auto ten_steps = tandem::record(space, [&](const Space& on) {  // one launch on GPUs
    for (int pair = 0; pair < 5; ++pair) {
      step(on, u, v);
      step(on, v, u);
    }
  });
  space.fence();
  const auto begin = std::chrono::steady_clock::now();
  for (int done = 0; done < steps; done += 10) ten_steps.replay(space);
  space.fence();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%-9s %8.1f us per step, total %.9g\n", name, spent.count() * 1e6 / steps,
              double(tandem::parallel_reduce(space, u)));
  return tandem::to_vector(space, u);
}

}  // namespace

int main(int argc, char** argv) {
  const tandem::index_t n = argc > 1 ? std::atoi(argv[1]) : 256;
  const int steps = 30;
  std::vector<float> start(std::size_t(n * n), 0.0f);
  for (tandem::index_t j = n / 4; j < n / 2; ++j)  // a hot spot with a cold plate around it
    for (tandem::index_t i = n / 4; i < n / 2; ++i) start[std::size_t(j * n + i)] = 100.0f;

  const tandem::default_space one;
  const auto members = make_group<tandem::default_space>();
  std::printf("plate of %lld x %lld, %d members\n", static_cast<long long>(n),
              static_cast<long long>(n), members.size());
  const auto expected = plate_after("one space", one, n, steps, start);
  const auto found = plate_after("group", members, n, steps, start, tandem::halo{1});
  const bool same =
      std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)) == 0;
  std::puts(same ? "the same bits" : "the bits differ");
  const bool moved = expected != start;
  return same && moved ? 0 : 1;
}
