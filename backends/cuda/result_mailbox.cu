// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/result_mailbox.hpp>

#include <string>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/runtime.cuh>

namespace tandem::cuda_impl {

namespace {

/// Polls between two looks at the stream, some 50 us: rare enough not to slow the kernel's own
/// traffic.
constexpr int polls_a_look = 2048;

bool has_arrived(const std::uint64_t* arrived, std::uint64_t sequence) {
  return __atomic_load_n(arrived, __ATOMIC_ACQUIRE) == sequence;
}

/// Tells the core that it is spinning, so that its sibling gets the execution units.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void wait_for_result(const cuda& space, const char* label, const std::uint64_t* arrived,
                     std::uint64_t sequence) {
  for (int polls = 1;; ++polls) {
    if (has_arrived(arrived, sequence)) return;
    pause();
    if (polls % polls_a_look != 0) continue;
    polls = 0;
    const cudaError_t state = cudaStreamQuery(space.native_stream());
    if (state == cudaErrorNotReady) continue;
    check(state, "cudaStreamQuery");
    // The stream is empty, so that the kernel's writes are visible by now.
    if (has_arrived(arrived, sequence)) return;
    throw device_error(std::string(label) + ": the kernel ended without its result");
  }
}

}  // namespace tandem::cuda_impl
