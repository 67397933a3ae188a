// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/compaction/kernel.hpp>

#include <cstring>

namespace perf::compaction_openmp {

/// Elements that are compacted into a buffer at a time.
constexpr index_t batch = 2048;

index_t count_kept(const float* x, index_t begin, index_t end) {
  int count = 0;
#pragma omp simd reduction(+ : count)
  for (index_t i = begin; i < end; ++i) count += x[i] > kept_above ? 1 : 0;
  return count;
}

/// Writes the kept elements of [begin, end) to `out` without a branch per element.
void write_kept(const float* x, index_t begin, index_t end, float* out) {
  float buffer[batch];
  for (; begin < end; begin += batch) {
    const index_t stop = std::min(begin + batch, end);
    index_t count = 0;
    for (index_t i = begin; i < stop; ++i) {
      buffer[count] = x[i];
      count += x[i] > kept_above ? 1 : 0;
    }
    std::memcpy(out, buffer, static_cast<std::size_t>(count) * sizeof(float));
    out += count;
  }
}

/// Each thread counts what it keeps of its partition, then writes it behind the preceding threads'.
void compact_by_hand(compaction<openmp>& kernel) {
  const float* const x = kernel.x.data_handle();
  float* const out = kernel.kept.data_handle();
  const index_t n = kernel.x.size();
  std::vector<index_t> counts(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const index_t threads = omp_get_num_threads();
    const index_t thread = omp_get_thread_num();
    const index_t begin = n * thread / threads;
    const index_t end = n * (thread + 1) / threads;
    counts[static_cast<std::size_t>(thread)] = count_kept(x, begin, end);
#pragma omp barrier
    index_t before = 0;
    for (index_t t = 0; t < thread; ++t) before += counts[static_cast<std::size_t>(t)];
    write_kept(x, begin, end, out + before);
    if (thread == threads - 1)
      *kernel.count.data_handle() = before + counts[static_cast<std::size_t>(thread)];
  }
}

const registration all(list_kernel<openmp, compaction<openmp>, compact_by_hand>);

}  // namespace perf::compaction_openmp
