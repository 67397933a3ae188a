// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tandem::cuda_impl {

/// Work that any number of threads share: each call of run() does parts of it until none is left.
class shared_work {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~shared_work() = default;
};

/// Threads that share the copies between ordinary and page-locked memory with the thread that
/// needs them. They start with the first large copy and live as long as the process, asleep between
/// copies. Where no thread can be started, the calling one does the work alone.
class copy_crew {
 public:
  static copy_crew& instance();

  /// Runs `work` on the calling thread and on those of the crew that wake while parts are left.
  /// Returns when none of them uses it any more. Callers on several threads take turns.
  void share(shared_work& work);

 private:
  copy_crew();
  void serve();

  std::mutex turn_;   // held by the caller whose work is shared
  std::mutex mutex_;  // guards what follows
  std::condition_variable offered_;
  std::condition_variable left_;
  shared_work* work_ = nullptr;
  std::uint64_t number_ = 0;  // of the work, so that a thread joins it once
  int members_ = 0;           // threads that run it
};

}  // namespace tandem::cuda_impl
