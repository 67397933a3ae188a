// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <tandem/require_in_kernel.hpp>

#include <string>

/// Operands of operations without a user's kernel, and how messages name kernels, lanes and values.

using namespace zoo;
using tandem::array;
using tandem::parallel_teams;
using tandem::team;

namespace {

constexpr int n = 64;

/// Returns the message of the error that f throws.
template <class Error = tandem::kernel_error, class Function>
std::string message_of(const Function& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// Runs an operation on an operand of which nothing has written element `at`: one finding names the
/// operation, the operand and the line of the call.
template <class Function>
void expect_unwritten(const std::string& name, const std::string& operand, const std::string& at,
                      const Function& f) {
  CAPTURE(name);
  const long before = tandem::checked::finding_count();
  const std::string message = message_of(f);
  CAPTURE(message);
  CHECK(tandem::checked::finding_count() == before + 1);
  CHECK(message.rfind("unwritten: u" + at + " in " + name + ": reads operand " + operand +
                          " at operands_test.cpp:",
                      0) == 0);
}

std::string from_the_file(const std::string& message) {
  std::string text = message;
  const std::size_t at = text.find(" at ");
  const std::size_t file = text.find("operands_test.cpp");
  if (at != std::string::npos && file != std::string::npos) text.erase(at + 4, file - at - 4);
  return text;
}

}  // namespace

TEST_CASE("zoo of operands: elements that nothing wrote") {
  array<float> fresh(n);
  array<float> last(n);
  array<float, 2> plane(n, n);
  array<float> filled({n}, 1.0f);
  array<float, 2> square({n, n}, 1.0f);
  array<int> counts({8}, 0);
  const auto indices = array<int>({n}, 0);
  const auto offsets = array<int>::of({1, 3, n});
  array<float> two(2);
  array<float, 2> product(n, n);
  const auto u = fresh.view().named("u");
  const auto w = last.view().named("u");
  const auto p = plane.view().named("u");
  const auto y = filled.view();
  tandem::parallel_for(n - 1, [=](int i) { w(i) = 1; });
  const auto run = [](const std::string& name, const std::string& operand, const std::string& at,
                      const auto& f) {
    expect_unwritten(name, operand, at, [&] {
      try {
        f();
      } catch (const tandem::kernel_error& e) {
        throw tandem::kernel_error(from_the_file(e.what()));
      }
    });
  };
  run("parallel_reduce", "x", "[0]", [&] { tandem::parallel_reduce(u, tandem::sum{}); });
  run("parallel_reduce", "x", "[63]", [&] { tandem::parallel_reduce(w, tandem::sum{}); });
  const auto labelled =
      message_of([&] { tandem::parallel_reduce(tandem::named("mass"), w, tandem::sum{}); });
  CHECK(labelled.rfind("mass (parallel_reduce): unwritten: u[63] in mass: reads operand x", 0) ==
        0);
  run("parallel_scan", "x", "[0]", [&] { tandem::parallel_scan(u, y); });
  run("dot", "y", "[63]", [&] { tandem::dot(y, w); });
  run("sort", "keys", "[0]", [&] { tandem::sort(u); });
  run("sort_by_key", "values", "[0]", [&] { tandem::sort_by_key(y, u); });
  run("histogram", "x", "[0]", [&] { tandem::histogram(u, {.lo = 0.0f, .hi = 1.0f}, counts); });
  run("nth_element", "x", "[63]", [&] { tandem::nth_element(w, 3); });
  run("unique", "x", "[0]", [&] { tandem::unique(u, y); });
  run("matmul", "b", "(0, 0)", [&] { tandem::matmul(square, p, product); });
  run("segmented_reduce", "x", "[63]", [&] { tandem::segmented_reduce(w, offsets, two); });
  run("scatter_add", "out", "[0]", [&] { tandem::scatter_add(indices, y, u); });
  run("parallel_reduce_into", "x", "(0, 0)",
      [&] { tandem::parallel_reduce_into(p, tandem::axis{0}, tandem::sum{}, y); });
  // An operand whose array has been destroyed.
  tandem::view<float> gone;
  {
    array<float> short_lived({n}, 1.0f);
    gone = short_lived.view();
  }
  CHECK(message_of([&] { tandem::sort(gone); }).rfind("dead: ", 0) == 0);
}

TEST_CASE("correct operands: elements that an operation does not read") {
  array<float> part(n);
  array<float> filled({n}, 1.0f);
  const auto w = part.view();
  parallel_teams({1, 32, 0}, [=](team& t) {
    tandem::per_lane<float> zeros(t);  // begins with 0, as its documentation says
    const float sum = t.reduce(zeros);
    t.for_each_lane([&](int lane) { w(lane) = sum; });
  });
  tandem::parallel_for(n - 1, [=](int i) { w(i) = 1; });
  const auto in_front = tandem::subview(w, tandem::slice{0, n - 1});
  CHECK(tandem::parallel_reduce(in_front, tandem::sum{}) == n - 1);
  const auto offsets = array<int>::of({1, 3, n - 1});
  array<float> two(2);
  tandem::segmented_reduce(w, offsets, two);
  CHECK(two(1) == n - 4);
  const array<int> first({n}, 0);
  tandem::scatter_add(first, filled, w);
  CHECK(w(0) == n + 1);
  tandem::gather(w, first, filled);
  CHECK(filled(3) == n + 1);
  const array<float, 2> ones({8, 8}, 1.0f);
  array<float, 2> product(8, 8);
  tandem::matmul(ones, ones, product);  // beta is 0
  CHECK(product(7, 7) == 8);
  // Values that a kernel wrote, although they look like memory without any.
  array<int> like(n);
  const auto v = like.view();
  tandem::parallel_for(n, [=](int i) { v(i) = static_cast<int>(0xfbfbfbfbu); });
  CHECK(tandem::parallel_reduce(v, tandem::maximum{}) == static_cast<int>(0xfbfbfbfbu));
  array<float> copied(n);
  tandem::copy(w, copied);  // copies what has no value as well
}

TEST_CASE("zoo of messages: kernels of the library have the user's names, or none") {
  array<float> values({n}, 1.0f);
  array<int> totals({1}, 0);
  const array<int> far({n}, 99);
  array<float> results(n);
  const auto x = values.view().named("x");
  const auto y = results.view();
  const auto c = totals.view().named("c");
  const auto is_short = [](const std::string& message, const std::string& begin) {
    CAPTURE(message);
    CHECK(message.find(begin) != std::string::npos);
    CHECK(message.find("tandem::detail") == std::string::npos);
    CHECK(message.find("tandem::view") == std::string::npos);
  };
  const auto counted = message_of([&] {
    tandem::transform(x, x, [=](float v) {
      c(0) += 1;
      return v;
    });
  });
  is_short(counted, "race: c[0] in transform (kernel ");
  is_short(message_of([&] {
             array<float, 2> plane({8, 8}, 1.0f);
             tandem::transform(plane, plane,
                               [=](float v) { return v + static_cast<float>(c(0)++); });
           }),
           " in transform (kernel ");
  is_short(message_of<tandem::extent_error>([&] { tandem::gather(x, far, y); }),
           "is outside its extent 64; in gather, i = ");
  tandem::fill(y, 1.0f);
  is_short(message_of<tandem::extent_error>([&] { tandem::scatter(y, far, x); }),
           "is outside its extent 64; in scatter, i = ");
  is_short(message_of([&] { tandem::count_if(x, [=](float) { return ++c(0) > 0; }); }),
           "race: c[0] in count_if (kernel ");
  is_short(message_of([&] {
             tandem::parallel_scan(
                 x, y, [=](float a, float b) { return a + b + static_cast<float>(c(0)++); });
           }),
           "race: c[0] in parallel_scan (kernel ");
}

TEST_CASE("zoo of messages: lanes and items of several dimensions have their indices") {
  array<float> values({n}, 0.0f);
  const auto x = values.view().named("x");
  const auto of_planes = message_of([&] {
    parallel_teams(tandem::team_shape_3d{{1, 1, 2}, {2, 3, 4}, 0}, [=](tandem::team_3d& t) {
      t.for_each_lane([&](tandem::lane_3d lane) {
        if (t.index().x == 1) x(lane.x) = static_cast<float>(12 * lane.z + 4 * lane.y + lane.x);
      });
    });
  });
  CAPTURE(of_planes);
  CHECK(of_planes.find("team 1 (0, 0, 1), lane ") != std::string::npos);
  const auto [first, other] = accesses_of(of_planes);
  for (const access_text& a : {first, other}) {
    const auto lane = static_cast<int>(a.lane);
    const std::string place = "lane " + std::to_string(lane) + " (" + std::to_string(lane / 12) +
                              ", " + std::to_string(lane / 4 % 3) + ", " +
                              std::to_string(lane % 4) + "), phase 1 writes " +
                              std::to_string(lane) + " at ";
    CHECK(a.text.find(place) != std::string::npos);
  }
  const auto of_matrix = message_of([&] {
    parallel_teams({1, 4, 64}, [=](team& t) {
      t.for_each(2, 3, [&](int i, int j) { x(0) = static_cast<float>(10 * i + j + 1); });
    });
  });
  CAPTURE(of_matrix);
  const access_text item = accesses_of(of_matrix).first;
  const std::string place = "item " + std::to_string(item.lane) + " (" +
                            std::to_string(item.lane / 3) + ", " + std::to_string(item.lane % 3) +
                            "), phase 1 writes ";
  CHECK(item.text.find(place) != std::string::npos);
}

TEST_CASE("zoo of messages: what comes from elements without a value is none") {
  const auto run = [](const auto& lanes) {
    return message_of([&] {
      parallel_teams({1, 32, 4096}, [&](team& t) {
        int* const s = t.scratch<int>(8);
        t.for_each_lane([&](int lane) { lanes(s, lane); });
      });
    });
  };
  const auto sums = run([](int* s, int lane) { s[lane % 8] += 18; });
  CAPTURE(sums);
  CHECK(sums.find("race: scratch array 0 [") == 0);
  CHECK(sums.find("-673720") == std::string::npos);
  CHECK(sums.find(" a value computed from an unwritten one at ") != std::string::npos);
  const auto atomics = run([](int* s, int lane) { tandem::atomic_add(s[lane % 8], 1); });
  CAPTURE(atomics);
  CHECK(atomics.find("-673720") == std::string::npos);
}

TEST_CASE("zoo of messages: requirements of a finishing function") {
  const array<float> values({n}, 1.0f);
  const auto x = values.const_view();
  const auto finish = [](float total) {
    tandem::require_in_kernel(total < 0, "a debt", total);
    return total;
  };
  const auto message = message_of<tandem::requirement_error>([&] {
    tandem::parallel_reduce(
        n, [=](int i) { return x(i); }, tandem::finished_reducer(tandem::sum{}, finish));
  });
  CAPTURE(message);
  CHECK(message.find("in parallel_reduce (kernel ") != std::string::npos);
  CHECK(message.find("), the finishing function at ") != std::string::npos);
}
