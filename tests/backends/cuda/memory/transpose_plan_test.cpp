// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend plans transposing copies in plain C++. A machine without a GPU can follow a plan
// as the kernel does, one thread after another.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <tandem/backends/cuda/memory/transpose/narrow_plan.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

namespace {

constexpr int h200_multiprocessors = 132;

struct problem {
  int rank = 0;
  index_t extent[6] = {};
  index_t stride[2][6] = {};  // destination, source
  std::size_t bytes = 1;
};

tile_bit sum_bits(const tile_bit* bits, unsigned number) {
  tile_bit sum;
  for (int i = 0; number >> i != 0; ++i) {
    if ((number >> i & 1) == 0) continue;
    sum.offset += bits[i].offset;
    sum.coordinate |= bits[i].coordinate;
    sum.slot ^= bits[i].slot;
  }
  return sum;
}

/// A tile as a block of the kernel copies it.
class tile_copy {
 public:
  tile_copy(const transpose_plan& plan, char* destination, const char* source)
      : plan_(plan),
        words_(1u << (transpose_tile_bits(plan.word_bytes) - plan.fewer_bits)),
        destination_(destination),
        source_(source) {}

  /// Returns whether no two words share a slot.
  bool run(unsigned block) {
    unsigned bias = plan_.bias;
    index_t offset[2] = {};
    for (int d = plan_.rank - 1; d >= 0; --d) {
      const unsigned outer = block / plan_.tiles[d];
      const auto at = static_cast<index_t>(block - outer * plan_.tiles[d]);
      for (int side = 0; side < 2; ++side) offset[side] += at * plan_.step[side][d];
      const index_t missing = (at + 1) * plan_.span[d] - plan_.extent[d];
      if (missing > 0) bias += static_cast<unsigned>(missing) << plan_.shift[d];
      block = outer;
    }
    const bool is_distinct = load(source_ + offset[1], bias);
    store(destination_ + offset[0], bias);
    return is_distinct;
  }

 private:
  unsigned thread_words() const { return words_ >> transposes.block_bits; }
  bool is_inside(const tile_bit& word, unsigned bias) const {
    return ((word.coordinate + bias) & plan_.guards) == 0;
  }

  bool load(const char* source, unsigned bias) {
    const std::size_t bytes = plan_.word_bytes;
    const auto packed = static_cast<std::size_t>(plan_.packed);
    std::vector<bool> is_used(words_);
    bool is_distinct = true;
    tile_.assign(words_ * bytes, '?');
    std::vector<char> value(packed * bytes);
    const std::size_t element = bytes / packed;
    for (unsigned thread = 0; thread < 1u << transposes.block_bits; ++thread) {
      for (unsigned first = 0; first < thread_words();
           first += static_cast<unsigned>(plan_.packed)) {
        unsigned slot[4] = {};
        for (unsigned i = 0; i < packed; ++i) {
          const tile_bit word = sum_bits(plan_.load, thread | (first + i) << transposes.block_bits);
          slot[i] = word.slot;
          is_distinct = is_distinct && word.slot < words_ && !is_used[word.slot];
          if (is_distinct) is_used[word.slot] = true;
          if (is_inside(word, bias)) std::memcpy(&value[i * bytes], source + word.offset, bytes);
        }
        for (std::size_t i = 0; i < packed; ++i) {
          for (std::size_t j = 0; j < packed; ++j)
            std::memcpy(&tile_[slot[j] * bytes + i * element], &value[i * bytes + j * element],
                        element);
        }
      }
    }
    return is_distinct;
  }

  void store(char* destination, unsigned bias) const {
    for (unsigned number = 0; number < words_; ++number) {
      const tile_bit word = sum_bits(plan_.store, number);
      if (is_inside(word, bias))
        std::memcpy(destination + word.offset, &tile_[word.slot * plan_.word_bytes],
                    plan_.word_bytes);
    }
  }

  const transpose_plan& plan_;
  unsigned words_;
  char* destination_;
  const char* source_;
  std::vector<char> tile_;
};

/// Memory of one side, with room around the elements.
struct side_memory {
  std::vector<char> bytes;
  std::size_t first = 0;

  char* element() { return bytes.data() + first; }
};

class random_problem {
 public:
  explicit random_problem(unsigned seed) : random_(seed) {
    constexpr std::size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24};
    constexpr int extents[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 65, 128, 200};
    const bool has_words = seed % 4 == 0;  // all steps are whole words of small elements
    made.bytes = sizes[number(0, has_words ? 1 : 7)];
    made.rank = number(has_words ? 2 : 1, 6);
    index_t total = 1;
    for (int d = 0; d < made.rank; ++d) {
      made.extent[d] = has_words ? 4 * number(1, 20) : extents[number(0, 14)];
      if (total * made.extent[d] > 10000) made.extent[d] = number(1, 3);
      total *= made.extent[d];
    }
    for (int side = 0; side < 2; ++side) place(side, has_words ? 4 : 1);
  }

  problem made;
  side_memory memory[2];

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// Draws the strides of a side. The destination's dimensions are in order, as copy problems are.
  void place(int side, int grain) {
    int order[6];
    for (int d = 0; d < made.rank; ++d) order[d] = made.rank - 1 - d;
    if (side == 1) std::shuffle(order, order + made.rank, random_);
    index_t step = grain == 1 && number(0, 9) == 0 ? 2 : 1;
    index_t lowest = 0;
    const bool has_gaps = number(0, 2) == 0;
    const bool is_reversed = number(0, 3) == 0;
    for (int i = 0; i < made.rank; ++i) {
      const int d = order[i];
      const bool turned = is_reversed && number(0, 1) == 0;
      made.stride[side][d] = turned ? -step : step;
      if (turned) lowest += step * (made.extent[d] - 1);
      step *= made.extent[d];
      if (has_gaps) step += grain * number(0, 2);
    }
    const int shift = number(0, 1) == 0 ? 0 : grain * number(0, 3);
    side_memory& at = memory[side];
    at.bytes.resize(static_cast<std::size_t>(step + shift) * made.bytes + 256);
    for (char& byte : at.bytes) byte = static_cast<char>(random_());
    const auto aligned = 64 - reinterpret_cast<std::size_t>(at.bytes.data()) % 64;
    at.first = aligned + static_cast<std::size_t>(lowest + shift) * made.bytes;
  }

  std::mt19937 random_;
};

strided_words<2> words_of(const problem& p, const std::size_t (&address)[2]) {
  const index_t* const strides[2] = {p.stride[0], p.stride[1]};
  return make_strided_words(p.rank, p.extent, strides, p.bytes, address);
}

void copy_plainly(const problem& p, char* to, const char* from) {
  index_t total = 1;
  for (int d = 0; d < p.rank; ++d) total *= p.extent[d];
  for (index_t k = 0; k < total; ++k) {
    index_t rest = k;
    index_t offset[2] = {};
    for (int d = p.rank - 1; d >= 0; --d) {
      for (int side = 0; side < 2; ++side) offset[side] += rest % p.extent[d] * p.stride[side][d];
      rest /= p.extent[d];
    }
    const auto bytes = static_cast<index_t>(p.bytes);
    std::memcpy(to + offset[0] * bytes, from + offset[1] * bytes, p.bytes);
  }
}

/// The plan of a dense transpose of a square matrix.
transpose_plan square_plan(index_t side, std::size_t bytes) {
  const problem p{2, {side, side}, {{side, 1}, {1, side}}, bytes};
  const std::size_t address[2] = {4096, 4096};
  return plan_transpose(words_of(p, address), address, h200_multiprocessors);
}

/// Returns how many threads of a warp use one bank at once, at worst.
std::size_t bank_conflicts(const tile_bit* bits, std::size_t word_bytes) {
  const std::size_t threads = word_bytes <= 4 ? 32 : 128 / word_bytes;
  std::set<std::size_t> used[32];
  for (unsigned thread = 0; thread < threads; ++thread) {
    const std::size_t first = sum_bits(bits, thread).slot * word_bytes / 4;
    for (std::size_t i = 0; i < std::max<std::size_t>(word_bytes / 4, 1); ++i)
      used[(first + i) % 32].insert(first + i);
  }
  std::size_t most = 0;
  for (const auto& bank : used) most = std::max(most, bank.size());
  return most - 1;
}

}  // namespace

TEST_CASE("cuda copies: tiles move every element of random boxes and nothing beside them") {
  int transposing = 0;
  int packed = 0;
  for (unsigned seed = 0; seed < 160; ++seed) {
    CAPTURE(seed);
    random_problem random(seed);
    side_memory& to = random.memory[0];
    side_memory& from = random.memory[1];
    side_memory expected = to;
    const std::size_t address[2] = {reinterpret_cast<std::size_t>(to.element()),
                                    reinterpret_cast<std::size_t>(from.element())};
    const auto box = words_of(random.made, address);
    const auto plan = plan_transpose(box, address, seed % 3 == 0 ? 1 : h200_multiprocessors);
    tile_copy tile(plan, to.element(), from.element());
    bool is_distinct = true;
    for (index_t block = 0; block < plan.blocks; ++block)
      is_distinct = tile.run(static_cast<unsigned>(block)) && is_distinct;
    copy_plainly(random.made, expected.element(), from.element());
    CHECK(is_distinct);
    CHECK(to.bytes == expected.bytes);
    transposing += is_transposing(box);
    packed += plan.packed > 1;
  }
  CHECK(transposing > 80);
  CHECK(packed > 5);
}

TEST_CASE("cuda copies: threads that access a tile at the same time use different banks") {
  for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    CAPTURE(bytes);
    const transpose_plan plan = square_plan(4096, bytes);
    CHECK(bank_conflicts(plan.load, plan.word_bytes) == 0);
    CHECK(bank_conflicts(plan.store, plan.word_bytes) == 0);
  }
}

TEST_CASE("cuda copies: small copies have smaller tiles, so that every multiprocessor has one") {
  CHECK(square_plan(8192, 4).fewer_bits == 0);
  CHECK(square_plan(1024, 4).fewer_bits == 1);
  CHECK(square_plan(1024, 4).blocks == 256);
  CHECK(square_plan(256, 4).fewer_bits == transposes.fewer_bits);
  CHECK(square_plan(1024, 16).fewer_bits == 0);
}

TEST_CASE("cuda copies: only boxes without long pieces in common are transposed") {
  const std::size_t address[2] = {4096, 4096};
  const auto is_transposed = [&](index_t inner) {
    const problem p{3, {64, 48, inner}, {{48 * inner, inner, 1}, {inner, 64 * inner, 1}}, 4};
    return is_transposing(words_of(p, address));
  };
  CHECK(is_transposed(3));
  CHECK(is_transposed(15));
  CHECK(!is_transposed(16));
}

TEST_CASE("cuda copies: small elements that fill no words are transposed as matrices") {
  const std::size_t address[2] = {4096, 4096};
  const auto plan = [&](index_t rows, index_t columns, std::size_t bytes) {
    const problem p{
        3, {columns, 3, rows}, {{3 * rows, rows, 1}, {1, rows * columns, columns}}, bytes};
    return plan_narrow(words_of(p, address), address);
  };
  const narrow_transpose made = plan(131, 257, 1);
  CHECK(made.rows == 131);
  CHECK(made.columns == 257);
  CHECK(made.pitch[0] == 393);
  CHECK(made.pitch[1] == 257);
  CHECK(made.blocks == 2 * 3 * 3);
  CHECK(made.step[0][0] == 131);
  CHECK(made.step[1][0] == 131 * 257);
  CHECK(plan(131, 257, 2).blocks == 3 * 5 * 3);
  CHECK(plan(narrow_transposes.least - 1, 257, 1).blocks == 0);
  CHECK(plan(131, narrow_transposes.least - 1, 1).blocks == 0);
  CHECK(plan(132, 256, 1).blocks == 0);  // words of four
  CHECK(plan(131, 257, 4).blocks == 0);
}
