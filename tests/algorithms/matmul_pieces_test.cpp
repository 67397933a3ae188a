// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of successive pieces of k add up to the bits of the whole product.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

using namespace tandem::test;
using tandem::index_t;
using tandem::slice;

namespace {

struct shape {
  index_t m;
  index_t n;
  index_t k;
};

template <class T>
std::vector<T> elements(index_t count, std::size_t seed) {
  const auto size = static_cast<std::size_t>(count);
  if constexpr (std::is_integral_v<T>) {
    return random_values<T>(size, seed);
  } else {
    std::vector<T> list;
    for (const float value : random_values<float>(size, seed))
      list.push_back(static_cast<T>(value));
    return list;
  }
}

/// The matrix, its transpose in memory if `down`.
template <class Space, class X>
auto placed(const X& x, bool down) {
  using Element = const typename X::value_type;
  using View = tandem::view<Element, 2, tandem::layout_stride, typename Space::memory_type>;
  return down ? View(tandem::transposed(x.const_view())) : View(x.const_view());
}

/// Compares totals of pieces of each number of terms with those of the whole product.
template <class Sum, class In, class Backend>
void compare(const shape& size, const std::vector<index_t>& numbers_of_terms, int form,
             tandem::matmul_precision precision) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const bool a_down = form % 2 == 1;
  const bool b_down = form / 2 == 1;
  using matrix = tandem::array<In, 2, Space>;
  matrix a0(a_down ? tandem::extents<2>(size.k, size.m) : tandem::extents<2>(size.m, size.k),
            space);
  matrix b0(b_down ? tandem::extents<2>(size.n, size.k) : tandem::extents<2>(size.k, size.n),
            space);
  tandem::copy(space, elements<In>(a0.size(), 1), a0);
  tandem::copy(space, elements<In>(b0.size(), 2), b0);
  const auto a = placed<Space>(a0, a_down);
  const auto b = placed<Space>(b0, b_down);
  tandem::array<Sum, 2, Space> whole({size.m, size.n}, space);
  tandem::array<Sum, 2, Space> totals({size.m, size.n}, space);
  using Options = tandem::detail::matmul_options_for<Space, decltype(whole)>;
  tandem::matmul(space, a, b, whole, {.precision = precision, .split_k = true});
  const std::vector<Sum> wanted = tandem::to_vector(space, whole);
  for (const index_t terms : numbers_of_terms) {
    for (index_t first = 0; first < size.k; first += terms) {
      const slice some{first, std::min(first + terms, size.k)};
      const auto left = tandem::subview(a, tandem::all, some);
      const auto right = tandem::subview(b, some, tandem::all);
      const Options options{.precision = precision, .split_k = true};
      if (first == 0) {
        tandem::matmul(space, left, right, totals, options);
      } else {
        tandem::detail::add_product(space, left, right, totals.view(), options);
      }
    }
    INFO("m " << size.m << ", n " << size.n << ", k " << size.k << ", pieces of " << terms
              << ", form " << form);
    CHECK(first_difference(tandem::to_vector(space, totals), wanted) == -1);
  }
}

template <class Sum, class In, class Backend>
void compare_shapes(tandem::matmul_precision precision = tandem::matmul_precision::full) {
  // serial has no tiles, and takes a second for a large shape.
  constexpr bool is_serial = std::is_same_v<typename Backend::space, tandem::serial>;
  const shape large = is_serial ? shape{4, 9, 4099} : shape{64, 100, 4099};
  for (const shape& size : {shape{1, 1, 1025}, shape{3, 70, 5000}, shape{33, 17, 2048}, large})
    for (int form = 0; form < 4; ++form)
      compare<Sum, In, Backend>(size, {1024, 2048, 4096}, form, precision);
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: pieces of k add up to the whole", Backend, TANDEM_TEST_BACKENDS) {
  compare_shapes<float, float, Backend>();
  compare_shapes<double, double, Backend>();
  compare_shapes<float, tandem::half, Backend>();
  compare_shapes<float, tandem::bf16, Backend>();
  compare_shapes<std::int32_t, std::int8_t, Backend>();
  compare_shapes<float, float, Backend>(tandem::matmul_precision::tf32);
}

#ifdef TANDEM_TEST_CUDA
// Enough tiles for the kernels that add several chunks at once, also with edges and a last piece of
// few terms.
TEST_CASE_TEMPLATE("matmul: pieces of a large product on a device", Backend, on_cuda) {
  constexpr auto full = tandem::matmul_precision::full;
  for (const shape& size : {shape{2048, 2304, 4200}, shape{1601, 2820, 2100}}) {
    for (int form = 0; form < 4; ++form) {
      compare<float, float, Backend>(size, {2048}, form, full);
      if (form % 3 == 0) compare<double, double, Backend>(size, {2048}, form, full);
      compare<float, tandem::bf16, Backend>(size, {2048}, form, full);
    }
    compare<float, tandem::half, Backend>(size, {1024}, 0, full);
  }
}
#endif

TEST_CASE("matmul: where k may be cut") {
  using tandem::matmul_precision;
  const auto of = [](index_t k, matmul_precision precision, bool split_k) {
    return tandem::detail::matmul_piece<float>(k, precision, split_k);
  };
  CHECK(of(1000, matmul_precision::full, false) == 1000);
  CHECK(of(1025, matmul_precision::full, false) == 1024);
  CHECK(of(16384, matmul_precision::tf32, false) == 16384);
  CHECK(of(16384, matmul_precision::tf32, true) == 1024);
  CHECK(of(16385, matmul_precision::tf32, false) == 1024);
  CHECK(of(100000, matmul_precision::bf16x6, true) == 100000);
  CHECK(of(100000, matmul_precision::bf16x9, false) == 100000);
  CHECK(tandem::detail::matmul_piece<tandem::half>(16384, matmul_precision::full, false) == 16384);
  CHECK(tandem::detail::matmul_piece<tandem::bf16>(16385, matmul_precision::full, false) == 1024);
  CHECK(tandem::detail::matmul_piece<double>(16384, matmul_precision::full, false) == 1024);
  CHECK(tandem::detail::matmul_piece<std::int8_t>(16384, matmul_precision::full, false) == 4096);
}
