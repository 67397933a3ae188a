// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory runs out at each allocation of each operation, on the host and on the device. ctest also
// runs these cases in separate processes, in which every operation is the first of its kind.

#include "support/out_of_memory.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr int many = 300007;  // enough for every thread, and for buckets and batches
constexpr int some = 40009;

template <class Space>
class arrays {
 public:
  explicit arrays(const Space& space) : space_(space) {}

  template <class T>
  auto random(std::size_t n, std::uint64_t seed) const {
    return to_space(space_, random_values<T>(n, seed));
  }
  template <class T>
  auto below(std::size_t n, std::uint64_t bound, std::uint64_t seed) const {
    return to_space(space_, random_below<T>(n, bound, seed));
  }
  template <class T>
  auto matrix(index_t rows, index_t columns, T value) const {
    return tandem::array<T, 2, Space>(tandem::extents<2>(rows, columns), value, space_);
  }

 private:
  const Space& space_;
};

/// A sum of numbers that no backend recognises as one.
struct plus {
  template <class T>
  TANDEM_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};

struct is_positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};

template <class X>
struct element_of {
  X x;
  TANDEM_FUNCTION float operator()(index_t i) const { return x(i); }
};

struct twice {
  TANDEM_FUNCTION float operator()(float x) const { return 2 * x; }
};

/// A value of 12 bytes, which sorts move by position.
struct triple {
  int of[3];
};

/// Writes what two phases of a team leave in scratch and in lanes.
template <class Y>
struct two_phases {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    float* const shared = t.template scratch<float>(t.lanes());
    tandem::per_lane<float> mine(t, 1.0f);
    t.for_each_lane([&](int lane) {
      shared[lane] = static_cast<float>(lane);
      mine[lane] += static_cast<float>(t.index());
    });
    t.for_each_lane(
        [&](int lane) { y(t.index(), lane) = mine[lane] + shared[t.lanes() - 1 - lane]; });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("out of memory: reductions", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  const auto x = in.template random<float>(many, 1);
  const auto v = x.const_view();
  tandem::array<float, 1, Space> out(tandem::extents<1>(1), 3.0f, space);
  const tandem::view<float, 0, tandem::layout_right, typename Space::memory_type> cell(
      out.data_handle(), tandem::extents<0>{});
  const tandem::reduction<float, plus> ordered{plus{}, -0.0f};
  const element_of<decltype(v)> term{v};

  check_out_of_memory("parallel_reduce", space, [&] { tandem::parallel_reduce(space, v); });
  check_out_of_memory("parallel_reduce", space,
                      [&] { tandem::parallel_reduce(space, v, tandem::maxloc<float>{}); });
  for (const int n : {5, 3000, 6000, 60000, many}) {
    check_out_of_memory("parallel_reduce", space,
                        [&] { tandem::parallel_reduce(space, n, term, ordered); });
    check_out_of_memory(
        "parallel_reduce_into", space,
        [&] { tandem::parallel_reduce_into(space, n, term, tandem::sum<float>{}, cell); },
        out.view());
  }
  check_out_of_memory("dot", space, [&] { tandem::dot(space, v, v); });
  check_out_of_memory("norm2", space, [&] { tandem::norm2(space, v); });
  check_out_of_memory("argmin", space, [&] { tandem::argmin(space, v); });
  check_out_of_memory("count_if", space, [&] { tandem::count_if(space, v, is_positive{}); });
  const auto m = in.matrix(700, 600, 0.5f);
  tandem::array<float, 1, Space> rows(tandem::extents<1>(700), 3.0f, space);
  tandem::array<float, 1, Space> columns(tandem::extents<1>(600), 4.0f, space);
  const auto along = [&](const auto& view, tandem::axis axis, const auto& reducer, auto& to) {
    check_out_of_memory(
        "parallel_reduce_into", space,
        [&] { tandem::parallel_reduce_into(space, view, axis, reducer, to.view()); }, to.view());
  };
  along(m.const_view(), tandem::axis{0}, tandem::sum<float>{}, columns);
  along(m.const_view(), tandem::axis{1}, tandem::sum<float>{}, rows);
  along(m.const_view(), tandem::axis{0}, ordered, columns);
  along(m.const_view(), tandem::axis{1}, ordered, rows);
  const auto few = in.matrix(3, 60000, 0.5f);
  tandem::array<float, 1, Space> three(tandem::extents<1>(3), 4.0f, space);
  along(few.const_view(), tandem::axis{1}, tandem::sum<float>{}, three);
  along(few.const_view(), tandem::axis{1}, ordered, three);
}

TEST_CASE_TEMPLATE("out of memory: scans", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  const tandem::reduction<float, plus> ordered{plus{}, -0.0f};
  for (const int n : {5, some, many}) {
    const auto x = in.template random<float>(static_cast<std::size_t>(n), 1);
    const auto v = x.const_view();
    auto y = in.template random<float>(static_cast<std::size_t>(n), 2);
    auto wide = in.matrix(n, 2, 3.0f);
    const auto strided = tandem::subview(wide.view(), tandem::all, 1);
    const auto scan = [&](const auto& to, const auto& from, const auto& operation) {
      check_out_of_memory(
          "parallel_scan", space, [&] { tandem::parallel_scan(space, from, to, operation); }, to);
      check_out_of_memory(
          "parallel_scan", space,
          [&] {
            tandem::parallel_scan(space, from, to, operation, tandem::exclusive<float>{1.0f});
          },
          to);
    };
    scan(y.view(), v, tandem::sum<float>{});
    scan(y.view(), y.const_view(), tandem::sum<float>{});
    scan(y.view(), v, ordered);
    scan(y.view(), y.const_view(), ordered);
    scan(strided, v, tandem::sum<float>{});
    scan(strided, v, ordered);
    check_out_of_memory(
        "parallel_scan", space,
        [&] { tandem::parallel_scan(space, n, element_of<decltype(v)>{v}, y.view(), ordered); },
        y.view());
  }
  auto numbers = in.template random<std::int64_t>(many, 3);
  check_out_of_memory(
      "parallel_scan", space,
      [&] { tandem::parallel_scan(space, numbers.const_view(), numbers.view()); }, numbers.view());
}

TEST_CASE_TEMPLATE("out of memory: selections", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  tandem::array<index_t, 1, Space> kept(tandem::extents<1>(1), 3, space);
  const tandem::view<index_t, 0, tandem::layout_right, typename Space::memory_type> count(
      kept.data_handle(), tandem::extents<0>{});
  for (const int n : {5, some, many}) {
    const auto x = in.template random<float>(static_cast<std::size_t>(n), 1);
    const auto v = x.const_view();
    auto out = in.template random<float>(static_cast<std::size_t>(n), 2);
    check_out_of_memory(
        "copy_if", space, [&] { tandem::copy_if(space, v, out.view(), is_positive{}); },
        out.view());
    check_out_of_memory(
        "copy_if_into", space,
        [&] { tandem::copy_if_into(space, v, out.view(), is_positive{}, count); }, out.view(),
        kept.view());
    check_out_of_memory(
        "unique", space, [&] { tandem::unique(space, v, out.view()); }, out.view());
    check_out_of_memory(
        "unique_into", space, [&] { tandem::unique_into(space, v, out.view(), count); }, out.view(),
        kept.view());
    check_out_of_memory("nth_element", space, [&] { tandem::nth_element(space, v, n / 2); });
  }
}

TEST_CASE_TEMPLATE("out of memory: sorts", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  const auto sort = [&](auto& keys, tandem::sort_order order) {
    check_out_of_memory(
        "sort", space, [&] { tandem::sort(space, keys.view(), order); }, keys.view());
  };
  const auto pairs = [&](auto& keys, auto& values) {
    auto keys_out = to_space(space, to_host(space, keys));
    check_out_of_memory(
        "sort_by_key", space, [&] { tandem::sort_by_key(space, keys.view(), values.view()); },
        keys.view(), values.view());
    check_out_of_memory(
        "sort_by_key", space,
        [&] {
          tandem::sort_by_key(space, keys.const_view(), values.const_view(), keys_out.view(),
                              values.view());
        },
        keys_out.view(), values.view());
  };
  for (const std::size_t n : {std::size_t{20}, std::size_t{some}, std::size_t{many}}) {
    auto floats = in.template random<float>(n, 1);
    auto zeros = to_space(space, std::vector<float>(n, 0.0f));
    auto bytes = in.template random<std::int8_t>(n, 2);
    auto longs = in.template random<std::uint64_t>(n, 3);
    // Nine in ten keys share their high bits, so a bucket must be divided again.
    auto crowded = in.template below<std::uint32_t>(n, 1u << 20, 4);
    auto out = in.template random<float>(n, 5);
    auto values = in.template random<int>(n, 6);
    auto triples = to_space(space, std::vector<triple>(n, triple{{1, 2, 3}}));
    sort(floats, tandem::sort_order::ascending);
    sort(zeros, tandem::sort_order::descending);
    sort(bytes, tandem::sort_order::ascending);
    sort(bytes, tandem::sort_order::descending);
    sort(longs, tandem::sort_order::descending);
    sort(crowded, tandem::sort_order::ascending);
    check_out_of_memory(
        "sort", space, [&] { tandem::sort(space, floats.const_view(), out.view()); }, out.view());
    pairs(floats, values);
    pairs(bytes, values);
    pairs(longs, triples);
    pairs(crowded, longs);
  }
}

TEST_CASE_TEMPLATE("out of memory: histograms", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  const auto x = in.template random<float>(many, 1);
  const auto bytes = in.template random<std::uint8_t>(many, 2);
  const auto integers = in.template below<int>(many, 80000, 3);
  const auto floats = in.template random<float>(many, 4);
  const auto doubles = in.template random<double>(many, 5);
  for (const index_t bins : {index_t{10}, index_t{3000}, index_t{70000}}) {
    tandem::array<int, 1, Space> counts(tandem::extents<1>(bins), 7, space);
    tandem::array<std::int64_t, 1, Space> longs(tandem::extents<1>(bins), 7, space);
    tandem::array<float, 1, Space> sums(tandem::extents<1>(bins), 7.0f, space);
    tandem::array<double, 1, Space> wide_sums(tandem::extents<1>(bins), 7.0, space);
    std::vector<float> steps(static_cast<std::size_t>(bins) + 1);
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[i] = static_cast<float>(i) / static_cast<float>(bins);
    const auto edges = to_space(space, steps);
    const auto count = [&](const auto& operation, auto& into) {
      check_out_of_memory(
          "histogram", space, [&] { operation(into.view()); }, into.view());
    };
    const tandem::uniform_bins<float> uniform{.lo = -8.0f, .hi = 8.0f};
    const auto v = x.const_view();
    count([&](const auto& to) { tandem::histogram(space, v, uniform, to); }, counts);
    count([&](const auto& to) { tandem::histogram(space, v, uniform, to); }, longs);
    count([&](const auto& to) { tandem::histogram(space, bytes.const_view(), to); }, counts);
    count([&](const auto& to) { tandem::histogram(space, integers.const_view(), to); }, longs);
    count([&](const auto& to) { tandem::histogram(space, v, edges.const_view(), to); }, counts);
    count([&](const auto& to) { tandem::histogram(space, v, uniform, floats.const_view(), to); },
          sums);
    count([&](const auto& to) { tandem::histogram(space, v, uniform, doubles.const_view(), to); },
          wide_sums);
    count(
        [&](const auto& to) {
          tandem::histogram(space, integers.const_view(), tandem::integer_bins{},
                            doubles.const_view(), to);
        },
        wide_sums);
    count(
        [&](const auto& to) {
          tandem::histogram(space, v, edges.const_view(), floats.const_view(), to);
        },
        sums);
  }
}

TEST_CASE_TEMPLATE("out of memory: teams and loops", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const arrays<Space> in(space);
  auto y = in.matrix(500, 96, 5.0f);
  const two_phases<decltype(y.view())> kernel{y.view()};
  check_out_of_memory(
      "parallel_teams", space,
      [&] {
        tandem::parallel_teams(space, {500, 96, 96 * sizeof(float)}, kernel);
      },
      y.view());
  const auto x = in.template random<float>(many, 1);
  auto out = in.template random<float>(many, 2);
  check_out_of_memory(
      "transform", space, [&] { tandem::transform(space, x.const_view(), out.view(), twice{}); },
      out.view());
  check_out_of_memory(
      "fill", space, [&] { tandem::fill(space, out.view(), 2.0f); }, out.view());
  auto columns = in.matrix(some, 3, 2.0f);
  const auto column = tandem::subview(columns.view(), tandem::all, 1);
  const std::vector<float> values = random_values<float>(some, 3);
  check_out_of_memory(
      "copy", space, [&] { tandem::copy(space, values, column); }, columns.view());
  std::vector<float> back(some, 4.0f);
  const auto on_host = tandem::as_view<tandem::host_memory>(back.data(), some);
  check_out_of_memory(
      "copy", space,
      [&] {
        tandem::copy(space, column, on_host);
        space.fence();
      },
      on_host);
  std::vector<float> gaps(2 * some, 4.0f);
  const auto apart =
      tandem::subview(tandem::as_view<tandem::host_memory>(gaps.data(), some, 2), tandem::all, 1);
  check_out_of_memory(
      "copy", space,
      [&] {
        tandem::copy(space, column, apart);
        space.fence();
      },
      apart);
  check_out_of_memory(
      "copy", space, [&] { tandem::copy(space, apart, column); }, columns.view());
}

TEST_CASE_TEMPLATE("out of memory: arrays", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  check_out_of_memory("array", space, [&] {
    const tandem::array<float, 1, Space> x(tandem::extents<1>(1000), space);
  });
  check_out_of_memory("array", space, [&] {
    const tandem::array<float, 2, Space> x(tandem::extents<2>(3000, 1000), 2.0f, space);
  });
}
