// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/dispatch.hpp>
#include <tandem/backends/cuda/memory/strided_kernel.cuh>

#include <cstring>
#include <string>

#include <tandem/core/errors.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

/// Largest pattern in bytes for most elements, and for the largest ones.
constexpr std::size_t small_pattern = 16;
constexpr std::size_t large_pattern = 2048;

/// The words that fill a row: word i of the row becomes word[i % period].
template <class Word, std::size_t Bytes>
struct fill_pattern {
  Word word[Bytes / sizeof(Word)];
  unsigned period;
};

/// Fills a box of words with a pattern.
template <class Word, std::size_t Bytes, class Count>
__global__ void __launch_bounds__(strided_kernels.block)
    fill_kernel(const __grid_constant__ strided_words<1> box, Word* destination,
                const __grid_constant__ fill_pattern<Word, Bytes> pattern, Count words) {
  ptx::grid_dependency_wait();
  const Count first = static_cast<Count>(blockIdx.x) * strided_tile + threadIdx.x;
#pragma unroll
  for (unsigned item = 0; item < strided_kernels.words; ++item) {
    const Count at = first + item * strided_kernels.block;
    if (at >= words) return;
    index_t offset[1];
    word_offsets(box, at, offset);
    // A row holds whole elements, so a word's index in the row gives its position in its element.
    destination[offset[0]] = pattern.word[pattern.period == 1 ? 0 : at % pattern.period];
  }
}

/// Makes the pattern of one element, or of as many elements as fit in a word.
template <class Word, std::size_t Bytes>
fill_pattern<Word, Bytes> make_pattern(const fill_problem& problem) {
  fill_pattern<Word, Bytes> pattern{};
  unsigned char bytes[Bytes];
  for (std::size_t i = 0; i < Bytes; ++i) {
    bytes[i] = static_cast<const unsigned char*>(problem.value)[i % problem.element_bytes];
  }
  std::memcpy(pattern.word, bytes, sizeof(bytes));
  pattern.period = problem.element_bytes > sizeof(Word)
                       ? static_cast<unsigned>(problem.element_bytes / sizeof(Word))
                       : 1;
  return pattern;
}

/// Bytes of the widest word that divides an element or holds whole elements; for example, 4 for
/// elements of 12 bytes.
std::size_t widest_word(std::size_t element_bytes) {
  const std::size_t power = lowest_bit(element_bytes);
  return power == element_bytes ? 16 : power;
}

template <std::size_t Bytes>
void launch_fill(const cuda& space, const char* label, const fill_problem& problem) {
  const index_t* const strides[1] = {problem.stride};
  const std::size_t address[1] = {reinterpret_cast<std::size_t>(problem.destination)};
  const strided_words<1> box =
      make_strided_words(problem.rank, problem.extent, strides, problem.element_bytes, address,
                         widest_word(problem.element_bytes));
  const index_t words = box.size();
  visit_word_type(box.word_bytes, [&]<class Word>() {
    auto* const destination = static_cast<Word*>(problem.destination);
    const auto pattern = make_pattern<Word, Bytes>(problem);
    const launch_shape shape = strided_launch(words, label);
    if (fits_32_bits(words)) {
      launch(space, shape, fill_kernel<Word, Bytes, unsigned>, box, destination, pattern,
             static_cast<unsigned>(words));
    } else {
      launch(space, shape, fill_kernel<Word, Bytes, std::size_t>, box, destination, pattern,
             static_cast<std::size_t>(words));
    }
  });
}

/// Performs the fill that `problem` describes, labelled with the calling operation.
void fill_box(const cuda& space, const char* label, const fill_problem& problem) {
  if (problem.size() == 0) return;
  if (problem.element_bytes <= small_pattern) {
    launch_fill<small_pattern>(space, label, problem);
  } else if (problem.element_bytes <= large_pattern) {
    launch_fill<large_pattern>(space, label, problem);
  } else {
    throw argument_error(std::string(label) + ": elements of " +
                         std::to_string(problem.element_bytes) + " bytes > " +
                         std::to_string(large_pattern));
  }
}

}  // namespace

void set_bytes(const cuda& space, const char* label, void* pointer, unsigned char value,
               std::size_t bytes) {
  fill_problem problem;
  problem.rank = 1;
  problem.extent[0] = static_cast<index_t>(bytes);
  problem.stride[0] = 1;
  problem.element_bytes = 1;
  problem.destination = pointer;
  problem.value = &value;
  fill_box(space, label, problem);
}

}  // namespace cuda_impl

void dispatch_fill(const cuda& space, const fill_problem& problem) {
  cuda_impl::fill_box(space, "fill", problem);
}

}  // namespace tandem
