// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA does not survive fork(): the child's calls throw, and the parent continues.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <string>

#include <sys/wait.h>
#include <unistd.h>

using namespace tandem::test;

namespace {

constexpr unsigned seconds_to_live = 60;

/// Whether f() throws a device_error that names the fork in a child of this process.
template <class Function>
bool is_refused_in_child(const Function& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds_to_live);
    bool is_refused = false;
    try {
      f();
    } catch (const tandem::device_error& e) {
      is_refused = std::string(e.what()).find("forked") != std::string::npos;
    } catch (...) {
    }
    _exit(is_refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct square {
  TANDEM_FUNCTION float operator()(float x) const { return x * x; }
};

}  // namespace

TEST_CASE("cuda fork: a child can neither make a space nor use its parent's") {
  const tandem::cuda space(0);
  const auto values = random_values<float>(large_size, 1);
  auto x = to_space(space, values);
  const float sum = tandem::parallel_reduce(space, x.const_view());
  CHECK(is_refused_in_child([] { const tandem::cuda another(0); }));
  CHECK(is_refused_in_child([&] {
    tandem::transform(space, x.const_view(), x.view(), square{});
    space.fence();
  }));
  CHECK(is_refused_in_child([&] { tandem::parallel_reduce(space, x.const_view()); }));
  CHECK(is_refused_in_child([&] { to_host(space, x); }));
  CHECK(tandem::parallel_reduce(space, x.const_view()) == sum);
}
