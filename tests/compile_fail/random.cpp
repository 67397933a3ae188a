// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of random numbers. tests/checks/check_compile_fail.py compiles each case.
#include <tandem/tandem.hpp>

using tandem::host_memory;
using tandem::layout_right;
template <class T>
using row = tandem::view<T, 1, layout_right, host_memory>;

void correct_use(row<float> x, row<int> k) {
  const tandem::serial space;
  tandem::fill_random(space, x, tandem::uniform{}, 1);
  tandem::fill_random(space, k, tandem::uniform_int{1, 6}, 1);
  tandem::random_permutation(space, k, 1);
}

#if CASE == 1
// expect: tandem: fill_random: the distribution does not draw elements of this type
void reals_of_integers(row<int> k) {
  tandem::fill_random(tandem::serial{}, k, tandem::uniform{}, 1);
}
#endif

#if CASE == 2
// expect: tandem: fill_random: the elements are const
void into_const(row<const float> x) {
  tandem::fill_random(tandem::serial{}, x, tandem::uniform{}, 1);
}
#endif

#if CASE == 3
// expect: tandem: random_values: the distribution does not draw elements of this type
auto normal_integers() { return tandem::random_values<int>(tandem::normal{}, 1); }
#endif

#if CASE == 4
// expect: tandem: random_permutation: the elements are integers and not const
void permutation_of_reals(row<float> x) { tandem::random_permutation(tandem::serial{}, x, 1); }
#endif
