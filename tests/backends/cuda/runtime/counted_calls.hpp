// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>

#include <cuda_runtime_api.h>

/// Counts the calls that this binary makes to the CUDA runtime and to the system. The linker
/// redirects them to counting wrappers (calls.cmake, --wrap): calls of the tests, of tandem's
/// library and of the CUB inside it, but not calls that the CUDA runtime makes itself.
namespace tandem::test {

struct call_counts {
  int launches = 0;     ///< of kernels and graphs
  int copies = 0;       ///< copies enqueued
  int clears = 0;       ///< memsets enqueued
  int waits = 0;        ///< for a stream, an event or the device
  int pooled = 0;       ///< allocations from a stream's pool
  int allocations = 0;  ///< any other allocation or free of device or pinned memory
  int heap = 0;         ///< operator new
  int locks = 0;        ///< mutexes taken

  friend bool operator==(const call_counts&, const call_counts&) = default;
};

std::ostream& operator<<(std::ostream& out, const call_counts& counts);

/// Returns the calls of the process so far.
call_counts calls_so_far();

/// Counts the calls that f() makes.
template <class Function>
call_counts calls_of(const Function& f) {
  const call_counts before = calls_so_far();
  f();
  const call_counts after = calls_so_far();
  return {after.launches - before.launches, after.copies - before.copies,
          after.clears - before.clears,     after.waits - before.waits,
          after.pooled - before.pooled,     after.allocations - before.allocations,
          after.heap - before.heap,         after.locks - before.locks};
}

/// While an object of this type exists, every runtime call that can report an error fails, as after
/// a device was lost.
class lost_device {
 public:
  explicit lost_device(cudaError_t error);
  lost_device(const lost_device&) = delete;
  lost_device& operator=(const lost_device&) = delete;
  ~lost_device();
};

}  // namespace tandem::test
