// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <array>
#include <cstdint>

using namespace tandem::test;

// Products of 8-bit integers are exact modulo 2^32 whatever the storage order of their operands.
// The order decides which kernel a backend uses.

namespace {

using tandem::index_t;
using tandem::layout_left;
using tandem::layout_right;

/// Returns the row-major elements of alpha a b + beta c, modulo 2^32.
std::vector<std::int32_t> definition(const std::vector<std::int8_t>& a,
                                     const std::vector<std::int8_t>& b, std::size_t m,
                                     std::size_t n, std::uint32_t alpha, std::uint32_t c) {
  const std::size_t k = a.size() / m;
  std::vector<std::int32_t> result(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<std::int32_t> row(n);
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) row[j] += a[i * k + l] * b[l * n + j];
    }
    for (std::size_t j = 0; j < n; ++j)
      result[i * n + j] = static_cast<std::int32_t>(alpha * static_cast<std::uint32_t>(row[j]) + c);
  }
  return result;
}

template <class T, class Layout, class Space>
tandem::array<T, 2, Space, Layout> stored(const Space& space, const tandem::extents<2>& sizes,
                                          const std::vector<T>& elements) {
  tandem::array<T, 2, Space, Layout> result(sizes, space);
  tandem::copy(space, tandem::as_view<tandem::host_memory>(elements.data(), sizes[0], sizes[1]),
               result.view());
  space.fence();
  return result;
}

/// Runs a product with every storage order of a, b and c, with and without scaling and an epilogue.
template <class Space>
class orders {
 public:
  orders(const Space& space, index_t m, index_t n, index_t k)
      : space_(space),
        m_(m),
        n_(n),
        k_(k),
        a_(random_values<std::int8_t>(static_cast<std::size_t>(m * k), 1)),
        b_(random_values<std::int8_t>(static_cast<std::size_t>(k * n), 2)),
        plain_(expected(3, 0)),
        finished_(expected(-5, 14)) {}

  void check() const {
    check_c<layout_right, layout_right>();
    check_c<layout_right, layout_left>();
    check_c<layout_left, layout_right>();
    check_c<layout_left, layout_left>();
  }

 private:
  std::vector<std::int32_t> expected(std::int32_t alpha, std::uint32_t c) const {
    return definition(a_, b_, static_cast<std::size_t>(m_), static_cast<std::size_t>(n_),
                      static_cast<std::uint32_t>(alpha), c);
  }

  template <class A, class B>
  void check_c() const {
    const auto a = stored<std::int8_t, A>(space_, {m_, k_}, a_);
    const auto b = stored<std::int8_t, B>(space_, {k_, n_}, b_);
    check_result<layout_right>(a.const_view(), b.const_view());
    check_result<layout_left>(a.const_view(), b.const_view());
  }

  template <class C, class A, class B>
  void check_result(const A& a, const B& b) const {
    tandem::array<std::int32_t, 2, Space, C> c(tandem::extents<2>(m_, n_), -7, space_);
    tandem::matmul(space_, a, b, c.view(), {.alpha = 3});
    INFO("m = " << m_ << ", n = " << n_ << ", k = " << k_
                << "; rows of a contiguous: " << (a.stride(1) == 1)
                << ", of b: " << (b.stride(1) == 1) << ", of c: " << (c.view().stride(1) == 1));
    CHECK(to_host(space_, c) == plain_);
    tandem::fill(space_, c.view(), -7);
    tandem::matmul(space_, a, b, c.view(), {.alpha = -5, .beta = -2});
    CHECK(to_host(space_, c) == finished_);
  }

  const Space& space_;
  index_t m_;
  index_t n_;
  index_t k_;
  std::vector<std::int8_t> a_;
  std::vector<std::int8_t> b_;
  std::vector<std::int32_t> plain_;
  std::vector<std::int32_t> finished_;
};

}  // namespace

TEST_CASE_TEMPLATE("matmul: 8-bit integers are exact in every order of a, b and c", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  // Sizes aligned to 16, so that every order may be read in place; few rows, few columns; a k large
  // enough to split; and odd sizes.
  const std::array<index_t, 3> sizes[] = {{48, 80, 96},   {144, 272, 208}, {16, 320, 80},
                                          {320, 16, 80},  {64, 64, 2080},  {1, 1, 1},
                                          {64, 128, 130}, {17, 33, 65}};
  for (const auto& [m, n, k] : sizes) orders(space, m, n, k).check();
}
