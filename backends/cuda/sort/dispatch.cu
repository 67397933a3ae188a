// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/sort/dispatch.hpp>

#include <cstdint>

#include <tandem/backends/cuda/memory/strided_words.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/sort/policy.hpp>
#include <tandem/backends/cuda/sort/radix_passes.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

/// Most scratch bytes of a sort that stay with the stream.
constexpr std::size_t max_scratch = std::size_t{64} << 20;

constexpr int block_threads = 256;

/// This thread's index in the grid.
__device__ index_t thread_index() { return index_t{blockIdx.x} * block_threads + threadIdx.x; }

launch_shape one_thread_each(index_t count, const char* label) {
  return {.grid = dim3(static_cast<unsigned>(ceil_div(count, index_t{block_threads}))),
          .block = dim3(block_threads),
          .label = label};
}

template <class Word>
__global__ void invert_kernel(const Word* from, Word* to, index_t size, Word inverted) {
  const index_t i = thread_index();
  if (i < size) to[i] = static_cast<Word>(from[i] ^ inverted);
}

template <class Word>
void invert(const cuda& space, const void* from, void* to, index_t size, Word inverted) {
  launch(space, one_thread_each(size, "sort"), invert_kernel<Word>, static_cast<const Word*>(from),
         static_cast<Word*>(to), size, inverted);
}

__global__ void number_kernel(std::uint32_t* position, index_t size) {
  const index_t i = thread_index();
  if (i < size) position[i] = static_cast<std::uint32_t>(i);
}

/// Gathers values of `words` words each: to[i] = from[source[i]].
template <class Word>
__global__ void gather_kernel(const Word* from, Word* to, const std::uint32_t* source, index_t size,
                              index_t words) {
  const index_t at = thread_index();
  const index_t i = words == 1 ? at : at / words;
  if (i < size) to[at] = from[index_t{source[i]} * words + (at - i * words)];
}

template <class Word>
void gather_words(const cuda& space, const sort_problem& p, const void* from,
                  const std::uint32_t* source) {
  const auto words = static_cast<index_t>(p.value_bytes / sizeof(Word));
  launch(space, one_thread_each(p.size * words, "sort_by_key"), gather_kernel<Word>,
         static_cast<const Word*>(from), static_cast<Word*>(p.values_out), source, p.size, words);
}

/// Enqueues values_out[i] = from[source[i]], in the widest words that divide a value.
void gather(const cuda& space, const sort_problem& p, const void* from,
            const std::uint32_t* source) {
  const std::size_t bits = std::size_t{16} | p.value_bytes | reinterpret_cast<std::size_t>(from) |
                           reinterpret_cast<std::size_t>(p.values_out);
  switch (lowest_bit(bits)) {
    case 1:
      return gather_words<std::uint8_t>(space, p, from, source);
    case 2:
      return gather_words<std::uint16_t>(space, p, from, source);
    case 4:
      return gather_words<std::uint32_t>(space, p, from, source);
    case 8:
      return gather_words<std::uint64_t>(space, p, from, source);
    default:
      return gather_words<uint4>(space, p, from, source);
  }
}

/// The positions, which are sorted in place of the values, and a copy of the values if they would
/// be overwritten.
struct indirect_values {
  sort_problem problem;
  pool_memory positions;
  pool_memory copy;

  indirect_values(const cuda& space, const sort_problem& p)
      : problem(p),
        positions(space, (p.keys == p.keys_out ? 1 : 2) * aligned(position_bytes(p)),
                  "sort_by_key"),
        copy(space, p.values == p.values_out ? value_bytes(p) : 0, "sort_by_key") {
    problem.value_bytes = sizeof(position);
    problem.values = positions.data();
    // Positions are sorted in place if the keys are.
    problem.values_out = p.keys == p.keys_out
                             ? positions.data()
                             : static_cast<char*>(positions.data()) + aligned(position_bytes(p));
  }

  using position = std::uint32_t;
  static std::size_t position_bytes(const sort_problem& p) {
    return static_cast<std::size_t>(p.size) * sizeof(position);
  }
  static std::size_t value_bytes(const sort_problem& p) {
    return static_cast<std::size_t>(p.size) * p.value_bytes;
  }
};

/// Whether the passes move the values along with their keys, as 4-byte words. Other values are
/// gathered at the end. That needs no instance of CUB's sort per size, and moves every value once
/// rather than in each of four or eight passes, at the cost of one random access.
bool move_with_keys(const sort_problem& p) {
  return p.value_bytes == 4 &&
         (reinterpret_cast<std::size_t>(p.values) | reinterpret_cast<std::size_t>(p.values_out)) %
                 4 ==
             0;
}

}  // namespace

void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint8_t inverted) {
  invert(space, from, to, size, inverted);
}
void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint16_t inverted) {
  invert(space, from, to, size, inverted);
}

void copy_unless_same(const cuda& space, void* to, const void* from, std::size_t bytes) {
  if (to == from) return;
  const device_guard current(limits(space));
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, space.native_stream()),
        "sort: cudaMemcpyAsync");
}

void sort_any_values(const cuda& space, const sort_problem& p) {
  const indirect_values indirect(space, p);
  auto* const positions = static_cast<std::uint32_t*>(indirect.positions.data());
  launch(space, one_thread_each(p.size, "sort_by_key"), number_kernel, positions, p.size);
  sort_pairs_4_bytes(space, indirect.problem);
  const void* from = p.values;
  if (p.values == p.values_out) {
    from = indirect.copy.data();
    copy_unless_same(space, indirect.copy.data(), p.values, indirect_values::value_bytes(p));
  }
  gather(space, p, from, static_cast<const std::uint32_t*>(indirect.problem.values_out));
}

sort_memory::sort_memory(const cuda& space, std::size_t bytes)
    : space_(space),
      data_(bytes > max_scratch ? allocate(space.state(), bytes, "sort") : scratch(space, bytes)),
      pooled_(bytes > max_scratch) {}

sort_memory::~sort_memory() {
  if (pooled_) deallocate(space_.state(), data_);
}

}  // namespace cuda_impl

void dispatch_sort(const cuda& space, const sort_problem& problem) {
  if (problem.size == 0) return;
  constexpr auto most = static_cast<index_t>(cuda_impl::max_sorted_keys);
  if (problem.size > most)
    detail::fail_extents("sort", "keys", problem.size, ">", "most keys of a sort on a GPU", most);
  if (problem.values == nullptr) return cuda_impl::sort_keys(space, problem);
  if (cuda_impl::move_with_keys(problem)) return cuda_impl::sort_pairs_4_bytes(space, problem);
  cuda_impl::sort_any_values(space, problem);
}

}  // namespace tandem
