// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/non_commutative.hpp"

#include <cstdint>
#include <cstring>
#include <string>

using namespace tandem::test;
using tandem::axis;
using tandem::index_t;

namespace {

/// Offset and strides of a view of rank 3 in an array.
struct box {
  tandem::extents<3> sizes;
  tandem::extents<3> strides;
  index_t offset = 0;

  index_t span() const {
    index_t last = offset;
    for (int d = 0; d < 3; ++d)
      if (strides[d] > 0) last += strides[d] * (sizes[d] - 1);
    return sizes.size() == 0 ? 0 : last + 1;
  }
  template <class T, class Memory>
  auto over(const tandem::view<T, 1, tandem::layout_right, Memory>& memory) const {
    using mapping = tandem::layout_stride::mapping<3>;
    return tandem::view<T, 3, tandem::layout_stride, Memory>(memory.data_handle() + offset,
                                                             mapping(sizes, strides));
  }
};

box packed(index_t k, index_t j, index_t i, index_t pitch = 0) {
  const index_t row = pitch == 0 ? i : pitch;
  return {{k, j, i}, {j * row, row, 1}, 0};
}

bool same(float a, float b) { return same_bits(a, b); }
bool same(double a, double b) { return same_bits(a, b); }
bool same(const affine& a, const affine& b) { return same(a.a, b.a) && same(a.b, b.b); }
template <class T>
bool same(const tandem::value_index<T>& a, const tandem::value_index<T>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(const tandem::min_max_values<T>& a, const tandem::min_max_values<T>& b) {
  return same_bits(a.minimum, b.minimum) && same_bits(a.maximum, b.maximum);
}
template <std::integral T>
bool same(T a, T b) {
  return a == b;
}

/// Returns the elements (p, .., q) of `x` along `along`, as a view of rank 1.
template <class View>
auto slice_of(const View& x, int along, index_t p, index_t q) {
  if (along == 0) return tandem::subview(x, tandem::all, p, q);
  if (along == 1) return tandem::subview(x, p, tandem::all, q);
  return tandem::subview(x, p, q, tandem::all);
}

/// Counts the outputs that differ from serial's parallel_reduce over the slice alone.
template <class Source, class Result, class R>
long differences(const Source& x, int along, const R& reducer, const std::vector<Result>& got) {
  const int second = along == 2 ? 1 : 2;
  const index_t outer = x.extent(along == 0 ? 1 : 0);
  const index_t inner = x.extent(second);
  long count = 0;
  for (index_t p = 0; p < outer; ++p) {
    for (index_t q = 0; q < inner; ++q) {
      const auto wanted =
          tandem::parallel_reduce(tandem::serial(), slice_of(x, along, p, q), reducer);
      count += !same(got[static_cast<std::size_t>(p * inner + q)], wanted);
    }
  }
  return count;
}

/// A value that no reduction produces, padding included.
template <class T>
T poison() {
  T value;
  std::memset(static_cast<void*>(&value), 0x5a, sizeof(T));
  return value;
}

/// Reduces a box of `values` along every axis, twice, because a call must leave the backend ready
/// for the next.
template <class Space, class T, class R>
void check_box(const Space& space, const std::vector<T>& values, const box& shape,
               const R& reducer) {
  using result = typename R::result;
  REQUIRE(static_cast<index_t>(values.size()) >= shape.span());
  const tandem::serial reference;
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = shape.over(x.const_view());
  const auto w = shape.over(r.const_view());
  for (int along = 0; along < 3; ++along) {
    const tandem::extents<2> outputs(shape.sizes[along == 0 ? 1 : 0],
                                     shape.sizes[along == 2 ? 1 : 2]);
    INFO("sizes " << shape.sizes[0] << " " << shape.sizes[1] << " " << shape.sizes[2] << ", along "
                  << along);
    tandem::array<result, 2, Space> out(outputs, poison<result>(), space);
    for (int round = 0; round < 2; ++round) {
      tandem::parallel_reduce_into(space, v, axis{along}, reducer, out.view());
      CHECK(differences(w, along, reducer, to_host(space, out)) == 0);
    }
  }
}

template <class T, class Space, class R>
void check_shapes(const Space& space, const R& reducer) {
  const auto values = random_values<T>(300'000, 17);
  check_box(space, values, packed(1, 1, 1), reducer);
  check_box(space, values, packed(2, 31, 33), reducer);
  check_box(space, values, packed(3, 64, 128), reducer);
  check_box(space, values, packed(3, 70, 100), reducer);
  check_box(space, values, packed(1, 2049, 132), reducer);
  check_box(space, values, packed(7, 513, 20), reducer);
  check_box(space, values, packed(2, 4, 33'000), reducer);
  // Padded rows, rows off every alignment boundary, column-major, reversed, with gaps, repeated.
  check_box(space, values, packed(3, 40, 60, 64), reducer);
  box odd = packed(5, 37, 128);
  odd.offset = 1;
  check_box(space, values, odd, reducer);
  check_box(space, values, {{9, 50, 130}, {1, 9, 450}, 0}, reducer);
  check_box(space, values, {{9, 50, 130}, {-6500, -130, -1}, 58'499}, reducer);
  check_box(space, values, {{9, 50, 130}, {26'000, 260, 2}, 3}, reducer);
  check_box(space, values, {{4, 50, 130}, {0, 130, 1}, 0}, reducer);
}

/// Reduces the elements of a packed box of `values`, read by a function of their indices, along
/// every axis.
template <class Space, class T, class R>
void check_function(const Space& space, const std::vector<T>& values, const tandem::extents<3>& n,
                    const R& reducer) {
  const tandem::serial reference;
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = packed(n[0], n[1], n[2]).over(x.const_view());
  const auto w = packed(n[0], n[1], n[2]).over(r.const_view());
  for (int along = 0; along < 3; ++along) {
    INFO("sizes " << n[0] << " " << n[1] << " " << n[2] << ", along " << along);
    tandem::array<typename R::result, 2, Space> out(
        tandem::extents<2>(n[along == 0 ? 1 : 0], n[along == 2 ? 1 : 2]), space);
    tandem::parallel_reduce_into(
        space, tandem::grid{n[0], n[1], n[2]}, axis{along},
        TANDEM_LAMBDA(int k, int j, int i) { return v(k, j, i); }, reducer, out.view());
    CHECK(differences(w, along, reducer, to_host(space, out)) == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce along an axis: the bits of each slice alone, in any layout", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_shapes<float>(space, tandem::sum<float>{});
  check_shapes<double>(space, tandem::sum<double>{});
  check_shapes<int>(space, tandem::sum<std::int64_t>{});
}

TEST_CASE_TEMPLATE("reduce along an axis: any reducer", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_shapes<float>(space, tandem::minloc<float>{});
  check_shapes<std::uint8_t>(space, tandem::sum<std::uint64_t>{});
  const auto floats = random_values<float>(200'000, 3);
  std::vector<affine> maps;
  for (const float x : floats) maps.push_back({1.0f + 0.001f * x, x});
  for (const box& shape : {packed(3, 70, 100), packed(1, 2049, 96), packed(2, 40, 2500)}) {
    check_box(space, floats, shape, tandem::minmax<float>{});
    check_box(space, floats, shape, tandem::maximum<double>{});
    check_box(space, maps, shape, tandem::reduction{compose{}, affine{1.0f, -0.0f}});
  }
  const auto bytes = random_values<std::uint8_t>(200'000, 4);
  check_box(space, bytes, packed(2, 48, 1024), tandem::bitwise_or<std::uint8_t>{});
  check_box(space, random_values<std::int16_t>(200'000, 5), packed(2, 48, 1024),
            tandem::product<std::int16_t>{});
}

TEST_CASE_TEMPLATE("reduce along an axis: slices of every length", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(700'000, 8);
  for (const std::size_t size : hostile_sizes()) {
    const auto n = static_cast<index_t>(size);
    if (n == 0) continue;
    check_box(space, values, packed(1, 5, n), tandem::sum<float>{});
    if (n <= 5000) check_box(space, values, packed(1, n, 36), tandem::sum<float>{});
    if (n <= 5000) check_box(space, values, packed(2, 19, n), tandem::sum<float>{});
    if (n <= 5000) check_box(space, values, packed(1, 3, n, (n + 3) / 4 * 4), tandem::sum<float>{});
  }
}

TEST_CASE_TEMPLATE("reduce along an axis: slices so long or so many that parts are shared", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto n = static_cast<index_t>(large_size);
  const auto values = random_values<float>(large_size * 3, 21);
  check_box(space, values, packed(1, 3, n), tandem::sum<float>{});
  check_box(space, values, packed(1, 3, n - 7), tandem::sum<float>{});
  check_box(space, values, packed(1, 300, 10'000), tandem::minloc<float>{});
  check_box(space, values, packed(300, 5000, 2), tandem::sum<float>{});
  check_box(space, values, packed(1, 300'000, 8), tandem::sum<float>{});
  check_box(space, values, packed(2, 10'000, 130), tandem::sum<float>{});
  // Enough neighbouring columns in memory that they are folded in wide groups, plus a few more.
  check_box(space, values, packed(1, 4490, 700), tandem::sum<float>{});
  check_box(space, random_values<double>(large_size, 22), packed(1, 260, 4033),
            tandem::sum<double>{});
}

TEST_CASE_TEMPLATE("reduce along an axis: hostile values", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    const auto values = hostile_values<float>(60'000, kind);
    for (const box& shape : {packed(2, 150, 200), packed(1, 9, 5000)}) {
      check_box(space, values, shape, tandem::sum<float>{});
      check_box(space, values, shape, tandem::maximum<float>{});
      check_box(space, values, shape, tandem::maxloc<float>{});
    }
  }
}

TEST_CASE_TEMPLATE("reduce along an axis: functions of the indices have the bits of views", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto values = random_values<float>(60'000, 31);
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const tandem::sum<float> sum;
  check_function(space, values, {4, 150, 100}, sum);
  tandem::array<float, 1, typename Backend::space> rows(tandem::extents<1>(600), space);
  tandem::array<float, 1, typename Backend::space> columns(tandem::extents<1>(100), space);
  const auto flat = x.const_view();
  const auto at = TANDEM_LAMBDA(int j, int i) { return flat(j * 100 + i); };
  tandem::parallel_reduce_into(space, tandem::grid{600, 100}, axis{1}, at, sum, rows.view());
  CHECK(differences(packed(1, 600, 100).over(r.const_view()), 2, sum, to_host(space, rows)) == 0);
  tandem::parallel_reduce_into(space, tandem::grid{600, 100}, axis{0}, at, sum, columns.view());
  CHECK(differences(packed(1, 600, 100).over(r.const_view()), 1, sum, to_host(space, columns)) ==
        0);
}

TEST_CASE_TEMPLATE("reduce along an axis: functions with few terms, in order and in any", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(2'000, 32);
  std::vector<affine> maps;
  for (std::size_t i = 0; i < values.size(); ++i)
    maps.push_back({values[i], values[values.size() - 1 - i]});
  const tandem::reduction composition{compose{}, affine{1.0f, -0.0f}};
  for (const auto& n :
       {tandem::extents<3>(3, 8, 9), tandem::extents<3>(9, 3, 8), tandem::extents<3>(2, 40, 20)}) {
    check_function(space, values, n, tandem::sum<float>{});
    check_function(space, maps, n, composition);
  }
}

TEST_CASE_TEMPLATE("reduce along an axis: matrices, negative axes, outputs with gaps", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<float, 2, typename Backend::space> x(tandem::extents<2>(50, 70), space);
  tandem::copy(space, random_values<float>(3500, 2), tandem::detail::flattened(x.view()));
  tandem::array<float, 1, typename Backend::space> memory(tandem::extents<1>(140), space);
  tandem::fill(space, memory.view(), -1.0f);
  const auto every_second = tandem::subview(memory.view(), tandem::slice{0, 140, 2});
  const tandem::sum<float> sum;
  tandem::parallel_reduce_into(space, x.const_view(), axis{-2}, sum, every_second);
  const auto values = to_host(space, x);
  const auto got = to_host(space, memory);
  const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> w(
      values.data(), tandem::extents<2>(50, 70));
  for (index_t i = 0; i < 70; ++i) {
    const float wanted =
        tandem::parallel_reduce(tandem::serial(), tandem::subview(w, tandem::all, i), sum);
    CHECK(same_bits(got[static_cast<std::size_t>(2 * i)], wanted));
    CHECK(got[static_cast<std::size_t>(2 * i + 1)] == -1.0f);
  }
  CHECK(axis{}.dimension == 0);  // the default is the first
}

TEST_CASE_TEMPLATE("reduce along an axis: no terms give what the reducer says, no outputs nothing",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<float, 2, typename Backend::space> x(tandem::extents<2>(0, 40), space);
  tandem::array<float, 1, typename Backend::space> columns(tandem::extents<1>(40), space);
  tandem::array<float, 1, typename Backend::space> rows(tandem::extents<1>(0), space);
  tandem::parallel_reduce_into(space, x.const_view(), axis{0}, tandem::sum<float>{},
                               columns.view());
  tandem::parallel_reduce_into(space, x.const_view(), axis{1}, tandem::sum<float>{}, rows.view());
  for (const float value : to_host(space, columns)) CHECK(same_bits(value, 0.0f));
  using located = tandem::value_index<float>;
  tandem::array<located, 1, typename Backend::space> places(tandem::extents<1>(40),
                                                            poison<located>(), space);
  tandem::parallel_reduce_into(space, x.const_view(), axis{0}, tandem::minloc<float>{},
                               places.view());
  for (const auto& place : to_host(space, places)) CHECK(place.index == -1);
}

TEST_CASE_TEMPLATE("reduce along an axis: says which operand does not fit", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<float, 2, typename Backend::space> x(tandem::extents<2>(6, 8), space);
  tandem::array<float, 1, typename Backend::space> out(tandem::extents<1>(6), space);
  const tandem::sum<float> sum;
  const auto reduce = [&](int along) {
    tandem::parallel_reduce_into(space, x.const_view(), axis{along}, sum, out.view());
  };
  CHECK_THROWS_WITH_AS(reduce(0), "parallel_reduce_into: extent 1 of x (8) != extent 0 of out (6)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(reduce(2), "parallel_reduce_into: axis (2) >= rank (2)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(reduce(-3), "parallel_reduce_into: axis (-3) < negative rank (-2)",
                       tandem::extent_error);
  const auto first_column = tandem::subview(x.view(), tandem::all, 0);
  CHECK_THROWS_AS(tandem::parallel_reduce_into(space, x.const_view(), axis{1}, sum, first_column),
                  tandem::argument_error);
}
