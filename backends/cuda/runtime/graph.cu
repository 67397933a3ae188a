// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/graph.hpp>

#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <memory>
#include <new>
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

/// Allocates the memory of a recording. Errors: out_of_memory_error.
std::unique_ptr<recording_memory> make_recording_memory() {
  std::unique_ptr<recording_memory> memory(new (std::nothrow) recording_memory);
  if (memory == nullptr) detail::fail_host_memory("record", sizeof(recording_memory));
  return memory;
}

}  // namespace

// cuda_graph

cuda_graph::cuda_graph(cuda&& home, CUgraphExec_st* work,
                       std::vector<void*>&& deferred_frees) noexcept
    : home_(std::move(home)), work_(work), deferred_frees_(std::move(deferred_frees)) {}

cuda_graph::cuda_graph(cuda_graph&& other) noexcept
    : home_(std::move(other.home_)),
      work_(std::exchange(other.work_, nullptr)),
      deferred_frees_(std::move(other.deferred_frees_)),
      last_(std::exchange(other.last_, nullptr)) {}

cuda_graph& cuda_graph::operator=(cuda_graph&& other) noexcept {
  std::swap(home_, other.home_);
  std::swap(work_, other.work_);
  std::swap(deferred_frees_, other.deferred_frees_);
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
  const device_guard guard(home_.device());
  // The home stream and its memory may be used again only after the last replay.
  if (last_ != nullptr) {
    const cuda_event done(home_.device());
    check(cudaEventRecord(done.native(), last_->stream), "cudaEventRecord");
    home_.wait(done);
  }
  for (void* const memory : deferred_frees_) cuda_impl::deallocate(home_.state(), memory);
  check(cudaGraphExecDestroy(work_), "cudaGraphExecDestroy");
}

void cuda_graph::replay(const cuda& space) {
  if (space.device() != home_.device()) {
    throw argument_error("replay: the graph was recorded on device " +
                         std::to_string(home_.device()) + "; the space runs on device " +
                         std::to_string(space.device()));
  }
  if (space.state().recording != nullptr)
    cuda_impl::fail_recording("replay", "a graph holds no graphs");
  const device_guard guard(cuda_impl::limits(space), "replay: cudaGetDevice");
  check(cudaGraphLaunch(work_, space.native_stream()), "replay: cudaGraphLaunch");
  space.state().last_label = "replay";
  space.state().last_kernel = nullptr;
  last_ = &space.state();
}

// cuda_recording

cuda_recording::cuda_recording(int device) : home_(device) {
  std::unique_ptr<recording_memory> memory = make_recording_memory();
  const device_guard guard(device);
  home_.fence();  // orders replays on other streams after the home stream's earlier work
  check(cudaStreamCreateWithFlags(&memory->stream, cudaStreamNonBlocking),
        "record: cudaStreamCreateWithFlags");
  // Relaxed, because this thread continues with other work, including allocations.
  const cudaError_t begun =
      cudaStreamBeginCapture(home_.native_stream(), cudaStreamCaptureModeRelaxed);
  if (begun != cudaSuccess) {
    static_cast<void>(cudaStreamDestroy(memory->stream));
    check(begun, "record: cudaStreamBeginCapture");
  }
  memory_ = memory.release();
  home_.state().recording = memory_;
}

cuda_recording::~cuda_recording() {
  if (memory_ == nullptr) return;
  const cuda_impl::capture_allowance allowance;
  const std::unique_ptr<recording_memory> memory(memory_);
  cuda_impl::stream_state& state = home_.state();
  state.recording = nullptr;
  cudaGraph_t unfinished = nullptr;
  if (cudaStreamEndCapture(state.stream, &unfinished) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  if (unfinished != nullptr) static_cast<void>(cudaGraphDestroy(unfinished));
  // Memory is allocated on one stream and freed on another, so the allocations must have completed.
  static_cast<void>(cudaStreamSynchronize(memory->stream));
  for (void* const freed : memory->deferred_frees) cuda_impl::deallocate(state, freed);
  static_cast<void>(cudaStreamDestroy(memory->stream));
}

cuda_graph cuda_recording::finish() {
  const cuda_impl::capture_allowance allowance;
  const device_guard guard(home_.device());
  cudaGraphExec_t work = nullptr;
  {
    const recorded_work recorded(home_.native_stream());
    check(cudaGraphInstantiate(&work, recorded.graph(), 0), "record: cudaGraphInstantiate");
  }
  home_.state().recording = nullptr;
  const std::unique_ptr<recording_memory> memory(std::exchange(memory_, nullptr));
  // Completes the allocations, so that any stream can replay.
  const cudaError_t made = cudaStreamSynchronize(memory->stream);
  static_cast<void>(cudaStreamDestroy(memory->stream));
  cuda_graph result(std::move(home_), work, std::move(memory->deferred_frees));
  check(made, "record: cudaStreamSynchronize");
  // Uploads now rather than on the first replay.
  check(cudaGraphUpload(work, result.home_.native_stream()), "record: cudaGraphUpload");
  result.home_.fence();
  return result;
}

}  // namespace tandem
