// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

/// The layer between tandem::cuda and the CUDA runtime: streams and contexts that live as long as
/// the process, the memory that kernels need besides their operands, and the check of every call.
namespace tandem::cuda_impl {

/// The device properties that limit or shape a launch. Read once, when the device is first used.
struct device_limits {
  int device = 0;
  std::string name;
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  int block_threads = 0;                 ///< maximum threads per block
  int block_extent[3] = {};              ///< maximum block size along x, y, z
  std::size_t block_shared = 0;          ///< maximum shared memory per block, with opt-in
  std::size_t default_block_shared = 0;  ///< the part that needs no opt-in: 48 KiB
  std::size_t l2_bytes = 0;
  std::size_t total_memory = 0;
  std::size_t max_pitch = 0;  ///< maximum bytes between rows of a pitched copy
  bool only_device = false;   ///< the process sees no other device
};

/// Page-locked host memory that kernels of one stream write and the host reads. This is faster than
/// a copy and a synchronisation (result_slot.hpp).
struct result_slot {
  void* host = nullptr;
  void* device = nullptr;
};
inline constexpr std::size_t result_slot_bytes = 4096;

/// Words per stream that counters() returns.
inline constexpr std::size_t counter_words = 512;

struct device_context;

/// The source of memory while a stream's work is recorded. It is a separate stream, so that no
/// allocation becomes part of the graph. Freed memory is kept until the graph is destroyed, because
/// the graph's kernels hold its addresses.
struct recording_memory {
  cudaStream_t stream = nullptr;
  std::vector<void*> deferred_frees;
  const void* recording = nullptr;  ///< equal for all streams of one recording
  std::optional<cuda> beside;       ///< once cuda::beside() has made it; recorded, too
};

/// A stream and its resources. Never freed: the next space of the device reuses the state of a
/// destroyed one, so resources and arrays may outlive their space.
struct stream_state {
  device_context* context = nullptr;
  const device_limits* limits = nullptr;
  cudaStream_t stream = nullptr;
  cudaStream_t own_stream = nullptr;  ///< what `stream` reverts to after a borrowed one is returned
  bool borrows = false;               ///< `stream` is the caller's
  cudaMemPool_t pool = nullptr;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  void* persistent = nullptr;
  std::size_t persistent_bytes = 0;
  unsigned* counters = nullptr;
  result_slot results;
  std::uint32_t last_call = 0;            ///< number of the result slot's last use
  std::vector<const void*> opted_in;      ///< kernels that may use all of block_shared
  const char* last_label = "no kernel";   ///< of the most recently enqueued kernel
  const void* last_kernel = nullptr;      ///< that kernel
  recording_memory* recording = nullptr;  ///< non-null while the stream's work is being recorded
};

/// Throws unless `status` is cudaSuccess: out_of_memory_error for cudaErrorMemoryAllocation,
/// otherwise device_error with the call, the error's name and text and the caller's line. An error
/// that leaves the context usable is cleared, so that the next call works.
///
/// @param call   the function called, preceded by the operation's label if there is one: "copy:
///               cudaMemcpyAsync"
/// @param asked  bytes that an allocating call requested
void check(cudaError_t status, const char* call, std::size_t asked = 0,
           const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Does what check() does for a call that reports asynchronous errors of the stream's earlier work.
/// The message names the operation that enqueued the last of it, as in "fence:
/// cudaStreamSynchronize after parallel_for: cudaErrorIllegalAddress: ..".
void check_work(const stream_state& state, cudaError_t status, const char* call,
                const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Returns what a message adds to the error that CUDA reports in the child of a process that has
/// used it; empty for other errors and processes.
std::string fork_note(cudaError_t status);

/// Makes a device the calling thread's current one for the lifetime of the object. Costs nothing if
/// the process sees only one device.
class device_guard {
 public:
  explicit device_guard(int device);
  /// `call` is the driver's call in errors, with the operation outside run().
  explicit device_guard(const device_limits& limits, const char* call = "cudaGetDevice") {
    if (!limits.only_device) enter(limits.device, call);
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (changed_) leave();
  }

 private:
  void enter(int device, const char* call);
  void leave() noexcept;

  int previous_ = 0;
  bool changed_ = false;
};

/// Lets the calling thread make calls that the capture of an unrelated stream would forbid, such as
/// allocations.
class capture_allowance {
 public:
  capture_allowance() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  capture_allowance(const capture_allowance&) = delete;
  capture_allowance& operator=(const capture_allowance&) = delete;
  ~capture_allowance() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Clears the error of an earlier call of the program, which CUB would return for its kernels.
inline void clear_older_error() { static_cast<void>(cudaGetLastError()); }

/// Returns the number of devices. Returns 0 without a driver, and `why` then says what is missing.
int device_count(std::string* why = nullptr);

/// Returns the limits that the driver reports; needs no context on the device.
device_limits read_limits(int device);

/// Returns a stream of `device` that no other space uses. Errors: no_device_error;
/// out_of_memory_error, after which spaces can still be created.
stream_state* acquire_stream(int device);
/// Returns a stream to the pool for the device's next space; its work may still be running. A
/// borrowed stream goes back to its owner.
void release_stream(stream_state* state) noexcept;

/// Makes the state run on the caller's stream, after the work of its previous stream. Errors:
/// device_error.
void borrow_stream(stream_state& state, cudaStream_t stream);

/// Allocates from the device's pool in stream order, 256-byte aligned; returns nullptr for 0 bytes.
/// If memory runs out, waits for the device, returns the pool's unused memory and retries once.
/// Errors: out_of_memory_error.
void* allocate(const stream_state& state, std::size_t bytes, const char* where = "cuda allocate");
/// Returns memory to the pool in stream order.
void deallocate(const stream_state& state, void* pointer) noexcept;

/// Memory of the stream's pool for the lifetime of the object. Work enqueued before the object is
/// destroyed may use it.
class pool_memory {
 public:
  pool_memory(const cuda& space, std::size_t bytes, const char* where)
      : state_(space.state()), data_(allocate(state_, bytes, where)) {}
  pool_memory(const pool_memory&) = delete;
  pool_memory& operator=(const pool_memory&) = delete;
  ~pool_memory() { deallocate(state_, data_); }

  void* data() const { return data_; }

 private:
  const stream_state& state_;
  void* data_;
};

/// Throws recording_error "WHAT cannot be recorded: WHY".
[[noreturn]] void fail_recording(const char* what, const char* why);

/// The recording that a stream's work belongs to, or null.
inline const void* recording_of(const stream_state& state) {
  return state.recording == nullptr ? nullptr : state.recording->recording;
}

/// Throws recording_error while the space's work is being recorded, because nothing can wait for
/// it.
inline void require_running(const cuda& space, const char* what) {
  if (space.state().recording == nullptr) return;
  fail_recording(what, "it waits for work that is recorded and does not run");
}

/// Returns the limits of the space's device.
inline const device_limits& limits(const cuda& space) { return *space.state().limits; }

/// Returns device memory of the space's stream: at least `bytes` bytes, 256-byte aligned, with
/// undefined contents, valid for work enqueued before the stream's next scratch(). The stream keeps
/// the largest block that was requested. Errors: out_of_memory_error.
void* scratch(const cuda& space, std::size_t bytes);

/// The result of persistent_memory().
struct persistent_buffer {
  void* data;
  std::size_t bytes;  ///< at least as many as requested
};

/// Returns device memory that persists across kernels of the space's stream. It is zero when new,
/// and afterwards as the last kernel left it. 256-byte aligned, valid for work enqueued before the
/// stream's next persistent_memory(). When it grows, it is zeroed again. Errors:
/// out_of_memory_error.
persistent_buffer persistent_memory(const cuda& space, std::size_t bytes);

/// Enqueues a kernel that sets `bytes` bytes of device memory to `value`. In a graph this is faster
/// than a small memset, and the next kernel may launch before it has completed.
void set_bytes(const cuda& space, const char* label, void* pointer, unsigned char value,
               std::size_t bytes);

/// Returns the stream's counter_words words of device memory. All are zero between kernels: a
/// kernel that uses one must reset it to zero.
inline unsigned* counters(const cuda& space) { return space.state().counters; }

/// Returns the stream's mapped result slot, with the contents that the last kernel wrote. Errors:
/// recording_error, because a recorded kernel does not run and the host would wait forever.
inline result_slot result_slot_of(const cuda& space) {
  require_running(space, "a result on the host");
  return space.state().results;
}

/// Gives the kernels of the current device, number `device`, a record for their failures
/// (<tandem/require_in_kernel.hpp>) in page-locked memory. Called once per device, before its first
/// stream. Makes no CUDA call if no file includes that header. Errors: out_of_memory_error,
/// device_error.
void prepare_requirements(int device);

/// Throws requirement_error if a kernel of the stream's device has failed a requirement since the
/// last call. Reads host memory, after the device's work has completed.
void check_requirements(int device, const stream_state& stream);

}  // namespace tandem::cuda_impl
