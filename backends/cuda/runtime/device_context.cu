// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <tandem/core/memory/host_memory.hpp>

#include <unistd.h>

namespace tandem::cuda_impl {

/// State that the streams of one device share. Lives as long as the process: the driver frees it at
/// exit, in an order that no destructor here could know.
struct device_context {
  device_limits limits;
  cudaMemPool_t pool = nullptr;
  std::vector<std::unique_ptr<stream_state>> streams;
  std::vector<stream_state*> idle;
  std::byte* result_slots = nullptr;  // the next free one
  int result_slots_left = 0;
};

namespace {

/// Mapped result slots that are pinned at a time: pinning one takes as long as pinning sixteen.
constexpr int result_slot_batch = 16;

/// The process that loaded the library; a forked child has a different id.
const pid_t loading_process = getpid();

/// Makes a pool that keeps freed memory. With the default threshold of 0, every synchronisation
/// returns it to the system, which makes the next allocation slow.
cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  std::uint64_t keep = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep),
        "cudaMemPoolSetAttribute");
  return pool;
}

result_slot make_result_slot(device_context& context) {
  if (context.result_slots_left == 0) {
    void* memory = nullptr;
    constexpr std::size_t bytes = result_slot_batch * result_slot_bytes;
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
          "cudaHostAlloc", bytes);
    std::memset(memory, 0, bytes);
    context.result_slots = static_cast<std::byte*>(memory);
    context.result_slots_left = result_slot_batch;
  }
  result_slot result{context.result_slots, nullptr};
  check(cudaHostGetDevicePointer(&result.device, result.host, 0), "cudaHostGetDevicePointer");
  context.result_slots += result_slot_bytes;
  --context.result_slots_left;
  return result;
}

/// Makes a stream that is not ordered with the legacy default stream.
std::unique_ptr<stream_state> make_stream(device_context& context) {
  auto state = std::make_unique<stream_state>();
  state->context = &context;
  state->limits = &context.limits;
  state->pool = context.pool;
  check(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  state->own_stream = state->stream;
  try {
    constexpr std::size_t bytes = counter_words * sizeof(unsigned);
    state->counters = static_cast<unsigned*>(allocate(*state, bytes));
    check(cudaMemsetAsync(state->counters, 0, bytes, state->stream), "cudaMemsetAsync");
    state->results = make_result_slot(context);
  } catch (...) {
    deallocate(*state, state->counters);
    static_cast<void>(cudaStreamDestroy(state->stream));
    throw;
  }
  return state;
}

/// All contexts of the process. Its lock is taken when spaces are created and destroyed, never by a
/// launch.
class registry {
 public:
  static registry& instance() {
    // Never destroyed, because spaces in static objects outlive everything else.
    static registry& only = *new registry;
    return only;
  }

  stream_state* acquire(int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const capture_allowance allowance;
    if (!contexts_.empty() && process_ != getpid())
      throw device_error("cuda" + fork_note(cudaErrorInitializationError));
    device_context& context = this->context(device);
    if (!context.idle.empty()) {
      stream_state* const state = context.idle.back();
      context.idle.pop_back();
      return state;
    }
    const device_guard guard(device);
    context.streams.reserve(context.streams.size() + 1);
    context.idle.reserve(context.streams.size() + 1);  // so that release() need not allocate
    context.streams.push_back(make_stream(context));
    return context.streams.back().get();
  }

  void release(stream_state* state) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    state->context->idle.push_back(state);
  }

 private:
  device_context& context(int device) {
    const auto known = std::find_if(contexts_.begin(), contexts_.end(), [&](const auto& context) {
      return context->limits.device == device;
    });
    if (known != contexts_.end()) return **known;
    std::string why;
    const int count = device_count(&why);
    if (count == 0) throw no_device_error("cuda: no device: " + why);
    if (device < 0 || device >= count) {
      throw no_device_error("cuda: there is no device " + std::to_string(device) +
                            ": devices of this machine: " + std::to_string(count) +
                            ", numbered from 0");
    }
    auto context = std::make_unique<device_context>();
    contexts_.reserve(contexts_.size() + 1);
    context->limits = read_limits(device);
    const device_guard guard(device);
    context->pool = make_pool(device);
    prepare_requirements(device);
    process_ = getpid();
    contexts_.push_back(std::move(context));
    return *contexts_.back();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<device_context>> contexts_;
  pid_t process_ = 0;  // that made the contexts, which a forked child cannot use
};

int attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

void check(cudaError_t status, const char* call, std::size_t asked, const char* file, int line) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears it, unless the context is lost
  if (status == cudaErrorMemoryAllocation) {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
    throw out_of_memory_error(call, asked, free);
  }
  throw device_error(std::string(call) + ": " + cudaGetErrorName(status) + ": " +
                     cudaGetErrorString(status) + fork_note(status) + ", at " + file + ":" +
                     std::to_string(line));
}

std::string fork_note(cudaError_t status) {
  if (status != cudaErrorInitializationError || getpid() == loading_process) return "";
  return ": a process forked from one that has used CUDA cannot use it; fork before, or start the "
         "process anew (exec, the method \"spawn\" of Python's multiprocessing)";
}

void check_work(const stream_state& state, cudaError_t status, const char* call, const char* file,
                int line) {
  if (status == cudaSuccess) return;
  std::string where = std::string(call) + " after " + state.last_label;
  if (status == cudaErrorIllegalAddress) {
    where +=
        " (a kernel touched memory that the GPU cannot reach: an array of the host, an index out "
        "of bounds, or a member read through `this`, which [=, *this] copies; a build with "
        "TANDEM_CHECKED=ON prints which view)";
  }
  check(status, where.c_str(), 0, file, line);
}

void fail_recording(const char* what, const char* why) {
  throw recording_error(std::string(what) + " cannot be recorded: " + why);
}

device_guard::device_guard(int device) { enter(device, "cudaGetDevice"); }

void device_guard::enter(int device, const char* call) {
  check(cudaGetDevice(&previous_), call);
  if (previous_ == device) return;
  check(cudaSetDevice(device), "cudaSetDevice");
  changed_ = true;
}

void device_guard::leave() noexcept { static_cast<void>(cudaSetDevice(previous_)); }

int device_count(std::string* why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  static_cast<void>(cudaGetLastError());
  if (why == nullptr) return 0;
  const std::string reason =
      std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status) + fork_note(status);
  *why = status == cudaErrorInsufficientDriver
             ? "the NVIDIA driver is missing or too old (" + reason + ")"
         : status == cudaSuccess ? "the NVIDIA driver sees none"
                                 : "the NVIDIA driver offers none (" + reason + ")";
  return 0;
}

device_limits read_limits(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  device_limits result;
  result.device = device;
  result.name = properties.name;
  result.compute_capability = properties.major * 10 + properties.minor;
  result.multiprocessors = properties.multiProcessorCount;
  result.block_threads = properties.maxThreadsPerBlock;
  std::copy_n(properties.maxThreadsDim, 3, result.block_extent);
  result.block_shared =
      static_cast<std::size_t>(attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  result.default_block_shared = properties.sharedMemPerBlock;
  result.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  result.total_memory = properties.totalGlobalMem;
  result.max_pitch = properties.memPitch;
  result.only_device = device_count() == 1;
  return result;
}

stream_state* acquire_stream(int device) {
  try {
    return registry::instance().acquire(device);
  } catch (const out_of_memory_error& e) {
    detail::fail_memory("cuda", e);
  } catch (const std::bad_alloc&) {
    detail::fail_host_memory("cuda", sizeof(stream_state));
  }
}

namespace {

/// Makes later work of `second` start after the current work of `first`.
void order_streams(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  cudaError_t status = cudaEventRecord(event, first);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(second, event, 0);
  static_cast<void>(cudaEventDestroy(event));
  check(status, "cuda::on_stream: cudaEventRecord or cudaStreamWaitEvent");
}

}  // namespace

void borrow_stream(stream_state& state, cudaStream_t stream) {
  const device_guard guard(*state.limits);
  order_streams(state.own_stream, stream);  // scratch and counters are in use until then
  state.stream = stream;
  state.borrows = true;
}

void release_stream(stream_state* state) noexcept {
  if (state->borrows) {
    try {
      const device_guard guard(*state->limits);
      order_streams(state->stream, state->own_stream);
    } catch (...) {  // the stream or the device is lost, and so is what ran there
    }
    state->stream = state->own_stream;
    state->borrows = false;
  }
  registry::instance().release(state);
}

void* allocate(const stream_state& state, std::size_t bytes, const char* where) {
  if (bytes == 0) return nullptr;
  const device_guard guard(*state.limits);
  const capture_allowance allowance;
  const bool recorded = state.recording != nullptr;
  const cudaStream_t order = recorded ? state.recording->stream : state.stream;
  void* memory = nullptr;
  const auto attempt = [&] {
    // The driver may report an invalid value if more is requested than the device has.
    return bytes > state.limits->total_memory
               ? cudaErrorMemoryAllocation
               : cudaMallocFromPoolAsync(&memory, bytes, state.pool, order);
  };
  cudaError_t status = attempt();
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    // Pending frees are returned only after a synchronisation, which a recording forbids.
    if (!recorded) check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaMemPoolTrimTo(state.pool, 0), "cudaMemPoolTrimTo");
    status = attempt();
  }
  check(status, where, bytes);
  return memory;
}

void deallocate(const stream_state& state, void* pointer) noexcept {
  if (pointer == nullptr) return;
  if (state.recording != nullptr) {
    try {
      state.recording->deferred_frees.push_back(pointer);
    } catch (...) {  // no memory for the list: the device's is lost to the process
    }
    return;
  }
  const capture_allowance allowance;
  // Errors are dropped: the caller may be a destructor, possibly after the driver has shut down.
  if (cudaFreeAsync(pointer, state.stream) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

persistent_buffer persistent_memory(const cuda& space, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{1} << 19;  // the tile totals of a scan of 2^27 elements
  stream_state& state = space.state();
  if (bytes > state.persistent_bytes) {
    deallocate(state, state.persistent);
    state.persistent = nullptr;
    state.persistent_bytes = 0;
    const std::size_t size = std::max(2 * bytes, least);
    state.persistent = allocate(state, size, "cuda persistent memory");
    const device_guard guard(*state.limits);
    const bool recorded = state.recording != nullptr;
    check(cudaMemsetAsync(state.persistent, 0, size,
                          recorded ? state.recording->stream : state.stream),
          "cudaMemsetAsync");
    state.persistent_bytes = size;
  }
  return {state.persistent, state.persistent_bytes};
}

void* scratch(const cuda& space, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{1} << 20;
  stream_state& state = space.state();
  if (bytes > state.scratch_bytes) {
    deallocate(state, state.scratch);
    state.scratch = nullptr;
    state.scratch_bytes = 0;
    const std::size_t size = std::max(bytes, least);
    state.scratch = allocate(state, size, "cuda scratch");
    state.scratch_bytes = size;
  }
  return state.scratch;
}

}  // namespace tandem::cuda_impl
