// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of arrays: members of a group have their rows and halo, chunks of a stream their rows.
#include "planted.hpp"

#include <string>
#include <vector>

#include <tandem/distributed.hpp>

using namespace zoo;

namespace {

struct reads_at {
  index_t distance;

  template <class X, class Y>
  void operator()(index_t i, const X& x, const Y& y) const {
    y(i) = x(i + distance);  // read elsewhere
  }
};
struct writes_at {
  index_t distance;

  template <class X>
  void operator()(index_t i, const X& x) const {
    x(i + distance) = 1;  // write elsewhere
  }
};
struct reads_row {
  index_t distance;

  template <class X>
  float operator()(index_t j, index_t i, const X& x) const {
    return x(j + distance, i);
  }
};
struct team_writes {
  template <class X>
  void operator()(tandem::team& t, const X& x) const {
    t.for_each_lane([&](int) {
      x(t.index() == 5 ? 2 : t.index()) = 1;  // team elsewhere
    });
  }
};

using parts = tandem::group<tandem::default_space>;

std::string rows(int first, int behind) {
  return "outside the rows that are here, " + std::to_string(first) + " to below " +
         std::to_string(behind);
}

/// Expects an error at index `row` that names the rows that are there, the member and, of a loop or
/// a team, the line.
template <class Function>
void expect_rows(const std::string& name, int row, const std::string& where,
                 const std::string& member, const Function& f) {
  CAPTURE(name);
  std::string message;
  try {
    f();
  } catch (const tandem::extent_error& e) {
    message = e.what();
  }
  CAPTURE(message);
  CHECK(message.find(": index " + std::to_string(row) + " of dimension 0 is " + where) !=
        std::string::npos);
  CHECK(message.ends_with(member));
  if (name.empty()) return;
  CHECK(message.find("(kernel ") != std::string::npos);
  CHECK(message.find(place(__FILE__, line_with(__FILE__, name))) != std::string::npos);
}

}  // namespace

TEST_CASE("zoo of groups: rows outside a part and its halo are named by their number") {
  const auto members = tandem::shards<tandem::default_space>(3);
  const auto where = tandem::cut::of({100, 0, 100});
  for (const int halo : {0, 1, 2}) {
    CAPTURE(halo);
    tandem::sharded<float> x({200}, 1.0f, members, where, tandem::halo{halo});
    tandem::sharded<float> y({200}, 1.0f, members, where);
    const auto run = [&](int distance, const tandem::range& indices) {
      return [&, distance, indices] {
        tandem::parallel_for(members, indices, reads_at{distance}, std::as_const(x), y);
      };
    };
    // One index each, so that the order of iterations does not choose the one that is reported.
    CHECK_NOTHROW(run(halo, tandem::range(99, 100))());
    CHECK_NOTHROW(run(-halo, tandem::range(100, 101))());
    expect_rows("read elsewhere", 100 + halo, rows(-halo, 100 + halo), " (member 0 of 3)",
                run(halo + 1, tandem::range(99, 100)));
    expect_rows("read elsewhere", 99 - halo, rows(100 - halo, 200 + halo), " (member 2 of 3)",
                run(-halo - 1, tandem::range(100, 101)));
    // The halo has no rows beyond the array.
    expect_rows("read elsewhere", 200, "outside its extent 200", " (member 2 of 3)",
                run(1, tandem::range(199, 200)));
    expect_rows("read elsewhere", -1, "outside its extent 200", " (member 0 of 3)",
                run(-1, tandem::range(0, 1)));
  }
}

TEST_CASE("zoo of groups: writes, terms and teams that leave their part") {
  const auto members = tandem::shards<tandem::default_space>(3);
  const auto where = tandem::cut::of({4, 4, 4});
  tandem::sharded<float> x({12}, 1.0f, members, where);
  tandem::sharded<float, 2> u({12, 5}, 1.0f, members, where, tandem::halo{1});
  expect_rows("write elsewhere", 8, rows(4, 8), " (member 1 of 3)",
              [&] { tandem::parallel_for(members, tandem::range(7, 8), writes_at{1}, x); });
  expect_rows("", 2, rows(3, 9), " (member 1 of 3)", [&] {
    (void)tandem::parallel_reduce(members, tandem::grid{{4, 5}, {0, 1}}, reads_row{-2},
                                  tandem::sum{}, std::as_const(u));
  });
  expect_rows("team elsewhere", 2, rows(4, 8), " (member 1 of 3)", [&] {
    tandem::parallel_teams(members, tandem::team_shape{12, 1}, team_writes{}, x);
  });
}

TEST_CASE("zoo of groups: rows outside a chunk of a stream, also on a CPU") {
  const tandem::streamed big(tandem::default_space(), {.budget = 1 << 15});
  std::vector<float> x(20000, 1.0f);
  std::vector<float> y(x.size());
  const auto call = [&] {
    tandem::parallel_for(big, tandem::range(5, 20000), reads_at{-1}, std::as_const(x), y);
  };
  expect_rows("read elsewhere", 4, "outside the rows that are here, 5 to below ", "", call);
}
