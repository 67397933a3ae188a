// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/graph.hpp>

#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include <tandem/core/memory/host_memory.hpp>

namespace tandem {

namespace {

using cuda_impl::check;
using cuda_impl::device_guard;
using cuda_impl::recording_memory;

/// The graph that a stream recorded, until it is instantiated.
class recorded_work {
 public:
  /// Ends the recording. Errors: device_error if a call invalidated it.
  explicit recorded_work(cudaStream_t stream) {
    check(cudaStreamEndCapture(stream, &graph_), "record: cudaStreamEndCapture");
  }
  recorded_work(const recorded_work&) = delete;
  recorded_work& operator=(const recorded_work&) = delete;
  ~recorded_work() {
    if (graph_ != nullptr && cudaGraphDestroy(graph_) != cudaSuccess)
      static_cast<void>(cudaGetLastError());
  }
  cudaGraph_t graph() const { return graph_; }

 private:
  cudaGraph_t graph_ = nullptr;
};

}  // namespace

// cuda_graph

cuda_graph::cuda_graph(cuda_graph&& other) noexcept
    : spaces_(other.spaces_),
      streams_(std::move(other.streams_)),
      work_(std::exchange(other.work_, nullptr)),
      last_(std::exchange(other.last_, nullptr)) {}

cuda_graph& cuda_graph::operator=(cuda_graph&& other) noexcept {
  std::swap(spaces_, other.spaces_);
  std::swap(streams_, other.streams_);
  std::swap(work_, other.work_);
  std::swap(last_, other.last_);
  return *this;
}

cuda_graph::~cuda_graph() {
  if (work_ == nullptr) return;
  try {
    end();
  } catch (...) {
    // The device is lost or the driver has shut down, and its memory is gone.
  }
}

void cuda_graph::end() {
  const device_guard guard(streams_.front().space.device());
  // The streams and their memory may be used again only after the last replay.
  if (last_ != nullptr) {
    const cuda_event done(last_->limits->device);
    check(cudaEventRecord(done.native(), last_->stream), "cudaEventRecord");
    for (const recorded_stream& one : streams_) one.space.wait(done);
  }
  for (const recorded_stream& one : streams_) {
    for (void* const memory : one.deferred_frees) cuda_impl::deallocate(one.space.state(), memory);
  }
  check(cudaGraphExecDestroy(work_), "cudaGraphExecDestroy");
}

void cuda_graph::replay(std::span<const cuda> spaces) {
  if (spaces.size() != spaces_) {
    throw argument_error("replay: the graph was recorded for " + std::to_string(spaces_) +
                         " members, and the group has " + std::to_string(spaces.size()));
  }
  for (std::size_t p = 0; p < spaces_; ++p) {
    const int device = streams_[p].space.device();
    if (spaces[p].device() != device) {
      throw argument_error("replay: the graph was recorded on device " + std::to_string(device) +
                           "; the space runs on device " + std::to_string(spaces[p].device()));
    }
    if (spaces[p].state().recording != nullptr)
      cuda_impl::fail_recording("replay", "a graph holds no graphs");
  }
  const cuda& first = spaces.front();
  const auto others = spaces.subspan(1);
  for (const cuda& other : others) first.wait(other.record());
  const device_guard guard(cuda_impl::limits(first), "replay: cudaGetDevice");
  check(cudaGraphLaunch(work_, first.native_stream()), "replay: cudaGraphLaunch");
  last_ = &first.state();
  for (const cuda& space : spaces) {
    space.state().last_label = "replay";
    space.state().last_kernel = nullptr;
  }
  if (others.empty()) return;
  const cuda_event done = first.record();
  for (const cuda& other : others) other.wait(done);
}

// cuda_recording

cuda_recording::cuda_recording() = default;

// If begin() throws, the destructor ends what has begun.
cuda_recording::cuda_recording(std::span<const cuda> spaces) : cuda_recording() {
  try {
    homes_.reserve(spaces.size());
    memory_.reserve(spaces.size());
    for (const cuda& space : spaces) {
      homes_.emplace_back(space.device());
      memory_.push_back(std::make_unique<recording_memory>());
    }
  } catch (const std::bad_alloc&) {
    detail::fail_host_memory("record", spaces.size() * sizeof(recording_memory));
  }
  begin();
}

void cuda_recording::begin() {
  for (std::size_t p = 0; p < homes_.size(); ++p) {
    const device_guard guard(homes_[p].device());
    homes_[p].fence();  // orders replays on other streams after the home stream's earlier work
    check(cudaStreamCreateWithFlags(&memory_[p]->stream, cudaStreamNonBlocking),
          "record: cudaStreamCreateWithFlags");
  }
  const cuda& first = homes_.front();
  const device_guard guard(first.device());
  // Relaxed, because this thread continues with other work, including allocations.
  check(cudaStreamBeginCapture(first.native_stream(), cudaStreamCaptureModeRelaxed),
        "record: cudaStreamBeginCapture");
  for (std::size_t p = 0; p < homes_.size(); ++p) {
    memory_[p]->recording = this;
    homes_[p].state().recording = memory_[p].get();
    if (p > 0) homes_[p].wait(first.record());  // a stream that waits is recorded, too
  }
}

/// Makes the first stream wait for all others, without which their work would not be in the graph.
void cuda_recording::join() const {
  const cuda& first = homes_.front();
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    if (memory_[p]->beside) first.wait(memory_[p]->beside->record());
    if (p > 0) first.wait(homes_[p].record());
  }
}

cuda_recording::~cuda_recording() {
  if (memory_.empty()) return;
  const cuda_impl::capture_allowance allowance;
  try {
    join();
  } catch (...) {
    // A call has invalidated the recording, or it has not begun.
  }
  cudaGraph_t unfinished = nullptr;
  if (cudaStreamEndCapture(homes_.front().native_stream(), &unfinished) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  if (unfinished != nullptr) static_cast<void>(cudaGraphDestroy(unfinished));
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    recording_memory& memory = *memory_[p];
    cuda_impl::stream_state& state = homes_[p].state();
    state.recording = nullptr;
    if (memory.beside) memory.beside->state().recording = nullptr;
    if (memory.stream == nullptr) continue;
    // Memory is allocated on one stream and freed on another, so the allocations must have
    // completed.
    static_cast<void>(cudaStreamSynchronize(memory.stream));
    for (void* const freed : memory.deferred_frees) cuda_impl::deallocate(state, freed);
    static_cast<void>(cudaStreamDestroy(memory.stream));
  }
}

cuda_graph cuda_recording::finish() {
  const cuda_impl::capture_allowance allowance;
  const device_guard guard(homes_.front().device());
  cuda_graph result(homes_.size());
  try {
    result.streams_.reserve(2 * homes_.size());
  } catch (const std::bad_alloc&) {
    detail::fail_host_memory("record", 2 * homes_.size() * sizeof(cuda_graph::recorded_stream));
  }
  join();
  {
    const recorded_work recorded(homes_.front().native_stream());
    check(cudaGraphInstantiate(&result.work_, recorded.graph(), 0), "record: cudaGraphInstantiate");
  }
  cudaError_t made = cudaSuccess;
  for (std::size_t p = 0; p < homes_.size(); ++p) {
    recording_memory& memory = *memory_[p];
    homes_[p].state().recording = nullptr;
    // Completes the allocations, so that any stream can replay.
    const cudaError_t status = cudaStreamSynchronize(memory.stream);
    if (made == cudaSuccess) made = status;
    static_cast<void>(cudaStreamDestroy(memory.stream));
    result.streams_.push_back({std::move(homes_[p]), std::move(memory.deferred_frees)});
  }
  for (const auto& memory : memory_) {
    if (!memory->beside) continue;
    memory->beside->state().recording = nullptr;
    result.streams_.push_back({std::move(*memory->beside), {}});
  }
  memory_.clear();
  check(made, "record: cudaStreamSynchronize");
  const cuda& first = result.streams_.front().space;
  // Uploads now rather than on the first replay.
  check(cudaGraphUpload(result.work_, first.native_stream()), "record: cudaGraphUpload");
  first.fence();
  return result;
}

}  // namespace tandem
