// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/serial/copy.hpp>

#include <cstring>

namespace tandem {

namespace {

/// Returns the offset, in elements, of the element at row-major position `flat`.
index_t offset_of(index_t flat, int rank, const index_t* extent, const index_t* stride) {
  index_t offset = 0;
  for (int d = rank - 1; d >= 0; --d) {
    offset += flat % extent[d] * stride[d];
    flat /= extent[d];
  }
  return offset;
}

}  // namespace

void dispatch_copy(const serial&, const copy_problem& p) {
  const auto bytes = static_cast<index_t>(p.element_bytes);
  const auto* source = static_cast<const char*>(p.source);
  auto* destination = static_cast<char*>(p.destination);
  if (p.is_contiguous()) {
    std::memcpy(destination, source, static_cast<std::size_t>(p.size()) * p.element_bytes);
    return;
  }
  const index_t size = p.size();
  for (index_t flat = 0; flat < size; ++flat) {
    std::memcpy(destination + bytes * offset_of(flat, p.rank, p.extent, p.destination_stride),
                source + bytes * offset_of(flat, p.rank, p.extent, p.source_stride),
                p.element_bytes);
  }
}

void dispatch_fill(const serial&, const fill_problem& p) {
  const auto bytes = static_cast<index_t>(p.element_bytes);
  auto* destination = static_cast<char*>(p.destination);
  const index_t size = p.size();
  for (index_t flat = 0; flat < size; ++flat) {
    std::memcpy(destination + bytes * offset_of(flat, p.rank, p.extent, p.stride), p.value,
                p.element_bytes);
  }
}

}  // namespace tandem
