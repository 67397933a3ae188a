// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/reducers.hpp>

/// CUB's device-wide reduction of contiguous integers, for which any order of combining gives the
/// same bits. Compiled in instances/; users' files see only these declarations.
namespace tandem::cuda_impl {

enum class cub_operation { sum, product, minimum, maximum, bitwise_and, bitwise_or };

/// How CUB reduces elements of type T with a reducer. Signed integers are reduced as unsigned ones
/// if their bits agree: unsigned arithmetic wraps around, whereas signed overflow is undefined.
template <class T, class R>
struct cub_form {
  static constexpr bool exists = false;
};

template <cub_operation Operation, class Element, class Accumulator>
struct cub_form_of {
  static constexpr bool exists = true;
  static constexpr cub_operation operation = Operation;
  using element = Element;
  using accumulator = Accumulator;
};

template <class T>
concept cub_integer = std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
                      std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

template <cub_operation Operation, cub_integer T>
using cub_unsigned = cub_form_of<Operation, std::make_unsigned_t<T>, std::make_unsigned_t<T>>;

template <cub_integer T>
struct cub_form<T, sum<T>> : cub_unsigned<cub_operation::sum, T> {};
template <>
struct cub_form<std::int32_t, sum<std::int64_t>>
    : cub_form_of<cub_operation::sum, std::int32_t, std::uint64_t> {};
template <>
struct cub_form<std::uint32_t, sum<std::uint64_t>>
    : cub_form_of<cub_operation::sum, std::uint32_t, std::uint64_t> {};
template <cub_integer T>
struct cub_form<T, product<T>> : cub_unsigned<cub_operation::product, T> {};
template <cub_integer T>
struct cub_form<T, minimum<T>> : cub_form_of<cub_operation::minimum, T, T> {};
template <cub_integer T>
struct cub_form<T, maximum<T>> : cub_form_of<cub_operation::maximum, T, T> {};
template <cub_integer T>
struct cub_form<T, bitwise_and<T>> : cub_unsigned<cub_operation::bitwise_and, T> {};
template <cub_integer T>
struct cub_form<T, bitwise_or<T>> : cub_unsigned<cub_operation::bitwise_or, T> {};
template <>
struct cub_form<bool, logical_and>
    : cub_form_of<cub_operation::bitwise_and, std::uint8_t, std::uint8_t> {};
template <>
struct cub_form<bool, logical_or>
    : cub_form_of<cub_operation::bitwise_or, std::uint8_t, std::uint8_t> {};

/// How CUB reduces the terms of a load; only contiguous elements are supported.
template <class Load>
struct cub_form_of_load {
  static constexpr bool exists = false;
};
template <class T, class R>
struct cub_form_of_load<contiguous_load<T, R>> : cub_form<T, R> {
  static_assert(!cub_form<T, R>::exists || order_free<R>);
};

/// Destination of a result: device memory or, if that is null, the stream's mapped result slot.
template <class Accumulator>
struct cub_destination {
  Accumulator* value = nullptr;
  std::uint64_t* words = nullptr;  ///< of the result slot, for call number `call`
  std::uint32_t call = 0;
};

/// Enqueues the reduction of n elements in device memory, n >= 1. Does not block. Uses the stream's
/// scratch. Errors: device_error, out_of_memory_error.
template <cub_operation Operation, class Element, class Accumulator>
void run_cub_reduce(const cuda& space, index_t n, const Element* data,
                    const cub_destination<Accumulator>& destination);

/// Enqueues the reduction of a load's n terms with CUB. The result goes to `value` or, if that is
/// null, to call `call` of the result slot.
template <class T, class R>
void enqueue_cub_reduce(const cuda& space, index_t n, const contiguous_load<T, R>& load,
                        typename R::accumulator* value, std::uint64_t* words = nullptr,
                        std::uint32_t call = 0) {
  using form = cub_form<T, R>;
  using accumulator = typename form::accumulator;
  static_assert(sizeof(accumulator) == sizeof(typename R::accumulator));
  run_cub_reduce<form::operation>(
      space, n, reinterpret_cast<const typename form::element*>(load.data),
      cub_destination<accumulator>{reinterpret_cast<accumulator*>(value), words, call});
}

}  // namespace tandem::cuda_impl
