// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/dispatch.hpp>
#include <tandem/backends/cuda/memory/host_staging.hpp>
#include <tandem/backends/cuda/memory/staging_ring.hpp>
#include <tandem/backends/cuda/memory/strided_kernel.cuh>
#include <tandem/backends/cuda/memory/transpose/kernel.cuh>
#include <tandem/backends/cuda/memory/transpose/narrow.cuh>

#include <algorithm>

#include <tandem/core/memory/host_memory.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

/// Copies a box of words. Each thread issues all its loads before its first store. Source and
/// destination must not overlap.
template <class Word, class Count>
__global__ void __launch_bounds__(strided_kernels.block)
    strided_copy_kernel(const __grid_constant__ strided_words<2> box, Word* destination,
                        const Word* source, Count words) {
  ptx::grid_dependency_wait();
  const Count first = static_cast<Count>(blockIdx.x) * strided_tile + threadIdx.x;
  Word value[strided_kernels.words];
  index_t to[strided_kernels.words];
#pragma unroll
  for (unsigned item = 0; item < strided_kernels.words; ++item) {
    const Count at = first + item * strided_kernels.block;
    if (at >= words) continue;
    index_t offset[2];
    word_offsets(box, at, offset);
    to[item] = offset[0];
    value[item] = source[offset[1]];
  }
#pragma unroll
  for (unsigned item = 0; item < strided_kernels.words; ++item) {
    if (first + item * strided_kernels.block < words) destination[to[item]] = value[item];
  }
}

std::size_t bytes_of(const copy_problem& problem) {
  return static_cast<std::size_t>(problem.size()) * problem.element_bytes;
}

/// Returns the problem of copying the source into contiguous memory at `data`.
copy_problem into_packed(copy_problem problem, void* data) {
  problem.destination = data;
  pack_strides(problem, problem.destination_stride);
  return problem;
}

/// Returns the problem of copying contiguous memory at `data` to the destination.
copy_problem from_packed(copy_problem problem, const void* data) {
  problem.source = data;
  pack_strides(problem, problem.source_stride);
  return problem;
}

template <class Word, int Packed, int Fewer = 0>
void launch_transpose(const cuda& space, const copy_problem& problem, const transpose_plan& plan) {
  if constexpr (Fewer < transposes.fewer_bits) {
    if (plan.fewer_bits > Fewer)
      return launch_transpose<Word, Packed, Fewer + 1>(space, problem, plan);
  }
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(plan.blocks)),
                           .block = dim3(1u << transposes.block_bits),
                           .label = "copy",
                           .programmatic_launch = true};
  launch(space, shape, transpose_kernel<Word, transpose_tile_bits(sizeof(Word)) - Fewer, Packed>,
         plan, static_cast<char*>(problem.destination), static_cast<const char*>(problem.source));
}

void launch_narrow(const cuda& space, const copy_problem& problem, const narrow_transpose& plan,
                   std::size_t element_bytes) {
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(plan.blocks)),
                           .block = dim3(static_cast<unsigned>(narrow_transposes.block)),
                           .label = "copy",
                           .programmatic_launch = true};
  const auto kernel = element_bytes == 1 ? narrow_transpose_kernel<unsigned char>
                                         : narrow_transpose_kernel<unsigned short>;
  launch(space, shape, kernel, plan, static_cast<char*>(problem.destination),
         static_cast<const char*>(problem.source));
}

/// Copies a box whose sides differ in the order of their dimensions.
void copy_transposed(const cuda& space, const copy_problem& problem, const strided_words<2>& box,
                     const std::size_t (&address)[2]) {
  const narrow_transpose narrow = plan_narrow(box, address);
  if (narrow.blocks > 0) return launch_narrow(space, problem, narrow, box.word_bytes);
  const transpose_plan plan = plan_transpose(box, address, limits(space).multiprocessors);
  if (plan.packed == 4) return launch_transpose<unsigned, 4>(space, problem, plan);
  if (plan.packed == 2) return launch_transpose<unsigned, 2>(space, problem, plan);
  visit_word_type(plan.word_bytes,
                  [&]<class Word>() { launch_transpose<Word, 1>(space, problem, plan); });
}

/// Copies elements with arbitrary strides between memories that the GPU can access.
void copy_on_device(const cuda& space, const copy_problem& problem) {
  const index_t* const strides[2] = {problem.destination_stride, problem.source_stride};
  const std::size_t address[2] = {reinterpret_cast<std::size_t>(problem.destination),
                                  reinterpret_cast<std::size_t>(problem.source)};
  const strided_words<2> box =
      make_strided_words(problem.rank, problem.extent, strides, problem.element_bytes, address);
  if (is_transposing(box)) return copy_transposed(space, problem, box, address);
  const index_t words = box.size();
  visit_word_type(box.word_bytes, [&]<class Word>() {
    auto* const destination = static_cast<Word*>(problem.destination);
    const auto* const source = static_cast<const Word*>(problem.source);
    const launch_shape shape = strided_launch(words, "copy");
    if (fits_32_bits(words)) {
      launch(space, shape, strided_copy_kernel<Word, unsigned>, box, destination, source,
             static_cast<unsigned>(words));
    } else {
      launch(space, shape, strided_copy_kernel<Word, std::size_t>, box, destination, source,
             static_cast<std::size_t>(words));
    }
  });
}

void copy_bytes(const cuda& space, void* destination, const void* source, std::size_t bytes) {
  const capture_allowance allowance;  // ordinary memory may make the driver wait
  check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, space.native_stream()),
        "copy: cudaMemcpyAsync");
}

/// Copies contiguous bytes from ordinary host memory.
void send_bytes(const cuda& space, void* device, const void* host, std::size_t bytes) {
  if (is_staged(space, host, bytes))
    return stage_to_device(space, device, {const_cast<void*>(host), bytes, bytes}, bytes);
  copy_bytes(space, device, host, bytes);
}

/// Copies contiguous bytes to ordinary host memory.
void receive_bytes(const cuda& space, void* host, const void* device, std::size_t bytes) {
  if (is_staged(space, host, bytes))
    return stage_to_host(space, {host, bytes, bytes}, device, bytes);
  copy_bytes(space, host, device, bytes);
}

void copy_contiguous(const cuda& space, const copy_problem& problem) {
  const std::size_t bytes = bytes_of(problem);
  if (problem.source_kind == memory_kind::host)
    return send_bytes(space, problem.destination, problem.source, bytes);
  if (problem.destination_kind == memory_kind::host)
    return receive_bytes(space, problem.destination, problem.source, bytes);
  copy_bytes(space, problem.destination, problem.source, bytes);
}

/// Whether the problem consists of contiguous rows that the copy engine can move and that are long
/// enough to be efficient.
bool is_pitched(const copy_problem& problem, const device_limits& device) {
  if (problem.rank != 2 || problem.source_stride[1] != 1 || problem.destination_stride[1] != 1)
    return false;
  const index_t nearest = std::min(problem.source_stride[0], problem.destination_stride[0]);
  const auto farthest =
      static_cast<std::size_t>(std::max(problem.source_stride[0], problem.destination_stride[0]));
  return nearest >= problem.extent[1] && farthest <= device.max_pitch / problem.element_bytes &&
         static_cast<std::size_t>(problem.extent[1]) * problem.element_bytes >=
             select_copy(device.compute_capability).pitched_row_bytes;
}

/// Copies rows. Those of ordinary memory go through the ring if the device's follow each other: the
/// driver would take one row after the other.
void copy_rows(const cuda& space, const copy_problem& problem) {
  const auto bytes = [&](index_t elements) {
    return static_cast<std::size_t>(elements) * problem.element_bytes;
  };
  const auto rows = [&](const void* first, const index_t* stride) {
    return host_rows{const_cast<void*>(first), bytes(problem.extent[1]), bytes(stride[0])};
  };
  const std::size_t all = bytes_of(problem);
  if (problem.source_kind == memory_kind::host && is_packed(problem, problem.destination_stride) &&
      is_staged(space, problem.source, all)) {
    return stage_to_device(space, problem.destination, rows(problem.source, problem.source_stride),
                           all);
  }
  if (problem.destination_kind == memory_kind::host && is_packed(problem, problem.source_stride) &&
      is_staged(space, problem.destination, all)) {
    return stage_to_host(space, rows(problem.destination, problem.destination_stride),
                         problem.source, all);
  }
  const capture_allowance allowance;
  check(cudaMemcpy2DAsync(problem.destination, bytes(problem.destination_stride[0]), problem.source,
                          bytes(problem.source_stride[0]), bytes(problem.extent[1]),
                          static_cast<std::size_t>(problem.extent[0]), cudaMemcpyDefault,
                          space.native_stream()),
        "copy: cudaMemcpy2DAsync");
}

/// Copies from pageable host memory. Non-contiguous elements are packed on the host and unpacked on
/// the device. send_bytes() returns after it has read pageable memory, so the temporary on the host
/// may be freed then.
void copy_to_device(const cuda& space, const copy_problem& problem) {
  const std::size_t bytes = bytes_of(problem);
  const bool gather = !is_packed(problem, problem.source_stride);
  const detail::host_scratch<std::byte> packed("copy", gather ? static_cast<index_t>(bytes) : 0);
  if (gather) host_copy(into_packed(problem, packed.data()));
  const void* const source = gather ? packed.data() : problem.source;
  if (is_packed(problem, problem.destination_stride))
    return send_bytes(space, problem.destination, source, bytes);
  const pool_memory staged(space, bytes, "copy");
  send_bytes(space, staged.data(), source, bytes);
  copy_on_device(space, from_packed(problem, staged.data()));
}

/// Copies to pageable host memory. Non-contiguous elements are packed on the device and unpacked on
/// the host, which blocks.
void copy_to_host(const cuda& space, const copy_problem& problem) {
  const std::size_t bytes = bytes_of(problem);
  const bool gather = !is_packed(problem, problem.source_stride);
  const pool_memory staged(space, gather ? bytes : 0, "copy");
  if (gather) copy_on_device(space, into_packed(problem, staged.data()));
  const void* const source = gather ? staged.data() : problem.source;
  if (is_packed(problem, problem.destination_stride))
    return receive_bytes(space, problem.destination, source, bytes);
  const detail::host_scratch<std::byte> packed("copy", static_cast<index_t>(bytes));
  receive_bytes(space, packed.data(), source, bytes);
  space.fence();
  host_copy(from_packed(problem, packed.data()));
}

/// Copies strided elements between pageable host memory and device memory.
void copy_across(const cuda& space, const copy_problem& problem) {
  const bool to_host = problem.destination_kind == memory_kind::host;
  dispatch_check_pointer(space, "copy", to_host ? "source" : "destination",
                         to_host ? problem.source : problem.destination);
  to_host ? copy_to_host(space, problem) : copy_to_device(space, problem);
}

}  // namespace
}  // namespace cuda_impl

void dispatch_copy(const cuda& space, const copy_problem& problem) {
  using namespace cuda_impl;
  if (problem.size() == 0) return;
  const bool recorded = space.state().recording != nullptr;
  const device_guard guard(limits(space));
  const bool device_involved =
      problem.source_kind == memory_kind::device || problem.destination_kind == memory_kind::device;
  const bool host_involved =
      problem.source_kind == memory_kind::host || problem.destination_kind == memory_kind::host;
  if (recorded && host_involved)
    fail_recording("copy", "its memory of the host is not page-locked (use cuda_pinned)");
  if (!device_involved && host_involved) {
    space.fence();  // earlier work may still write pinned memory
    host_copy(problem);
  } else if (device_involved && problem.is_contiguous()) {
    copy_contiguous(space, problem);
  } else if (device_involved && is_pitched(problem, limits(space))) {
    copy_rows(space, problem);
  } else if (host_involved) {
    copy_across(space, problem);
  } else {
    dispatch_check_pointer(space, "copy", "source", problem.source);
    dispatch_check_pointer(space, "copy", "destination", problem.destination);
    copy_on_device(space, problem);
  }
}

}  // namespace tandem
