// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

/// What stands between tandem::cuda and the CUDA runtime: streams and contexts that live as long as
/// the process, the memory that kernels need beside their operands, and the check of every call.
namespace tandem::cuda_impl {

/// What of a device bounds or shapes a launch. Read once, when the device is first used.
struct device_limits {
  int device = 0;
  std::string name;
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  int block_threads = 0;     ///< most threads of a block
  int block_extent[3] = {};  ///< most of them along x, y, z
  std::size_t block_shared =
      0;  ///< most bytes of shared memory of a block, opted in to where needed
  std::size_t default_block_shared =
      0;  ///< of those, what a kernel may have without opting in: 48 KiB
  std::size_t l2_bytes = 0;
  std::size_t total_memory = 0;  ///< bytes
  std::size_t max_pitch = 0;     ///< most bytes between rows of a pitched copy
  bool only_device = false;      ///< the process sees no other device
};

/// 4 KiB of page-locked host memory that kernels of one stream write and the host reads: 6.9 us
/// from launch to value where a copy and a wait take 10.3 (result_mailbox.hpp).
struct mailbox {
  void* host = nullptr;
  void* device = nullptr;
};
inline constexpr std::size_t mailbox_bytes = 4096;

/// Words of counters() of each stream.
inline constexpr std::size_t counter_words = 256;

struct device_context;

/// Memory while a stream's work is recorded. It comes from a stream of its own, so that no
/// allocation becomes part of the graph, and what is freed stays until the graph ends, whose
/// kernels hold its addresses.
struct recording_memory {
  cudaStream_t stream = nullptr;
  std::vector<void*> deferred_frees;
};

/// A stream and what belongs to it. Never freed: a state whose space is gone waits for the next
/// space of its device, so that resources and arrays may outlive the space they came from.
struct stream_state {
  device_context* context = nullptr;
  const device_limits* limits = nullptr;
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  void* persistent = nullptr;
  std::size_t persistent_bytes = 0;
  unsigned* counters = nullptr;
  mailbox results;
  std::uint32_t last_call = 0;            ///< number of the mailbox's last use
  std::vector<const void*> opted_in;      ///< kernels that may have all of block_shared
  recording_memory* recording = nullptr;  ///< set while the stream's work is recorded, not run
};

/// Throws unless `status` is cudaSuccess: out_of_memory_error for cudaErrorMemoryAllocation, else
/// device_error with the call, the error's name and text and the caller's line. An error that does
/// not end the context is cleared, so that the next call works.
///
/// @param call   what was called, perhaps after the operation's label: "copy: cudaMemcpyAsync"
/// @param asked  bytes that an allocating call asked for
void check(cudaError_t status, const char* call, std::size_t asked = 0,
           const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Makes a device the calling thread's current one for its lifetime. Free where it is alone, 40 ns
/// when it is current already.
class device_guard {
 public:
  explicit device_guard(int device);
  explicit device_guard(const device_limits& limits) {
    if (!limits.only_device) enter(limits.device);
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (changed_) leave();
  }

 private:
  void enter(int device);
  void leave() noexcept;

  int previous_ = 0;
  bool changed_ = false;
};

/// Number of devices, 0 without a driver; `why` then says what is missing.
int device_count(std::string* why = nullptr);

/// Asks the driver; needs no context on the device.
device_limits read_limits(int device);

/// A stream of `device` that no other space has. Errors: no_device_error; out_of_memory_error.
stream_state* acquire_stream(int device);
/// Gives a stream to the next space of its device, with work that may still be under way.
void release_stream(stream_state* state) noexcept;

/// Memory of the device's pool in the stream's order, 256-byte aligned; nullptr for 0 bytes. When
/// memory runs out, waits for the device, returns what the pool holds unused and tries once more.
/// Errors: out_of_memory_error.
void* allocate(const stream_state& state, std::size_t bytes, const char* where = "cuda allocate");
/// Gives it back in the stream's order.
void deallocate(const stream_state& state, void* pointer) noexcept;

/// Throws recording_error "WHAT cannot be recorded: WHY".
[[noreturn]] void fail_recording(const char* what, const char* why);

/// Refuses what waits for the space's work while that is recorded, since it does not run then.
inline void require_running(const cuda& space, const char* what) {
  if (space.state().recording == nullptr) return;
  fail_recording(what, "it waits for work that a recording only notes down");
}

/// Limits of the space's device.
inline const device_limits& limits(const cuda& space) { return *space.state().limits; }

/// Device memory of the space's stream: at least `bytes` bytes, 256-byte aligned, contents
/// undefined, valid for work enqueued before the stream's next scratch(). Grows and is kept.
/// Errors: out_of_memory_error.
void* scratch(const cuda& space, std::size_t bytes);

/// What persistent_memory() returns.
struct persistent_buffer {
  void* data;
  std::size_t bytes;  ///< at least what was asked for
};

/// Device memory that persists from kernel to kernel of the space's stream: zero when it is new,
/// afterwards as the last kernel left it. 256-byte aligned, valid for work enqueued before the
/// stream's next persistent_memory(). Growing it starts again from zeros. Errors:
/// out_of_memory_error.
persistent_buffer persistent_memory(const cuda& space, std::size_t bytes);

/// Enqueues `value` for `bytes` bytes of device memory. By a kernel: a small memset takes 2 to 3 us
/// of a graph's replay where this one takes 0.9, and the kernel after it can start early.
void set_bytes(const cuda& space, void* pointer, unsigned char value, std::size_t bytes);

/// counter_words words of device memory, all zero. A kernel that uses one leaves it zero.
inline unsigned* counters(const cuda& space) { return space.state().counters; }

/// The stream's mailbox. Its contents are those of the last kernel that wrote it. Errors:
/// recording_error, since the host would wait for it in vain.
inline mailbox result_mailbox(const cuda& space) {
  require_running(space, "a result on the host");
  return space.state().results;
}

}  // namespace tandem::cuda_impl
