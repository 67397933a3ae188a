// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations while an unrelated stream of the program is capturing, which neither may disturb.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cuda_runtime_api.h>

#include <vector>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// A stream that captures from construction on.
class capturing_stream {
 public:
  explicit capturing_stream(cudaStreamCaptureMode mode) {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream_, mode) == cudaSuccess);
  }
  capturing_stream(const capturing_stream&) = delete;
  capturing_stream& operator=(const capturing_stream&) = delete;
  ~capturing_stream() { cudaStreamDestroy(stream_); }

  /// Ends the capture and returns whether it was intact.
  bool end() {
    cudaGraph_t graph = nullptr;
    const bool intact = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && graph != nullptr;
    if (graph != nullptr) cudaGraphDestroy(graph);
    return intact;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The first operations of a new space, which allocate what it keeps.
void use_new_space(const std::vector<float>& values) {
  const tandem::cuda space(0);
  tandem::array<float, 1, tandem::cuda> x({static_cast<index_t>(values.size())}, space);
  tandem::copy(space, values, x);
  tandem::parallel_scan(space, x, x);
  tandem::sort(space, x);
  const float peak = tandem::parallel_reduce(space, x, tandem::maximum{});
  CHECK(peak == to_host(space, x).back());
  const tandem::array<float, 1, tandem::cuda_pinned> pinned({1000}, 1.0f);
  CHECK(pinned(999) == 1.0f);
  CHECK(to_host(space, to_space(space, std::vector<int>{4, 5})) == std::vector<int>{4, 5});
}

}  // namespace

TEST_CASE("cuda: operations while another stream of the program is capturing") {
  const auto values = random_values<float>(3'000'000, 7);
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                          cudaStreamCaptureModeRelaxed}) {
    CAPTURE(static_cast<int>(mode));
    capturing_stream stream(mode);
    // Each space is another stream of tandem's: all of them are in use.
    const tandem::cuda first(0);
    const tandem::cuda second(0);
    CHECK_NOTHROW(use_new_space(values));
    CHECK(stream.end());
  }
}
