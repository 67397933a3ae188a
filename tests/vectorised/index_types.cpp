// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that check_vectorised.py compiles one by one: LOOP is the number, INDEX the type of a
// lambda's index. Instead of LOOP, FUNCTION may name a function of two doubles, or FUNCTION_OF_ONE
// a function of one argument with the type of its result.

#include <tandem/tandem.hpp>

#ifdef LOOP
using tandem::index_t;

#if LOOP == 0
void scale(const tandem::openmp& space, const float* x, float* y, index_t n) {
  tandem::parallel_for(space, n, [=](INDEX i) { y[i] = 2 * x[i]; });
}
#elif LOOP == 1
void add_neighbours(const tandem::openmp& space, const double* x, double* y, index_t n) {
  tandem::parallel_for(space, tandem::range{1, n - 1},
                       [=](INDEX i) { y[i] = x[i - 1] + x[i] + x[i + 1]; });
}
#elif LOOP == 2
void scale_plane(const tandem::openmp& space, const tandem::view<float, 2>& x) {
  tandem::parallel_for(space, tandem::grid(x.extent(0), x.extent(1)),
                       [=](INDEX j, INDEX i) { x(j, i) *= 2; });
}
#elif LOOP == 3
double apply(const tandem::openmp& space, const double* x, double* y, index_t n) {
  return tandem::parallel_reduce(space, tandem::grid(n, n), [=](INDEX j, INDEX i) {
    const auto at = static_cast<index_t>(j) * n + static_cast<index_t>(i);
    return y[at] = x[at - 1] + x[at + 1];
  });
}
#elif LOOP == 4
void scale_one_by_one(const tandem::openmp& space, const float* x, float* y, index_t n) {
  tandem::parallel_for(space, tandem::without_vectors(n), [=](INDEX i) { y[i] = 2 * x[i]; });
}
#elif LOOP == 5
void scale_plane_one_by_one(const tandem::openmp& space, const tandem::view<float, 2>& x) {
  tandem::parallel_for(space, tandem::without_vectors(tandem::grid(x.extent(0), x.extent(1))),
                       [=](INDEX j, INDEX i) { x(j, i) *= 2; });
}
#endif
#endif

#ifdef FUNCTION
void call(const tandem::openmp& space, const double* x, double* y, tandem::index_t n) {
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(INDEX i) { y[i] = FUNCTION(x[i], y[i]); });
}
#endif

#ifdef FUNCTION_OF_ONE
using element = decltype(FUNCTION_OF_ONE({}));

void call(const tandem::openmp& space, const element* x, element* y, tandem::index_t n) {
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(INDEX i) { y[i] = FUNCTION_OF_ONE(x[i]); });
}
#endif
