// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend splits strided elements into words in plain C++, which a machine without a GPU
// can check.

#include <doctest/doctest.h>

#include <cstddef>

#include <tandem/backends/cuda/memory/strided_words.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

TEST_CASE("cuda copies: contiguous rows move in the widest words that sizes and addresses allow") {
  const index_t extent[] = {10, 64};
  const index_t stride[] = {100, 1};
  const index_t* const both[2] = {stride, stride};
  const std::size_t aligned[2] = {4096, 8192};
  const std::size_t odd[2] = {4096, 8196};
  const auto wide = make_strided_words(2, extent, both, 4, aligned);
  CHECK(wide.word_bytes == 16);
  CHECK(wide.size() == 160);
  CHECK(make_strided_words(2, extent, both, 4, odd).word_bytes == 4);
}

TEST_CASE("cuda copies: an element of several words has a dimension of its own") {
  const index_t extent[] = {10};
  const index_t apart[] = {2};
  const index_t* const both[2] = {apart, apart};
  const std::size_t aligned[2] = {4096, 8192};
  const auto dozen = make_strided_words(1, extent, both, 12, aligned);
  CHECK(dozen.word_bytes == 4);
  CHECK(dozen.rank == 2);
  CHECK(dozen.extent[1] == 3);
  CHECK(dozen.stride[0][0] == 6);
  const auto pair = make_strided_words(1, extent, both, 8, aligned);
  CHECK(pair.word_bytes == 8);
  CHECK(pair.rank == 1);
  CHECK(pair.size() == 10);
}
