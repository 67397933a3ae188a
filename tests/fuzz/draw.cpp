// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/draw.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "fuzz/boundaries.hpp"
#include "support/data.hpp"

namespace tandem::fuzz {

namespace {

char running[2048];  // signal handlers must not allocate

/// Appends a choice to the text that a handler prints.
void remember(const choice& c, bool first) {
  std::size_t at = first ? 0 : std::strlen(running);
  const std::string text = (first ? "" : " ") + c.name + "=" + c.text();
  if (at + text.size() + 1 < sizeof running) text.copy(running + at, text.size());
  if (at + text.size() + 1 < sizeof running) running[at + text.size()] = '\0';
}

}  // namespace

const char* running_case() { return running; }

std::uint64_t draw::next() {
  state_ = test::mix(state_);
  return state_;
}

const std::string* draw::given(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

index_t draw::keep(const std::string& name, index_t value, index_t simplest,
                   std::vector<const char*> words) {
  for (const choice& c : choices_) {
    if (c.name == name) throw std::logic_error("fuzz: two choices are called " + name);
  }
  choices_.push_back({name, value, simplest, std::move(words)});
  remember(choices_.back(), choices_.size() == 1);
  return value;
}

index_t draw::number(const std::string& name, index_t low, index_t high) {
  index_t value = low;
  if (random_) {
    value = high > low ? low + below(high - low + 1) : low;
  } else if (const std::string* text = given(name)) {
    value = std::clamp<index_t>(std::stoll(*text), low, std::max(low, high));
  }
  return keep(name, value, low);
}

index_t draw::size(const std::string& name, index_t most, std::size_t bytes) {
  index_t value = 0;
  if (random_) {
    value = random_size(most, bytes);
  } else if (const std::string* text = given(name)) {
    value = std::clamp<index_t>(std::stoll(*text), 0, most);
  }
  return keep(name, value, 0);
}

index_t draw::random_size(index_t most, std::size_t bytes) {
  const index_t kind = below(10);
  if (kind < 3) return below(std::min<index_t>(most, 40) + 1);
  if (kind < 5) {  // every order of magnitude is equally likely
    index_t bound = 1;
    while (bound < most && below(8) != 0) bound *= 2;
    return below(std::min(bound, most) + 1);
  }
  // Picks a size near a fitting boundary, in elements or bytes, or a small multiple of one.
  for (int attempt = 0; attempt < 20; ++attempt) {
    index_t at = boundaries[static_cast<std::size_t>(below(std::ssize(boundaries)))];
    if (below(3) == 0) at /= static_cast<index_t>(bytes);
    if (below(3) == 0) at *= 1 + below(5);
    at += below(5) - 2;
    if (at >= 0 && at <= most) return at;
  }
  return below(most + 1);
}

int draw::pick(const std::string& name, std::initializer_list<const char*> words) {
  const auto count = static_cast<index_t>(words.size());
  index_t value = 0;
  if (random_) {
    value = below(count);
  } else if (const std::string* text = given(name)) {
    const auto found = std::find(words.begin(), words.end(), *text);
    if (found == words.end()) throw std::invalid_argument(name + " cannot be " + *text);
    value = found - words.begin();
  }
  return static_cast<int>(keep(name, value, 0, words));
}

bool draw::one_in(const std::string& name, index_t n) {
  index_t value = 0;
  if (random_) {
    value = below(n) == 0 ? 1 : 0;
  } else if (const std::string* text = given(name)) {
    value = *text == "0" ? 0 : 1;
  }
  return keep(name, value, 0) != 0;
}

std::string draw::text() const {
  std::string result;
  for (const choice& c : choices_) {
    if (c.value != c.simplest) result += (result.empty() ? "" : " ") + c.name + "=" + c.text();
  }
  return result;
}

assignment draw::assigned() const {
  assignment result;
  for (const choice& c : choices_) result[c.name] = c.text();
  return result;
}

}  // namespace tandem::fuzz
