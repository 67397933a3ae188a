// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel to step through, whose lanes print: checked.cmake passes its line numbers to gdb.

#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  tandem::parallel_teams({2, 32, 0}, [](tandem::team& t) {
    t.for_each_lane([&](int lane) {
      const int twice = 2 * lane;
      std::printf("lane %d of team %d: %d\n", lane, static_cast<int>(t.index()), twice);
    });
  });
}
