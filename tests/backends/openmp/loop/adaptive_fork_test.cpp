// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::openmp_impl;
using tandem::index_t;

namespace {

/// The outcome for a loop of n indices that take `each` seconds if a clock read and a call take
/// `overhead`.
struct decision {
  index_t end = 0;     // end of the part that ran alone
  double seconds = 0;  // duration of that part
};

decision run_simulated(index_t n, int threads, double each, double overhead) {
  fork_decision probe(n, threads);
  decision made;
  for (;;) {
    CHECK(probe.begin() == made.end);
    CHECK(probe.end() > probe.begin());
    CHECK(probe.end() <= n);
    made.end = probe.end();
    made.seconds += overhead + each * static_cast<double>(probe.end() - probe.begin());
    if (made.end == n || probe.should_fork(made.seconds)) return made;
  }
}

/// A function object of `Bytes` bytes that records which part ran.
template <std::size_t Bytes>
struct marking {
  int* at;
  std::array<unsigned char, Bytes - sizeof(int*)> values;

  void operator()(int part, int parts) const {
    int sum = 0;
    for (const unsigned char value : values) sum += value;
    at[part] = sum + parts;
  }
};

template <std::size_t Bytes>
void check_marking() {
  constexpr int threads = 3;
  std::array<int, threads> at{};
  marking<Bytes> body{at.data(), {}};
  int sum = 0;
  for (std::size_t i = 0; i < body.values.size(); ++i) {
    body.values[i] = static_cast<unsigned char>(7 * i + 1);
    sum += body.values[i];
  }
  run_parallel(threads, body);
  CAPTURE(Bytes);
  for (const int value : at) CHECK(value == sum + threads);
}

/// A plane with one row for every value of Index from zero up.
template <class Index>
void check_all_rows() {
  constexpr index_t rows = index_t{std::numeric_limits<Index>::max()} + 1;
  constexpr index_t width = 3;
  std::vector<int> met(static_cast<std::size_t>(rows * width));
  run_plane([at = met.data()](Index j, Index i) { ++at[index_t{j} * width + i]; }, width, 0,
            rows * width);
  CAPTURE(rows);
  CHECK((met == std::vector<int>(met.size(), 1)));
}

}  // namespace

TEST_CASE("openmp loops: indices of a nanosecond or less run alone up to 2^12") {
  for (const int threads : {2, 4, 14, 64}) {
    for (const double each : {0.02e-9, 0.05e-9, 0.1e-9, 0.2e-9}) {
      for (const double overhead : {0.0, 20e-9, 60e-9}) {
        for (const index_t n : {1, 2, 64, 1000, 1024, 4095, 4096})
          CHECK(run_simulated(n, threads, each, overhead).end == n);
      }
    }
  }
}

TEST_CASE("openmp loops: no index and one index are one piece") {
  CHECK(fork_decision(0, 2).end() == 0);
  CHECK(fork_decision(1, 2).end() == 1);
  int calls = 0;
  CHECK(run_serial_prefix(
            0, 2, [&](index_t begin, index_t end) { calls += begin == 0 && end == 0; }, 0) == 0);
  CHECK(run_serial_prefix(
            1, 2, [&](index_t begin, index_t end) { calls += begin == 0 && end == 1; }, 1) == 1);
  CHECK(calls == 2);
}

TEST_CASE("openmp loops: a serial prefix ends at its limit, and is one where the rest is cheap") {
  index_t met = 0;
  const auto count = [&](index_t begin, index_t end) { met += begin == met ? end - begin : 0; };
  CHECK(run_serial_prefix(1001, 64, count, 1000) == 1000);
  CHECK(met == 1000);
  fork_decision costly(1 << 20, 2, 100);
  CHECK(costly.end() == 1);
  CHECK(costly.should_fork(1e-3));
}

TEST_CASE("openmp loops: indices of a microsecond are shared out by 64") {
  for (const int threads : {2, 4, 14}) {
    const double fork = fork_seconds_per_thread * threads;
    for (const index_t n : {64, 100, 1000, 30000}) {
      const decision made = run_simulated(n, threads, 1e-6, 20e-9);
      CHECK(made.end < n);
      CHECK(made.seconds < fork + 1.1e-6);
    }
  }
}

TEST_CASE("openmp loops: trying a loop alone takes little more than a fork") {
  for (const int threads : {2, 14, 64}) {
    const double fork = fork_seconds_per_thread * threads;
    for (double each = 0.1e-9; each < 1e-3; each *= 1.7) {
      const index_t n = 32767;
      const decision made = run_simulated(n, threads, each, 20e-9);
      if (made.end < n) CHECK(made.seconds < (1 + max_piece_share) * fork + 2 * each + 0.1e-6);
      // A loop that ran alone would not have finished earlier in parallel.
      if (made.end == n) CHECK(made.seconds < 2 * seconds_worth_sharing(threads));
    }
  }
}

TEST_CASE("openmp loops: shares are contiguous, even, and begin at whole lines where long") {
  for (const int parts : {1, 2, 3, 14, 64}) {
    for (const index_t first : {0, 1, 585, 4096}) {
      for (const index_t n : {index_t{4096}, index_t{65536}, index_t{1'000'003}}) {
        const index_t step = step_of_shares((n - first) / parts);
        index_t at = first;
        for (int part = 0; part < parts; ++part) {
          const share mine = line_share_of(first, n, part, parts);
          CHECK(mine.begin == at);
          CHECK(mine.begin <= mine.end);
          if (part > 0) CHECK(mine.begin % step == 0);
          CHECK(mine.end - mine.begin <= (n - first) / parts + 1 + step);
          at = mine.end;
        }
        CHECK(at == n);
      }
    }
  }
}

TEST_CASE("openmp loops: planes and volumes from any position to any other, each index once") {
  constexpr index_t planes = 3;
  constexpr index_t height = 4;
  for (const index_t width : {index_t{1}, index_t{2}, index_t{5}}) {
    const index_t n = planes * height * width;
    for (index_t begin = 0; begin <= n; ++begin) {
      for (index_t end = begin; end <= n; ++end) {
        std::vector<int> by_rows(static_cast<std::size_t>(n));
        std::vector<int> by_planes(static_cast<std::size_t>(n));
        run_plane([at = by_rows.data(), width](int j, int i) { ++at[j * width + i]; }, width, begin,
                  end);
        run_volume([at = by_planes.data(), width](int k, int j,
                                                  int i) { ++at[(k * height + j) * width + i]; },
                   height, width, begin, end);
        bool is_right = true;
        for (index_t i = 0; i < n; ++i) {
          const int wanted = begin <= i && i < end ? 1 : 0;
          is_right = is_right && by_rows[static_cast<std::size_t>(i)] == wanted &&
                     by_planes[static_cast<std::size_t>(i)] == wanted;
        }
        CAPTURE(width);
        CAPTURE(begin);
        CAPTURE(end);
        CHECK(is_right);
      }
    }
  }
}

TEST_CASE("openmp loops: rows are counted up to the last that a narrow index can hold") {
  check_all_rows<std::int8_t>();
  check_all_rows<std::uint8_t>();
  check_all_rows<std::int16_t>();
  check_all_rows<std::uint16_t>();
}

TEST_CASE("openmp loops: bodies of every size reach the threads as they are") {
  check_marking<16>();
  check_marking<64>();
  check_marking<72>();
  check_marking<128>();
  check_marking<136>();
  check_marking<1024>();
  // A function object that is not trivially copyable.
  const auto counter = std::make_shared<std::atomic<int>>(0);
  run_parallel(3, [counter](int part, int parts) { *counter += part + 10 * parts; });
  CHECK(*counter == 3 + 3 * 30);
}

TEST_CASE("openmp loops: what a body of any size throws reaches the caller") {
  const std::array<char, 200> large{};
  CHECK_THROWS_AS(run_parallel(3,
                               [](int part, int) {
                                 if (part == 2) throw std::runtime_error("2");
                               }),
                  std::runtime_error);
  CHECK_THROWS_AS(run_parallel(3,
                               [large](int part, int) {
                                 if (part == 1 + large[7]) throw 1;
                               }),
                  int);
}

TEST_CASE("openmp loops: costly indices are shared out, cheap ones after them are met once too") {
  const tandem::openmp space(4);
  std::vector<int> met(1000);
  std::atomic<int> others{0};
  const auto caller = std::this_thread::get_id();
  const auto visit = [&](index_t n, int microseconds) {
    tandem::parallel_for(space, n, [&, microseconds](index_t i) {
      if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      if (std::this_thread::get_id() != caller) ++others;
      ++met[static_cast<std::size_t>(i)];
    });
  };
  visit(64, 200);
  CHECK(others > 0);
  for (int call = 0; call < 50; ++call) visit(1000, 0);
  visit(64, 200);
  for (index_t i = 0; i < 1000; ++i) CHECK(met[static_cast<std::size_t>(i)] == (i < 64 ? 52 : 50));
}

TEST_CASE("openmp loops: what a kind of body cost is remembered and can be forgotten") {
  const auto body = [](index_t begin, index_t end) {
    for (; begin < end; ++begin) std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  using history = loop_history<std::remove_const_t<decltype(body)>>;
  constexpr index_t unknown = std::numeric_limits<index_t>::max();
  CHECK(history::fork_threshold() == unknown);
  run_loop(tandem::openmp(2), 20, true, body);
  CHECK(history::fork_threshold() == 20);
  CHECK(history::seconds_per_index() < 1);
  history::forget();
  CHECK(history::fork_threshold() == unknown);
  CHECK(history::seconds_per_index() > 1e300);
}
