// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rows are cut, and what the members of a group contribute to a reduction.

#include "distributed/support.hpp"

using namespace tandem::test;

TEST_CASE("cut: even parts are cut at multiples of 4096 elements and balanced") {
  for (const int parts : {1, 2, 3, 7, 8, 64, 1000, 4096}) {
    for (const tandem::index_t rows : {tandem::index_t{1} << 32, (tandem::index_t{1} << 32) + 12345,
                                       tandem::index_t{1000000000}, tandem::index_t{70000000000}}) {
      const auto where = tandem::cut::even(rows, parts);
      CHECK(where.parts() == parts);
      CHECK(where.rows() == rows);
      const double mean = static_cast<double>(rows) / parts;
      bool is_aligned = true;
      double largest = 0;
      for (int p = 0; p < parts; ++p) {
        is_aligned = is_aligned && where.begin(p) % 4096 == 0;
        largest = std::max(largest, static_cast<double>(where.size(p)));
      }
      CHECK(is_aligned);
      if (mean >= 512 * 4096) CHECK(largest <= mean * (1 + 1.0 / 256));
    }
  }
  CHECK(tandem::cut::even(10000, 3).text() == "0, 0, 4096, 10000");
  CHECK(tandem::cut::even(0, 2).text() == "0, 0, 0");
  // Rows of 100 elements: 1024 of them are a multiple of 4096.
  CHECK(tandem::cut::even(1024 * 256 * 4, 4, 100).begin(1) % 1024 == 0);
  CHECK(tandem::cut::even(10, 3, 100).text() == "0, 3, 6, 10");
}

TEST_CASE("cut: rows of parts, their part, and what is refused") {
  const auto where = tandem::cut::of({3, 0, 4, 0});
  CHECK(where.rows() == 7);
  CHECK(where.size(1) == 0);
  CHECK(where.part_of(0) == 0);
  CHECK(where.part_of(2) == 0);
  CHECK(where.part_of(3) == 2);
  CHECK(where.part_of(6) == 2);
  CHECK(where == tandem::cut::of({3, 0, 4, 0}));
  CHECK(!(where == tandem::cut::of({3, 4, 0, 0})));
  CHECK_THROWS_WITH_AS(tandem::cut::of({3, -1}),
                       "cut: rows of a part (-1) < smallest size (0): did a product of ints "
                       "overflow? compute it in tandem::index_t",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::cut::of({}), tandem::argument_error);
  CHECK_THROWS_AS(tandem::cut::even(10, 0), tandem::argument_error);
  CHECK_THROWS_AS(tandem::cut::even(-1, 2), tandem::extent_error);
}

TEST_CASE("reduction_part: terms are a head, whole tiles and a tail, each once") {
  bool is_right = true;
  for (const tandem::index_t n : {1, 15, 16, 17, 64, 100}) {
    for (tandem::index_t begin = 0; begin <= n; ++begin) {
      for (tandem::index_t end = begin; end <= n; ++end) {
        const auto part = tandem::detail::reduction_part::of({begin, end}, n, 16);
        is_right = is_right && part.head.begin == begin && part.head.end == part.tiles.begin &&
                   part.tiles.end == part.tail.begin && part.tail.end == end;
        is_right = is_right && (part.tiles.size() == 0 || part.tiles.begin % 16 == 0) &&
                   (part.tiles.size() == 0 || part.tiles.end % 16 == 0 || end == n) &&
                   part.head.size() < 16 && part.tail.size() < 16 &&
                   (part.tail.size() == 0 || part.tail.begin % 16 == 0);
      }
    }
  }
  CHECK(is_right);
}
