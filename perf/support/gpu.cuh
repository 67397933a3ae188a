// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/contenders.hpp>

#include <algorithm>
#include <stdexcept>

#include <cuda_runtime.h>

namespace perf {

/// Throws when a peer's call failed; tandem checks its own.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// Whether there is a device to measure on.
inline bool gpu_present() { return !tandem::cuda::devices().empty(); }

template <class T>
using device_array = tandem::array<T, 1, tandem::cuda>;

template <class T>
using device_view = tandem::view<T, 1, tandem::layout_right, tandem::device_memory>;

/// A CUB algorithm as a contender runs it. call(scratch, bytes, round) is the library's two-phase
/// call: the first one, here, asks how much scratch it needs; the others run it.
template <class Call>
std::function<void(std::int64_t)> two_phase(const tandem::cuda& space, const Call& call) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes, 0), "CUB's question for scratch");
  bytes = std::max<std::size_t>(bytes, 1);  // a null pointer would ask again
  auto scratch = std::make_shared<device_array<unsigned char>>(tandem::extents<1>(bytes), space);
  return [=](std::int64_t round) {
    std::size_t size = bytes;
    check_cuda(call(scratch->data_handle(), size, round), "CUB");
  };
}

/// Ordinary (pageable) memory of the host with values(i) at every i.
template <class T, class Values>
std::shared_ptr<std::vector<T>> host_elements(const tandem::cuda& space, tandem::index_t n,
                                              const Values& values) {
  device_array<T> x(tandem::extents<1>(n), space);
  fill_with(space, x.view(), values);
  return std::make_shared<std::vector<T>>(on_the_host(space, x.view()));
}

}  // namespace perf
