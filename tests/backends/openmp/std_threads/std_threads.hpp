// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/host_kernels.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/tandem.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tandem::test {

/// Threads that help the callers of a process and are kept between calls.
class thread_pool {
 public:
  static thread_pool& of_process() {
    static thread_pool pool;
    return pool;
  }

  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() {
    start(nullptr, 0);
    for (std::thread& one : threads_) one.join();
  }

  /// Runs body(part) for 0 <= part < parts, each on one thread: part 0 on the caller's. A call from
  /// a body runs all parts on the calling thread. The body must not throw.
  void run(int parts, const std::function<void(int)>& body) {
    if (is_inside) {
      for (int part = 0; part < parts; ++part) body(part);
      return;
    }
    const std::lock_guard one_call_at_a_time(call_);
    while (static_cast<int>(threads_.size()) < parts - 1)
      threads_.emplace_back(&thread_pool::serve, this, threads_.size() + 1, calls_.load());
    start(&body, parts);
    is_inside = true;
    body(0);
    is_inside = false;
    for (std::size_t left = left_; left > 0; left = left_) left_.wait(left);
  }

 private:
  thread_pool() = default;

  void start(const std::function<void(int)>* body, int parts) {
    body_ = body;
    parts_ = parts;
    left_ = threads_.size();
    ++calls_;
    calls_.notify_all();
  }

  /// Runs part number `part` of every call after the first `seen`, until a call has no body.
  void serve(std::size_t part, int seen) {
    is_inside = true;
    while (true) {
      calls_.wait(seen++);
      if (body_ == nullptr) return;
      if (static_cast<int>(part) < parts_) (*body_)(static_cast<int>(part));
      if (--left_ == 0) left_.notify_one();
    }
  }

  static inline thread_local bool is_inside = false;

  std::mutex call_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* body_ = nullptr;
  int parts_ = 0;
  std::atomic<std::size_t> left_ = 0;
  std::atomic<int> calls_ = 0;
};

/// A host backend on std::thread, as docs/adding-a-backend.md describes one: it computes with
/// openmp's kernels on its threads.
class std_threads {
 public:
  using memory_type = host_memory;
  using resource_type = serial_resource;
  using event_type = host_event;
  static constexpr const char* name = "std_threads";
  static constexpr hook_set hooks{hook::matmul, hook::sort};

  explicit std_threads(int threads = 2) : threads_(threads) {}
  static std_threads with_threads(int threads) { return std_threads(threads); }

  int threads() const { return threads_; }
  serial_resource resource() const { return {}; }
  host_event record() const { return serial().record(); }
  void wait(const host_event&) const {}
  void fence() const {}

  /// Runs body(part) for 0 <= part < parts. Rethrows the first exception once all have ended.
  template <class Body>
  static void run(int parts, const Body& body) {
    std::mutex mutex;
    std::exception_ptr failure;
    const auto guarded = [&](int part) {
      try {
        body(part);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    };
    thread_pool::of_process().run(parts, guarded);
    if (failure) std::rethrow_exception(failure);
  }

  /// Runs body(begin, end) for contiguous partitions of n indices, on one thread if there are few.
  template <class Body>
  void share(index_t n, index_t few, const Body& body) const {
    if (n <= few || threads_ == 1) return body(index_t{0}, n);
    run(threads_, [&](int part) { body(n * part / threads_, n * (part + 1) / threads_); });
  }

 private:
  int threads_;
};

inline void dispatch_copy(const std_threads&, const copy_problem& problem) {
  dispatch_copy(host_kernels::calling_thread(), problem);
}
inline void dispatch_fill(const std_threads&, const fill_problem& problem) {
  dispatch_fill(host_kernels::calling_thread(), problem);
}

template <class Indices, class Function>
void dispatch_for(const std_threads& space, const char*, const Indices& indices,
                  const Function& f) {
  constexpr index_t few = 4096;
  space.share(indices.size(), few, [&](index_t begin, index_t end) {
    host_kernels::run_loop_part(indices, f, begin, end);
  });
}

template <class Load, class R>
typename R::accumulator dispatch_reduce(const std_threads& space, const char* label, index_t n,
                                        const Load& load, const R& reducer) {
  constexpr index_t few = 8192;
  if (n <= few) return dispatch_reduce(host_kernels::calling_thread(), label, n, load, reducer);
  const host_kernels::divided_reduction<Load, R> divided(load, n, reducer, space.threads());
  const detail::host_scratch<typename R::accumulator> parts(label, divided.parts());
  space.share(divided.parts(), 1, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) parts[i] = divided.reduce_part(i);
  });
  return divided.combine(parts.data());
}

template <class Load, class R>
void dispatch_reduce_into(const std_threads& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  *out = n == 0 ? reducer.empty() : reducer.finish(dispatch_reduce(space, label, n, load, reducer));
}

template <class Kernel>
void dispatch_teams(const std_threads&, const char* label, const team_shape& shape,
                    const Kernel& kernel) {
  dispatch_teams(host_kernels::calling_thread(), label, shape, kernel);
}

/// The threads divide the rows of c, or its columns if there are more of these.
template <class T>
void multiply_shared(const std_threads& space, const matmul_problem<T>& p) {
  constexpr index_t few_products = index_t{32} * 32 * 32;
  const bool by_rows = p.m >= p.n;
  const index_t lines = by_rows ? p.m : p.n;
  if (p.batch * p.m * p.n * p.k <= few_products)
    return dispatch_matmul(host_kernels::calling_thread(), p);
  space.share(lines, 1, [&](index_t begin, index_t end) {
    dispatch_matmul(host_kernels::calling_thread(),
                    by_rows ? host_kernels::block_of(p, begin, end - begin, 0, p.n)
                            : host_kernels::block_of(p, 0, p.m, begin, end - begin));
  });
}
inline void dispatch_matmul(const std_threads& space, const matmul_problem<float>& problem) {
  multiply_shared(space, problem);
}
inline void dispatch_matmul(const std_threads& space, const matmul_problem<double>& problem) {
  multiply_shared(space, problem);
}

inline void dispatch_sort(const std_threads&, const sort_problem& problem) {
  dispatch_sort(host_kernels::calling_thread(), problem);
}

static_assert(backend<std_threads>);

}  // namespace tandem::test
