// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <new>
#include <string>

#include "fuzz/operations.hpp"

/// Simplifies a failing case by simplifying the choices that made it.
namespace tandem::fuzz {

/// The outcome of a case.
struct outcome {
  bool failed = false;
  bool refused = false;
  std::string message;
};

/// Runs a case; anything that it throws is a failure.
inline outcome try_case(const operation& op, draw& d) {
  try {
    return {.failed = false, .refused = !op.check(d), .message = {}};
  } catch (const std::exception& e) {
    return {.failed = true, .refused = false, .message = e.what()};
  } catch (...) {
    return {.failed = true, .refused = false, .message = "an exception that is no std::exception"};
  }
}

/// A case that still fails and cannot be simplified further.
struct shrunk {
  std::string text;
  std::string message;
};

/// Simplifies a failing case by trying simpler values for one choice at a time.
class shrinker {
 public:
  shrinker(const operation& op, assignment given, std::string message)
      : op_(op), best_(std::move(given)), message_(std::move(message)) {
    fails(best_);
  }

  /// Repeats passes over all choices until none becomes simpler or time runs out.
  shrunk run() {
    while (pass() && std::chrono::steady_clock::now() < end_) {
    }
    return {text_, message_};
  }

 private:
  /// Whether the case fails; if so, it is the best one so far.
  bool fails(const assignment& given) {
    draw d(given);
    const outcome found = try_case(op_, d);
    if (!found.failed) return false;
    best_ = d.assigned();
    choices_ = d.choices();
    text_ = d.text();
    message_ = found.message;
    return true;
  }

  bool fails_with(const choice& c, index_t value) {
    assignment given = best_;
    given[c.name] =
        c.words.empty() ? std::to_string(value) : c.words[static_cast<std::size_t>(value)];
    return fails(given);
  }

  /// Simplifies one choice as far as possible: tries the simplest value, then half of the way, then
  /// one less.
  bool simplify(const choice& c) {
    if (c.value == c.simplest) return false;
    if (fails_with(c, c.simplest)) return true;
    index_t value = c.value;
    for (index_t away = value - c.simplest; away > 0; away /= 2) {
      while (value - away > c.simplest && std::chrono::steady_clock::now() < end_ &&
             fails_with(c, value - away))
        value -= away;
    }
    return value != c.value;
  }

  bool pass() {
    bool any = false;
    const std::vector<choice> all = choices_;
    for (const choice& c : all) {
      for (const choice& now : choices_) {
        if (now.name != c.name) continue;
        const choice current = now;
        any |= simplify(current);
        break;
      }
      if (std::chrono::steady_clock::now() > end_) break;
    }
    return any;
  }

  operation op_;
  assignment best_;
  std::vector<choice> choices_;
  std::string text_;
  std::string message_;
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
};

/// Returns the simplest case found from a failing one. Takes at most about 30 seconds.
inline shrunk shrink(const operation& op, const assignment& given, const std::string& message) {
  return shrinker(op, given, message).run();
}

}  // namespace tandem::fuzz
