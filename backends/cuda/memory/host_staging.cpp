// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/host_staging.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tandem/backends/cuda/memory/strided_words.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tandem::cuda_impl {

namespace {

struct word_of_16 {
  std::uint64_t half[2];
};

/// Copies the words of dimension `d` and all inner dimensions.
template <class Word>
void copy_words(const strided_words<2>& box, int d, std::byte* destination,
                const std::byte* source) {
  constexpr auto bytes = static_cast<index_t>(sizeof(Word));
  const index_t to = box.stride[0][d] * bytes;
  const index_t from = box.stride[1][d] * bytes;
  if (d + 1 < box.rank) {
    for (index_t i = 0; i < box.extent[d]; ++i)
      copy_words<Word>(box, d + 1, destination + i * to, source + i * from);
  } else if (to == bytes && from == bytes) {
    std::memcpy(destination, source, static_cast<std::size_t>(box.extent[d] * bytes));
  } else {
    for (index_t i = 0; i < box.extent[d]; ++i)
      std::memcpy(destination + i * to, source + i * from, sizeof(Word));
  }
}

}  // namespace

void pack_strides(const copy_problem& problem, index_t (&stride)[maximum_rank]) {
  index_t step = 1;
  for (int d = problem.rank - 1; d >= 0; --d) {
    stride[d] = step;
    step *= problem.extent[d];
  }
}

bool is_packed(const copy_problem& problem, const index_t (&stride)[maximum_rank]) {
  index_t packed[maximum_rank] = {};
  pack_strides(problem, packed);
  for (int d = 0; d < problem.rank; ++d) {
    if (problem.extent[d] > 1 && stride[d] != packed[d]) return false;
  }
  return true;
}

void host_copy(const copy_problem& problem) {
  const index_t* const strides[2] = {problem.destination_stride, problem.source_stride};
  const std::size_t address[2] = {reinterpret_cast<std::size_t>(problem.destination),
                                  reinterpret_cast<std::size_t>(problem.source)};
  const strided_words<2> box =
      make_strided_words(problem.rank, problem.extent, strides, problem.element_bytes, address);
  auto* const destination = static_cast<std::byte*>(problem.destination);
  const auto* const source = static_cast<const std::byte*>(problem.source);
  switch (box.word_bytes) {
    case 1:
      return copy_words<std::uint8_t>(box, 0, destination, source);
    case 2:
      return copy_words<std::uint16_t>(box, 0, destination, source);
    case 4:
      return copy_words<std::uint32_t>(box, 0, destination, source);
    case 8:
      return copy_words<std::uint64_t>(box, 0, destination, source);
    default:
      return copy_words<word_of_16>(box, 0, destination, source);
  }
}

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t done = 0;
#if defined(__SSE2__)
  for (; done + 64 <= bytes; done += 64) {
    for (std::size_t i = done; i < done + 64; i += 16) {
      const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), word);
    }
  }
  _mm_sfence();
#endif
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace tandem::cuda_impl
