// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the words of a text: a key per word, a sort that brings equal words together, and a
// reduction of each run of them. `word_count 20000` reads the speech 20,000 times.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <tandem/tandem.hpp>

namespace {

const std::string speech =
    "To be, or not to be, that is the question: Whether 'tis nobler in the mind to suffer The "
    "slings and arrows of outrageous fortune, Or to take arms against a sea of troubles, And by "
    "opposing end them. To die: to sleep; No more; and by a sleep to say we end The heart-ache "
    "and the thousand natural shocks That flesh is heir to, 'tis a consummation Devoutly to be "
    "wish'd. To die, to sleep; To sleep: perchance to dream: ay, there's the rub; ";

/// The letter in lower case; 0 if c is none.
TANDEM_FUNCTION int letter(char c) {
  const int lower = c | 32;
  return lower >= 'a' && lower <= 'z' ? lower : 0;
}

/// Up to eight letters of the word that begins at text(i), the first one in the highest byte, so
/// that keys sort as words do; 0 if no word begins there.
template <class Text>
TANDEM_FUNCTION std::uint64_t word_at(const Text& text, tandem::index_t i) {
  if (i > 0 && letter(text(i - 1)) != 0) return 0;
  std::uint64_t word = 0;
  for (int k = 0, ended = 0; k < 8; ++k) {
    const int c = ended == 0 && i + k < text.size() ? letter(text(i + k)) : 0;
    ended = ended != 0 || c == 0 ? 1 : 0;
    word = word << 8 | std::uint64_t(c);
  }
  return word;
}

std::string spelled(std::uint64_t word) {
  std::string letters;
  for (; word != 0; word <<= 8) letters += char(word >> 56);
  return letters;
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 20;
  std::string read;
  for (int i = 0; i < times; ++i) read += speech;
  tandem::array<char> letters(read);
  const auto text = letters.const_view();

  tandem::array<std::uint64_t> keys(text.extent(0)), words(text.extent(0));
  const auto key = keys.view();
  tandem::parallel_for(
      text.extent(0), TANDEM_LAMBDA(tandem::index_t i) { key(i) = word_at(text, i); });
  const auto count = tandem::copy_if(
      keys, words, TANDEM_LAMBDA(std::uint64_t word) { return word != 0; });
  const auto sorted = tandem::subview(words, tandem::slice{0, count});
  tandem::sort(sorted);

  // Each word counts 1. The runs of equal words come in alphabetical order, and the stable sort by
  // their counts keeps it among equal counts.
  const int most = 1000;
  const tandem::array<int> ones({count}, 1);
  tandem::array<std::uint64_t> distinct(most);
  tandem::array<int> counts(most);
  const auto runs = tandem::reduce_by_key(sorted, ones, distinct, counts, tandem::sum<int>{});
  tandem::sort_by_key(tandem::subview(counts, tandem::slice{0, runs}),
                      tandem::subview(distinct, tandem::slice{0, runs}),
                      tandem::sort_order::descending);

  std::map<std::uint64_t, int> expected;  // the words of one speech, counted by the host
  const auto spoken = tandem::as_view<tandem::host_memory>(speech.data(), speech.size());
  for (tandem::index_t i = 0; i < spoken.size(); ++i)
    if (const auto word = word_at(spoken, i)) expected[word] += times;
  const auto found = tandem::to_vector(distinct);
  const auto times_found = tandem::to_vector(counts);
  bool right = runs == tandem::index_t(expected.size());
  std::printf("%d words, %d different:", int(count), int(runs));
  for (std::size_t r = 0; r < expected.size() && right; ++r) {
    right = expected[found[r]] == times_found[r];
    if (r < 8) std::printf(" %s %d", spelled(found[r]).c_str(), times_found[r]);
  }
  std::printf("\n");
  return right ? 0 : 1;
}
