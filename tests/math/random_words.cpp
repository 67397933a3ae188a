// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes random words to standard output in the order of their index, until the reader stops:
//
//   random_words SEED | RNG_test stdin32
//
// for PractRand, dieharder (`-g 200`) and other batteries of tests.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tandem/core/random/philox.hpp>

int main(int count, char** arguments) {
  const std::uint64_t seed = count > 1 ? std::strtoull(arguments[1], nullptr, 0) : 1;
  std::vector<std::uint32_t> words(1 << 16);
  for (std::uint64_t i = 0;;) {
    for (std::uint32_t& word : words) word = tandem::philox(seed, i++);
    if (std::fwrite(words.data(), sizeof(words[0]), words.size(), stdout) != words.size()) return 0;
  }
}
