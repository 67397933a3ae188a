// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <cub/device/device_reduce.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/cstddef>
#include <cuda/std/functional>
#include <cuda/std/iterator>

#include <tandem/backends/cuda/reduce/cub.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/result_slot.cuh>

/// The instances of CUB's device-wide reduction. Only the files in instances/ include this header,
/// because CUB costs seconds per file.
namespace tandem::cuda_impl {

// Since CUB 2.8 (CUDA 12.9), CUB's Min and Max have new names.
#if CUB_VERSION < 200800
using cub_minimum = ::cub::Min;
using cub_maximum = ::cub::Max;
#else
using cub_minimum = ::cuda::minimum<>;
using cub_maximum = ::cuda::maximum<>;
#endif

/// The operation in CUB's terms, which brings CUB's tuning and instructions, and its identity.
template <cub_operation Operation, class T>
struct cub_operator;
template <class T>
struct cub_operator<cub_operation::sum, T> {
  using type = ::cuda::std::plus<>;
  static constexpr T identity = 0;
};
template <class T>
struct cub_operator<cub_operation::product, T> {
  using type = ::cuda::std::multiplies<>;
  static constexpr T identity = 1;
};
template <class T>
struct cub_operator<cub_operation::minimum, T> {
  using type = cub_minimum;
  static constexpr T identity = std::numeric_limits<T>::max();
};
template <class T>
struct cub_operator<cub_operation::maximum, T> {
  using type = cub_maximum;
  static constexpr T identity = std::numeric_limits<T>::lowest();
};
template <class T>
struct cub_operator<cub_operation::bitwise_and, T> {
  using type = ::cuda::std::bit_and<>;
  static constexpr T identity = static_cast<T>(~T{0});
};
template <class T>
struct cub_operator<cub_operation::bitwise_or, T> {
  using type = ::cuda::std::bit_or<>;
  static constexpr T identity = 0;
};

/// CUB's output iterator: a value assigned to it goes to its destination.
template <class T>
struct cub_result_writer {
  using iterator_category = ::cuda::std::output_iterator_tag;
  using difference_type = ::cuda::std::ptrdiff_t;
  using value_type = void;
  using pointer = void;
  using reference = void;

  cub_destination<T> destination;

  TANDEM_FUNCTION const cub_result_writer& operator*() const { return *this; }
  template <class Result>
  TANDEM_FUNCTION const cub_result_writer& operator=([[maybe_unused]] const Result& result) const {
#if TANDEM_DEVICE_PASS
    const T value = static_cast<T>(result);
    if (destination.value != nullptr) {
      *destination.value = value;
    } else {
      send_result(value, destination.words, destination.call, 0);
    }
#endif
    return *this;
  }
};

/// CUB's two-phase call: the first queries the bytes of scratch, the second reduces.
template <cub_operation Operation, class Element, class Accumulator>
void run_cub_reduce(const cuda& space, index_t n, const Element* data,
                    const cub_destination<Accumulator>& destination) {
  using operation = cub_operator<Operation, Accumulator>;
  const device_guard current(limits(space));
  void* memory = nullptr;
  std::size_t bytes = 0;
  clear_older_error();
  for (int phase = 0; phase < 2; ++phase) {
    check(cub::DeviceReduce::Reduce(
              memory, bytes, data, cub_result_writer<Accumulator>{destination}, n,
              typename operation::type{}, operation::identity, space.native_stream()),
          "parallel_reduce: cub::DeviceReduce::Reduce");
    if (phase == 0) memory = scratch(space, bytes);
  }
}

}  // namespace tandem::cuda_impl
