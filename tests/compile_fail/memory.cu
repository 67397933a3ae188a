// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one side passed to the other, as nvcc sees it.
#include <tandem/tandem.hpp>

float correct_use(const tandem::cuda& space, tandem::array<float, 1, tandem::cuda>& a) {
  const auto v = a.view();
  return tandem::parallel_reduce(
      space, 10, TANDEM_LAMBDA(int i) { return v(i); });
}

#if CASE == 1
// expect: cannot reach
void host_memory_on_the_device(
    const tandem::cuda& space,
    tandem::view<float, 1, tandem::layout_right, tandem::host_memory> v) {
  tandem::fill(space, v, 0.0f);
}
#endif

#if CASE == 2
// expect: kernels_read_a_view_and_the_host_a_mirror
float device_memory_read_on_the_host(tandem::array<float, 1, tandem::cuda>& a) { return a(0); }
#endif

#if CASE == 3
// expect: calling a __host__ function.* is not allowed
int only_on_the_host(int i) { return i + 1; }
void host_function_in_a_kernel(const tandem::cuda& space, tandem::array<int, 1, tandem::cuda>& a) {
  const auto v = a.view();
  tandem::parallel_for(
      space, 10, TANDEM_LAMBDA(int i) { v(i) = only_on_the_host(i); });
}
#endif

#if CASE == 4
// expect: a loop over the CPU with TANDEM_LAMBDA in a file that nvcc compiles
// flags: -UTANDEM_ALLOW_HOST_LOOPS_IN_NVCC -Werror=all-warnings
void loops_over_the_cpu(tandem::view<float, 1, tandem::layout_right, tandem::host_memory> v) {
  tandem::parallel_for(
      tandem::openmp(), 10, TANDEM_LAMBDA(int i) { v(i) = 1.0f; });
  tandem::parallel_for(
      tandem::serial(), 10, TANDEM_LAMBDA(int i) { v(i) = 2.0f; });
}
#endif
