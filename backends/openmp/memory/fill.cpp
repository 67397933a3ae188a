// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/memory/copy.hpp>
#include <tandem/backends/openmp/memory/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

namespace {

/// The value, repeated. 1008 is a multiple of every size up to 16 except 5, 10, 11, 13 and 15. For
/// these, as many whole values as fit are used, and for larger sizes one.
class fill_pattern {
 public:
  fill_pattern(const void* value, std::size_t size) : used_(sizeof repeated_ / size * size) {
    if (used_ == 0) {
      bytes_ = static_cast<const unsigned char*>(value);
      used_ = size;
      return;
    }
    bytes_ = repeated_;
    std::memcpy(repeated_, value, size);
    for (std::size_t at = size; at < used_; at *= 2)
      std::memcpy(repeated_ + at, repeated_, tandem::min(at, used_ - at));
  }
  fill_pattern(const fill_pattern&) = delete;
  fill_pattern& operator=(const fill_pattern&) = delete;

  const unsigned char* bytes() const { return bytes_; }
  /// The bytes of whole values.
  std::size_t used() const { return used_; }

 private:
  alignas(16) unsigned char repeated_[1008];
  const unsigned char* bytes_;
  std::size_t used_;
};

/// Fills [to, to + count) bytes, which begin at a whole value, by plain stores.
void fill_bytes(unsigned char* to, std::size_t count, const fill_pattern& pattern) {
  const std::size_t used = pattern.used();
  for (; count >= used; count -= used, to += used) std::memcpy(to, pattern.bytes(), used);
  std::memcpy(to, pattern.bytes(), count);
}

/// Fills [to, to + count) by non-temporal stores. The range begins at a whole value, whose size
/// divides that of a cache line.
void fill_bytes_nontemporal(unsigned char* to, std::size_t count, const fill_pattern& pattern) {
  std::size_t at = bytes_to_line(to, count);
  const unsigned char* line = pattern.bytes() + at;  // the pattern's continuation after the head
  std::memcpy(to, pattern.bytes(), at);
  for (; count - at >= cache_line_bytes; at += cache_line_bytes)
    store_line_nontemporal(to + at, line);
  store_fence();
  std::memcpy(to + at, line, count - at);
}

/// Fills elements [begin, end), counted row-major, whether or not the last dimension is contiguous.
void fill_elements(const fill_problem& p, const fill_pattern& pattern, index_t begin, index_t end) {
  const auto bytes = static_cast<index_t>(p.element_bytes);
  const index_t width = p.rank == 0 ? 1 : p.extent[p.rank - 1];
  const index_t step = p.rank == 0 ? 1 : p.stride[p.rank - 1];
  while (begin < end) {
    index_t row = begin / width;
    const index_t first = begin % width;
    const index_t count = width - first < end - begin ? width - first : end - begin;
    index_t offset = first * step;
    for (int d = p.rank - 2; d >= 0; --d) {
      offset += row % p.extent[d] * p.stride[d];
      row /= p.extent[d];
    }
    auto* to = static_cast<unsigned char*>(p.destination) + bytes * offset;
    if (step == 1) {
      fill_bytes(to, static_cast<std::size_t>(bytes * count), pattern);
    } else {
      for (index_t i = 0; i < count; ++i)
        std::memcpy(to + bytes * step * i, pattern.bytes(), p.element_bytes);
    }
    begin += count;
  }
}

}  // namespace
}  // namespace openmp_impl

void dispatch_fill(const openmp& space, const fill_problem& p) {
  const index_t size = p.size();
  if (size == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(size) * p.element_bytes;
  const openmp_impl::fill_pattern pattern(p.value, p.element_bytes);
  const bool is_contiguous = p.rank == 0 || (p.rank == 1 && p.stride[0] == 1);
  const bool nontemporal =
      is_contiguous && 16 % p.element_bytes == 0 && openmp_impl::prefers_nontemporal_copy(bytes);
  const int threads = bytes < openmp_impl::copy_fork_bytes ? 1 : space.threads();
  const auto each = static_cast<index_t>(p.element_bytes);
  const auto fill_part = [&](index_t begin, index_t end) {
    if (!nontemporal) return openmp_impl::fill_elements(p, pattern, begin, end);
    openmp_impl::fill_bytes_nontemporal(static_cast<unsigned char*>(p.destination) + begin * each,
                                        static_cast<std::size_t>((end - begin) * each), pattern);
  };
  if (size * each < openmp_impl::copy_stealing_bytes * threads)
    return openmp_impl::run_static(threads, 0, size, fill_part);
  const index_t piece = ceil_div(openmp_impl::copy_piece_bytes, each);
  openmp_impl::run_stealing(threads, 0, size, piece, fill_part);
}

}  // namespace tandem
