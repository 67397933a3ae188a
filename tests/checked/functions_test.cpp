// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <cmath>
#include <limits>

/// User functions that algorithms call, which are checked like iterations of a loop.

using namespace zoo;
using tandem::array;
using tandem::grid;
using tandem::range;

namespace {

/// A reducer of accumulators alone.
struct sum_without_lift {
  using accumulator = double;
  using result = double;
  static constexpr bool commutative = true;

  TANDEM_FUNCTION double combine(double a, double b) const { return a + b; }
  TANDEM_FUNCTION double identity() const { return 0; }
  TANDEM_FUNCTION double finish(double a) const { return a; }
  TANDEM_FUNCTION double empty() const { return 0; }
};

}  // namespace

TEST_CASE("zoo of functions: those given to algorithms") {
  const int n = 100;
  array<float> input({n}, 1.0f);
  array<float> output(n);
  array<int> totals({1}, 0);
  const auto x = input.view().named("x");
  const auto y = output.view().named("y");
  const auto c = totals.view().named("c");
  const auto run = [](const char* name, const auto& f) {
    expect(__FILE__, name, "race", f, differ);
  };
  const auto transformed = [&] {
    tandem::transform(x, y, [=](float v) {
      c(0) += 1;  // counter in a transform
      return 2 * v;
    });
  };
  run("counter in a transform", transformed);
  const auto scanned = [&] {
    tandem::parallel_scan(
        n,
        [=](int i) {
          c(0) = i;  // term of a scan that writes
          return x(i);
        },
        y);
  };
  run("term of a scan that writes", scanned);
  const auto selected = [&] {
    tandem::copy_if(x, y, [=](float v) {
      c(0) += 2;  // predicate that counts
      return v > 0;
    });
  };
  run("predicate that counts", selected);
  const auto counted = [&] {
    tandem::count_if(x, [=](float v) {
      c(0) += 3;  // predicate of count_if
      return v > 0;
    });
  };
  run("predicate of count_if", counted);
  const auto along_an_axis = [&] {
    array<float> sums(n);
    tandem::parallel_reduce_into(
        grid{n, 4}, tandem::axis{1},
        [=](int j, int) {
          c(0) += 4;  // term along an axis
          return x(j);
        },
        tandem::sum{}, sums);
  };
  expect(__FILE__, "term along an axis", "race", along_an_axis, any);
  const auto in_parts = [&] {
    tandem::partial_reduce(
        tandem::openmp(), range{0, n},
        [=](int i) {
          c(0) += 5;  // term of a part
          return x(i);
        },
        tandem::sum{});
  };
  run("term of a part", in_parts);
  const auto differences = [&] {
    tandem::adjacent_difference(x, y, [=](float a, float b) {
      c(0) += 6;  // function of a difference
      return a - b;
    });
  };
  run("function of a difference", differences);
  const auto unfilled = [&] {
    const array<float> fresh(n);
    tandem::copy_if(fresh, y, [](float v) { return v > 0; });
  };
  CHECK_THROWS_WITH_AS(unfilled(), doctest::Contains("unwritten: array["), tandem::kernel_error);
  // Correct functions.
  array<float> sums(n);
  tandem::parallel_reduce_into(
      grid{n, 4}, tandem::axis{1}, [=](int j, int i) { return x(j) + static_cast<float>(i); },
      tandem::sum{}, sums);
  CHECK(sums(n - 1) == 10);
  const auto part = tandem::partial_reduce(
      tandem::openmp(), range{0, n}, [=](int i) { return x(i); }, tandem::sum{});
  CHECK(tandem::finish(part) == n);
  tandem::adjacent_difference(x, y, [](float a, float b) { return a - b; });
  CHECK(y(n - 1) == 0);
  tandem::transform(x, y, [](float v) { return v + 1; });
  CHECK(y(n - 1) == 2);
  tandem::parallel_scan(
      n, [=](int i) { return x(i); }, y);
  CHECK(y(n - 1) == n);
  CHECK(tandem::copy_if(x, y, [](float v) { return v > 0; }) == n);
  CHECK(tandem::count_if(x, [](float v) { return v > 2; }) == 0);
}

TEST_CASE("zoo of functions: predicates that write one value, and use of what is being written") {
  const int n = 64;
  array<float> input({n}, 1.0f);
  array<float> output({n}, 0.0f);
  array<int> totals({4}, 0);
  const auto x = input.view().named("x");
  const auto y = output.view().named("y");
  const auto c = totals.view().named("c");
  const auto run = [](const char* name, const char* kind, const auto& f, const auto& lanes) {
    expect(__FILE__, name, kind, f, lanes);
  };
  const auto writes = [=](float v) {
    c(1) = 3;  // predicate that leaves a mark
    return v > 0;
  };
  const auto marks = [&](const auto& f) {
    run("predicate that leaves a mark", "side effect", f, is_one);
  };
  marks([&] { tandem::count_if(x, writes); });
  marks([&] { tandem::all_of(x, writes); });
  marks([&] { tandem::any_of(x, writes); });
  marks([&] { tandem::none_of(x, writes); });
  marks([&] {
    array<float, 2> plane({8, 8}, 1.0f);
    tandem::count_if(plane, writes);
  });
  marks([&] { tandem::copy_if(x, y, writes); });
  const auto recurrence = [&] {
    tandem::parallel_scan(
        n,
        [=](int i) {
          return i > 0 ? y(i - 1) : 1.0f;  // term that reads the prefix before
        },
        y);
  };
  run("term that reads the prefix before", "race", recurrence, are_neighbours);
  const auto unfilled = [&] {
    const array<float> fresh(n);
    const auto z = fresh.const_view();
    tandem::parallel_scan(
        n,
        [=](int i) {
          return i > 0 ? z(i - 1) : 1.0f;  // term that reads a prefix without a value
        },
        tandem::view<float>(const_cast<float*>(z.data_handle()), tandem::extents<1>(n)));
  };
  run("term that reads a prefix without a value", "unwritten", unfilled, is_one);
  const auto selected = [&] {
    tandem::copy_if(x, y, [=](float v) {
      return v > y(3);  // predicate that reads the output
    });
  };
  run("predicate that reads the output", "race", selected, is_one);
  const auto combined = [&] {
    tandem::parallel_scan(x, y, [=](float a, float b) {
      return a + b * y(5);  // operation that reads the output
    });
  };
  run("operation that reads the output", "race", combined, is_one);
  // Correct: the element at a term's position, and an input that is the output.
  tandem::parallel_scan(
      n, [=](int i) { return y(i) + 1; }, y);
  CHECK(y(n - 1) == n);
  tandem::parallel_scan(x, x,
                        [=](float a, float b) { return a + b * static_cast<float>(1 + c(0)); });
  CHECK(x(n - 1) == n);
}

TEST_CASE("zoo of functions: finishing functions that use what terms use") {
  const int n = 64;
  array<float> input({n}, 1.0f);
  array<float> output({n}, 0.0f);
  array<float> last({1}, 4.0f);
  array<float, 0> total(tandem::extents<0>{});
  const auto x = input.view().named("x");
  const auto y = output.view().named("y");
  const auto z = last.view().named("z");
  const auto terms = [=](int i) {
    return x(i);  // finish that changes an input, other
  };
  const auto changes = [=](float sum) {
    x(7) = sum;  // finish that changes an input
    return sum;
  };
  const auto run = [](const char* name, const auto& f) { expect(__FILE__, name, "race", f, any); };
  run("finish that changes an input",
      [&] { tandem::parallel_reduce(n, terms, tandem::finished_reducer(tandem::sum{}, changes)); });
  run("finish that changes an input", [&] {
    tandem::parallel_reduce_into(n, terms, tandem::finished_reducer(tandem::sum{}, changes), total);
  });
  const auto reads_terms = [&] {
    tandem::parallel_reduce(
        n,
        [=](int i) {
          return y(i) = 1;  // finish that reads what a term stored, other
        },
        tandem::finished_reducer(tandem::sum{}, [=](float sum) {
          return sum + y(3);  // finish that reads what a term stored
        }));
  };
  run("finish that reads what a term stored", reads_terms);
  const auto of_view = [=](float sum) {
    x(7) = sum;  // finish that changes an operand
    return sum;
  };
  std::string message;
  try {
    tandem::parallel_reduce(x, tandem::finished_reducer(tandem::sum{}, of_view));
  } catch (const tandem::kernel_error& e) {
    message = e.what();
  }
  CAPTURE(message);
  CHECK(message.rfind("race: x[7] in parallel_reduce (kernel ", 0) == 0);
  CHECK(message.find("the finishing function writes ") != std::string::npos);
  // Correct: it may use what no term uses, once.
  const auto ratio = [=](float sum) {
    const float before = z(0);
    z(0) = sum;
    return sum / before;
  };
  tandem::fill(x, 1.0f);
  CHECK(tandem::parallel_reduce(n, terms, tandem::finished_reducer(tandem::sum{}, ratio)) == 16);
  tandem::parallel_reduce_into(n, terms, tandem::finished_reducer(tandem::sum{}, ratio), total);
  CHECK(total() == 1);
  CHECK(tandem::parallel_reduce(x, tandem::finished_reducer(tandem::sum{}, ratio)) == 1);
}

TEST_CASE("zoo of functions: operations that combine two values") {
  const int n = 64;
  array<int> input(n);
  array<int> output({n}, 0);
  array<int> table({n}, 1);
  const auto x = input.view().named("x");
  const auto y = output.view().named("y");
  const auto c = table.view().named("c");
  const int* const raw = c.data_handle();
  tandem::iota(x);
  const auto counts = [=](int a, int b) {
    c(0) += 1;  // operation that counts
    return a + b;
  };
  const auto run = [](const char* name, const char* kind, const auto& f) {
    expect(__FILE__, name, kind, f, is_one);
  };
  const auto counting = [&](const auto& f) { run("operation that counts", "race", f); };
  const tandem::reduction counted{counts, 0};
  counting([&] { tandem::parallel_reduce(x, counted); });
  counting([&] {
    tandem::parallel_reduce(
        n, [=](int i) { return i; }, counted);
  });
  array<int, 0> total(tandem::extents<0>{});
  counting([&] { tandem::parallel_reduce_into(x, counted, total); });
  counting([&] { tandem::parallel_scan(x, y, counts); });
  counting([&] {
    tandem::parallel_scan(
        n, [](int i) { return i; }, y, counts);
  });
  counting([&] {
    tandem::partial_reduce(
        tandem::openmp(), range{0, n}, [](int i) { return i; }, counted);
  });
  counting([&] {
    const array<int, 2> plane({4, 8}, 1);
    array<int> sums(4);
    tandem::parallel_reduce_into(plane, tandem::axis{1}, counted, sums);
  });
  const auto offsets = array<int>::of({0, 3, 3, 4, n});
  array<int> sums(4);
  counting([&] { tandem::segmented_reduce(x, offsets, sums, counted); });
  counting([&] { tandem::segmented_scan(x, offsets, y, counts); });
  const auto beyond = [=](int a, int b) {
    return a + raw[b + 1];  // operation that reads beyond an end
  };
  run("operation that reads beyond an end", "out of range", [&] {
    tandem::parallel_reduce(x, tandem::reduction{beyond, 0});
  });
  const auto logs = [=](int a, int b) {
    y(b) = a;  // operation that writes
    return a + b;
  };
  run("operation that writes", "side effect", [&] {
    tandem::parallel_reduce(x, tandem::reduction{logs, 0});
  });
  const auto of_a_team = [&] {
    tandem::parallel_teams({1, 8, 0}, [=](tandem::team& t) {
      tandem::per_lane<int> mine(t, 1);
      t.reduce(mine, counted);
    });
  };
  expect(__FILE__, "operation that counts", "outside phases", of_a_team, any);
  const auto steps = [=](int a, int b) { return a + b * raw[1]; };  // a correct one
  CHECK(tandem::parallel_reduce(x, tandem::reduction{steps, 0}) == n * (n - 1) / 2);
}

TEST_CASE("zoo: an initial value in the place of an identity") {
  const auto one = [](int) { return 1; };
  const auto plus = [](int a, int b) { return a + b; };
  const long before = tandem::checked::finding_count();
  CHECK_THROWS_WITH_AS(
      (void)tandem::parallel_reduce(5, one, tandem::reduction{plus, 10}),
      "parallel_reduce: the identity 10 of the reducer changes 1: name an identity of "
      "the operation, and an initial value by with_initial()",
      tandem::argument_error);
  CHECK(tandem::checked::finding_count() == before + 1);
  const auto check = [](const char* operation, const auto& call) {
    CAPTURE(operation);
    const std::string text = std::string(operation) + ": the identity 10 of the reducer changes";
    CHECK_THROWS_WITH_AS((void)call(), doctest::Contains(text.c_str()), tandem::argument_error);
  };
  const tandem::reduction ten{plus, 10};
  const std::vector<int> x = {3, 4};
  const std::vector<int> offsets = {0, 2};
  std::vector<int> sums(1);
  std::vector<int> y(2);
  const tandem::array<int, 2> matrix({2, 1}, 1);
  check("parallel_reduce", [&] { return tandem::parallel_reduce(1, one, ten); });
  check("parallel_reduce", [&] {
    return tandem::parallel_reduce(5, one, tandem::combined_reducer(tandem::sum{}, ten));
  });
  check("parallel_reduce", [&] {
    const auto negated = [](int total) { return -total; };
    return tandem::parallel_reduce(5, one, tandem::finished_reducer(ten, negated));
  });
  check("parallel_reduce_into",
        [&] { tandem::parallel_reduce_into(matrix, tandem::axis{0}, ten, sums); });
  check("parallel_reduce_into", [&] {
    const auto two = [](int, int) { return 2; };
    tandem::parallel_reduce_into(tandem::grid{2, 1}, tandem::axis{0}, two, ten, sums);
  });
  check("partial_reduce", [&] {
    return tandem::partial_reduce(tandem::openmp(), tandem::range{0, 5}, one, ten).finish();
  });
  check("parallel_scan", [&] { tandem::parallel_scan(x, y, ten); });
  check("segmented_scan", [&] { tandem::segmented_scan(x, offsets, y, ten); });
  check("segmented_reduce", [&] { tandem::segmented_reduce(x, offsets, sums, ten); });
  const std::vector<int> keys(2);
  std::vector<int> key(1);
  check("reduce_by_key", [&] { return tandem::reduce_by_key(keys, x, key, sums, ten); });
  const auto of_a_team = [=](tandem::team& t) {
    tandem::per_lane<int> mine(t, 1);
    t.reduce(mine, ten);
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_teams({1, 4, 0}, of_a_team),
                       doctest::Contains("identity changes a value that it is combined with"),
                       tandem::argument_error);
  const auto larger = [](int a, int b) { return a > b ? a : b; };  // keeps 0 with itself
  const auto of_negative = [=](tandem::team& t) {
    tandem::per_lane<int> mine(t, -1);
    t.reduce(mine, tandem::reduction{larger, 0});
  };
  CHECK_THROWS_AS(tandem::parallel_teams({1, 4, 0}, of_negative), tandem::argument_error);
  const auto scan_of_combined = [](tandem::team& t) {  // scans combine values that are not lifted
    tandem::per_lane<double> mine(t, 2);
    t.inclusive_scan(mine, sum_without_lift());
  };
  tandem::parallel_teams({1, 4, 0}, scan_of_combined);
  tandem::segmented_reduce(x, offsets, sums, tandem::with_initial(tandem::reduction{plus, 0}, 1));
  CHECK(sums[0] == 8);
  CHECK(tandem::parallel_reduce(5, one, tandem::with_initial(tandem::sum{}, 10)) == 15);
  using number = tandem::complex<float>;
  const std::vector<number> z(3);
  const auto add_numbers = [](number a, number b) { return a + b; };
  CHECK_THROWS_WITH_AS((void)tandem::parallel_reduce(z, tandem::reduction{add_numbers, number(10)}),
                       doctest::Contains("the identity of the reducer changes a term"),
                       tandem::argument_error);
  // The identities that people write, beside terms that few operations keep.
  const std::vector<float> odd = {-0.0f, 0.0f, std::numeric_limits<float>::quiet_NaN(), -1.0f};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto add = [](float a, float b) { return a + b; };
  const auto most = [](float a, float b) { return std::fmax(a, b); };
  CHECK(std::isnan(tandem::parallel_reduce(odd, tandem::reduction{add, 0.0f})));
  CHECK(tandem::parallel_reduce(odd, tandem::reduction{most, -infinity}) == 0);
}
