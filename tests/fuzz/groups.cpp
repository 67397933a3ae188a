// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups and streamed operands: rows cut anywhere among any number of members, and any budget.

#include <tandem/distributed.hpp>

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

/// A group of streams of the space, or of copies of it.
template <class Space>
group<Space> draw_group(draw& d, const Space& space) {
  const index_t count = d.number("members", 1, d.one_in("many", 8) ? 40 : 7);
  std::vector<Space> members;
  for (index_t p = 0; p < count; ++p) members.push_back(second_stream(space));
  return group<Space>(std::move(members));
}

/// Cuts rows evenly, or anywhere, with parts that may be empty.
cut draw_cut(draw& d, const std::string& name, index_t rows, int parts) {
  if (d.pick(name, {"even", "anywhere"}) == 0) return cut::even(rows, parts);
  std::vector<index_t> bounds{0, rows};
  for (int p = 1; p < parts; ++p) bounds.push_back(d.number(name + std::to_string(p), 0, rows));
  std::sort(bounds.begin(), bounds.end());
  std::vector<index_t> sizes;
  for (std::size_t p = 1; p < bounds.size(); ++p) sizes.push_back(bounds[p] - bounds[p - 1]);
  return cut::of(sizes);
}

template <class T>
std::vector<T> draw_elements(draw& d, index_t n, const std::string& name = "values") {
  const auto values = draw_values(d, name);
  std::vector<T> list;
  for (index_t i = 0; i < n; ++i)
    list.push_back(values.template at<T>(static_cast<std::uint64_t>(i)));
  return list;
}

template <class T>
void require_elements(const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!same(found[i], expected[i])) {
      throw mismatch("element " + std::to_string(i) + " is " + shown(found[i]) + ", not " +
                     shown(expected[i]));
    }
  }
}

struct element_of_array {
  template <class X>
  TANDEM_FUNCTION auto operator()(index_t i, const X& x) const {
    return x(i);
  }
};

template <class Tested>
struct reductions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    const auto reducer = Tested::make();
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const int form = d.pick("form", {"array", "terms", "replicated", "streamed"});
    const auto expected = Tested::expected(elements);
    if (form == 3) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 1 << 12, 1 << 20)) * 16;
      const streamed<Space> big(space, {.budget = budget});
      require_result(parallel_reduce(big, elements, reducer), expected);
      return true;
    }
    const auto members = draw_group(d, space);
    using sharded_array = array<T, 1, group<Space>, layout_right>;
    sharded_array x =
        form == 2 ? sharded_array(extents<1>(n), members, replicated)
                  : sharded_array(extents<1>(n), members, draw_cut(d, "cut", n, members.size()),
                                  halo{n > 0 ? d.number("halo", 0, 1) : 0});
    copy(members, elements, x);
    if (form == 1) {
      require_result(parallel_reduce(members, n, element_of_array{}, reducer, x), expected);
    } else {
      require_result(parallel_reduce(members, x, reducer), expected);
    }
    return true;
  }
};

template <class T, class Operation, class Combine>
struct scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    const bool exclusively = d.one_in("exclusive", 2);
    const T init = draw_values(d, "init").template at<T>(0);
    array<T, 1, group<Space>, layout_right> x(extents<1>(n), members, rows);
    copy(members, elements, x);
    std::vector<T> expected;
    if (n > 0) {
      const oracle::scan<T, Combine> scan(elements, Combine{});
      expected = exclusively ? scan.exclusive(init) : scan.inclusive();
    }
    if (exclusively) {
      parallel_scan(members, x, x, Operation{}, exclusive{init});
    } else {
      parallel_scan(members, x, x, Operation{});
    }
    require_elements(to_vector(members, x), expected);
    return true;
  }
};

/// Sums an element and its neighbours `reach` away, those of the whole that exist.
struct neighbours {
  index_t reach;
  index_t n;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    std::uint32_t sum = x(i);
    if (i >= reach) sum += 3 * x(i - reach);
    if (i + reach < n) sum += 5 * x(i + reach);
    y(i) = sum;
  }
};

/// Moves elements from cut to cut, exchanges halos, and loops over neighbours.
struct stencils {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = std::uint32_t;
    const index_t n = d.size("n", most / 8, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const auto members = draw_group(d, space);
    const index_t reach = n > 0 ? d.number("halo", 0, std::min<index_t>(n, 9)) : 0;
    const cut rows = draw_cut(d, "cut", n, members.size());
    using sharded_array = array<T, 1, group<Space>, layout_right>;
    sharded_array first(extents<1>(n), members, draw_cut(d, "first", n, members.size()));
    sharded_array x(extents<1>(n), T{7}, members, rows, halo{reach});
    sharded_array y(extents<1>(n), members, rows);
    copy(members, elements, first);
    copy(members, first, x);
    const neighbours sum{reach, n};
    if (d.one_in("overlapped", 2)) {
      parallel_for(members, n, sum, exchanged(x), y);
    } else {
      exchange(members, x);
      parallel_for(members, n, sum, std::as_const(x), y);
    }
    std::vector<T> expected(elements.size());
    const view<const T, 1, layout_right, host_memory> from(elements.data(), extents<1>(n));
    const view<T, 1, layout_right, host_memory> to(expected.data(), extents<1>(n));
    for (index_t i = 0; i < n; ++i) sum(i, from, to);
    require_elements(to_vector(members, y), expected);
    return true;
  }
};

/// Products whose rows are cut, with b cut in any other way or replicated.
struct row_products {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t m = d.size("m", 100);
    const index_t k = d.size("k", 2100);
    const index_t n = d.size("n", (index_t{1} << 21) / (m * k + 1000));
    const std::vector<float> as = draw_elements<float>(d, m * k, "a");
    const std::vector<float> bs = draw_elements<float>(d, k * n, "b");
    const auto members = draw_group(d, space);
    using matrix = array<float, 2, group<Space>, layout_right>;
    const cut rows = draw_cut(d, "cut", m, members.size());
    matrix a({m, k}, members, rows);
    matrix b = d.one_in("replicated", 3)
                   ? matrix({k, n}, members, replicated)
                   : matrix({k, n}, members, draw_cut(d, "cut of b", k, members.size()));
    matrix c({m, n}, 0.5f, members, rows);
    copy(members, as, a);
    copy(members, bs, b);
    array<float, 2, Space> a0({m, k}, space);
    array<float, 2, Space> b0({k, n}, space);
    array<float, 2, Space> c0({m, n}, 0.5f, space);
    copy(space, as, a0);
    copy(space, bs, b0);
    matmul(members, a, b, c, {.beta = 2.0f});
    matmul(space, a0, b0, c0, {.beta = 2.0f});
    require_elements(to_vector(members, c), to_vector(space, c0));
    return true;
  }
};

struct add_floats {
  float operator()(float a, float b) const { return oracle::plus(a, b); }
};
struct add_integers {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return oracle::plus(a, b); }
};

const registered all[] = {
    {"group-sum-float", on_a_space<reductions<sums<float, float>>>},
    {"group-sum-double", on_a_space<reductions<sums<double, double>>>},
    {"group-sum-int8", on_a_space<reductions<sums<std::int8_t, std::int64_t>>>},
    {"group-minloc", on_a_space<reductions<positions<float, false>>>},
    {"group-combined", on_a_space<reductions<combined>>},
    {"group-ordered", on_a_space<reductions<ordered>>},
    {"group-started", on_a_space<reductions<started<float>>>},
    {"group-scan-float", on_a_space<scans<float, sum<float>, add_floats>>},
    {"group-scan-int64", on_a_space<scans<std::int64_t, sum<std::int64_t>, add_integers>>},
    {"group-stencil", on_a_space<stencils>},
    {"group-matmul", on_a_space<row_products>},
};

}  // namespace
}  // namespace tandem::fuzz
