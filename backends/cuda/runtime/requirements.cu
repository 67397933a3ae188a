// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <tandem/core/errors.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace tandem {

namespace {

/// The slots of all files, filled before main() and by libraries that are loaded later.
struct slot_list {
  std::mutex lock;
  std::vector<const void*> slots;
};
slot_list& known() {
  static auto* const one = new slot_list;
  return *one;
}

std::string text_of(const unsigned (&position)[3]) {
  return "(" + detail::text(position[0]) + ", " + detail::text(position[1]) + ", " +
         detail::text(position[2]) + ")";
}

[[noreturn]] void fail(const device::requirement_record& r) {
  throw requirement_error(r.text, r.is_integer ? detail::text(r.integer) : detail::text(r.real),
                          std::string(r.file) + ":" + detail::text(r.line) + ", block " +
                              text_of(r.block) + ", thread " + text_of(r.thread));
}

}  // namespace

bool device::watch_requirements(const void* slot) {
  slot_list& list = known();
  const std::lock_guard guard(list.lock);
  list.slots.push_back(slot);
  return true;
}

void cuda_impl::check_requirements(const stream_state& state) {
  slot_list& list = known();
  const std::lock_guard guard(list.lock);
  if (list.slots.empty()) return;
  const device_guard current(*state.limits);
  for (const void* const slot : list.slots) {
    const auto read = [&](void* to, std::size_t bytes) {
      check(cudaMemcpyFromSymbolAsync(to, slot, bytes, 0, cudaMemcpyDeviceToHost, state.stream),
            "fence: cudaMemcpyFromSymbolAsync");
      check(cudaStreamSynchronize(state.stream), "fence: cudaStreamSynchronize");
    };
    unsigned found = 0;
    static_assert(offsetof(device::requirement_record, state) == 0);
    read(&found, sizeof found);
    if (found != 2) continue;
    device::requirement_record record;
    read(&record, sizeof record);
    const unsigned none = 0;
    check(
        cudaMemcpyToSymbolAsync(slot, &none, sizeof none, 0, cudaMemcpyHostToDevice, state.stream),
        "fence: cudaMemcpyToSymbolAsync");
    check(cudaStreamSynchronize(state.stream), "fence: cudaStreamSynchronize");
    fail(record);
  }
}

}  // namespace tandem
