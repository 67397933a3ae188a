// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <tandem/core/extents.hpp>

/// Choices that make up a random case. Each has a name and is recorded, so that a failing case can
/// be written as a list of `name=value`, run again from it, and simplified by changing values.
namespace tandem::fuzz {

/// One recorded choice. If it has words, the value is the index of one of them.
struct choice {
  std::string name;
  index_t value = 0;
  index_t simplest = 0;
  std::vector<const char*> words;

  /// Returns the value in command-line form.
  std::string text() const {
    return words.empty() ? std::to_string(value) : words[static_cast<std::size_t>(value)];
  }
};

/// Values by name, as text. A missing name takes its simplest value.
using assignment = std::map<std::string, std::string>;

/// Makes choices, from a seed or from an assignment.
class draw {
 public:
  explicit draw(std::uint64_t seed) : state_(seed), random_(true) {}
  explicit draw(assignment given) : given_(std::move(given)) {}

  /// An integer in [low, high]; the simplest is `low`.
  index_t number(const std::string& name, index_t low, index_t high);

  /// A number of elements in [0, most], often near a constant at which an implementation switches
  /// methods (boundaries.hpp). A constant in bytes is converted to elements of `bytes` bytes.
  index_t size(const std::string& name, index_t most, std::size_t bytes = 4);

  /// The index of one of the words; the first one is the simplest.
  int pick(const std::string& name, std::initializer_list<const char*> words);

  /// True once in `n` cases.
  bool one_in(const std::string& name, index_t n);

  /// The choices so far.
  const std::vector<choice>& choices() const { return choices_; }
  /// Returns the choices so far as `name=value name=value`, omitting simplest values.
  std::string text() const;
  /// Returns the choices so far as an assignment.
  assignment assigned() const;

 private:
  /// Returns the next value of the random sequence.
  std::uint64_t next();
  index_t below(index_t bound) {
    return static_cast<index_t>(next() % static_cast<std::uint64_t>(bound));
  }
  index_t random_size(index_t most, std::size_t bytes);
  /// Returns the given text of a name, or null.
  const std::string* given(const std::string& name) const;
  index_t keep(const std::string& name, index_t value, index_t simplest,
               std::vector<const char*> words = {});

  std::uint64_t state_ = 0;
  bool random_ = false;
  assignment given_;
  std::vector<choice> choices_;
};

/// Returns the choices of the running case, stored so that a fatal signal's handler can read them.
const char* running_case();

}  // namespace tandem::fuzz
