// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace zoo;
using tandem::array;
using tandem::grid;
using tandem::parallel_for;
using tandem::parallel_reduce;
using tandem::range;

TEST_CASE("zoo of loops: iterations that write what others use") {
  const int n = 100;
  int count = 0;
  array<float> values({n}, 1.0f);
  array<int> bins({8}, 0);
  array<float, 2> plane({n, n}, 1.0f);
  const auto x = values.view().named("x");
  const auto b = bins.view().named("bins");
  const auto p = plane.view().named("p");
  const auto run = [](const char* name, const auto& f, const auto& lanes) {
    expect(__FILE__, name, "race", f, lanes);
  };

  const auto counter = [&] {
    parallel_for(n, [&](int) {
      ++count;  // racing counter
    });
  };
  run("racing counter", counter, differ);

  const auto histogram = [&] {
    parallel_for(n, [=](int i) {
      b(i % 8) += 1;  // histogram without atomics
    });
  };
  run("histogram without atomics", histogram,
      [](index_t a, index_t c) { return a != c && a % 8 == c % 8; });

  const auto stencil = [&] {
    parallel_for(range{1, n - 1}, [=](int i) {
      const float left = x(i - 1);  // stencil in place
      x(i) = 2 * left;              // stencil in place, other
    });
  };
  run("stencil in place", stencil, are_neighbours);

  const auto shift = [&] {
    parallel_for(n - 1, [=](int i) {
      const float next = x(i + 1);  // shift in place
      x(i) = next + 1;              // shift in place, other
    });
  };
  run("shift in place", shift, are_neighbours);

  const auto transpose = [&] {
    parallel_for(grid{n, n}, [=](int j, int i) {
      const float other = p(i, j);  // transpose in place
      p(j, i) = other + 1;          // transpose in place, other
    });
  };
  run("transpose in place", transpose, differ);

  const auto wrapped = [&] {
    parallel_for(n, [=](int i) {
      x(i % 50) = static_cast<float>(i);  // index that wraps around
    });
  };
  run("index that wraps around", wrapped,
      [](index_t a, index_t c) { return a != c && a % 50 == c % 50; });

  const auto column = [&] {
    parallel_for(grid{n, n}, [=](int j, int i) {
      p(j, 0) += static_cast<float>(i);  // sum of a row without reduction
    });
  };
  run("sum of a row without reduction", column, differ);

  const auto halves = [&] {
    parallel_for(n - 1, [=](int i) {
      x(i) = static_cast<float>(i);       // neighbouring writes
      x(i + 1) = static_cast<float>(-i);  // neighbouring writes, other
    });
  };
  run("neighbouring writes", halves, are_neighbours);

  const auto maximum = [&] {
    parallel_for(range{1, n}, [=](int i) {
      const float best = x(0);              // maximum without atomics
      x(0) = best + static_cast<float>(i);  // maximum without atomics, other
    });
  };
  run("maximum without atomics", maximum, differ);

  std::vector<int> outside(4, 0);
  const auto in_vector = [&] {
    parallel_for(n, [&](int i) {
      outside[0] = i;  // element of a vector
    });
  };
  run("element of a vector", in_vector, differ);

  array<std::int8_t> bytes({n}, std::int8_t{0});
  auto* const raw = bytes.data_handle();
  const auto narrow = [&] {
    parallel_for(n, [=](int i) {
      raw[i / 2] = static_cast<std::int8_t>(i);  // bytes of two iterations
    });
  };
  run("bytes of two iterations", narrow,
      [](index_t a, index_t c) { return a != c && a / 2 == c / 2; });

  const auto scan = [&] {
    parallel_for(range{1, n}, [=](int i) {
      const float sum = x(i - 1);  // prefix sum as a loop
      x(i) += sum;                 // prefix sum as a loop, other
    });
  };
  run("prefix sum as a loop", scan, are_neighbours);
}

TEST_CASE("zoo of loops: messages begin with the label of the space") {
  int count = 0;
  std::string message;
  try {
    parallel_for(tandem::named("advect"), 100, [&](int) { ++count; });
  } catch (const tandem::kernel_error& e) {
    message = e.what();
  }
  INFO(message);
  CHECK(message.find("advect") != std::string::npos);
}

TEST_CASE("zoo of loops: messages name the indices of a grid of ranges") {
  tandem::array<int> count(1, 0);
  const auto v = count.view();
  const auto one_row = [&] {
    tandem::parallel_for(tandem::grid{{3, 4}, {5, 7}}, [=](int j, int i) { v(0) = 10 * j + i; });
  };
  CHECK_THROWS_WITH_AS(one_row(), doctest::Contains("j = 3, i = 5 writes"), tandem::kernel_error);
  CHECK_THROWS_WITH_AS(one_row(), doctest::Contains("j = 3, i = 6 writes"), tandem::kernel_error);
}

TEST_CASE("zoo of loops: terms of a reduction that write") {
  const int n = 100;
  array<double> values({n}, 1.0);
  int calls = 0;
  const auto x = values.view().named("x");
  const auto writes_input = [&] {
    parallel_reduce(range{1, n}, [=](int i) {
      x(i - 1) = 5;  // term that writes the input
      return x(i);   // term that writes the input, other
    });
  };
  expect(__FILE__, "term that writes the input", "race", writes_input, are_neighbours);
  const auto counts = [&] {
    parallel_reduce(n, [&](int) {
      return ++calls;  // term that counts
    });
  };
  expect(__FILE__, "term that counts", "race", counts, differ);
  const auto plane = [&] {
    parallel_reduce(grid{n, 2}, [=](int j, int i) {
      x(j) += i + 1;  // term of a grid that writes
      return x(j);
    });
  };
  expect(__FILE__, "term of a grid that writes", "race", plane, differ);
}

TEST_CASE("zoo of loops: atomics beside plain accesses") {
  const int n = 64;
  array<int> values({4}, 0);
  const auto x = values.view().named("x");
  const auto run = [](const char* name, const auto& f, const char* value = "") {
    expect(__FILE__, name, "mixed atomic", f, differ, teams_are::any, value);
  };
  const auto store = [&] {
    parallel_for(n, [=](int i) {
      if (i == 20) {
        x(0) = 100;  // plain store beside atomics
      } else {
        tandem::atomic_add(x(0), 1);  // plain store beside atomics, other
      }
    });
  };
  run("plain store beside atomics", store, "i = 20 writes 100");
  array<int> seen({n}, 0);
  const auto y = seen.view().named("y");
  const auto load = [&] {
    parallel_for(n, [=](int i) {
      tandem::atomic_add(x(1), 1);  // plain load behind an atomic, other
      y(i) = x(1);                  // plain load behind an atomic
    });
  };
  run("plain load behind an atomic", load);
  const auto flag = [&] {
    parallel_for(n, [=](int i) {
      if (i == 7) {
        tandem::atomic_exchange(x(2), 1);  // flag that is polled, other
      } else {
        y(i) = x(2);  // flag that is polled
      }
    });
  };
  run("flag that is polled", flag);
}

TEST_CASE("zoo of loops: elements without a value") {
  const int n = 64;
  array<float> input(n);
  array<float> output(n);
  array<double, 2> matrix(n, n);
  const auto x = input.view().named("x");
  const auto y = output.view().named("y");
  const auto m = matrix.view().named("m");
  const auto run = [](const char* name, const auto& f) {
    expect(__FILE__, name, "unwritten", f, is_one);
  };
  const auto copies = [&] {
    parallel_for(n, [=](int i) {
      y(i) = x(i);  // input that nothing filled
    });
  };
  run("input that nothing filled", copies);
  const auto sums = [&] {
    parallel_for(n, [=](int i) {
      m(i, 3) += i;  // sum that does not begin with zero
    });
  };
  run("sum that does not begin with zero", sums);
  parallel_for(n - 1, [=](int i) { x(i) = 1; });
  const auto last = [&] {
    parallel_for(n, [=](int i) {
      y(i) = x(i);  // last element missed
    });
  };
  expect(__FILE__, "last element missed", "unwritten", last,
         [](index_t a, index_t) { return a == n - 1; });
  array<int> counts(8);
  const auto c = counts.view().named("counts");
  const auto adds = [&] {
    parallel_for(n, [=](int i) {
      tandem::atomic_add(c(i % 8), 1);  // bins that begin without zeros
    });
  };
  run("bins that begin without zeros", adds);
  const auto terms = [&] {
    array<float> fresh(n);
    const auto f = fresh.view();
    parallel_reduce(n, [=](int i) {
      return f(i);  // terms without a value
    });
  };
  run("terms without a value", terms);
}

TEST_CASE("zoo of loops: memory that is no element, or no longer") {
  const int n = 64;
  array<float> values({n}, 1.0f);
  values.view().named("x");
  float* const raw = values.data_handle();
  const auto behind = [&] {
    parallel_for(n + 1, [=](int i) {
      raw[i] = 2;  // one too many
    });
  };
  expect(__FILE__, "one too many", "out of range", behind,
         [](index_t a, index_t) { return a == n; });
  const auto before = [&] {
    parallel_for(n, [=](int i) {
      raw[i] = i == 0 ? raw[i - 1] : 3;  // one too few
    });
  };
  expect(__FILE__, "one too few", "out of range", before,
         [](index_t a, index_t) { return a == 0; });
  const auto dead = [&] {
    tandem::view<float> v;
    {
      array<float> gone({n}, 1.0f);
      v = gone.view().named("gone");
    }
    parallel_for(n, [=](int i) {
      v(i) = 1;  // array that has died
    });
  };
  expect(__FILE__, "array that has died", "dead", dead, is_one);
  const auto moved = [&] {
    array<float> target({n}, 1.0f);
    const auto v = target.view();
    target = array<float>({n}, 2.0f);
    parallel_for(n, [=](int i) {
      v(i) = 1;  // array that was replaced
    });
  };
  expect(__FILE__, "array that was replaced", "dead", moved, is_one);

  const auto x = values.view().named("x");
  expect_failure<tandem::extent_error>(__FILE__, "index behind a view",
                                       "view 'x': index 64 of dimension 0 is outside its extent 64",
                                       "i = 64", [&] {
                                         parallel_for(n + 1, [=](int i) {
                                           x(i) = 1;  // index behind a view
                                         });
                                       });
  const auto on_device = tandem::as_view<tandem::device_memory>(raw, n).named("d");
  expect_failure<tandem::argument_error>(__FILE__, "view of a device",
                                         "view 'd': its elements lie in the memory of a device",
                                         "i = ", [&] {
                                           parallel_for(n, [=](int i) {
                                             on_device(i) = 1;  // view of a device
                                           });
                                         });
}

TEST_CASE("zoo of loops: operations inside kernels") {
  expect_failure<tandem::kernel_error>(__FILE__, "loop in a loop",
                                       "parallel_for inside a kernel of parallel_for", "i = ", [] {
                                         parallel_for(3, [](int) {
                                           parallel_for(3, [](int) {});  // loop in a loop
                                         });
                                       });
  array<float> values({8}, 1.0f);
  const auto x = values.view();
  const auto sums = [=] {
    parallel_for(3, [=](int) {
      parallel_reduce(x, tandem::sum{});  // sum in a loop
    });
  };
  expect_failure<tandem::kernel_error>(
      __FILE__, "sum in a loop", "parallel_reduce inside a kernel of parallel_for", "i = ", sums);
  const auto sorts = [=] {
    parallel_for(3, [=](int) {
      tandem::sort(x);  // sort in a loop
    });
  };
  expect_failure<tandem::kernel_error>(__FILE__, "sort in a loop",
                                       "sort inside a kernel of parallel_for", "i = ", sorts);
}

TEST_CASE("zoo of loops: messages name the values of both accesses") {
  array<float> values({50}, 1.0f);
  const auto x = values.view().named("x");
  std::string message;
  try {
    parallel_for(100, [=](int i) { x(i % 50) = static_cast<float>(i); });
  } catch (const tandem::kernel_error& e) {
    message = e.what();
  }
  CAPTURE(message);
  const auto [first, other] = accesses_of(message);
  const auto says = [](const access_text& a) {
    const std::string lane = std::to_string(a.lane);
    return a.text.find("i = " + lane + " writes " + lane + " at ") == 0;
  };
  CHECK(says(first));
  CHECK(says(other));
  CHECK(message.find("race: x[" + std::to_string(first.lane % 50) + "] in ") == 0);
}
