// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Replaces the process's operator new by one that counts and can be told to fail, so that tests
/// see what an operation does where memory runs out at any of its allocations. A test binary for a
/// device sends the allocations of the device through memory_fails() as well.
namespace tandem::test {

/// Allocations from the heap so far, outside of calls of a vendor's runtime.
int heap_allocations();

/// More than 0 while the calling thread is in a call of a vendor's runtime, whose own allocations
/// are neither counted nor failed.
extern thread_local int inside_runtime;

/// Counts an allocation; whether it is to fail.
bool memory_fails();

/// How many allocations fail: one, as where a large block is refused, or that one and all after it,
/// as where nothing is left.
enum class failing { once, from_then_on };

/// Lets memory run out while it lives, on all threads. One at a time.
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
