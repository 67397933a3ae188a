// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/kernel/failure.hpp>

#include <doctest/doctest.h>
#include <tandem/tandem.hpp>

#include <stdexcept>
#include <string>

namespace {

using tandem::detail::call_lanes;

struct one_team {
  tandem::index_t index() const { return 3; }
};

/// Returns the error message of a team kernel that throws.
template <class Kernel>
std::string message_of(const Kernel& kernel) {
  one_team team;
  try {
    tandem::detail::placed_kernel<one_team, Kernel>{kernel}(team);
  } catch (const tandem::extent_error& e) {
    return e.what();
  }
  return "";
}

void fail_in_lane(int failing) {
  call_lanes(8, [=](int lane) {
    if (lane == failing) throw tandem::extent_error("index 9");
  });
}

}  // namespace

TEST_CASE("kernel place: an error names the lane that threw it") {
  const std::string message = message_of([](one_team&) { fail_in_lane(5); });
  CAPTURE(message);
  CHECK(message.rfind("index 9; in lane 5; in parallel_teams (kernel ", 0) == 0);
  CHECK(message.substr(message.size() - 9) == "), team 3");
}

TEST_CASE("kernel place: an argument error has one, an error of a derived type has none") {
  struct own_error : tandem::extent_error {
    using extent_error::extent_error;
  };
  CHECK_THROWS_WITH_AS(call_lanes(8, [](int) { throw tandem::argument_error("empty"); }),
                       "empty; in lane 0", tandem::argument_error);
  CHECK_THROWS_WITH_AS(call_lanes(8, [](int) { throw own_error("of the user"); }), "of the user",
                       own_error);
}

TEST_CASE("kernel place: an error between phases names no lane that failed before") {
  const auto fails_between = [](one_team&) { throw tandem::extent_error("index 9"); };
  const auto throws_other = [](one_team&) {
    call_lanes(8, [](int lane) {
      if (lane == 5) throw std::runtime_error("of the user");
    });
  };
  CHECK_THROWS_AS(message_of(throws_other), std::runtime_error);
  CHECK(message_of(fails_between).find("lane 5") == std::string::npos);
  const auto catches = [](one_team&) {
    CHECK_THROWS_WITH_AS(fail_in_lane(5), "index 9; in lane 5", tandem::extent_error);
    throw tandem::extent_error("index 9");
  };
  CHECK(message_of(catches).rfind("index 9; in parallel_teams (kernel ", 0) == 0);
  const auto goes_on = [](one_team&) {
    CHECK_THROWS_AS(fail_in_lane(5), tandem::extent_error);
    fail_in_lane(2);
  };
  CHECK(message_of(goes_on).rfind("index 9; in lane 2; in parallel_teams (kernel ", 0) == 0);
}

TEST_CASE("errors of a device: the operation is named once, whichever call of the driver failed") {
  const auto told = [](const char* what) {
    try {
      try {
        throw tandem::device_error(what);
      } catch (...) {
        tandem::detail::fail_operation("parallel_for", nullptr, false);
      }
    } catch (const tandem::device_error& e) {
      return std::string(e.what());
    }
  };
  CHECK(told("cudaGetDevice: lost") == "parallel_for: cudaGetDevice: lost");
  CHECK(told("parallel_for: cudaLaunchKernel: lost") == "parallel_for: cudaLaunchKernel: lost");
  CHECK(told("fence: cudaStreamSynchronize after parallel_for: lost") ==
        "fence: cudaStreamSynchronize after parallel_for: lost");
}
