// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a recording on a GPU refuses, and which memory it keeps alive.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <string>

using namespace tandem::test;

namespace {

/// Returns the message of the recording_error that ends a recorded sequence; the space remains
/// usable.
template <class Sequence>
std::string refusal_of(const Sequence& sequence) {
  const tandem::cuda space(0);
  std::string message = "nothing was thrown";
  try {
    auto graph = tandem::record(space, sequence);
    graph.replay(space);
  } catch (const tandem::recording_error& e) {
    message = e.what();
  }
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(1000), 3, space);
  const auto v = x.view();
  CHECK(tandem::parallel_reduce(space, x.const_view()) == 3000);
  auto graph = tandem::record(space, [=](const tandem::cuda& s) { tandem::fill(s, v, 4); });
  graph.replay(space);
  CHECK(tandem::parallel_reduce(space, x.const_view()) == 4000);
  return message;
}

}  // namespace

TEST_CASE("recording: what waits for the device is refused in one line") {
  const std::string why =
      " cannot be recorded: it waits for work that is recorded and does not run";
  CHECK(refusal_of([](const tandem::cuda& s) { s.fence(); }) == "fence" + why);
  const std::string event_refusal = "waiting for an event cannot be recorded: ";
  const std::string other_recording = "the event and the stream are not of one recording";
  CHECK(refusal_of([](const tandem::cuda& s) { s.record().wait(); }) ==
        event_refusal + "its work is recorded and does not run");
  const tandem::cuda other(0);
  const auto event = other.record();
  CHECK(refusal_of([&](const tandem::cuda& s) { s.wait(event); }) ==
        event_refusal + other_recording);
  CHECK(refusal_of([&](const tandem::cuda& s) { other.wait(s.record()); }) ==
        event_refusal + other_recording);
  tandem::array<float, 1, tandem::cuda> x(tandem::extents<1>(5000), 1.0f, other);
  other.fence();
  const auto v = x.view();
  CHECK(refusal_of([=](const tandem::cuda& s) {
          tandem::fill(s, v, 2.0f);
          static_cast<void>(tandem::parallel_reduce(s, v));
        }) == "a result on the host" + why);
  CHECK(to_host(other, x) == std::vector<float>(5000, 1.0f));
}

TEST_CASE("recording: copies of pageable host memory are refused, pinned ones are replayed") {
  const tandem::cuda space(0);
  std::vector<int> ordinary(1000, 1);
  tandem::array<int, 1, tandem::cuda_pinned> in(tandem::extents<1>(1000), 5);
  tandem::array<int, 1, tandem::cuda_pinned> out(tandem::extents<1>(1000), 0);
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(1000), 2, space);
  space.fence();
  const auto v = x.view();
  const std::string why =
      "copy cannot be recorded: its memory of the host is not page-locked (use cuda_pinned)";
  CHECK(refusal_of([&](const tandem::cuda& s) { tandem::copy(s, ordinary, v); }) == why);
  CHECK(refusal_of([&](const tandem::cuda& s) { tandem::copy(s, v, ordinary); }) == why);
  const auto from = in.view(), to = out.view();
  auto graph = tandem::record(space, [=](const tandem::cuda& s) {
    tandem::copy(s, from, v);
    tandem::parallel_for(
        s, 1000, TANDEM_LAMBDA(int i) { v(i) *= 2; });
    tandem::copy(s, v, to);
  });
  for (int round = 0; round < 3; ++round) {
    in(7) = round;
    graph.replay(space);
    space.fence();
    CHECK(out(7) == 2 * round);
    CHECK(out(8) == 10);
  }
}

TEST_CASE("recording: a graph replays on its own device, and not inside another graph") {
  const tandem::cuda space(0);
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(100), 0, space);
  const auto v = x.view();
  const auto fill = [=](const tandem::cuda& s) { tandem::fill(s, v, 1); };
  auto inner = tandem::record(space, fill);
  CHECK(refusal_of([&](const tandem::cuda& s) { inner.replay(s); }) ==
        "replay cannot be recorded: a graph holds no graphs");
  inner.replay(space);
  CHECK(to_host(space, x) == std::vector<int>(100, 1));
  if (tandem::cuda::devices().size() < 2) return;
  const tandem::cuda elsewhere(1);
  CHECK_THROWS_AS(inner.replay(elsewhere), tandem::argument_error);
}

TEST_CASE("recording: scratch that grows keeps what was recorded before in place") {
  const tandem::cuda space(0);
  constexpr std::size_t largest = std::size_t{1} << 20;
  tandem::array<float, 1, tandem::cuda> x(tandem::extents<1>(largest), 1.0f, space);
  tandem::array<float, 1, tandem::cuda> y(tandem::extents<1>(largest), space);
  tandem::array<float, 1, tandem::cuda> sums(tandem::extents<1>(1 << 20), space);
  const auto xv = x.const_view();
  const auto yv = y.view(), sv = sums.view();
  const auto small = tandem::as_view<tandem::device_memory>(x.data_handle(), 1 << 16);
  const auto bins = tandem::uniform_bins<float>{.lo = 0.0f, .hi = 2.0f};
  auto graph = tandem::record(space, [=](const tandem::cuda& s) {
    // Weighted sums in more and more bins need more and more scratch.
    for (int count = 16; count <= 1 << 20; count *= 16) {
      const auto part = tandem::as_view<tandem::device_memory>(sv.data_handle(), count);
      tandem::histogram(s, small, bins, small, part);
      tandem::parallel_scan(s, xv, yv);
    }
  });
  // Allocates memory that the pool would reuse if the graph had returned it.
  tandem::array<float, 1, tandem::cuda> other(tandem::extents<1>(1 << 18), -1.0f, space);
  for (int round = 0; round < 2; ++round) graph.replay(space);
  const auto last = to_host(space, y);
  CHECK(last.back() == static_cast<float>(largest));
  CHECK(to_host(space, sums)[1 << 19] == static_cast<float>(1 << 16));
  CHECK(to_host(space, other) == std::vector<float>(1 << 18, -1.0f));
}

TEST_CASE("recording: a stream beside the recorded one is recorded, and joins it") {
  const tandem::cuda space(0);
  constexpr int n = 1 << 20;
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(n), 1, space);
  tandem::array<int, 1, tandem::cuda> y(tandem::extents<1>(n), 0, space);
  const auto xv = x.view(), yv = y.view();
  auto graph = tandem::record(space, [=](const tandem::cuda& s) {
    for (int round = 0; round < 3; ++round) {
      tandem::parallel_for(
          s, n, TANDEM_LAMBDA(int i) { xv(i) *= 2; });
      const tandem::cuda beside = s.beside();
      tandem::parallel_for(
          beside, n, TANDEM_LAMBDA(int i) { yv(i) += xv(i); });
      if (round < 2) s.wait(beside.record());  // the graph's end waits for the last one
    }
  });
  CHECK(to_host(space, y) == std::vector<int>(n, 0));
  graph.replay(space);
  CHECK(to_host(space, y) == std::vector<int>(n, 2 + 4 + 8));
  const tandem::cuda beside = space.beside();  // outside a recording it runs
  tandem::parallel_for(
      beside, n, TANDEM_LAMBDA(int i) { yv(i) -= xv(i); });
  beside.fence();
  CHECK(to_host(space, y) == std::vector<int>(n, 2 + 4));
}

TEST_CASE("recording: other streams allocate and wait while one is recorded") {
  const tandem::cuda space(0);
  const tandem::cuda other(0);
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(100), 0, space);
  const auto v = x.view();
  auto graph = tandem::record(space, [&](const tandem::cuda& s) {
    tandem::fill(s, v, 1);
    const tandem::array<int, 1, tandem::cuda> y(tandem::extents<1>(1 << 20), 2, other);
    CHECK(tandem::parallel_reduce(other, y.const_view()) == 2 << 20);
    other.fence();
    tandem::fill(s, v, 3);
  });
  CHECK(to_host(space, x) == std::vector<int>(100, 0));
  graph.replay(space);
  CHECK(to_host(space, x) == std::vector<int>(100, 3));
}
