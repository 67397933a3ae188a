// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/comparison.hpp>
#include <tandem/core/detail/recording.hpp>

#include <memory>

namespace tandem::detail {

class recorder;

/// Two runs of a sequence on this thread: what the first one writes is kept, and what the second
/// one writes is compared with it.
class comparer {
 public:
  comparer();
  comparer(const comparer&) = delete;
  comparer& operator=(const comparer&) = delete;
  ~comparer();

  /// Begins a run; the second call begins the second one.
  void begin(const space_access& space);
  /// Ends a run, whose space has no work any more.
  void end(const space_access& space);
  comparison& report();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tandem::detail
