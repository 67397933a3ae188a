// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/count_indices.hpp>
#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/select/kernels/compress.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/select_problem.hpp>

#include <cstring>
#include <type_traits>

namespace tandem::openmp_impl {

/// Hands out batches in order, and the position of each batch's kept elements once all earlier
/// batches have been counted.
class batch_order {
 public:
  index_t take_ticket() { return __atomic_fetch_add(&tickets_, 1, __ATOMIC_RELAXED); }

  /// Waits for the earlier batches and adds its `kept` elements to theirs. Returns the position of
  /// its first element, or -1 once a thread has failed.
  index_t place(index_t ticket, index_t kept) {
    for (int round = 0; __atomic_load_n(&turn_, __ATOMIC_ACQUIRE) != ticket; ++round) {
      if (__atomic_load_n(&failed_, __ATOMIC_RELAXED)) return -1;
      relax(round);
    }
    const index_t begin = kept_;
    kept_ += kept;
    __atomic_store_n(&turn_, ticket + 1, __ATOMIC_RELEASE);
    return begin;
  }
  void fail() { __atomic_store_n(&failed_, true, __ATOMIC_RELAXED); }
  /// Returns the number of kept elements, once every batch has been placed.
  index_t kept() const { return kept_; }

 private:
  alignas(64) index_t tickets_ = 0;
  alignas(64) index_t turn_ = 0;
  index_t kept_ = 0;
  bool failed_ = false;
};

/// The kept elements of one thread's batch, before their position is known.
///
/// A loop that vectorises if the predicate does writes the predicate's answers first. They then
/// move elements without a branch, which half of them would mispredict.
template <class T, class Keep>
class select_batch {
 public:
  /// @param kept  room for the elements of a batch and compress_slack more
  select_batch(const select_problem<T, Keep>& problem, T* kept)
      : problem_(problem), compress_(compress_of(best_kernels<compress_kernels>())), kept_(kept) {}

  /// Takes the kept elements of begin .. end - 1 and returns their number.
  index_t select(index_t begin, index_t end) {
    bool flags[tile];
    index_t kept = 0;
    for (index_t at = begin; at < end; at += tile) {
      const index_t count = end - at < tile ? end - at : tile;
      if constexpr (selects_indices<Keep>) {
        kept += move_indices(at, count, flags, kept_ + kept);
      } else if (problem_.x_stride == 1) {
        mark(at, count, std::integral_constant<index_t, 1>{}, flags);
        kept += move(problem_.x + at, count, flags, kept_ + kept);
      } else {
        mark(at, count, problem_.x_stride, flags);
        const T* const x = problem_.x + at * problem_.x_stride;
        kept += move_strided(x, count, problem_.x_stride, flags, kept_ + kept);
      }
    }
    return kept;
  }

  /// Writes the taken elements to out[at], out[at + 1], .. as far as there is room.
  void write(index_t at, index_t kept) const {
    const index_t room = at < problem_.room ? problem_.room - at : 0;
    const index_t count = kept < room ? kept : room;
    if (count == 0) return;
    T* const out = problem_.out + at * problem_.out_stride;
    if (problem_.out_stride == 1) {
      std::memcpy(static_cast<void*>(out), kept_, static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
    for (index_t i = 0; i < count; ++i) out[i * problem_.out_stride] = kept_[i];
  }

 private:
  /// Elements whose flags are computed at a time.
  static constexpr index_t tile = 1024;

  /// Sets flags[i] to whether element at + i is kept.
  template <class Stride>
  void mark(index_t at, index_t count, Stride stride, bool* flags) const {
    const Keep keep = problem_.keep;
    const T* const x = problem_.x + at * stride;
    index_t i = 0;
    if constexpr (Keep::looks_back) {
      if (at == 0) flags[i++] = true;
      for (; i < count; ++i) flags[i] = keep(x[i * stride], x[(i - 1) * stride]);
    } else {
      for (; i < count; ++i) flags[i] = keep(x[i * stride], x[i * stride]);
    }
  }

  index_t move_indices(index_t at, index_t count, bool* flags, T* to) const {
    const auto predicate = problem_.keep.predicate;
    using Index = loop_index<decltype(predicate)>;
    const index_t first = problem_.keep.first + at;
    T index[tile];
    for (index_t i = 0; i < count; ++i) index[i] = static_cast<T>(first + i);
    count_up<Index>(first, first + count, [=](Index i) {
      flags[static_cast<index_t>(i) - first] = static_cast<bool>(predicate(i));
    });
    return move(index, count, flags, to);
  }

  index_t move(const T* x, index_t count, const bool* flags, T* to) const {
    if (compress_ != nullptr) return compress_(x, flags, count, to);
    return move_strided(x, count, std::integral_constant<index_t, 1>{}, flags, to);
  }

  template <class Stride>
  static index_t move_strided(const T* x, index_t count, Stride stride, const bool* flags, T* to) {
    index_t kept = 0;
    for (index_t i = 0; i < count; ++i) {
      to[kept] = x[i * stride];
      kept += flags[i] ? 1 : 0;
    }
    return kept;
  }

  static compress_function* compress_of(const compress_kernels& kernels) {
    if constexpr (sizeof(T) == 4) return kernels.words;
    if constexpr (sizeof(T) == 8) return kernels.double_words;
    return nullptr;
  }

  const select_problem<T, Keep> problem_;
  compress_function* compress_;
  T* kept_;
};

}  // namespace tandem::openmp_impl
