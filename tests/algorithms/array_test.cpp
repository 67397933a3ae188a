// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays constructed from containers and converted to them, resized, mirrored and iterated.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

using namespace tandem::test;
using tandem::extents;
using tandem::index_t;
using tandem::slice;

namespace {

/// An element of `Size` bytes that all differ from their neighbours.
template <std::size_t Size>
struct block {
  std::uint8_t bytes[Size];

  explicit block(std::size_t seed = 0) {
    for (std::size_t i = 0; i < Size; ++i) bytes[i] = static_cast<std::uint8_t>(mix(seed + i));
  }
  bool operator==(const block&) const = default;
};

template <std::size_t Size, class Space>
void check_values(const Space& space) {
  INFO("bytes of an element " << Size);
  const block<Size> first(1);
  tandem::array<block<Size>, 1, Space> x(extents<1>(301), first, space);
  CHECK(to_host(space, x) == std::vector<block<Size>>(301, first));
}

}  // namespace

TEST_CASE_TEMPLATE("array: elements of every size get the value that they are made with", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_values<1>(space);
  check_values<3>(space);
  check_values<12>(space);
  check_values<16>(space);
  check_values<17>(space);
  check_values<24>(space);
  check_values<40>(space);
  check_values<100>(space);
  check_values<2048>(space);
}

TEST_CASE_TEMPLATE("array: from a vector, a span or a list, and back", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using array = tandem::array<float, 1, typename Backend::space>;
  const auto values = random_values<float>(1000, 1);
  CHECK(tandem::to_vector(space, array(values, space)) == values);
  CHECK(tandem::to_vector(space, array(std::span<const float>(values), space)) == values);
  CHECK(tandem::to_vector(space, array::of({1, 2, 3}, space)) == std::vector<float>{1, 2, 3});
  CHECK(array(std::vector<float>{}, space).size() == 0);
  const tandem::array<float, 1, tandem::cuda_pinned> pinned(values);
  CHECK(tandem::to_vector(space, array(pinned, space)) == values);
}

TEST_CASE("array: a list of numbers in parentheses means extents") {
  const tandem::array<float, 1, tandem::serial> line({10});
  CHECK(line.size() == 10);
  const std::size_t n = 4;
  const tandem::array<float, 2, tandem::serial> matrix({n, n + 1});
  CHECK(matrix.extents() == extents<2>(4, 5));
  const tandem::array<int, 1, tandem::serial> also{7};
  CHECK(also.size() == 7);
}

TEST_CASE("array: extents in braces may be integers of different types") {
  const long n = 4;
  const std::size_t count = 3;
  const index_t m = 2;
  const tandem::serial space;
  using matrix = tandem::array<float, 2, tandem::serial>;
  const matrix x({n, 4});
  CHECK(x.extents() == extents<2>(4, 4));
  CHECK(matrix({count, 2}).extents() == extents<2>(3, 2));
  CHECK(matrix({5, n}).extents() == extents<2>(5, 4));
  CHECK(matrix{{n, 5}}.extents() == extents<2>(4, 5));
  CHECK(matrix({n, 5}, space).extents() == extents<2>(4, 5));
  CHECK(matrix({n, 5}, 0.5f)(3, 4) == 0.5f);
  CHECK(tandem::array<int, 3, tandem::serial>({3, m, m}).size() == 12);
  CHECK(tandem::array<int, 4, tandem::serial>({3, m, count, n}).size() == 72);
  CHECK(tandem::array<int, 5, tandem::serial>({3, m, m, m, n}).size() == 96);
  CHECK(tandem::array<int, 6, tandem::serial>({3, m, m, m, 1, count}).size() == 72);
  CHECK_THROWS_AS(matrix({n, -1}), tandem::extent_error);
  static_assert(!std::is_constructible_v<matrix, double, int>);
  static_assert(!std::is_convertible_v<int, tandem::array<float, 1, tandem::serial>>);
}

TEST_CASE("array: from lists in braces, and from arrays of the language") {
  using line = tandem::array<float, 1, tandem::serial>;
  struct state {
    line x;
    tandem::array<float, 2, tandem::serial> u;
  };
  const auto make = [](index_t n) -> line { return {{n}, 2.0f}; };
  CHECK(make(3)(2) == 2);
  std::vector<line> lines;
  lines.push_back({{4}, 3.0f});
  CHECK(lines[0].size() == 4);
  state s{{{3}, 1.0f}, {{2, 2}, 2.0f}};
  s.x = {{5}, 4.0f};
  CHECK(s.x(4) == 4);
  CHECK(s.u(1, 1) == 2);
  const int values[] = {7, 5, 3};
  const tandem::array<int, 1, tandem::serial> copied(values);
  CHECK(copied.size() == 3);
  CHECK(copied(2) == 3);
  CHECK(tandem::array<char, 1, tandem::serial>("abc").size() == 4);
}

TEST_CASE("array: a value outside the range of the elements is refused") {
  using bytes = tandem::array<unsigned char, 1, tandem::serial>;
  CHECK(bytes({3}, 200)(2) == 200);
  CHECK_THROWS_WITH_AS(
      bytes({3}, 300),
      "array: value (300) is outside the range of the type that holds it, 0 to 255",
      tandem::argument_error);
  CHECK_THROWS_AS((tandem::array<int, 2, tandem::serial>({3, 4}, index_t{1} << 40)),
                  tandem::argument_error);
}

TEST_CASE_TEMPLATE("to_vector: strided views arrive in row-major order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> x(extents<2>(2, 3), space);
  tandem::copy(space, std::vector<int>{0, 1, 2, 3, 4, 5}, x);
  CHECK(tandem::to_vector(space, tandem::transposed(x)) == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("to_vector: so many bytes that free memory is looked up first") {
  const int value = 7;
  const index_t count = (index_t{64} << 20) / index_t{sizeof(int)} + 1;
  const tandem::view<const int, 1, tandem::layout_stride, tandem::host_memory> repeated(
      &value, tandem::layout_stride::mapping<1>({count}, {0}));
  const auto all = tandem::to_vector(tandem::serial{}, repeated);
  CHECK(all.size() == static_cast<std::size_t>(count));
  CHECK(all.back() == 7);
}

TEST_CASE_TEMPLATE("resize: elements keep their indices", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> x(extents<2>(2, 3), space);
  tandem::copy(space, std::vector<int>{0, 1, 2, 3, 4, 5}, x);
  const int* const before = x.data_handle();
  tandem::resize(space, x, {2, 3});
  CHECK(x.data_handle() == before);
  tandem::resize(space, x, {4, 2});
  CHECK(x.extents() == extents<2>(4, 2));
  CHECK(tandem::to_vector(space, tandem::subview(x, slice{2}, tandem::all)) ==
        std::vector<int>{0, 1, 3, 4});
  tandem::resize(space, x, {0, 2});
  CHECK(x.size() == 0);
  tandem::resize(space, x, {1, 1});
  CHECK(x.size() == 1);
  CHECK_THROWS_AS(tandem::resize(space, x, {-1, 1}), tandem::extent_error);
  CHECK(x.size() == 1);
  tandem::array<int, 0, typename Backend::space> one(extents<0>(), 5, space);
  const int* const place = one.data_handle();
  tandem::resize(space, one, {});
  CHECK(one.data_handle() == place);
  CHECK(tandem::to_vector(space, one) == std::vector<int>{5});
  tandem::array<int, 0, typename Backend::space> nothing;
  tandem::resize(space, nothing, {});
  CHECK(nothing.data_handle() != nullptr);
}

TEST_CASE_TEMPLATE("mirror: the same memory where the host reaches it, else a copy", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<int, 2, Space> x(extents<2>(2, 3), 7, space);
  auto on_host = tandem::mirror(space, x);
  CHECK(on_host.extents() == x.extents());
  if constexpr (Space::memory_type::host_accessible)
    CHECK(on_host.data_handle() == x.data_handle());
  for (int& v : on_host) v += 1;
  on_host(1, 2) = 40;
  tandem::copy(space, on_host, x);
  CHECK(tandem::to_vector(space, x) == std::vector<int>{8, 8, 8, 8, 8, 40});
}

TEST_CASE("array: indices in brackets and iterators where the host reaches the elements") {
  auto x = tandem::array<int, 1, tandem::serial>::of({3, 1, 2});
  x[0] = 5;
  std::sort(x.begin(), x.end());
  CHECK(tandem::to_vector(tandem::serial{}, x) == std::vector<int>{1, 2, 5});
  const auto& fixed = x;
  int sum = 0;
  for (const int v : fixed) sum += v;
  CHECK(sum == 8);
  CHECK(fixed[2] == 5);
  const auto v = x.const_view();
  CHECK(v[1] == 2);
  CHECK(*std::max_element(v.begin(), v.end()) == 5);
  const auto iterable = []<class View>(View) { return requires(View of) { of.begin(); }; };
  CHECK(iterable(v));
  CHECK(!iterable(tandem::view<int, 1, tandem::layout_right, tandem::device_memory>()));
  CHECK(!iterable(tandem::view<int, 1, tandem::layout_stride, tandem::host_memory>()));
}

TEST_CASE("reshape: contiguous elements with other extents") {
  tandem::array<int, 2, tandem::serial> x({4, 6});
  int next = 0;
  for (int& v : x) v = next++;
  CHECK(tandem::reshape(x, 24)(23) == 23);
  CHECK(tandem::reshape(x, 2, 3, 4)(1, 2, 3) == 23);
  CHECK(tandem::reshape(x, -1, 8).extents() == extents<2>(3, 8));
  CHECK(tandem::reshape(tandem::subview(x, slice{1, 3}, tandem::all), 12)(0) == 6);
  const auto& fixed = x;
  const auto line = tandem::reshape(fixed, 24);
  static_assert(std::is_same_v<decltype(line)::element_type, const int>);
  CHECK(line(23) == 23);
  CHECK_THROWS_WITH_AS(tandem::reshape(x, 5, 5),
                       "reshape: elements of the new extents (25) != elements (24)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::reshape(x, -1, 7), tandem::extent_error);
  CHECK_THROWS_AS(tandem::reshape(x, -1, 0), tandem::extent_error);
  CHECK_THROWS_AS(tandem::reshape(x, -1, -1), tandem::extent_error);
  CHECK_THROWS_AS(tandem::reshape(x, -3, -8), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::reshape(tandem::transposed(x), 24),
                       "reshape: the elements are not contiguous in row-major order: stride 6 of "
                       "dimension 1 is not 1; copy them first",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::reshape(tandem::subview(x, tandem::all, slice{5}), 20),
                  tandem::argument_error);
}

TEST_CASE_TEMPLATE("range: one number means from zero", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 1, typename Backend::space> x(extents<1>(10), 0, space);
  const auto v = x.view();
  tandem::parallel_for(
      space, tandem::range{8}, TANDEM_LAMBDA(int i) { v(i) = 1; });
  CHECK(tandem::to_vector(space, x) == std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0});
  CHECK(tandem::subview(x, slice{3}).size() == 3);
}
