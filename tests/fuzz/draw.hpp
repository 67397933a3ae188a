// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <tandem/core/extents.hpp>

/// The choices that make up a random case. Each has a name and is recorded, so that a failing case
/// can be stated as a list of `name=value`, run again from it, and simplified by changing values.
namespace tandem::fuzz {

/// One recorded choice. Words are set where the value is the number of one of them.
struct choice {
  std::string name;
  index_t value = 0;
  index_t simplest = 0;
  std::vector<const char*> words;

  /// The value as the command line takes it.
  std::string text() const {
    return words.empty() ? std::to_string(value) : words[static_cast<std::size_t>(value)];
  }
};

/// Values by name, as text. What is not named takes its simplest value.
using assignment = std::map<std::string, std::string>;

/// Makes choices, from a seed or from an assignment.
class draw {
 public:
  explicit draw(std::uint64_t seed) : state_(seed), random_(true) {}
  explicit draw(assignment given) : given_(std::move(given)) {}

  /// An integer in [low, high]; the simplest is `low`.
  index_t number(const std::string& name, index_t low, index_t high);

  /// A number of elements in [0, most]: often near a constant at which an implementation changes
  /// its way (boundaries.hpp), counted in elements of `bytes` bytes where that constant is bytes.
  index_t size(const std::string& name, index_t most, std::size_t bytes = 4);

  /// The number of one of the words; the first one is the simplest.
  int pick(const std::string& name, std::initializer_list<const char*> words);

  /// True once in `n` cases.
  bool one_in(const std::string& name, index_t n);

  /// The choices so far.
  const std::vector<choice>& choices() const { return choices_; }
  /// The choices so far as `name=value name=value`, without those that have their simplest value.
  std::string text() const;
  /// The choices so far as an assignment.
  assignment assigned() const;

 private:
  /// Next value of the random sequence.
  std::uint64_t next();
  index_t below(index_t bound) {
    return static_cast<index_t>(next() % static_cast<std::uint64_t>(bound));
  }
  index_t random_size(index_t most, std::size_t bytes);
  /// The given text of a name, or null.
  const std::string* given(const std::string& name) const;
  index_t keep(const std::string& name, index_t value, index_t simplest,
               std::vector<const char*> words = {});

  std::uint64_t state_ = 0;
  bool random_ = false;
  assignment given_;
  std::vector<choice> choices_;
};

/// What the choices of the running case are, kept where the handler of a fatal signal can read it.
const char* running_case();

}  // namespace tandem::fuzz
