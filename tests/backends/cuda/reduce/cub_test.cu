// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions by CUB: its device-wide reduction of integers is compared with serial at the size from
// which it is used, in a recording, and by the calls that it makes; so are sums of floats, which
// use CUB's tree over warps and blocks.

#include "backends/cuda/runtime/counted_calls.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tandem/backends/cuda/reduce/dispatch.cuh>

using namespace tandem::test;
using tandem::index_t;
namespace impl = tandem::cuda_impl;

namespace {

template <class T>
using device_array = tandem::array<T, 1, tandem::cuda>;

/// Elements of type Element, reduced by Reducer.
template <class Element, class Reducer>
struct form {
  using T = Element;
  using R = Reducer;
};

/// How bools are stored on the host, because std::vector<bool> has no addresses.
template <class T>
using storage = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// Returns elements whose result stays informative for many of them: odd factors; words of which
/// few have a given bit, or few lack it.
template <class T, class R>
std::vector<storage<T>> random_elements(std::size_t count) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::vector<std::uint8_t>(count, std::is_same_v<R, tandem::logical_and> ? 1 : 0);
  } else {
    std::vector<T> values = random_values<T>(count, 7);
    for (T& value : values) {
      if constexpr (std::is_same_v<R, tandem::product<T>>) value = static_cast<T>(value | 1);
      if constexpr (std::is_same_v<R, tandem::bitwise_and<T>>)
        value = static_cast<T>(~(T{1} << (value & 15)));
      if constexpr (std::is_same_v<R, tandem::bitwise_or<T>>)
        value = static_cast<T>(T{1} << (value & 15));
    }
    return values;
  }
}

/// Reduces n elements on the host, by the specification.
template <class T, class R>
typename R::result by_serial(const storage<T>* data, index_t n) {
  const tandem::view<const T, 1, tandem::layout_right, tandem::host_memory> x(
      reinterpret_cast<const T*>(data), tandem::extents<1>(n));
  return tandem::parallel_reduce(tandem::serial{}, x, R{});
}

/// Enqueues CUB's reduction of n elements to `out`.
template <class T, class R>
void enqueue(const tandem::cuda& space, const storage<T>* data, index_t n,
             typename R::accumulator* out) {
  const tandem::contiguous_load<T, R> load{reinterpret_cast<const T*>(data), R{}};
  impl::enqueue_cub_reduce(space, n, load, out);
}

/// Returns CUB's result through the mapped result slot.
template <class T, class R>
typename R::accumulator through_result_slot(const tandem::cuda& space, const storage<T>* data,
                                            index_t n) {
  const tandem::contiguous_load<T, R> load{reinterpret_cast<const T*>(data), R{}};
  return impl::cub_reduce_through_result_slot(space, "cub_test", n, load);
}

/// Whether the device can hold `bytes` more; if not, says so.
bool fits(std::size_t bytes) {
  const tandem::cuda_device device = tandem::cuda::devices()[0];
  const bool enough = device.free_memory > bytes + (std::size_t{1} << 30);
  if (!enough) MESSAGE("skipped: the device has no " << (bytes >> 30) << " GiB free");
  return enough;
}

}  // namespace

TEST_CASE_TEMPLATE("reduce by CUB: the result of serial, at every offset from a boundary", Form,
                   form<std::int32_t, tandem::sum<std::int32_t>>,
                   form<std::uint32_t, tandem::sum<std::uint32_t>>,
                   form<std::int32_t, tandem::sum<std::int64_t>>,
                   form<std::uint32_t, tandem::sum<std::uint64_t>>,
                   form<std::int64_t, tandem::sum<std::int64_t>>,
                   form<std::uint64_t, tandem::sum<std::uint64_t>>,
                   form<std::int32_t, tandem::product<std::int32_t>>,
                   form<std::uint64_t, tandem::product<std::uint64_t>>,
                   form<std::int32_t, tandem::minimum<std::int32_t>>,
                   form<std::uint32_t, tandem::minimum<std::uint32_t>>,
                   form<std::int64_t, tandem::minimum<std::int64_t>>,
                   form<std::uint64_t, tandem::minimum<std::uint64_t>>,
                   form<std::int32_t, tandem::maximum<std::int32_t>>,
                   form<std::uint32_t, tandem::maximum<std::uint32_t>>,
                   form<std::int64_t, tandem::maximum<std::int64_t>>,
                   form<std::uint64_t, tandem::maximum<std::uint64_t>>,
                   form<std::int32_t, tandem::bitwise_and<std::int32_t>>,
                   form<std::uint64_t, tandem::bitwise_and<std::uint64_t>>,
                   form<std::uint32_t, tandem::bitwise_or<std::uint32_t>>,
                   form<std::int64_t, tandem::bitwise_or<std::int64_t>>,
                   form<bool, tandem::logical_and>, form<bool, tandem::logical_or>) {
  using T = typename Form::T;
  using R = typename Form::R;
  const tandem::cuda space(0);
  auto values = random_elements<T, R>(large_size + 3);
  // All bools except one are equal.
  if constexpr (std::is_same_v<T, bool>) values[5000] ^= 1;
  const auto x = to_space(space, values);
  device_array<storage<typename R::result>> out(tandem::extents<1>(1), space);
  auto* const result = reinterpret_cast<typename R::accumulator*>(out.data_handle());
  for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{4095}, std::size_t{4096},
                              std::size_t{4097}, std::size_t{131073}, large_size}) {
    for (std::size_t offset = 0; offset < 4; ++offset) {
      CAPTURE(n);
      CAPTURE(offset);
      const auto count = static_cast<index_t>(n);
      const typename R::result wanted = by_serial<T, R>(values.data() + offset, count);
      enqueue<T, R>(space, x.data_handle() + offset, count, result);
      CHECK(static_cast<typename R::result>(to_host(space, out)[0]) == wanted);
      CHECK(through_result_slot<T, R>(space, x.data_handle() + offset, count) == wanted);
    }
  }
}

TEST_CASE("reduce by CUB: only contiguous integers, whose order cannot show") {
  using tandem::contiguous_load;
  using tandem::strided_load;
  using wide_sum = tandem::sum<std::int64_t>;
  using ordered = tandem::sum<float>;
  using float_minimum = tandem::minimum<float>;
  static_assert(impl::cub_form_of_load<contiguous_load<int, wide_sum>>::exists);
  static_assert(!impl::cub_form_of_load<strided_load<int, wide_sum>>::exists);
  static_assert(!impl::cub_form_of_load<contiguous_load<float, ordered>>::exists);
  // The first of -0 and +0 wins, so the order shows.
  static_assert(!impl::cub_form_of_load<contiguous_load<float, float_minimum>>::exists);
  const tandem::cuda space(0);
  const device_array<int> none(tandem::extents<1>(0), space);
  tandem::array<int, 0, tandem::cuda> out(tandem::extents<0>{}, 5, space);
  tandem::parallel_reduce_into(space, none.const_view(), tandem::maximum<int>{}, out.view());
  CHECK(to_host(space, out)[0] == std::numeric_limits<int>::lowest());
  CHECK(tandem::parallel_reduce(space, none.const_view()) == 0);
}

TEST_CASE("reduce by CUB: from its size on, two launches and the result of tandem's own kernel") {
  const auto threshold = static_cast<index_t>(impl::cub_reduce.min_bytes / sizeof(int));
  if (!fits(sizeof(int) * static_cast<std::size_t>(threshold + 1))) return;
  const tandem::cuda space(0);
  device_array<int> x(tandem::extents<1>(threshold + 1), space);
  const auto v = x.view();
  tandem::parallel_for(
      space, threshold + 1, TANDEM_LAMBDA(index_t i) { v(i) = static_cast<int>(i % 251 - 100); });
  tandem::array<std::int64_t, 0, tandem::cuda> out(tandem::extents<0>{}, space);
  for (const index_t n : {threshold - 1, threshold, threshold + 1}) {
    CAPTURE(n);
    const auto part = tandem::subview(x.const_view(), tandem::slice{0, n});
    const std::int64_t wanted = tandem::parallel_reduce(
        space, n, TANDEM_LAMBDA(index_t i) { return v(i); });
    std::int64_t got = 0;
    const auto to_host_scalar = [&] { got = tandem::parallel_reduce(space, part); };
    const auto to_device = [&] {
      tandem::parallel_reduce_into(space, part, tandem::sum<std::int64_t>{}, out.view());
    };
    const call_counts launches{.launches = n < threshold ? 1 : 2};
    to_host_scalar();
    to_host_scalar();
    CHECK(calls_of(to_host_scalar) == launches);
    CHECK(got == wanted);
    to_device();
    to_device();
    CHECK(calls_of(to_device) == launches);
    CHECK(to_host(space, out)[0] == wanted);
  }
}

TEST_CASE("reduce by CUB: a recording repeats it with the data of the time") {
  using sum = tandem::sum<std::int64_t>;
  const tandem::cuda space(0);
  device_array<std::int64_t> x(tandem::extents<1>(large_size), std::int64_t{3}, space);
  device_array<std::int64_t> out(tandem::extents<1>(1), space);
  const auto v = x.view();
  const std::int64_t* const from = x.data_handle();
  std::int64_t* const to = out.data_handle();
  auto graph = tandem::record(space, [=](const tandem::cuda& s) {
    enqueue<std::int64_t, sum>(s, from, static_cast<index_t>(large_size), to);
  });
  const auto count = static_cast<std::int64_t>(large_size);
  graph.replay(space);
  CHECK(to_host(space, out)[0] == 3 * count);
  tandem::fill(space, v, std::int64_t{-7});
  graph.replay(space);
  CHECK(to_host(space, out)[0] == -7 * count);
}

TEST_CASE_TEMPLATE("reduce by CUB: sums of floats keep the canonical order", T, float, double) {
  const tandem::cuda space(0);
  std::vector<std::size_t> sizes = hostile_sizes();
  sizes.insert(sizes.end(), {large_size, (std::size_t{1} << 22) + 5});
  const auto values = random_values<T>(sizes.back() + 1, 11);
  const auto x = to_space(space, values);
  tandem::array<T, 0, tandem::cuda> out(tandem::extents<0>{}, space);
  for (const std::size_t n : sizes) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      CAPTURE(n);
      CAPTURE(offset);
      const auto begin = static_cast<index_t>(offset);
      const auto part =
          tandem::subview(x.const_view(), tandem::slice{begin, begin + static_cast<index_t>(n)});
      const T wanted =
          by_serial<T, tandem::sum<T>>(values.data() + offset, static_cast<index_t>(n));
      CHECK(same_bits(tandem::parallel_reduce(space, part), wanted));
      tandem::parallel_reduce_into(space, part, tandem::sum<T>{}, out.view());
      CHECK(same_bits(to_host(space, out)[0], wanted));
    }
  }
}
