// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenMP backend writes transposed matrices by one of several ways, which follow from the size
// of the matrix and of the machine's caches. Here each way is taken whatever the machine.
#include <tandem/backends/openmp/memory/transpose.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "support/data.hpp"

using namespace tandem::openmp_impl;
using tandem::index_t;

namespace {

struct shape {
  index_t rows;
  index_t columns;
  index_t source_gap;       // bytes
  index_t destination_gap;  // bytes
  std::size_t misaligned;   // bytes
};

/// Transposes in bands and compares the whole destination.
bool transposes_right(const shape& s, std::size_t bytes, bool nontemporal) {
  const auto each = static_cast<index_t>(bytes);
  const index_t source_column = s.rows * each + s.source_gap;
  const index_t destination_row = s.columns * each + s.destination_gap;
  const auto source =
      tandem::test::random_values<char>(static_cast<std::size_t>(s.columns * source_column), bytes);
  auto destination = tandem::test::random_values<char>(
      static_cast<std::size_t>(s.rows * destination_row) + s.misaligned, bytes + 1);
  auto expected = destination;
  for (index_t row = 0; row < s.rows; ++row) {
    for (index_t column = 0; column < s.columns; ++column)
      std::memcpy(expected.data() + s.misaligned + row * destination_row + column * each,
                  source.data() + column * source_column + row * each, bytes);
  }
  const index_t height = transposed_rows(bytes);
  for (index_t row = 0; row < s.rows; row += height) {
    transpose(
        {source.data() + row * each, destination.data() + s.misaligned + row * destination_row,
         s.rows - row < height ? s.rows - row : height, s.columns, source_column, destination_row},
        bytes, nontemporal);
  }
  return destination == expected;
}

}  // namespace

TEST_CASE("openmp copies: each way of transposing moves every element and nothing beside them") {
  const shape shapes[] = {{1, 1, 0, 0, 0},       {64, 64, 0, 0, 0},      {65, 33, 0, 0, 0},
                          {31, 700, 0, 0, 3},    {130, 1025, 5, 0, 1},   {17, 1024, 0, 0, 0},
                          {33, 511, 64, 64, 16}, {3, 2000, 1, 7, 60},    {100, 513, 0, 48, 48},
                          {70, 4096, 0, 0, 0},   {70, 2048, 0, 2048, 8}, {2, 600, 0, 3000, 63}};
  for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
    if (!is_transposable(bytes)) continue;
    for (const shape& s : shapes) {
      CAPTURE(bytes);
      CAPTURE(s.rows);
      CAPTURE(s.columns);
      CHECK(transposes_right(s, bytes, false));
      CHECK(transposes_right(s, bytes, true));
    }
  }
}

TEST_CASE("openmp copies: columns and rows may follow each other downwards") {
  std::vector<float> source(40 * 300);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i);
  for (const bool nontemporal : {false, true}) {
    std::vector<float> got(source.size());
    transpose({reinterpret_cast<const char*>(&source[40 * 299]),
               reinterpret_cast<char*>(&got[300 * 39]), 40, 300, -40 * 4, -300 * 4},
              4, nontemporal);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < 40; ++row) {
      for (std::size_t column = 0; column < 300; ++column)
        wrong += got[(39 - row) * 300 + column] != source[(299 - column) * 40 + row];
    }
    CHECK(wrong == 0);
  }
}
