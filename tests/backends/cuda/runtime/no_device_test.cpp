// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of a CUDA build on a machine without a GPU. The host compiler compiles this file,
// because using the CUDA backend's library does not need nvcc. On a machine with a GPU the cases
// report that they have nothing to check.

#include <doctest/doctest.h>

#include <string>

#include <tandem/tandem.hpp>

TEST_CASE("cuda without a device: a stream is refused with a clear text, the CPU backends work") {
  if (!tandem::cuda::devices().empty()) {
    MESSAGE("this machine has a CUDA device");
    return;
  }
  CHECK_THROWS_AS(tandem::cuda(0), tandem::no_device_error);
  try {
    const tandem::cuda space(0);
  } catch (const tandem::no_device_error& e) {
    CHECK(std::string(e.what()).find("no device") != std::string::npos);
  }
  CHECK_THROWS_AS((tandem::array<float, 1, tandem::cuda>(10)), tandem::no_device_error);
  CHECK(tandem::parallel_reduce(tandem::openmp{}, 10, [](int i) { return i; }) == 45);
}
