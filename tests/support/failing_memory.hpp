// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Replaces the process's operator new by one that counts and can be told to fail, so that tests
/// see an operation's behaviour if memory runs out at any of its allocations. A test binary for a
/// device also routes the device's allocations through memory_fails().
namespace tandem::test {

/// Heap allocations so far, except in calls of a vendor's runtime.
int heap_allocations();

/// Above 0 while the calling thread is in a call of a vendor's runtime, whose allocations are
/// neither counted nor failed.
extern thread_local int inside_runtime;

/// Counts an allocation; returns whether it must fail.
bool memory_fails();

/// How many allocations fail: a single one, as when a large block is refused, or that one and all
/// later ones, as when nothing is left.
enum class failing { once, from_then_on };

/// Makes memory run out during the object's lifetime, on all threads. One at a time.
class failing_memory {
 public:
  /// @param first  the number of the first allocation that fails, from 0
  failing_memory(int first, failing how);
  failing_memory(const failing_memory&) = delete;
  failing_memory& operator=(const failing_memory&) = delete;
  ~failing_memory();

  /// Whether an allocation has failed.
  bool has_failed() const;
};

}  // namespace tandem::test
