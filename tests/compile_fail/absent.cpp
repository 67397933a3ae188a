// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of a backend that is not in the build. Programs without #if name it and list its devices.
#define TANDEM_WITHOUT_CUDA
#include <tandem/tandem.hpp>

std::size_t correct_use() { return tandem::cuda::devices().size(); }
void scale(const tandem::cuda& space, tandem::array<float, 1, tandem::cuda>& x) {
  const auto v = x.view();
  tandem::parallel_for(space, x.size(), [=](int i) { v(i) *= 2.0f; });
}

#if CASE == 1
// expect: tandem: this build has no CUDA backend
void space_and_array() {
  tandem::cuda space;
  tandem::array<float, 1, tandem::cuda> x({10}, space);
  tandem::fill(space, x, 1.0f);
  tandem::sort(space, x);
  space.fence();
}
#endif

#if CASE == 2
// expect: tandem: this build has no CUDA backend
void array_alone() { tandem::array<float, 1, tandem::cuda> x(10); }
#endif

#if CASE == 3
// expect: tandem: this build has no CUDA backend
void loop_alone() {
  tandem::parallel_for(tandem::cuda(), 10, [](int) {});
}
#endif

#if CASE == 4
// expect: tandem: this build has no CUDA backend
void reduction_on_a_device() {
  const auto space = tandem::cuda::on_device(1);
  (void)tandem::parallel_reduce(space, 10, [](int i) { return i; });
}
#endif
