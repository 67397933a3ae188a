// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tandem on streams created through CUDA's API: the order is shared, and the stream survives.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <optional>

using namespace tandem::test;

namespace {

/// Runs long enough that work which does not wait for it reads the old values.
__global__ void set_slowly(float* x, int n, float value) {
  const long long start = clock64();
  while (clock64() - start < 20000000) {
  }
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x))
    x[i] = value;
}

class own_stream {
 public:
  own_stream() {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
  }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

constexpr int count = 100000;

}  // namespace

TEST_CASE("cuda: on_stream shares the order of the caller's stream, both ways") {
  const own_stream stream;
  const auto space = tandem::cuda::on_stream(stream);
  CHECK(space.native_stream() == static_cast<cudaStream_t>(stream));
  CHECK(space.device() == tandem::cuda::current_device());
  auto x = to_space(space, std::vector<float>(count, 1.0f));
  for (int round = 1; round < 4; ++round) {
    set_slowly<<<1, 256, 0, stream>>>(x.data_handle(), count, static_cast<float>(round));
    CHECK(tandem::parallel_reduce(space, x) == static_cast<float>(round) * count);
  }
  tandem::fill(space, x, 7.0f);
  std::vector<float> on_host(count);
  REQUIRE(cudaMemcpyAsync(on_host.data(), x.data_handle(), count * sizeof(float),
                          cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(on_host == std::vector<float>(count, 7.0f));
}

TEST_CASE("cuda: Thrust and tandem share a stream and its arrays") {
  const own_stream stream;
  const auto space = tandem::cuda::on_stream(stream);
  auto x = to_space(space, random_values<float>(count, 1));
  auto y = to_space(space, random_values<float>(count, 1));
  thrust::sort(thrust::cuda::par.on(space.native_stream()), x.data_handle(),
               x.data_handle() + x.size());
  tandem::sort(space, y);
  CHECK(to_host(space, x) == to_host(space, y));
}

TEST_CASE("cuda: a borrowed stream outlives its space, and arrays outlive the stream") {
  std::optional<tandem::array<float, 1, tandem::cuda>> x;
  {
    const own_stream stream;
    {
      const auto space = tandem::cuda::on_stream(stream);
      x.emplace(tandem::extents<1>(count), space);
      tandem::fill(space, *x, 2.0f);
    }
    CHECK(cudaStreamQuery(stream) != cudaErrorInvalidResourceHandle);
    set_slowly<<<1, 256, 0, stream>>>(x->data_handle(), count, 3.0f);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  }
  const tandem::cuda space;  // inherits the state of the previous one
  CHECK(tandem::parallel_reduce(space, *x) == 3.0f * count);
  x.reset();
  space.fence();
}

TEST_CASE("cuda: on_stream of the default stream") {
  const auto space = tandem::cuda::on_stream(nullptr);
  CHECK(space.native_stream() == nullptr);
  auto x = to_space(space, std::vector<float>(count, 1.5f));
  set_slowly<<<1, 256>>>(x.data_handle(), count, 4.0f);
  CHECK(tandem::parallel_reduce(space, x) == 4.0f * count);
}

TEST_CASE("cuda: on_device names the device that the constructor numbers") {
  CHECK(tandem::cuda::on_device(0).device() == 0);
  CHECK_THROWS_AS(tandem::cuda::on_device(1000), tandem::no_device_error);
  const auto list = tandem::cuda::processors();
  REQUIRE(list.size() == tandem::cuda::devices().size());
  CHECK(list[0].units == tandem::cuda::devices()[0].multiprocessors);
}
