// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tandem::cuda_impl {

/// Work that one thread leads and any number of other threads join.
class shared_work {
 public:
  /// Called once, on the thread that shares the work. Returns when all the work is done, whether or
  /// not others join. `joined` counts the threads that have joined; it grows as they wake up.
  virtual void lead(const std::atomic<int>& joined) noexcept = 0;

  /// Called on each joining thread. Processes parts of the work until none are left.
  virtual void join() noexcept = 0;

 protected:
  ~shared_work() = default;
};

/// A thread pool that helps the calling thread copy between pageable and page-locked memory. Its
/// threads start with the first large copy, sleep between copies and live as long as the process.
/// If no thread can be started, the caller does all the work itself.
class copy_pool {
 public:
  static copy_pool& instance();

  /// Leads `work` on the calling thread; pool threads that wake up in time join it. Returns when
  /// none of them uses `work` any more. Serves one caller at a time; others wait.
  void share(shared_work& work);

 private:
  copy_pool();
  void serve();

  std::mutex turn_;   // held by the caller whose work is being shared
  std::mutex mutex_;  // guards the members below
  std::condition_variable offered_;
  std::condition_variable left_;
  shared_work* work_ = nullptr;
  std::uint64_t number_ = 0;     // sequence number of the work, so that a thread joins it only once
  std::atomic<int> joined_ = 0;  // threads that have joined and may still use the work
};

}  // namespace tandem::cuda_impl
