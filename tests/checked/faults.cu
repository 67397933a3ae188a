// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a checked build prints about a view before a GPU's kernel ends. Each fault ends the
// process's use of CUDA, so the argument selects one (checked.cmake).

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <tandem/distributed.hpp>
#include <tandem/require_in_kernel.hpp>
#include <tandem/tandem.hpp>

namespace {

using host_line = tandem::view<int, 1, tandem::layout_right, tandem::host_memory>;
using device_line = tandem::view<int, 1, tandem::layout_right, tandem::device_memory>;

template <class Line>
struct set_next {
  Line x;
  TANDEM_FUNCTION void operator()(int i) const { x(i + 1) = i; }
};

struct read_next {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(int i, const X& x, const Y& y) const {
    y(i) = x(i + 1);
  }
};

struct phase_in_a_lane {
  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    t.for_each_lane([&](int) { t.for_each_lane([](int) {}); });
  }
};

struct print_lane {
  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    t.for_each_lane([](int lane) { printf("lane %d of a team\n", lane); });
  }
};

void run(const tandem::cuda& space, const std::string& fault) {
  const int n = 32;
  std::vector<int> on_host(n + 1);
  tandem::array<int, 1, tandem::cuda> values(tandem::extents<1>(n), 0, space);
  // The name is in host memory and is destroyed before the kernel runs.
  const auto named = [&](const auto& v) { return v.named(std::string("weights").c_str()); };
  if (fault == "memory") {
    const host_line x(on_host.data(), {n + 1});
    tandem::parallel_for(space, n, set_next<host_line>{named(x)});
  } else if (fault == "index") {
    tandem::parallel_for(space, n, set_next<device_line>{named(values.view())});
  } else if (fault == "unnamed") {
    tandem::parallel_for(space, n, set_next<device_line>{values.view()});
  } else if (fault == "rows") {
    const auto members = tandem::shards<tandem::cuda>(3);
    const auto where = tandem::cut::of({16, 0, 16});
    tandem::sharded<int, 1, tandem::cuda> x({n}, 1, members, where), y({n}, 0, members, where);
    tandem::parallel_for(members, tandem::range(8, 20), read_next{}, std::as_const(x), y);
    members.fence();
  } else if (fault == "phase") {
    tandem::parallel_teams(space, {1, 32, 0}, phase_in_a_lane{});
  } else {
    tandem::parallel_teams(space, {1, 32, 0}, print_lane{});
  }
  space.fence();
}

}  // namespace

int main(int, char** argv) {
  try {
    run(tandem::cuda(0), argv[1]);
  } catch (const tandem::no_device_error& e) {
    std::puts(e.what());
    return 77;
  } catch (const tandem::device_error& e) {
    std::puts(e.what());
  }
  return 0;
}
