// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/copy_pool.hpp>

#include <algorithm>
#include <system_error>
#include <thread>

#include <tandem/backends/cuda/memory/policy.hpp>

namespace tandem::cuda_impl {

copy_pool& copy_pool::instance() {
  static copy_pool& only = *new copy_pool;  // leaked, since its threads outlive static objects
  return only;
}

copy_pool::copy_pool() {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  try {
    for (int i = 1; i < std::min(pageable_staging.threads, processors); ++i)
      std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // the system starts no more of them
  }
}

void copy_pool::share(shared_work& work) {
  const std::lock_guard<std::mutex> turn(turn_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    ++number_;
  }
  offered_.notify_all();
  work.lead(joined_);
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = nullptr;
  left_.wait(lock, [this] { return joined_ == 0; });
}

void copy_pool::serve() {
  std::uint64_t last = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    offered_.wait(lock, [&] { return work_ != nullptr && number_ != last; });
    last = number_;
    shared_work& work = *work_;
    ++joined_;
    lock.unlock();
    work.join();
    lock.lock();
    if (--joined_ == 0) left_.notify_one();
  }
}

}  // namespace tandem::cuda_impl
