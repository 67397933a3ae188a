// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tandem::cuda_impl {

/// Work that one thread leads and any number of others take part in.
class shared_work {
 public:
  /// Called once, on the thread that shares the work. Returns when all of it is done, whether
  /// others take part or not. `joined` is the number of those that do, which grows while they wake.
  virtual void lead(const std::atomic<int>& joined) noexcept = 0;

  /// Called on each of the others: does parts of the work until none is left.
  virtual void join() noexcept = 0;

 protected:
  ~shared_work() = default;
};

/// Threads that copy between ordinary and page-locked memory for the thread that leads. They start
/// with the first large copy and live as long as the process, asleep between copies. Where no
/// thread can be started, the leader does the work alone.
class copy_crew {
 public:
  static copy_crew& instance();

  /// Leads `work` on the calling thread, and lets those of the crew join that wake before it ends.
  /// Returns when none of them uses it any more. One caller at a time; others wait.
  void share(shared_work& work);

 private:
  copy_crew();
  void serve();

  std::mutex turn_;   // held by the caller whose work is shared
  std::mutex mutex_;  // guards what follows
  std::condition_variable offered_;
  std::condition_variable left_;
  shared_work* work_ = nullptr;
  std::uint64_t number_ = 0;     // of the work, so that a thread joins it once
  std::atomic<int> joined_ = 0;  // threads that have joined it and may still use it
};

}  // namespace tandem::cuda_impl
