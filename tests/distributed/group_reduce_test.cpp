// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over the members of a group have the bits of serial, wherever the rows are cut.

#include "distributed/support.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

template <class Space, class T, class R>
void check_reducer(const std::vector<T>& values, const R& reducer) {
  const auto wanted = tandem::parallel_reduce(tandem::serial{}, values, reducer);
  bool is_right = true;
  for_each_cut<Space>(static_cast<tandem::index_t>(values.size()), [&](const auto& members,
                                                                       const tandem::cut& where) {
    tandem::sharded<T, 1, Space> x({values.size()}, members, where);
    tandem::copy(members, values, x);
    is_right = is_right && same_result(tandem::parallel_reduce(members, x, reducer), wanted);
  });
  CHECK(is_right);
}

struct product_of {
  template <class X, class Y>
  TANDEM_FUNCTION float operator()(tandem::index_t i, const X& x, const Y& y) const {
    return x(i) * y(i);
  }
};

struct plane_term {
  template <class X>
  TANDEM_FUNCTION float operator()(tandem::index_t j, tandem::index_t i, const X& x) const {
    return x(j, i) * static_cast<float>(i + 1);
  }
};

struct square {
  TANDEM_FUNCTION double operator()(float total) const { return double{total} * double{total}; }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: reductions of a sharded array", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  for (const int n : {0, 1, 63, 2048, 2049, 5000, 70001}) {
    const auto count = static_cast<std::size_t>(n);
    check_reducer<Space>(random_values<float>(count, count), tandem::sum{});
  }
  const auto values = random_values<float>(20011, 3);
  check_reducer<Space>(random_values<double>(20011, 4), tandem::sum{});
  check_reducer<Space>(random_values<int>(20011, 5), tandem::sum{});
  check_reducer<Space>(values, tandem::maximum{});
  check_reducer<Space>(values, tandem::minmax{});
  check_reducer<Space>(hostile_values<float>(20011, 4), tandem::minloc{});
  check_reducer<Space>(values, tandem::combined_reducer{tandem::sum{}, tandem::maxloc{}});
  check_reducer<Space>(values, tandem::combined_reducer{tandem::sum<float>{}, tandem::sum<double>{},
                                                        tandem::minimum<float>{}});
  check_reducer<Space>(values, tandem::with_initial(tandem::sum{}, 10.0f));
  check_reducer<Space>(values, tandem::finished_reducer(tandem::sum{}, square{}));
  std::vector<affine> maps;
  for (std::uint64_t i = 0; i < 16 * 101 + 3; ++i)
    maps.push_back({1 + random_value<float>(8, i) * 0.001f, random_value<float>(9, i)});
  check_reducer<Space>(maps, tandem::reduction{compose{}, affine{1, -0.0f}});
}

TEST_CASE_TEMPLATE("groups: reductions of terms, over a line, a window and a plane", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto xs = random_values<float>(30000, 1);
  const auto ys = random_values<float>(30000, 2);
  const tandem::serial serial;
  const tandem::array<float, 1, tandem::serial> x0(xs, serial);
  const tandem::array<float, 1, tandem::serial> y0(ys, serial);
  const auto space = Backend::make();
  tandem::array<float, 2, Space> plane0({300, 100}, space);
  tandem::copy(space, xs, plane0);
  const tandem::range window(777, 29000);
  const tandem::grid inner{{5, 290}, {1, 99}};
  const auto line = tandem::parallel_reduce(serial, 30000, product_of{}, tandem::sum{}, x0, y0);
  const auto part = tandem::parallel_reduce(serial, window, product_of{}, tandem::maxloc{}, x0, y0);
  const auto all = tandem::parallel_reduce(space, plane0, tandem::sum{});
  const auto terms = tandem::parallel_reduce(space, inner, plane_term{}, tandem::sum{}, plane0);
  bool is_right = true;
  for_each_cut<Space>(30000, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({30000}, members, where);
    tandem::sharded<float, 1, Space> y({30000}, members, tandem::halo{3}, where);
    tandem::copy(members, xs, x);
    tandem::copy(members, ys, y);
    const auto got = tandem::parallel_reduce(members, 30000, product_of{}, tandem::sum{}, x, y);
    const auto got_part =
        tandem::parallel_reduce(members, window, product_of{}, tandem::maxloc{}, x, y);
    is_right = is_right && same_result(got, line) && same_result(got_part, part);
    is_right = is_right && same_result(tandem::dot(members, x, y), line);
  });
  CHECK(is_right);
  for_each_cut<Space>(300, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 2, Space> plane({300, 100}, members, where, tandem::halo{1});
    tandem::copy(members, xs, plane);
    is_right = is_right && same_result(tandem::parallel_reduce(members, plane), all);
    is_right = is_right && same_result(tandem::parallel_reduce(members, inner, plane_term{},
                                                               tandem::sum{}, plane),
                                       terms);
  });
  CHECK(is_right);
}

TEST_CASE_TEMPLATE("groups: norms, extremes and replicated arrays", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = hostile_values<double>(10001, 3);
  const tandem::serial serial;
  for_each_cut<Space>(10001, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<double, 1, Space> x({10001}, members, where);
    tandem::sharded<double, 1, Space> copies({10001}, members, tandem::replicated);
    tandem::copy(members, values, x);
    tandem::copy(members, x, copies);
    const bool is_right =
        same_result(tandem::norm2(members, x), tandem::norm2(serial, values)) &&
        same_result(tandem::asum(members, x), tandem::asum(serial, values)) &&
        same_result(tandem::nrm_inf(members, x), tandem::nrm_inf(serial, values)) &&
        same_result(tandem::argmin(members, x), tandem::argmin(serial, values)) &&
        same_result(tandem::argmax(members, copies), tandem::argmax(serial, values)) &&
        same_result(tandem::parallel_reduce(members, copies),
                    tandem::parallel_reduce(serial, values));
    CHECK(is_right);
  });
}
