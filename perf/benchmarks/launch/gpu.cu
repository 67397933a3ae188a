// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/launch/bench.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

namespace perf::launch_gpu {

constexpr unsigned raw_block = 256;

template <class Body>
__global__ void raw_loop_kernel(const __grid_constant__ Body body, int n) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) body(i);
}

__global__ void raw_fill_kernel(float* x, float value, int n) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = value;
}

__global__ void raw_increment_kernel(float* x, int n) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] += 1.0f;
}

/// Launches of empty kernels, written by hand.
template <int Bytes>
candidate raw_launches(launch_kind kind) {
  auto space = std::make_shared<cuda>();
  auto seen = std::make_shared<device_array<int>>(extents<1>(1), 0, *space);
  const cudaStream_t stream = space->native_stream();
  const auto launch = [=](const launch_body<Bytes>& body) {
    raw_loop_kernel<<<1, raw_block, 0, stream>>>(body, 1);
    check_cuda(cudaGetLastError(), "raw kernel");
  };
  candidate made;
  made.run = [=](std::int64_t) {
    const launch_body<Bytes> body;
    const int launches = kind == launch_kind::fence ? 1 : launches_a_run;
    for (int i = 0; i < launches; ++i) launch(body);
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
  made.check = [=] {
    launch_body<Bytes> body;
    body.words[body.last] = seen->data_handle();
    launch(body);
    return summary(*space, seen->view());
  };
  return made;
}

/// The recorded operations written by hand: a graph of raw kernels, and of CUB's for reductions,
/// histograms and scans.
class raw_graph {
 public:
  explicit raw_graph(graph_kind kind) {
    const cudaStream_t stream = data_.space->native_stream();
    data_.space->fence();
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
    for (int i = 0; i < graph_operations; i += kind == graph_kind::mix ? 5 : 1) {
      if (kind == graph_kind::mix)
        raw_fill_kernel<<<blocks, raw_block, 0, stream>>>(x_, 1.0f, graph_size);
      raw_increment_kernel<<<blocks, raw_block, 0, stream>>>(x_, graph_size);
      if (kind == graph_kind::mix) enqueue_cub(stream);
    }
    cudaGraph_t recorded = nullptr;
    check_cuda(cudaStreamEndCapture(stream, &recorded), "end capture");
    check_cuda(cudaGraphInstantiate(&work_, recorded, 0), "cudaGraphInstantiate");
    check_cuda(cudaGraphDestroy(recorded), "cudaGraphDestroy");
  }
  raw_graph(const raw_graph&) = delete;
  raw_graph& operator=(const raw_graph&) = delete;
  ~raw_graph() { static_cast<void>(cudaGraphExecDestroy(work_)); }

  void run() const {
    const cudaStream_t stream = data_.space->native_stream();
    check_cuda(cudaGraphLaunch(work_, stream), "cudaGraphLaunch");
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  outcome result() { return graph_outcome(data_); }

 private:
  static constexpr unsigned blocks = graph_size / raw_block;

  void enqueue_cub(cudaStream_t stream) {
    void* const memory = scratch_.data_handle();
    std::size_t bytes = scratch_bytes;
    check_cuda(
        cub::DeviceReduce::Sum(memory, bytes, x_, data_.total.data_handle(), graph_size, stream),
        "cub::DeviceReduce");
    check_cuda(cub::DeviceHistogram::HistogramEven(memory, bytes, x_, data_.counts.data_handle(),
                                                   graph_bins + 1, 0.0f, 10.0f, graph_size, stream),
               "cub::DeviceHistogram");
    check_cuda(
        cub::DeviceScan::InclusiveSum(memory, bytes, x_, data_.y.data_handle(), graph_size, stream),
        "cub::DeviceScan");
  }

  static constexpr std::size_t scratch_bytes = std::size_t{1} << 20;  // more than any of them needs

  graph_data<cuda> data_;
  float* x_ = data_.x.data_handle();
  device_array<unsigned char> scratch_{extents<1>(scratch_bytes), *data_.space};
  cudaGraphExec_t work_ = nullptr;
};

candidate raw_replayed(graph_kind kind) {
  auto graph = std::make_shared<raw_graph>(kind);
  return on_host([=](std::int64_t) { graph->run(); }, [=] { return graph->result(); });
}

template <int Bytes>
void add_launches(lineup& add, launch_kind kind) {
  const problem loop = launch_problem(kind, Bytes);
  add(tandem_through_host(loop, "to_host", [=] { return empty_loops<Bytes, cuda>(kind); }));
  add(peer_through_host(loop, "raw", "to_host", [=] { return raw_launches<Bytes>(kind); }));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const launch_kind kind : {launch_kind::fence, launch_kind::back_to_back}) {
    add_launches<8>(add, kind);
    add_launches<32000>(add, kind);
    if (!chosen.targets) continue;
    add_launches<512>(add, kind);
    add_launches<4096>(add, kind);
    add_launches<16384>(add, kind);
  }
  for (const graph_kind kind : {graph_kind::increments, graph_kind::mix}) {
    const problem sequence = graph_problem(kind);
    add(tandem_through_host(sequence, "to_host", [=] { return replayed<cuda>(kind); }));
    add(peer_through_host(sequence, "raw", "to_host", [=] { return raw_replayed(kind); }));
  }
}

const registration gpu(list_gpu);

}  // namespace perf::launch_gpu
