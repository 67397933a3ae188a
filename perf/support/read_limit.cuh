// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/raw_kernels.cuh>

namespace perf {

/// Reads `bytes` bytes and does nothing else, with 16-byte loads, several in flight: the least time
/// of any kernel that reads its input from memory. Rotates through its data as all candidates do.
inline candidate raw_read(double bytes) {
  const auto words =
      static_cast<tandem::index_t>(bytes) / static_cast<tandem::index_t>(sizeof(uint4));
  auto space = std::make_shared<tandem::cuda>();
  auto x = std::make_shared<rotating_array<float, tandem::cuda>>(*space, words * 4);
  auto out = std::make_shared<device_array<unsigned>>(tandem::extents<1>(1), *space);
  x->fill(*space, uniform_values<float>{11});
  candidate made = resident(
      space,
      [=](std::int64_t round) {
        raw_read_kernel<<<raw_blocks(words), raw_threads, 0, space->native_stream()>>>(
            reinterpret_cast<const uint4*>(x->set(round).data_handle()), words, out->data_handle());
        check_cuda(cudaGetLastError(), "read kernel");
      },
      [] { return outcome{}; });
  made.check = nullptr;
  return made;
}

/// The benchmark "read", a kernel that reads as many bytes as any solution of the problem must.
inline benchmark read_limit(const problem& solved, double bytes) {
  return limit(solved, "read", [=] { return raw_read(bytes); });
}

}  // namespace perf
