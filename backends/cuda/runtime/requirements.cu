// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <tandem/config.hpp>
#include <tandem/core/errors.hpp>

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace tandem {

namespace {

using device::requirement_record;

/// The pointers of all files, filled before main() and by libraries loaded later.
struct slot_list {
  std::mutex lock;
  std::vector<const void*> slots;
};
slot_list& known() {
  static auto* const one = new slot_list;
  return *one;
}

/// The records of devices by number; devices with higher numbers are not checked.
constexpr int most_devices = 64;
std::atomic<requirement_record*> records[most_devices];

std::string text_of(const unsigned (&position)[3]) {
  return "(" + detail::text(position[0]) + ", " + detail::text(position[1]) + ", " +
         detail::text(position[2]) + ")";
}

/// Returns " (kernel NAME)" if the runtime provides the name.
std::string note_of([[maybe_unused]] const void* kernel) {
#if CUDART_VERSION >= 12030
  const char* name = nullptr;
  if (kernel != nullptr && cudaFuncGetName(&name, kernel) == cudaSuccess) {
    int status = 0;
    char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string note = std::string(" (kernel ") + (status == 0 ? readable : name) + ")";
    std::free(readable);
    return note;
  }
  static_cast<void>(cudaGetLastError());
#endif
  return "";
}

[[noreturn]] void fail(const requirement_record& r, const cuda_impl::stream_state& stream) {
  throw requirement_error(r.text, r.is_integer ? detail::text(r.integer) : detail::text(r.real),
                          std::string(r.file) + ":" + detail::text(r.line) + ", block " +
                              text_of(r.block) + ", thread " + text_of(r.thread) + ", after " +
                              stream.last_label + note_of(stream.last_kernel));
}

}  // namespace

bool device::watch_requirements(const void* slot) {
  slot_list& list = known();
  const std::lock_guard guard(list.lock);
  list.slots.push_back(slot);
  return true;
}

void cuda_impl::prepare_requirements(int device) {
  slot_list& list = known();
  const std::lock_guard guard(list.lock);
  if (list.slots.empty() || device >= most_devices) return;
  const capture_allowance allowance;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(requirement_record),
                      cudaHostAllocMapped | cudaHostAllocPortable),
        "cudaHostAlloc", sizeof(requirement_record));
  auto* const record = new (memory) requirement_record{};
  void* on_device = nullptr;
  check(cudaHostGetDevicePointer(&on_device, memory, 0), "cudaHostGetDevicePointer");
  for (const void* const slot : list.slots) {
    // A file without code for this device runs no kernel on it.
    if (cudaMemcpyToSymbol(slot, &on_device, sizeof on_device) != cudaSuccess)
      static_cast<void>(cudaGetLastError());
  }
  records[device].store(record, std::memory_order_release);
}

void cuda_impl::check_requirements(int device, const stream_state& stream) {
  if (device >= most_devices) return;
  requirement_record* const record = records[device].load(std::memory_order_acquire);
  if (record == nullptr) return;
  auto* const state = static_cast<volatile unsigned*>(&record->state);
  if (*state != 2) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  const requirement_record found = *record;
  *state = 0;
  fail(found, stream);
}

}  // namespace tandem
