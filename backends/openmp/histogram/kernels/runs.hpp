// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/table.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>

/// Counting 32-bit integers in runs. Everything has internal linkage, so that the file of each
/// instruction set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Prefetches the run `histogram_prefetch_values` ahead, possibly beyond the end of the array.
inline void prefetch_run(const std::uint32_t* values) {
  constexpr int line = 16;
  const auto ahead = reinterpret_cast<std::uintptr_t>(values) + 4 * histogram_prefetch_values;
  for (unsigned i = 0; i < histogram_run; i += line)
    __builtin_prefetch(reinterpret_cast<const void*>(ahead + 4 * i));
}

inline void add_one(const word_counters& counters, int copy, std::uint32_t bin) {
  ++counters.copies[copy][bin];
}
inline void add_one(const byte_counters& counters, int, std::uint32_t bin) {
  if (++counters.bytes[bin] == 0) [[unlikely]]
    counters.words[bin] += 256;
}

inline void add_many(const word_counters& counters, std::uint32_t bin, std::uint32_t count) {
  counters.copies[0][bin] += count;
}
inline void add_many(const byte_counters& counters, std::uint32_t bin, std::uint32_t count) {
  counters.words[bin] += count;
}

/// Counts values one by one; some may have no bin.
template <class Counters>
void count_checked(const Counters counters, const std::uint32_t* values, std::int64_t count,
                   std::uint32_t first, std::uint32_t bins) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bin = values[i] - first;
    if (bin < bins) add_one(counters, static_cast<int>(i % histogram_copies), bin);
  }
}

/// What is known about a run before it is counted.
struct run_survey {
  std::uint32_t highest;      ///< the highest bin
  std::uint32_t differences;  ///< bits in which values differ from the first
};

/// Surveys a run. Inlined: a call would evict the counters' addresses from registers for every run.
[[gnu::always_inline]] inline run_survey survey(const std::uint32_t* run, std::uint32_t first) {
  std::uint32_t highest = 0;
  std::uint32_t differences = 0;
#pragma omp simd reduction(max : highest) reduction(| : differences)
  for (int i = 0; i < histogram_run; ++i) {
    const std::uint32_t bin = run[i] - first;
    highest = highest > bin ? highest : bin;
    differences |= run[i] ^ run[0];
  }
  return {highest, differences};
}

/// Whether a run may hold long stretches of equal values.
inline bool repeats(const std::uint32_t* run) {
  bool found = run[histogram_run - histogram_stretch] == run[histogram_run - 1];
  for (int i = 0; i + histogram_stretch < histogram_run; i += histogram_stretch)
    found |= run[i] == run[i + histogram_stretch];
  return found;
}

/// Counts a run whose values all have bins, each stretch of equal values at once. Not inlined,
/// since most runs have no such stretch.
template <class Counters>
[[gnu::noinline]] void count_stretches(const Counters& given, const std::uint32_t* run,
                                       std::uint32_t first) {
  const Counters counters = given;
  for (int begin = 0; begin < histogram_run; begin += histogram_stretch) {
    const std::uint32_t* const stretch = run + begin;
    std::uint32_t differences = 0;
#pragma omp simd reduction(| : differences)
    for (int i = 0; i < histogram_stretch; ++i) differences |= stretch[i] ^ stretch[0];
    if (differences == 0) {
      add_many(counters, stretch[0] - first, histogram_stretch);
      continue;
    }
#pragma GCC unroll 16
    for (int i = 0; i < histogram_stretch; ++i)
      add_one(counters, i % histogram_copies, stretch[i] - first);
  }
}

/// Surveys each run before counting it. If all values have bins, as in nearly all runs, there is no
/// branch per value. Equal values are counted at once; otherwise each would wait for the previous
/// one's store.
template <class Counters, bool StartsAtZero>
void count_runs_from(const Counters counters, const std::uint32_t* values, std::int64_t count,
                     std::uint32_t given_first, std::uint32_t bins) {
  const std::uint32_t first = StartsAtZero ? 0 : given_first;
  std::int64_t done = 0;
  for (; done + histogram_run <= count; done += histogram_run) {
    const std::uint32_t* const run = values + done;
    prefetch_run(run);
    const run_survey known = survey(run, first);
    if (known.highest >= bins) {
      count_checked(counters, run, histogram_run, first, bins);
    } else if (known.differences == 0) {
      add_many(counters, known.highest, histogram_run);
    } else if (repeats(run)) {
      count_stretches(counters, run, first);
    } else {
#pragma GCC unroll 64
      for (int i = 0; i < histogram_run; ++i)
        add_one(counters, i % histogram_copies, run[i] - first);
    }
  }
  count_checked(counters, values + done, count - done, first, bins);
}

template <class Counters>
void count_runs(const Counters& counters, const std::uint32_t* values, std::int64_t count,
                std::uint32_t first, std::uint32_t bins) {
  if (first == 0) {
    count_runs_from<Counters, true>(counters, values, count, first, bins);
  } else {
    count_runs_from<Counters, false>(counters, values, count, first, bins);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
