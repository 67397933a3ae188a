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

/// An array of the host: in ordinary memory where Owner is tandem::serial, in page-locked memory
/// where it is tandem::cuda_pinned.
template <class T, class Owner>
using host_array = tandem::array<T, 1, Owner>;

/// One of the host's arrays, uninitialised. Page-locked memory is taken once for all of a program's
/// contenders: tandem keeps it.
template <class T, class Owner>
std::shared_ptr<host_array<T, Owner>> make_host_array(tandem::index_t n) {
  return std::make_shared<host_array<T, Owner>>(tandem::extents<1>(n), Owner());
}

/// An array of the host with values(i) at every i.
template <class T, class Owner, class Values>
std::shared_ptr<host_array<T, Owner>> host_elements(const tandem::cuda& space, tandem::index_t n,
                                                    const Values& values) {
  device_array<T> x(tandem::extents<1>(n), space);
  fill_with(space, x.view(), values);
  auto elements = make_host_array<T, Owner>(n);
  tandem::copy(space, x, *elements);
  space.fence();
  return elements;
}

/// Names an owner of host arrays in a function's arguments.
template <class Owner>
struct owned_by {
  using type = Owner;
};

/// Adds the entries of a problem whose arrays lie on the host before and after: "pageable", in
/// memory as any program has it, and "pinned". make(owned_by<Owner>()) gives the contender.
template <class Make>
void add_through_host(std::vector<entry>& entries, const problem& solved, const Make& make) {
  entries.push_back(
      tandem_through_host(solved, "pageable", [=] { return make(owned_by<tandem::serial>()); }));
  entries.push_back(
      tandem_through_host(solved, "pinned", [=] { return make(owned_by<tandem::cuda_pinned>()); }));
}

}  // namespace perf
