// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/integer_scan.hpp>

#include <cub/device/device_scan.cuh>

#include <tandem/backends/cuda/runtime.cuh>

namespace tandem::cuda_impl {

namespace {

/// CUB's protocol: once without memory for the number of bytes, once with it.
template <class Word>
void scan(const cuda& space, const Word* x, Word* y, index_t n, bool exclusive, Word init) {
  const device_guard current(space.device());
  const auto run = [&](void* memory, std::size_t& bytes) {
    if (exclusive)
      return cub::DeviceScan::ExclusiveScan(memory, bytes, x, y, ::cuda::std::plus<>{}, init, n,
                                            space.native_stream());
    return cub::DeviceScan::InclusiveSum(memory, bytes, x, y, n, space.native_stream());
  };
  std::size_t bytes = 0;
  check(run(nullptr, bytes), "parallel_scan: cub::DeviceScan (size of its memory)");
  check(run(scratch(space, bytes), bytes), "parallel_scan: cub::DeviceScan");
}

}  // namespace

void scan_words(const cuda& space, const std::uint32_t* x, std::uint32_t* y, index_t n,
                bool exclusive, std::uint32_t init) {
  scan(space, x, y, n, exclusive, init);
}

void scan_words(const cuda& space, const std::uint64_t* x, std::uint64_t* y, index_t n,
                bool exclusive, std::uint64_t init) {
  scan(space, x, y, n, exclusive, init);
}

}  // namespace tandem::cuda_impl
