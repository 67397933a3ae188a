// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Runs every integer atomic n times, each on a separate word.
template <class T, class Space>
void check_integers(const Space& space) {
  tandem::array<T, 1, Space> words(tandem::extents<1>(8), T{0}, space);
  auto w = words.view();
  tandem::fill(space, tandem::subview(w, tandem::slice{3, 4}), static_cast<T>(-1));
  tandem::fill(space, tandem::subview(w, tandem::slice{1, 2}), T{100});
  const int n = 10000;
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) {
        const T value = static_cast<T>(i);
        tandem::atomic_add(w(0), T{3});
        tandem::atomic_min(w(1), static_cast<T>(value + 5));
        tandem::atomic_max(w(2), value);
        tandem::atomic_and(w(3), static_cast<T>(~(T{1} << (i % 16))));
        tandem::atomic_or(w(4), static_cast<T>(T{1} << (i % 16)));
        tandem::atomic_xor(w(5), value);
        tandem::atomic_exchange(w(6), T{77});
        T seen = tandem::atomic_add(w(7), T{0});
        for (;;) {
          const T old = tandem::atomic_compare_exchange(w(7), seen, static_cast<T>(seen + 2));
          if (old == seen) break;
          seen = old;
        }
      });
  const auto got = to_host(space, words);
  T ored = 0;
  for (int i = 0; i < n; ++i) ored = static_cast<T>(ored ^ static_cast<T>(i));
  CHECK(got[0] == T{30000});
  CHECK(got[1] == T{5});
  CHECK(got[2] == T{9999});
  CHECK(got[3] == static_cast<T>(static_cast<T>(-1) ^ T{0xffff}));
  CHECK(got[4] == T{0xffff});
  CHECK(got[5] == ored);
  CHECK(got[6] == T{77});
  CHECK(got[7] == T{20000});
}

template <class T, class Space>
void check_floats(const Space& space) {
  tandem::array<T, 1, Space> words(tandem::extents<1>(3), T{0}, space);
  auto w = words.view();
  tandem::parallel_for(
      space, 4096, TANDEM_LAMBDA(int i) {
        tandem::atomic_add(w(0), T{0.25});
        tandem::atomic_min(w(1), static_cast<T>(-i));
        tandem::atomic_max(w(2), static_cast<T>(i) * T{0.5});
      });
  CHECK(to_host(space, words) == std::vector<T>{T{1024}, T{-4095}, T{2047.5}});
}

template <class View>
struct zeros_of_both_signs {
  View w;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    t.for_each(1, [&](int) {
      tandem::atomic_min(w(2), 0.0, tandem::scope::team);
      tandem::atomic_max(w(3), -0.0, tandem::scope::team);
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("atomics: integers of 32 and 64 bits", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_integers<std::int32_t>(space);
  check_integers<std::uint32_t>(space);
  check_integers<std::int64_t>(space);
  check_integers<std::uint64_t>(space);
}

TEST_CASE_TEMPLATE("atomics: float and double, whose sums here are exact", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_floats<float>(space);
  check_floats<double>(space);
}

TEST_CASE_TEMPLATE("atomics: denormals are added, NaN wins a minimum and a maximum", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using limits = std::numeric_limits<float>;
  auto words = to_space(space, std::vector<float>{0.0f, 1.0f, 1.0f});
  auto w = words.view();
  const float tiny = limits::denorm_min();
  const float nan = limits::quiet_NaN();
  tandem::parallel_for(
      space, 3, TANDEM_LAMBDA(int i) {
        tandem::atomic_add(w(0), tiny);
        tandem::atomic_min(w(1), i == 1 ? nan : 0.0f);
        tandem::atomic_max(w(2), i == 1 ? nan : 9.0f);
      });
  const auto got = to_host(space, words);
  CHECK(got[0] == 3 * tiny);
  CHECK(std::isnan(got[1]));
  CHECK(std::isnan(got[2]));
}

TEST_CASE_TEMPLATE("atomics: the smaller of equal numbers is the one that is there, and the larger",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto words = to_space(space, std::vector<double>{-0.0, 0.0, -0.0, 0.0});
  auto w = words.view();
  tandem::parallel_for(
      space, 1, TANDEM_LAMBDA(int) {
        tandem::atomic_min(w(0), 0.0);
        tandem::atomic_max(w(1), -0.0);
      });
  tandem::parallel_teams(space, {1, 1, 0}, zeros_of_both_signs<decltype(w)>{w});
  CHECK(first_difference(to_host(space, words), std::vector<double>{-0.0, 0.0, -0.0, 0.0}) == -1);
}

TEST_CASE_TEMPLATE("atomics: a counter of a million threads", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<unsigned, 0, typename Backend::space> count(tandem::extents<0>{}, 0u, space);
  auto c = count.view();
  tandem::parallel_for(
      space, 1000000, TANDEM_LAMBDA(int) { tandem::atomic_add(c(), 1u); });
  CHECK(to_host(space, count)[0] == 1000000u);
}
