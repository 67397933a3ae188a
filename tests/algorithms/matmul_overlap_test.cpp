// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product may be written next to its operands in one larger array, but not over them.

#include "support/backends.hpp"

using namespace tandem::test;
using tandem::slice;

namespace {

/// A matrix of 12 x 12 ones that the operands are blocks of.
template <class Backend>
struct shared_matrix {
  using Space = typename Backend::space;
  Space space = Backend::make();
  tandem::array<float, 2, Space> whole{tandem::extents<2>(12, 12), 1.0f, space};

  auto block(const slice& rows, const slice& columns) {
    return tandem::subview(whole.view(), rows, columns);
  }

  template <class A, class B, class C>
  void refuse(const A& a, const B& b, const C& c, const char* message) {
    CHECK_THROWS_WITH_AS(tandem::matmul(space, a, b, c), message, tandem::argument_error);
    CHECK(to_host(space, whole) == std::vector<float>(144, 1.0f));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("matmul: a block of the matrix that its operands are blocks of", Backend,
                   TANDEM_TEST_BACKENDS) {
  shared_matrix<Backend> m;
  const auto a = m.block({0, 4}, {0, 4});
  const auto b = m.block({4, 8}, {4, 8});
  tandem::matmul(m.space, a, b, m.block({0, 4}, {4, 8}));  // between the two, with interleaved rows
  tandem::matmul(m.space, a, b, m.block({8, 12}, {1, 5}));
  const auto got = to_host(m.space, m.whole);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      const bool first = i < 4 && j >= 4 && j < 8;
      const bool second = i >= 8 && j >= 1 && j < 5;
      CHECK(got[i * 12 + j] == (first || second ? 4.0f : 1.0f));
    }
  }
}

TEST_CASE_TEMPLATE("matmul: a result that shares an element with an operand is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  shared_matrix<Backend> m;
  const auto a = m.block({0, 4}, {0, 4});
  const auto b = m.block({4, 8}, {4, 8});
  m.refuse(a, b, a, "matmul: c overlaps a");
  m.refuse(a, b, b, "matmul: c overlaps b");
  m.refuse(a, b, m.block({3, 7}, {3, 7}), "matmul: c overlaps a");  // one element
  m.refuse(a, b, m.block({7, 11}, {7, 11}), "matmul: c overlaps b");
  m.refuse(a, b, tandem::transposed(m.block({1, 5}, {3, 7})), "matmul: c overlaps a");
}

TEST_CASE_TEMPLATE("matmul: a result whose elements are not distinct is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  shared_matrix<Backend> m;
  using memory = typename Backend::space::memory_type;
  using layout = tandem::layout_stride;
  const auto a = m.block({0, 4}, {0, 4});
  const auto spread = [&](tandem::index_t row, tandem::index_t column) {
    return tandem::view<float, 2, layout, memory>(m.whole.view().data_handle() + 72,
                                                  layout::mapping<2>({4, 4}, {row, column}));
  };
  m.refuse(a, a, spread(0, 1), "matmul: c overlaps itself");
  m.refuse(a, a, spread(3, 1), "matmul: c overlaps itself");
  m.refuse(a, a, spread(2, 3), "matmul: c overlaps itself");
  tandem::matmul(m.space, a, a, spread(3, 4));  // each row begins inside the previous one
  const auto got = to_host(m.space, m.whole);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) CHECK(got[72 + 3 * i + 4 * j] == 4.0f);
  }
}
