// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/result_slot.hpp>

#include <cstring>
#include <string>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/runtime/device_context.cuh>

namespace tandem::cuda_impl {

namespace {

/// Polls of the result slot per query of the stream. Queries are rare enough not to slow the
/// kernel.
constexpr int polls_per_query = 2048;

bool has_arrived(const std::uint64_t* word, std::uint32_t call) {
  return call_of(__atomic_load_n(word, __ATOMIC_RELAXED)) == call;
}

/// Tells the core that the thread is spinning, so that its sibling gets the execution units.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether the stream has unfinished work. Errors: device_error, which names the operation, if the
/// stream failed.
bool is_running(const cuda& space, const char* label) {
  const capture_allowance allowance;
  const cudaError_t state = cudaStreamQuery(space.native_stream());
  if (state == cudaErrorNotReady) return true;
  if (state != cudaSuccess) check(state, (std::string(label) + ": cudaStreamQuery").c_str());
  return false;
}

}  // namespace

result_call open_result_slot(const cuda& space) {
  const result_slot box = result_slot_of(space);
  std::uint32_t& number = space.state().last_call;
  number = next_call(number);
  // When the numbers wrap around, a stale word could be mistaken for one of this call's.
  if (number == 1) std::memset(box.host, 0, result_slot_bytes);
  return {static_cast<std::uint64_t*>(box.device), static_cast<const std::uint64_t*>(box.host),
          number};
}

void wait_for_results(const cuda& space, const char* label, const result_call& call, int words) {
  int polls = 0;
  for (int i = 0; i < words; ++i) {
    while (!has_arrived(call.host + i, call.number)) {
      pause();
      if (++polls % polls_per_query != 0 || is_running(space, label)) continue;
      // The stream is idle, so the kernel's writes are visible.
      if (has_arrived(call.host + i, call.number)) break;
      throw device_error(std::string(label) + ": the kernel ended without its result");
    }
  }
}

}  // namespace tandem::cuda_impl
