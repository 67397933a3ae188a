// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes past 2^31 elements, at which 32-bit indices, counts and byte offsets wrap. Sanitizers are
// too slow for them: exclude the cases by "2^31".

#include "support/backends.hpp"

using namespace tandem::test;

namespace {

using tandem::index_t;

constexpr index_t huge = (index_t{1} << 31) + 7;

template <class T>
using device_array = tandem::array<T, 1, tandem::cuda>;

/// Whether the device has `bytes` free; if not, reports a skip.
bool fits(index_t bytes) {
  const tandem::cuda_device device = tandem::cuda::devices()[0];
  const bool enough = static_cast<index_t>(device.free_memory) > bytes + (index_t{1} << 30);
  if (!enough) MESSAGE("skipped: the device has no " << (bytes >> 30) << " GiB free");
  return enough;
}

/// Element i of the arrays. The period of 251 does not divide a power of two, so an index that
/// wraps around finds a different value.
template <class T>
struct element {
  TANDEM_FUNCTION T operator()(index_t i) const { return static_cast<T>(i % 251); }
};

template <class T>
device_array<T> make_elements(const tandem::cuda& space) {
  device_array<T> x(tandem::extents<1>(huge), space);
  const auto v = x.view();
  tandem::parallel_for(
      space, huge, TANDEM_LAMBDA(index_t i) { v(i) = element<T>{}(i); });
  return x;
}

/// Counts the elements of x that differ from wanted(i).
template <class T, class Wanted>
index_t differences(const tandem::cuda& space, const device_array<T>& x, const Wanted& wanted) {
  const auto v = x.const_view();
  return tandem::parallel_reduce(
      space, huge,
      TANDEM_LAMBDA(index_t i) { return static_cast<index_t>(v(i) != wanted(i) ? 1 : 0); });
}

template <class T>
struct twice {
  TANDEM_FUNCTION T operator()(T x) const { return static_cast<T>(x + x); }
};

template <class T>
struct doubled {
  TANDEM_FUNCTION T operator()(index_t i) const { return twice<T>{}(element<T>{}(i)); }
};

template <class T>
struct constant_of {
  T value;
  TANDEM_FUNCTION T operator()(index_t) const { return value; }
};

/// The sum of i % 251 for all i below n.
constexpr index_t sum_below(index_t n) {
  const index_t rest = n % 251;
  return n / 251 * (250 * 251 / 2) + rest * (rest - 1) / 2;
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: loops, transform, copy and fill reach all of 2^31 + 7 elements", T,
                   unsigned char, float) {
  if (!fits(2 * huge * static_cast<index_t>(sizeof(T)))) return;
  const tandem::cuda space(0);
  device_array<T> x = make_elements<T>(space);
  CHECK(differences(space, x, element<T>{}) == 0);
  device_array<T> y(tandem::extents<1>(huge), space);
  tandem::transform(space, x.const_view(), y.view(), twice<T>{});
  CHECK(differences(space, y, doubled<T>{}) == 0);
  tandem::copy(space, x, y);
  CHECK(differences(space, y, element<T>{}) == 0);
  tandem::fill(space, y, T(77));
  CHECK(differences(space, y, constant_of<T>{T(77)}) == 0);
  // A reversed target makes the copy move element by element.
  const auto to = tandem::subview(y.view(), tandem::slice{0, huge, -1});
  tandem::copy(space, x.const_view(), to);
  const auto backwards = TANDEM_LAMBDA(index_t i) { return element<T>{}(huge - 1 - i); };
  CHECK(differences(space, y, backwards) == 0);
}

TEST_CASE("cuda: a grid of more than 2^31 elements is covered") {
  if (!fits(huge)) return;
  const tandem::cuda space(0);
  constexpr index_t columns = 65537;
  constexpr index_t rows = huge / columns + 1;
  device_array<unsigned char> x(tandem::extents<1>(rows * columns), 0, space);
  const auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{rows, columns},
      TANDEM_LAMBDA(index_t j, index_t i) { v(j * columns + i) += 1; });
  CHECK(tandem::parallel_reduce(space, x.const_view()) == rows * columns);
  CHECK(tandem::parallel_reduce(space, x.const_view(), tandem::minimum<unsigned char>{}) == 1);
}

TEST_CASE("cuda: sums, positions and histograms of 2^31 + 7 bytes") {
  if (!fits(huge)) return;
  const tandem::cuda space(0);
  device_array<unsigned char> x = make_elements<unsigned char>(space);
  CHECK(tandem::parallel_reduce(space, x.const_view()) == sum_below(huge));
  const auto v = x.view();
  tandem::parallel_for(
      space, tandem::range{huge - 2, huge - 1}, TANDEM_LAMBDA(index_t i) { v(i) = 255; });
  const auto [most, at] = tandem::argmax(space, x.const_view());
  CHECK(most == 255);
  CHECK(at == huge - 2);
  device_array<unsigned> counts(tandem::extents<1>(256), space);
  tandem::histogram(space, x.const_view(), counts.view());
  std::vector<unsigned> wanted(256, static_cast<unsigned>(huge / 251));
  for (index_t b = 0; b < 256; ++b) {
    if (b < huge % 251) ++wanted[static_cast<std::size_t>(b)];
    if (b >= 251) wanted[static_cast<std::size_t>(b)] = b == 255 ? 1 : 0;
  }
  --wanted[static_cast<std::size_t>((huge - 2) % 251)];
  CHECK(to_host(space, counts) == wanted);
}

TEST_CASE("cuda: sums, positions and histograms of 2^31 + 7 floats") {
  if (!fits(huge * 4)) return;
  const tandem::cuda space(0);
  device_array<float> x(tandem::extents<1>(huge), 0.0f, space);
  const auto v = x.view();
  // There are few enough ones that every partial sum is exact.
  constexpr index_t step = 1021;
  tandem::parallel_for(
      space, huge / step + 1, TANDEM_LAMBDA(index_t i) { v(i * step) = 1.0f; });
  constexpr index_t ones = huge / step + 1;
  CHECK(tandem::parallel_reduce(space, x.const_view()) == static_cast<float>(ones));
  tandem::parallel_for(
      space, tandem::range{huge - 1, huge}, TANDEM_LAMBDA(index_t i) { v(i) = 2.0f; });
  CHECK(tandem::argmax(space, x.const_view()).index == huge - 1);
  device_array<unsigned> counts(tandem::extents<1>(4), space);
  tandem::histogram(space, x.const_view(), {.lo = 0.0f, .hi = 4.0f}, counts.view());
  const bool last_was_one = (huge - 1) % step == 0;
  const auto others = static_cast<unsigned>(last_was_one ? ones - 1 : ones);
  CHECK(to_host(space, counts) ==
        std::vector<unsigned>{static_cast<unsigned>(huge - 1 - others), others, 1u, 0u});
}

TEST_CASE("cuda: a scan of 2^31 + 7 floats and of as many bytes") {
  if (!fits(huge * 8)) return;
  const tandem::cuda space(0);
  {
    device_array<float> x(tandem::extents<1>(huge), space);
    constexpr index_t step = 1021;
    const auto v = x.view();
    tandem::parallel_for(
        space, huge, TANDEM_LAMBDA(index_t i) { v(i) = i % step == 0 ? 1.0f : 0.0f; });
    device_array<float> y(tandem::extents<1>(huge), space);
    tandem::parallel_scan(space, x.const_view(), y.view());
    const auto wanted = TANDEM_LAMBDA(index_t i) { return static_cast<float>(i / step + 1); };
    CHECK(differences(space, y, wanted) == 0);
  }
  device_array<unsigned char> x(tandem::extents<1>(huge), 1, space);
  tandem::parallel_scan(space, x.const_view(), x.view());
  const auto wanted = TANDEM_LAMBDA(index_t i) { return static_cast<unsigned char>(i + 1); };
  CHECK(differences(space, x, wanted) == 0);
}

TEST_CASE("cuda: a scan of 2^31 + 7 integers") {
  if (!fits(huge * 4)) return;
  const tandem::cuda space(0);
  device_array<int> x(tandem::extents<1>(huge), 3, space);
  tandem::parallel_scan(space, x.const_view(), x.view(), tandem::sum<int>{});
  const auto wanted = TANDEM_LAMBDA(index_t i) {
    return static_cast<int>(static_cast<unsigned>(3 * (i + 1)));
  };
  CHECK(differences(space, x, wanted) == 0);
}
