// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults on the device. A kernel that accesses invalid memory or traps ends its process's use of
// CUDA, so each such case runs in a separate process: this binary with the name of the case. The
// wrappers of the runtime simulate a lost device (counted_calls.hpp).

#include "backends/cuda/runtime/counted_calls.hpp"
#include "support/data.hpp"
#include "support/out_of_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include <unistd.h>

using namespace tandem::test;
using tandem::index_t;

namespace {

struct write_nowhere {
  int* nowhere;
  TANDEM_FUNCTION void operator()(int i) const { nowhere[i] = i; }
};

struct read_nowhere {
  const float* nowhere;
  TANDEM_FUNCTION float operator()(int i) const { return nowhere[i]; }
};

struct take_too_much {
  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    float* const shared = t.scratch<float>(index_t{1} << 62);
    t.for_each_lane([&](int lane) { shared[lane] = 1.0f; });
  }
};

#if TANDEM_CHECKED
struct count_below_zero {
  int n;
  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    t.for_each(n, [](int) {});
  }
};
#endif

struct add_one {
  int* x;
  TANDEM_FUNCTION void operator()(int i) const { x[i] += 1; }
};

struct twice {
  TANDEM_FUNCTION float operator()(float v) const { return 2 * v; }
};

struct is_positive {
  TANDEM_FUNCTION bool operator()(float v) const { return v > 0; }
};

/// Returns the message of the device_error that f() throws, or a message about any other outcome.
std::string device_error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const tandem::device_error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("not a device_error: ") + e.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_works(const tandem::cuda& space) {
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(1000), 1, space);
  tandem::parallel_for(space, 1000, add_one{x.data_handle()});
  CHECK(tandem::parallel_reduce(space, x.const_view()) == 2000);
}

/// Checks what holds after a fault: calls throw typed errors, host memory is intact, the host's
/// spaces work, and device objects can be destroyed.
void check_aftermath(const tandem::cuda& space) {
  std::vector<float> values = random_values<float>(1000, 1);
  const std::vector<float> before = values;
  const std::string fenced = device_error_of([&] { space.fence(); });
  CHECK(contains(fenced, "fence: "));
  const std::string copied = device_error_of([&] {
    const tandem::array<float, 1, tandem::cuda> x(tandem::extents<1>(1000), space);
    tandem::copy(space, x, values);
    space.fence();
  });
  CHECK(!contains(copied, "nothing was thrown"));
  CHECK(!contains(copied, "not a device_error"));
  CHECK(values == before);
  // A process that has lost its context usually gets no other; if a driver provides one, its space
  // works.
  const std::string next = device_error_of([] { check_works(tandem::cuda(0)); });
  CHECK(!contains(next, "not a device_error"));
  const auto on_host = tandem::as_view<tandem::host_memory>(values.data(), 1000);
  tandem::sort(tandem::serial{}, on_host);
  CHECK(std::is_sorted(values.begin(), values.end()));
}

/// Runs one of the cases below in a separate process; returns whether all its checks passed.
bool passes_alone(const std::string& name) {
  const std::string command = "\"$(readlink /proc/" + std::to_string(getpid()) +
                              "/exe)\" --no-skip --test-case=\"" + name + "\" > /dev/null";
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("cuda alone: a loop writes where it may not" * doctest::skip()) {
  const tandem::cuda space(0);
  tandem::array<int, 1, tandem::cuda> kept(tandem::extents<1>(100), 1, space);
  tandem::parallel_for(space, 100, write_nowhere{nullptr});
  const std::string message = device_error_of([&] { space.fence(); });
  CHECK(contains(message, "fence: cudaStreamSynchronize after parallel_for ("));
  CHECK(contains(message, "TANDEM_CHECKED=ON"));
  CHECK(contains(message, "cudaErrorIllegalAddress"));
  check_aftermath(space);
}

TEST_CASE("cuda alone: a reduction reads where it may not" * doctest::skip()) {
  const tandem::cuda space(0);
  const std::string message =
      device_error_of([&] { tandem::parallel_reduce(space, 100000, read_nowhere{nullptr}); });
  CHECK(contains(message, "parallel_reduce: "));
  CHECK(contains(message, "cudaErrorIllegalAddress"));
  check_aftermath(space);
}

TEST_CASE("cuda alone: a team takes more scratch than it has" * doctest::skip()) {
  const tandem::cuda space(0);
  tandem::parallel_teams(space, {10, 32, 1024}, take_too_much{});
  const std::string message = device_error_of([&] { space.fence(); });
  CHECK(contains(message, "fence: cudaStreamSynchronize after parallel_teams: "));
  check_aftermath(space);
}

#if TANDEM_CHECKED
TEST_CASE("cuda alone: a team has a negative number of items" * doctest::skip()) {
  const tandem::cuda space(0);
  tandem::parallel_teams(space, {10, 32, 0}, count_below_zero{-5});
  const std::string message = device_error_of([&] { space.fence(); });
  CHECK(contains(message, "fence: cudaStreamSynchronize after parallel_teams: "));
  check_aftermath(space);
}
#endif

TEST_CASE("cuda: a kernel's fault is a typed error and leaves the host whole") {
  CHECK(passes_alone("cuda alone: a loop writes where it may not"));
  CHECK(passes_alone("cuda alone: a reduction reads where it may not"));
  CHECK(passes_alone("cuda alone: a team takes more scratch than it has"));
#if TANDEM_CHECKED
  CHECK(passes_alone("cuda alone: a team has a negative number of items"));
#endif
  check_works(tandem::cuda(0));
}

TEST_CASE("cuda: a lost device is a typed error that names the operation") {
  const tandem::cuda space(0);
  const auto x = to_space(space, random_values<float>(100000, 1));
  auto y = to_space(space, random_values<float>(100000, 2));
  tandem::array<int, 1, tandem::cuda> counts(tandem::extents<1>(100), 1, space);
  tandem::array<float, 2, tandem::cuda> a(tandem::extents<2>(64, 64), 1.0f, space);
  tandem::array<float, 2, tandem::cuda> c(tandem::extents<2>(64, 64), 1.0f, space);
  std::vector<float> values = random_values<float>(100000, 3);
  const std::vector<float> before = values;
  auto graph = tandem::record(space, [&](const tandem::cuda& s) { tandem::fill(s, y, 1.0f); });
  const struct {
    const char* name;
    std::function<void()> call;
  } operations[] = {
      {"parallel_for", [&] { tandem::parallel_for(space, 1000, write_nowhere{nullptr}); }},
      {"parallel_reduce", [&] { tandem::parallel_reduce(space, x.const_view()); }},
      {"dot", [&] { tandem::dot(space, x, x); }},
      {"argmax", [&] { tandem::argmax(space, x); }},
      {"iota", [&] { tandem::iota(space, y); }},
      {"reverse", [&] { tandem::reverse(space, y); }},
      {"parallel_scan", [&] { tandem::parallel_scan(space, x.const_view(), y.view()); }},
      {"parallel_teams",
       [&] {
         tandem::parallel_teams(space, {1, 32, 64}, take_too_much{});
       }},
      {"sort", [&] { tandem::sort(space, y.view()); }},
      {"unique", [&] { tandem::unique(space, x.const_view(), y.view()); }},
      {"fill", [&] { tandem::fill(space, y, 1.0f); }},
      {"copy", [&] { tandem::copy(space, x, values); }},
      {"copy", [&] { tandem::copy(space, values, y); }},
      {"histogram",
       [&] { tandem::histogram(space, x.const_view(), {.lo = 0.0f, .hi = 1.0f}, counts.view()); }},
      {"matmul", [&] { tandem::matmul(space, a.view(), a.view(), c.view()); }},
      {"replay", [&] { graph.replay(space); }},
      {"record", [&] { space.record(); }},
      {"fence", [&] { space.fence(); }},
  };
  for (const auto& operation : operations) {
    std::string message;
    {
      const lost_device lost(cudaErrorDevicesUnavailable);
      message = device_error_of(operation.call);
    }
    CAPTURE(message);
    CHECK(message.substr(0, std::string(operation.name).size()) == operation.name);
    CHECK(contains(message, "cudaErrorDevicesUnavailable"));
  }
  CHECK(values == before);
  check_works(space);
  check_works(tandem::cuda(0));
}

TEST_CASE("cuda: a device lost between two calls is a typed error that names the second") {
  const tandem::cuda space(0);
  constexpr std::size_t n = 100000;
  const auto x = to_space(space, random_values<float>(n, 1));
  const auto which = to_space(space, random_below<int>(n, 100, 2));
  auto y = to_space(space, random_values<float>(n, 3));
  auto keys = to_space(space, random_below<int>(n, 1000, 4));
  auto few = to_space(space, std::vector<float>(100, 1.0f));
  const auto offsets = to_space(space, std::vector<int>{0, 10, 90000, 100000});
  auto sums = to_space(space, std::vector<float>(3, 1.0f));
  const auto weights = to_space(space, random_values<float>(n, 5));
  const auto matrix = tandem::reshape(x.const_view(), 1000, 100);
  const tandem::csr_matrix sparse{offsets.const_view(), which.const_view(), x.const_view(), 100};
  const struct {
    const char* name;
    std::function<void()> call;
  } operations[] = {
      {"transform", [&] { tandem::transform(space, x, y, twice{}); }},
      {"copy_if", [&] { tandem::copy_if(space, x, y, is_positive{}); }},
      {"count_if", [&] { tandem::count_if(space, x, is_positive{}); }},
      {"sort", [&] { tandem::sort_by_key(space, keys, y); }},
      {"segmented_reduce", [&] { tandem::segmented_reduce(space, x, offsets, sums); }},
      {"segmented_scan", [&] { tandem::segmented_scan(space, x, offsets, y); }},
      {"multiply", [&] { tandem::multiply(space, sparse, few, sums); }},
      {"scatter_add", [&] { tandem::scatter_add(space, which, x, few); }},
      {"fill_random", [&] { tandem::fill_random(space, y, tandem::uniform{}, 7); }},
      {"histogram",
       [&] {
         tandem::histogram(space, x.const_view(), {.lo = 0.0f, .hi = 1.0f}, weights.const_view(),
                           few.view());
       }},
      {"parallel_reduce_into",
       [&] {
         tandem::parallel_reduce_into(space, matrix, tandem::axis{0}, tandem::sum<float>{},
                                      few.view());
       }},
      {"gather", [&] { tandem::gather(space, x, which, y); }},
  };
  for (const auto& operation : operations) {
    operation.call();  // takes what the stream keeps, so that the loss hits the work itself
    space.fence();
    std::string message;
    {
      const lost_device lost(cudaErrorDevicesUnavailable);
      message = device_error_of(operation.call);
    }
    CAPTURE(message);
    CHECK(message.substr(0, std::string(operation.name).size()) == operation.name);
    CHECK(contains(message, "cudaErrorDevicesUnavailable"));
  }
  check_works(space);
  check_works(tandem::cuda(0));
}

TEST_CASE("cuda: memory that runs out between two operations spoils neither") {
  const tandem::cuda space(0);
  constexpr std::size_t n = 100000;
  const auto values = random_values<float>(n, 1);
  const auto x = to_space(space, values);
  const auto keys = to_space(space, std::vector<int>(n, 3));
  auto doubled = to_space(space, values);
  auto keys_out = to_space(space, std::vector<int>(n, 9));
  auto totals = to_space(space, std::vector<float>(n, 7.0f));
  auto sums = to_space(space, std::vector<float>(n, 7.0f));
  tandem::transform(space, x, doubled, twice{});
  bool threw = false;
  {
    const failing_memory memory(0, failing::from_then_on);
    try {
      tandem::reduce_by_key(space, keys, doubled, keys_out, totals);
    } catch (const tandem::out_of_memory_error&) {
      threw = true;
    }
  }
  tandem::parallel_scan(space, doubled, sums);
  CHECK(threw);
  const tandem::serial reference;
  std::vector<float> wanted(n);
  tandem::transform(reference, values, wanted, twice{});
  CHECK(first_difference(to_host(space, doubled), wanted) == -1);
  CHECK(to_host(space, keys_out) == std::vector<int>(n, 9));
  CHECK(to_host(space, totals) == std::vector<float>(n, 7.0f));
  std::vector<float> wanted_sums(n);
  tandem::parallel_scan(reference, wanted, wanted_sums);
  CHECK(first_difference(to_host(space, sums), wanted_sums) == -1);
  CHECK(tandem::reduce_by_key(space, keys, doubled, keys_out, totals) == 1);
}

TEST_CASE("cuda: a space for which there is no memory is refused by name") {
  const tandem::cuda space(0);
  std::vector<tandem::cuda> held;
  held.reserve(1000);
  for (int i = 0; i < 64; ++i) held.emplace_back(0);  // slots that earlier cases left idle
  // Mapped result slots are pinned sixteen at a time.
  for (int i = 0; i < 17; ++i) check_out_of_memory("cuda", space, [&] { held.emplace_back(0); });
  check_works(held.back());
}
