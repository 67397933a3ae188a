// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "triad_sum.hpp"

namespace {

/// The default space if this compiler can run its loops, otherwise serial: a build with a GPU
/// backend serves plain C++ files too.
template <class Space>
bool check() {
  if constexpr (tandem::backend<Space>) {
    return triad_sum_is_right(Space{});
  } else {
    return triad_sum_is_right(tandem::serial{});
  }
}

}  // namespace

int main() {
  const bool right = check<tandem::default_space>();
  std::printf("tandem %s: %s\n", tandem::version, right ? "right" : "wrong");
  return right ? 0 : 1;
}
