// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls without a space give the results of the calls with the default space.

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "support/data.hpp"

#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

/// Reads element i of a view, as a reduction's term.
struct element {
  tandem::view<const float, 1, tandem::layout_right, tandem::default_space::memory_type> x;

  TANDEM_FUNCTION float operator()(int i) const { return x(i); }
};

struct is_below_half {
  TANDEM_FUNCTION bool operator()(float x) const { return x < 0.5F; }
};

using floats = tandem::array<float>;
using integers = tandem::array<std::int32_t>;

/// Returns seeded random values in the default space's memory.
floats random_floats(int n) {
  floats x(n);
  tandem::copy(random_values<float>(static_cast<std::size_t>(n), 3), x);
  return x;
}

/// An explicit space: on a device it has a separate stream, which reads its own writes.
const tandem::default_space& named_space() {
  static const tandem::default_space space;
  return space;
}

/// Calls f without a space and g with the default space; each fills the array passed to it.
template <class Array, class F, class G>
void check_same(int n, const F& f, const G& g) {
  Array without(n);
  Array with(n);
  tandem::copy(std::vector<typename Array::value_type>(static_cast<std::size_t>(n)), without);
  tandem::copy(std::vector<typename Array::value_type>(static_cast<std::size_t>(n)), with);
  f(without);
  g(with);
  CHECK(tandem::to_vector(without) == tandem::to_vector(named_space(), with));
}

/// Copies the result to the host.
float value_of(const tandem::array<float, 0>& out) {
  float value = 0;
  tandem::copy(out.const_view(), tandem::as_view<tandem::host_memory>(&value));
  return value;
}

}  // namespace

TEST_CASE("parallel_reduce_into: views and functions of indices on the default space") {
  const int n = 300007;
  const auto values = random_values<float>(std::size_t{n}, 1);
  tandem::array<float> x(n);
  tandem::copy(values, x);
  tandem::array<float, 0> out(tandem::extents<0>{});
  tandem::parallel_reduce_into(x.const_view(), tandem::sum<float>{}, out.view());
  CHECK(same_bits(value_of(out), tandem::parallel_reduce(x.const_view())));
  tandem::parallel_reduce_into(n, element{x.const_view()}, tandem::maximum<float>{}, out.view());
  const float largest = tandem::parallel_reduce(x.const_view(), tandem::maximum<float>{});
  CHECK(same_bits(value_of(out), largest));
}

TEST_CASE("default space: copies from pointers and to them") {
  const std::vector<float> values = random_values<float>(1000, 4);
  floats x(1000);
  tandem::copy(values.data(), 1000, x);
  std::vector<float> back(1000);
  tandem::copy(x, back.data(), 1000);
  CHECK(back == values);
}

TEST_CASE("default space: what fills an array gives what the call with the space gives") {
  const int n = 1000;
  const tandem::default_space& space = named_space();
  const floats x = random_floats(n);
  check_same<floats>(
      n, [](floats& y) { tandem::iota(y, 3.0F, 0.5F); },
      [&](floats& y) { tandem::iota(space, y, 3.0F, 0.5F); });
  check_same<floats>(
      n, [](floats& y) { tandem::iota(y); }, [&](floats& y) { tandem::iota(space, y); });
  check_same<floats>(
      n, [&](floats& y) { tandem::reverse(x, y); },
      [&](floats& y) { tandem::reverse(space, x, y); });
  check_same<floats>(
      n, [&](floats& y) { tandem::adjacent_difference(x, y); },
      [&](floats& y) { tandem::adjacent_difference(space, x, y); });
  check_same<floats>(
      n, [](floats& y) { tandem::fill(y, 7.0F); },
      [&](floats& y) { tandem::fill(space, y, 7.0F); });
  check_same<floats>(
      n, [](floats& y) { tandem::fill_random(y, tandem::normal{}, 11); },
      [&](floats& y) { tandem::fill_random(space, y, tandem::normal{}, 11); });
  check_same<floats>(
      n, [&](floats& y) { tandem::parallel_scan(x, y); },
      [&](floats& y) { tandem::parallel_scan(space, x, y, tandem::sum{}); });
  check_same<integers>(
      n, [](integers& y) { tandem::random_permutation(y, 5); },
      [&](integers& y) { tandem::random_permutation(space, y, 5); });
}

TEST_CASE("default space: what works in place gives what the call with the space gives") {
  const int n = 1000;
  const tandem::default_space& space = named_space();
  const floats x = random_floats(n);
  const auto in_place = [&](const auto& without, const auto& with) {
    check_same<floats>(
        n,
        [&](floats& y) {
          tandem::copy(x, y);
          without(y);
        },
        [&](floats& y) {
          tandem::copy(x, y);
          with(y);
        });
  };
  in_place([](floats& y) { tandem::reverse(y); }, [&](floats& y) { tandem::reverse(space, y); });
  in_place([](floats& y) { tandem::shuffle(y, 9); },
           [&](floats& y) { tandem::shuffle(space, y, 9); });
  in_place([](floats& y) { tandem::sort(y, tandem::sort_order::descending); },
           [&](floats& y) { tandem::sort(space, y, tandem::sort_order::descending); });
  floats keys(n);
  in_place(
      [&](floats& y) {
        tandem::copy(x, keys);
        tandem::sort_by_key(keys, y);
      },
      [&](floats& y) {
        tandem::copy(x, keys);
        tandem::sort_by_key(space, keys, y);
      });
}

TEST_CASE("default space: sorts into another array give what the calls with the space give") {
  const int n = 1000;
  const tandem::default_space& space = named_space();
  const floats x = random_floats(n);
  floats keys(n);
  check_same<floats>(
      n, [&](floats& y) { tandem::sort(x, y); }, [&](floats& y) { tandem::sort(space, x, y); });
  check_same<floats>(
      n, [&](floats& y) { tandem::sort_by_key(x, x, keys, y); },
      [&](floats& y) { tandem::sort_by_key(space, x, x, keys, y); });
}

TEST_CASE("default space: indexed copies give what the calls with the space give") {
  const int n = 1000;
  const tandem::default_space& space = named_space();
  const floats x = random_floats(n);
  integers order(n);
  tandem::random_permutation(space, order, 5);
  check_same<floats>(
      n, [&](floats& y) { tandem::gather(x, order, y); },
      [&](floats& y) { tandem::gather(space, x, order, y); });
  check_same<floats>(
      n, [&](floats& y) { tandem::scatter(x, order, y); },
      [&](floats& y) { tandem::scatter(space, x, order, y); });
  check_same<floats>(
      n, [&](floats& y) { tandem::scatter_add(order, x, y); },
      [&](floats& y) { tandem::scatter_add(space, order, x, y); });
  check_same<floats>(
      n, [&](floats& y) { CHECK(tandem::copy_if(x, y, is_below_half{}) > 0); },
      [&](floats& y) { CHECK(tandem::copy_if(space, x, y, is_below_half{}) > 0); });
  check_same<floats>(
      n, [&](floats& y) { CHECK(tandem::unique(x, y) > 0); },
      [&](floats& y) { CHECK(tandem::unique(space, x, y) > 0); });
}

TEST_CASE("default space: results by value are those of the calls with the space") {
  const tandem::default_space& space = named_space();
  const floats x = random_floats(1000);
  const is_below_half keep;
  CHECK(same_bits(tandem::asum(x), tandem::asum(space, x)));
  CHECK(same_bits(tandem::nrm_inf(x), tandem::nrm_inf(space, x)));
  CHECK(same_bits(tandem::norm2(x), tandem::norm2(space, x)));
  CHECK(same_bits(tandem::dot(x, x), tandem::dot(space, x, x)));
  CHECK(tandem::argmin(x).index == tandem::argmin(space, x).index);
  CHECK(tandem::argmax(x).index == tandem::argmax(space, x).index);
  CHECK(tandem::argmax(x).index != tandem::argmin(x).index);
  CHECK(tandem::count_if(x, keep) == tandem::count_if(space, x, keep));
  CHECK(tandem::any_of(x, keep) == tandem::any_of(space, x, keep));
  CHECK(tandem::all_of(x, keep) == tandem::all_of(space, x, keep));
  CHECK(tandem::none_of(x, keep) == tandem::none_of(space, x, keep));
  CHECK(tandem::any_of(x, keep));
  CHECK(!tandem::all_of(x, keep));
}
