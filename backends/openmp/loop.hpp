// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/help.hpp>
#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/space.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// Time since it was made, roughly: a look costs 10 ns where the system's clock costs 25, and a
/// loop of a few indices takes less than either.
class stopwatch {
 public:
  double seconds() const { return static_cast<double>(now() - start_) * seconds_per_tick; }

 private:
#if defined(__x86_64__)
  // Time stamp counters run at 1.5 to 4.5 GHz: near enough to tell what a fork costs from what it
  // does not.
  static constexpr double seconds_per_tick = 1 / 2.5e9;
  static std::int64_t now() { return static_cast<std::int64_t>(__builtin_ia32_rdtsc()); }
#else
  static constexpr double seconds_per_tick = 1e-9;
  static std::int64_t now() { return static_cast<std::int64_t>(omp_get_wtime() * 1e9); }
#endif
  std::int64_t start_ = now();
};

/// Runs body(begin, end) over [0, n) in growing pieces until it is done or would be done sooner by
/// `threads` threads, which the time of the last piece tells.
/// Returns how far it came.
template <class Body>
index_t run_alone(index_t n, int threads, const Body& body) {
  const double fork = fork_seconds_per_thread * threads;
  const double worth_sharing = fork * threads / (threads - 1);
  const stopwatch watch;
  double looked = 0;
  index_t piece = 1;
  for (index_t done = 0;;) {
    if (piece > n - done) piece = n - done;
    body(done, done + piece);
    done += piece;
    if (done == n) return n;
    const double taken = watch.seconds();
    const double each = (taken - looked) / static_cast<double>(piece);
    const bool is_worth_sharing = each * static_cast<double>(n - done) > worth_sharing;
    if (is_worth_sharing && taken > (done < cold_indices ? fork : fork * probe_share)) return done;
    looked = taken;
    piece *= probe_growth;
    if (is_worth_sharing && each * static_cast<double>(piece) > fork * probe_share)
      piece = 1 + static_cast<index_t>(fork * probe_share / each);
  }
}

/// Whether the last loop over this kind of body had indices that are each worth a fork. A loop of a
/// few such indices would lose one round of its threads by trying the first alone.
template <class Body>
inline bool forks_at_once = false;

/// Calls run(), which forks, and forgets that at once where it was over too soon to be worth it.
template <class Body, class Run>
void run_remembered(int threads, const Run& run) {
  const stopwatch watch;
  run();
  if (watch.seconds() < 2 * fork_seconds_per_thread * threads)
    __atomic_store_n(&forks_at_once<Body>, false, __ATOMIC_RELAXED);
}

/// Runs body(begin, end) over disjoint pieces of [first, n) on `threads` threads, which help each
/// other where there is enough to do.
template <class Body>
void share_out(int threads, index_t first, index_t n, const Body& body) {
  if (n - first < helped_indices) return run_shares(threads, first, n, body);
  run_helping(threads, first, n, piece_of(n - first, threads, least_piece, most_piece), body);
}

/// Runs body(begin, end) over disjoint pieces of [0, n) on the space's threads, if `is_probed` only
/// where that is seen to pay. Body copies what its loop needs into local variables: the object
/// itself is shared.
template <class Body>
void run_shared(const openmp& space, index_t n, bool is_probed, const Body& body) {
  const int threads = n == 1 ? 1 : space.threads();
  if (threads == 1) {
    if (n > 0) body(index_t{0}, n);
    return;
  }
  if (!is_probed) return share_out(threads, 0, n, body);
  if (__atomic_load_n(&forks_at_once<Body>, __ATOMIC_RELAXED))
    return run_remembered<Body>(threads, [&] { share_out(threads, 0, n, body); });
  const index_t done = run_alone(n, threads, body);
  if (done == n) return;
  if (done == 1) __atomic_store_n(&forks_at_once<Body>, true, __ATOMIC_RELAXED);
  share_out(threads, done, n, body);
}

}  // namespace tandem::openmp_impl
