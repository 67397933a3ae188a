// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/tools/comparison/comparison.hpp>

namespace tandem {

namespace detail {

template <class Space, class Sequence>
struct sequence_on {
  const Space& space;
  const Sequence& sequence;

  bound_sequence bind() const {
    return {access_of(space), this, [](const void* context) {
              const auto& self = *static_cast<const sequence_on*>(context);
              self.sequence(self.space);
              self.space.fence();
            }};
  }
};

}  // namespace detail

/// Runs sequence(a) and sequence(b), and compares after each operation what it wrote, bit by bit.
///
///   const auto found = tandem::compare(tandem::serial{}, tandem::cuda{},
///                                      []<class Space>(const Space& space) {
///     tandem::array<float, 1, Space> x(tandem::extents<1>(1000), space);
///     tandem::fill(space, x, 0.1f);
///     (void)tandem::parallel_reduce(space, x);
///   });
///   if (!found.agrees()) std::fputs(found.text().c_str(), stderr);
///
/// sequence    a function object that is called with each of the spaces and uses no other; commonly
///             a lambda whose operations are on arrays that it makes. It runs on this thread
/// Compared    after each operation called through the library: every array that the sequence
///             made, what the operation returned, and its outputs in memory of the host that is no
///             array. It misses writes of kernels to other memory through a pointer. What the
///             sequence itself writes between operations is attributed to the next one
/// Complexity  each sequence once; around each of its operations a copy of every array to the host.
///             Keeps on the host a copy of every array, and of each operation of sequence(a) the
///             elements that it changed
/// New arrays hold other values in each run, so that what reads an element that nothing has written
/// differs. Any NaN equals any other NaN.
/// Each operation waits.
/// While it runs, operations of other threads wait for their spaces as well.
/// Errors: those of the sequence; out_of_memory_error for what is kept.
template <execution_space A, execution_space B, class Sequence>
comparison compare(const A& a, const B& b, const Sequence& sequence) {
  const detail::sequence_on<A, Sequence> first{a, sequence};
  const detail::sequence_on<B, Sequence> second{b, sequence};
  return detail::compare_runs(first.bind(), second.bind());
}

}  // namespace tandem
