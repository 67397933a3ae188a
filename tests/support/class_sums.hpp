// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <vector>

/// An accumulator of the largest size, and terms for it.
namespace tandem::test {

/// One 64-bit sum for each of several residue classes.
template <int Classes>
struct sums_by_class {
  static constexpr int classes = Classes;
  std::uint64_t of[static_cast<std::size_t>(classes)];
};
using class_sums = sums_by_class<128>;
static_assert(sizeof(class_sums) == largest_accumulator);

/// Sums the terms by the residue class of their index; the accumulator holds all classes.
template <bool Commutative, int Classes = class_sums::classes>
struct add_by_class {
  using accumulator = sums_by_class<Classes>;
  using result = accumulator;
  static constexpr bool commutative = Commutative;

  template <class Term>
  TANDEM_FUNCTION accumulator lift(const Term& term, index_t i) const {
    accumulator lifted = identity();
    lifted.of[i % Classes] = static_cast<std::uint64_t>(term);
    return lifted;
  }
  TANDEM_FUNCTION accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator both;
    for (int c = 0; c < Classes; ++c) both.of[c] = a.of[c] + b.of[c];
    return both;
  }
  TANDEM_FUNCTION accumulator identity() const {
    accumulator none;
    for (int c = 0; c < Classes; ++c) none.of[c] = 0;
    return none;
  }
  TANDEM_FUNCTION result finish(const accumulator& a) const { return a; }
  TANDEM_FUNCTION result empty() const { return identity(); }
};

struct term_of {
  TANDEM_FUNCTION std::uint64_t operator()(index_t i) const {
    return static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  }
};

struct term_of_plane {
  index_t width;
  TANDEM_FUNCTION std::uint64_t operator()(index_t j, index_t i) const {
    return term_of{}(j * width + i);
  }
};

struct plus_by_class {
  TANDEM_FUNCTION class_sums operator()(const class_sums& a, const class_sums& b) const {
    return add_by_class<true>{}.combine(a, b);
  }
};

struct lifted_term {
  TANDEM_FUNCTION class_sums operator()(index_t i) const {
    return add_by_class<true>{}.lift(term_of{}(i), i);
  }
};

/// Adds the first n terms one by one.
inline class_sums sums_of(index_t n) {
  class_sums sums = add_by_class<true>{}.identity();
  for (index_t i = 0; i < n; ++i) sums.of[i % class_sums::classes] += term_of{}(i);
  return sums;
}

inline bool equal(const class_sums& a, const class_sums& b) {
  for (int c = 0; c < class_sums::classes; ++c) {
    if (a.of[c] != b.of[c]) return false;
  }
  return true;
}

template <class Space>
auto terms_in(const Space& space, index_t n) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = term_of{}(i);
  return to_space(space, values);
}

}  // namespace tandem::test
