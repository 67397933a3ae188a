// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

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
inline bool gpu_present() { return !cuda::devices().empty(); }

template <class T>
using device_array = array<T, 1, cuda>;

/// Returns a function that runs a CUB algorithm. call(scratch, bytes, round) is CUB's two-phase
/// call: the first one, made here, returns the bytes of scratch memory; the others run the
/// algorithm.
template <class Call>
std::function<void(std::int64_t)> two_phase(const cuda& space, const Call& call) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes, 0), "CUB's query of scratch bytes");
  bytes = std::max<std::size_t>(bytes, 1);  // a null pointer would be a query again
  auto scratch = std::make_shared<device_array<unsigned char>>(extents<1>(bytes), space);
  return [=](std::int64_t round) {
    std::size_t size = bytes;
    check_cuda(call(scratch->data_handle(), size, round), "CUB");
  };
}

/// An array on the host: pageable if Owner is serial, page-locked if it is
/// tandem::cuda_pinned.
template <class T, class Owner>
using host_array = array<T, 1, Owner>;

/// Allocates an uninitialised array on the host. tandem pools page-locked memory, so a program's
/// candidates allocate it once.
template <class T, class Owner>
std::shared_ptr<host_array<T, Owner>> make_host_array(index_t n) {
  return std::make_shared<host_array<T, Owner>>(extents<1>(n), Owner());
}

/// Allocates an array on the host with values(i) at every i.
template <class T, class Owner, class Values>
std::shared_ptr<host_array<T, Owner>> host_elements(const cuda& space, index_t n,
                                                    const Values& values) {
  device_array<T> x(extents<1>(n), space);
  fill_with(space, x.view(), values);
  auto elements = make_host_array<T, Owner>(n);
  tandem::copy(space, x, *elements);
  space.fence();
  return elements;
}

/// Tag that passes the owner of host arrays as an argument.
template <class Owner>
struct owned_by {
  using type = Owner;
};

/// Adds the benchmarks of a problem whose arrays are on the host before and after: "pageable", in
/// ordinary memory, and "pinned". make(owned_by<Owner>()) makes the candidate.
template <class Make>
void add_through_host(lineup& add, const problem& solved, const Make& make) {
  add(tandem_through_host(solved, "pageable", [=] { return make(owned_by<serial>()); }));
  add(tandem_through_host(solved, "pinned", [=] { return make(owned_by<tandem::cuda_pinned>()); }));
}

}  // namespace perf
