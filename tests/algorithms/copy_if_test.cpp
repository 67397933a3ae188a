// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace tandem::test;

namespace {

/// Keeps `kept` eighths of all values: none, some or all of them.
template <class T>
struct eighths {
  int kept;

  TANDEM_FUNCTION bool operator()(const T& x) const {
    return static_cast<int>(static_cast<std::uint64_t>(x) % 8u) < kept;
  }
};

template <class T, class Space, class Predicate>
void check_selection(const Space& space, const std::vector<T>& values, const Predicate& predicate) {
  INFO("n = " << values.size());
  std::vector<T> wanted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(wanted), predicate);
  auto x = to_space(space, values);
  const std::vector<T> untouched(values.size(), T{});
  auto out = to_space(space, untouched);
  const tandem::index_t count = tandem::copy_if(space, x.const_view(), out.view(), predicate);
  CHECK(count == static_cast<tandem::index_t>(wanted.size()));
  wanted.resize(values.size(), T{});
  CHECK(first_difference(to_host(space, out), wanted) == -1);
}

/// An element larger than a register, with a size that is not a power of two.
struct particle {
  double position[3];
  int charge;
};

struct is_charged {
  TANDEM_FUNCTION bool operator()(const particle& p) const { return p.charge != 0; }
};

/// Keeps indices whose flag is set, and counts indices outside the flags.
template <class Flags, class Count>
struct has_flag {
  Flags flags;
  Count foreign;

  TANDEM_FUNCTION bool operator()(tandem::index_t i) const {
    if (i >= 0 && i < flags.extent(0)) return flags(i) != 0;
    tandem::atomic_add(foreign(0), 1);
    return false;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("copy_if: the elements that std::copy_if takes, at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    for (const int kept : {0, 1, 4, 8}) {
      check_selection(space, random_values<std::uint32_t>(n, n), eighths<std::uint32_t>{kept});
      check_selection(space, random_values<std::int64_t>(n, n), eighths<std::int64_t>{kept});
    }
    check_selection(space, random_values<std::uint8_t>(n, n), eighths<std::uint8_t>{5});
    check_selection(space, random_values<std::int16_t>(n, n), eighths<std::int16_t>{3});
  }
  check_selection(space, random_values<std::uint32_t>(large_size, 1), eighths<std::uint32_t>{3});
  check_selection(space, random_values<std::uint64_t>(large_size, 2), eighths<std::uint64_t>{8});
  check_selection(space, random_values<std::uint8_t>(large_size, 3), eighths<std::uint8_t>{1});
  // The count needs enough tiles for every level of the scan.
  check_selection(space, random_values<std::uint32_t>(9000011, 4), eighths<std::uint32_t>{4});
}

TEST_CASE_TEMPLATE("copy_if: the predicate sees elements alone, so it may look up memory by them",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    INFO("n = " << n);
    const auto flags = random_below<int>(n, 2, n);
    std::vector<tandem::index_t> all(n);
    std::vector<tandem::index_t> wanted;
    for (std::size_t i = 0; i < n; ++i) {
      all[i] = static_cast<tandem::index_t>(n - 1 - i);
      if (flags[n - 1 - i] != 0) wanted.push_back(all[i]);
    }
    auto flag = to_space(space, flags);
    auto x = to_space(space, all);
    auto out = to_space(space, all);
    auto foreign = to_space(space, std::vector<int>{0});
    const has_flag<decltype(flag.const_view()), decltype(foreign.view())> keep{flag.const_view(),
                                                                               foreign.view()};
    CHECK(tandem::copy_if(space, x, out, keep) == static_cast<tandem::index_t>(wanted.size()));
    wanted.insert(wanted.end(), all.begin() + static_cast<std::ptrdiff_t>(wanted.size()),
                  all.end());
    CHECK(to_host(space, out) == wanted);
    CHECK(to_host(space, foreign) == std::vector<int>{0});
  }
}

TEST_CASE_TEMPLATE("copy_if: a lambda over floats keeps every bit", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    const auto values = hostile_values<float>(30011, kind);
    auto x = to_space(space, values);
    auto out = to_space(space, values);
    const auto count = tandem::copy_if(
        space, x.const_view(), out.view(), TANDEM_LAMBDA(float v) { return !(v > 0.0f); });
    std::vector<float> wanted;
    for (const float v : values) {
      if (!(v > 0.0f)) wanted.push_back(v);
    }
    auto got = to_host(space, out);
    got.resize(static_cast<std::size_t>(count));
    CHECK(first_difference(got, wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("copy_if: from and into strided views", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<std::int32_t>(30000, 1);
  auto x = to_space(space, values);
  auto out = to_space(space, std::vector<std::int32_t>(20001, -1));
  const auto backwards = tandem::subview(x.const_view(), tandem::slice{1, 30000, -3});
  const auto every_second = tandem::subview(out.view(), tandem::slice{1, 20001, 2});
  const auto count = tandem::copy_if(space, backwards, every_second, eighths<std::int32_t>{4});
  std::vector<std::int32_t> wanted(20001, -1);
  std::size_t kept = 0;
  const auto line = to_host(space, backwards);
  for (const std::int32_t v : line) {
    if (eighths<std::int32_t>{4}(v)) wanted[1 + 2 * kept++] = v;
  }
  CHECK(count == static_cast<tandem::index_t>(kept));
  CHECK(first_difference(to_host(space, out), wanted) == -1);
  const auto unaligned = tandem::subview(x.const_view(), tandem::slice{1, 30000});
  auto target = to_space(space, values);
  CHECK(tandem::copy_if(space, unaligned, target.view(), eighths<std::int32_t>{8}) == 29999);
  CHECK(to_host(space, target)[29998] == values[29999]);
}

TEST_CASE_TEMPLATE("copy_if: a short output takes the first ones, and the count tells", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<std::uint32_t>(20011, 1);
  auto x = to_space(space, values);
  auto out = to_space(space, std::vector<std::uint32_t>(100, 7u));
  const auto head = tandem::subview(out.view(), tandem::slice{0, 60});
  CHECK(tandem::copy_if(space, x.const_view(), head, eighths<std::uint32_t>{8}) == 20011);
  const auto got = to_host(space, out);
  CHECK(std::equal(got.begin(), got.begin() + 60, values.begin()));
  CHECK(std::count(got.begin() + 60, got.end(), 7u) == 40);
}

TEST_CASE_TEMPLATE("copy_if: elements of any size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<particle> values(10007);
  std::vector<particle> wanted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = static_cast<double>(i);
    values[i] = particle{{at, 2 * at, 3 * at}, static_cast<int>(mix(i) % 3)};
    if (values[i].charge != 0) wanted.push_back(values[i]);
  }
  auto x = to_space(space, values);
  auto out = to_space(space, values);
  const auto count = tandem::copy_if(space, x.const_view(), out.view(), is_charged{});
  CHECK(count == static_cast<tandem::index_t>(wanted.size()));
  const auto got = to_host(space, out);
  bool same = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    same &= got[i].position[0] == wanted[i].position[0] &&
            got[i].position[2] == wanted[i].position[2] && got[i].charge == wanted[i].charge;
  }
  CHECK(same);
}

TEST_CASE_TEMPLATE("copy_if_into: the count stays in the space's memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {0u, 1u, 5000u, 100003u}) {
    const auto values = random_values<std::uint32_t>(n, n);
    auto x = to_space(space, values);
    auto out = to_space(space, values);
    tandem::array<tandem::index_t, 0, typename Backend::space> count(tandem::extents<0>(), -1,
                                                                     space);
    tandem::copy_if_into(space, x.const_view(), out.view(), eighths<std::uint32_t>{4},
                         count.view());
    const auto kept = std::count_if(values.begin(), values.end(), eighths<std::uint32_t>{4});
    CHECK(to_host(space, count)[0] == kept);
  }
}

TEST_CASE_TEMPLATE("copy_if: what it refuses, and that nothing is written then", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6, 7, 8};
  auto x = to_space(space, values);
  const auto head = tandem::subview(x.view(), tandem::slice{0, 6});
  const auto tail = tandem::subview(x.view(), tandem::slice{2, 8});
  CHECK_THROWS_AS(tandem::copy_if(space, head, tail, eighths<std::int32_t>{8}),
                  tandem::argument_error);
  CHECK(first_difference(to_host(space, x), values) == -1);
}
