// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are applied to a reduction's result at the end of the reduction.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;
using tandem::finished_reducer;
using tandem::index_t;

namespace {

template <class T>
struct half_of {
  TANDEM_FUNCTION T operator()(T total) const { return total / T(2); }
};

/// Whether a finished sum of n terms is half the sum, for terms from memory, from a function and on
/// a grid, returned to the host and written to the space.
template <class T, class Space>
void check_half(const Space& space, index_t n) {
  CAPTURE(n);
  const auto x = to_space(space, random_values<T>(static_cast<std::size_t>(n), 5));
  const auto v = x.const_view();
  const auto f = TANDEM_LAMBDA(index_t i) { return v(i); };
  const auto plane = TANDEM_LAMBDA(index_t j, index_t i) { return v(3 * j + i); };
  const tandem::grid grid{n / 3, 3};
  const finished_reducer half(tandem::sum<T>{}, half_of<T>{});
  const T sum = tandem::parallel_reduce(space, v, tandem::sum<T>{}) / T(2);
  const T grid_sum = tandem::parallel_reduce(space, grid, plane, tandem::sum<T>{}) / T(2);
  CHECK(same_bits(tandem::parallel_reduce(space, v, half), sum));
  CHECK(same_bits(tandem::parallel_reduce(space, n, f, half), sum));
  CHECK(same_bits(tandem::parallel_reduce(space, grid, plane, half), grid_sum));
  tandem::array<T, 1, Space> out({3}, space);
  const auto into = [&](index_t i) { return tandem::subview(out.view(), i); };
  tandem::parallel_reduce_into(space, v, half, into(0));
  tandem::parallel_reduce_into(space, n, f, half, into(1));
  tandem::parallel_reduce_into(space, grid, plane, half, into(2));
  const auto results = to_host(space, out);
  CHECK(same_bits(results[0], sum));
  CHECK(same_bits(results[1], sum));
  CHECK(same_bits(results[2], grid_sum));
}

/// The state in the space's memory that a finishing function with side effects keeps.
template <class Space>
struct kept_scalars {
  tandem::array<double, 0, Space> last;
  tandem::array<double, 0, Space> ratio;
  tandem::array<int, 0, Space> calls;

  explicit kept_scalars(const Space& space)
      : last({}, 1.0, space), ratio({}, 0.0, space), calls({}, 0, space) {}

  /// Computes ratio = the sum of i + step for i < n, divided by the previous sum.
  void reduce(const Space& space, index_t n, int step) {
    const auto before = last.view();
    const auto count = calls.view();
    tandem::parallel_reduce_into(
        space, n, TANDEM_LAMBDA(index_t i) { return static_cast<double>(i + step); },
        finished_reducer(
            tandem::sum{},
            TANDEM_LAMBDA(double total) {
              const double divisor = before();
              before() = total;
              count() += 1;
              return total / divisor;
            }),
        ratio);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("finished_reducer: a function of the result that the reducer has alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const index_t n : {0, 1, 31, 33, 1023, 1025, 65536, 300'007, 1'048'583}) {
    check_half<float>(space, n);
    check_half<double>(space, n);
  }
}

TEST_CASE_TEMPLATE("finished_reducer: the function may store, since it is called once per result",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const index_t n : {1, 100, 5000, 70'000, 1'000'003}) {
    CAPTURE(n);
    kept_scalars<typename Backend::space> kept(space);
    double last = 1;
    for (int step = 0; step < 5; ++step) {
      kept.reduce(space, n, step);
      const auto terms = static_cast<double>(n);
      const double sum = terms * (terms - 1) / 2 + step * terms;  // exact in double
      if (step == 4) CHECK(to_host(space, kept.ratio)[0] == sum / last);
      last = sum;
    }
    CHECK(to_host(space, kept.calls)[0] == 5);
    kept.reduce(space, 0, 0);
    CHECK(to_host(space, kept.calls)[0] == 6);
    CHECK(to_host(space, kept.ratio)[0] == 0);
  }
}

TEST_CASE_TEMPLATE("finished_reducer: reducers that find their type, and several at once", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto term = TANDEM_LAMBDA(int i) { return i - 500; };
  const auto width = TANDEM_LAMBDA(const tandem::min_max_values<int>& of) {
    return of.maximum - of.minimum;
  };
  CHECK(tandem::parallel_reduce(space, 1001, term, finished_reducer(tandem::minmax{}, width)) ==
        1000);
  const auto wide = TANDEM_LAMBDA(std::int64_t total) { return total * 2; };
  const auto big = TANDEM_LAMBDA(int) { return 2'000'000'000; };
  CHECK(tandem::parallel_reduce(space, 3, big, finished_reducer(tandem::sum{}, wide)) ==
        12'000'000'000);
  using both = tandem::combined_reducer<tandem::sum<double>, tandem::maximum<double>>;
  const auto share = TANDEM_LAMBDA(const both::result& of) {
    return tandem::get<1>(of) / tandem::get<0>(of);
  };
  const auto number = TANDEM_LAMBDA(int i) { return static_cast<double>(i); };
  const tandem::combined_reducer sum_and_maximum{tandem::sum{}, tandem::maximum{}};
  CHECK(tandem::parallel_reduce(space, 5, number, finished_reducer(sum_and_maximum, share)) == 0.4);
}
