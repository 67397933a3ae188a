// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups and streamed operands: rows cut anywhere among any number of members, and any budget.

#include "fuzz/groups.hpp"
#include "fuzz/oracles_sort.hpp"
#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

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
    const bool exclusively = d.one_in("exclusive", 2);
    const T init = draw_values(d, "init").template at<T>(0);
    std::vector<T> expected;
    if (n > 0) {
      const oracle::scan<T, Combine> scan(elements, Combine{});
      expected = exclusively ? scan.exclusive(init) : scan.inclusive();
    }
    const int form = d.pick("form", {"array", "terms", "streamed", "streamed terms"});
    const auto run = [&](const auto& how, auto& x) {
      const element_of_array terms;
      if (form % 2 == 1 && exclusively) {
        parallel_scan(how, n, terms, x, Operation{}, exclusive{init}, std::as_const(x));
      } else if (form % 2 == 1) {
        parallel_scan(how, n, terms, x, Operation{}, std::as_const(x));
      } else if (exclusively) {
        parallel_scan(how, x, x, Operation{}, exclusive{init});
      } else {
        parallel_scan(how, x, x, Operation{});
      }
    };
    if (form >= 2) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 1 << 13, 1 << 17)) * 32;
      std::vector<T> x = elements;
      run(streamed<Space>(space, {.budget = budget}), x);
      require_elements(x, expected);
      return true;
    }
    const auto members = draw_group(d, space);
    array<T, 1, group<Space>, layout_right> x(extents<1>(n), members,
                                              draw_cut(d, "cut", n, members.size()));
    copy(members, elements, x);
    run(members, x);
    require_elements(to_vector(members, x), expected);
    return true;
  }
};

struct is_odd {
  TANDEM_FUNCTION bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};
struct is_odd_element {
  template <class X>
  TANDEM_FUNCTION bool operator()(index_t i, const X& x) const {
    return x(i) % 2 == 1;
  }
};

/// Selects elements, runs or indices into an output of another cut, which may be too short.
struct selections {
  using T = std::uint32_t;

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most / 2, sizeof(T));
    const index_t distinct = d.number("distinct", 1, 4);
    std::vector<T> elements = draw_elements<T>(d, n);
    for (T& one : elements) one %= static_cast<T>(distinct);
    const index_t room = d.one_in("short", 2) ? d.number("room", 0, n) : n;
    const int form = d.pick("form", {"elements", "runs", "indices"});
    const auto run = [&](const auto& on, const auto& x, auto& out) {
      if (form == 0) return copy_if(on, x, out, is_odd{});
      if (form == 1) return unique(on, x, out);
      return copy_if(on, n, is_odd_element{}, out, x);
    };
    const std::vector<T> expected = kept_of(elements, form);
    std::vector<T> found(static_cast<std::size_t>(room), T{77});
    index_t count = 0;
    if (d.one_in("streamed", 3)) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 1 << 10, 1 << 16)) * 16;
      count = run(streamed<Space>(space, {.budget = budget}), elements, found);
    } else {
      const auto members = draw_group(d, space);
      using sharded_array = array<T, 1, group<Space>, layout_right>;
      sharded_array x(extents<1>(n), members, draw_cut(d, "cut", n, members.size()));
      sharded_array out(extents<1>(room), T{77}, members, draw_cut(d, "out", room, members.size()));
      copy(members, elements, x);
      count = run(members, x, out);
      found = to_vector(members, out);
    }
    if (count != static_cast<index_t>(expected.size()))
      throw mismatch("kept " + std::to_string(count) + ", not " + std::to_string(expected.size()));
    std::vector<T> wanted = expected;
    wanted.resize(found.size(), T{77});
    require_elements(found, wanted);
    return true;
  }

 private:
  static std::vector<T> kept_of(const std::vector<T>& x, int form) {
    std::vector<T> kept;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (form == 1 ? i == 0 || x[i] != x[i - 1] : x[i] % 2 == 1)
        kept.push_back(form == 2 ? static_cast<T>(i) : x[i]);
    }
    return kept;
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

/// Moves elements from cut to cut, exchanges halos, and loops over neighbours, recorded or not.
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
    const bool overlapped = d.one_in("overlapped", 2);
    const auto step = [&](const group<Space>& on) {
      if (overlapped) {
        parallel_for(on, n, sum, exchanged(x), y);
      } else {
        exchange(on, x);
        parallel_for(on, n, sum, std::as_const(x), y);
      }
    };
    d.one_in("recorded", 3) ? record(members, step).replay(members) : step(members);
    std::vector<T> expected(elements.size());
    const view<const T, 1, layout_right, host_memory> from(elements.data(), extents<1>(n));
    const view<T, 1, layout_right, host_memory> to(expected.data(), extents<1>(n));
    for (index_t i = 0; i < n; ++i) sum(i, from, to);
    require_elements(to_vector(members, y), expected);
    return true;
  }
};

/// Sorts keys with their positions as values, in place or not.
template <class T, class V>
struct group_sorts {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T) + sizeof(V));
    const std::vector<T> keys = draw_elements<T>(d, n);
    std::vector<V> values;
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<V>(i));
    const std::vector<V> numbers = values;
    const bool down = d.one_in("descending", 2);
    const auto order = down ? sort_order::descending : sort_order::ascending;
    const auto positions = oracle::sorted_positions(keys, down);
    if (d.one_in("streamed", 3)) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 1 << 12, 1 << 17)) * 16;
      std::vector<T> x = keys;
      sort_by_key(streamed<Space>(space, {.budget = budget}), x, values, order);
      require_elements(x, oracle::gathered(keys, positions));
      require_elements(values, oracle::gathered(numbers, positions));
      return true;
    }
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    array<T, 1, group<Space>, layout_right> x(extents<1>(n), members, rows);
    array<V, 1, group<Space>, layout_right> v(extents<1>(n), members, rows);
    copy(members, keys, x);
    copy(members, values, v);
    switch (d.pick("form", {"keys", "in_place", "out"})) {
      case 0:
        sort(members, x, order);
        break;
      case 1:
        sort_by_key(members, x, v, order);
        require_elements(to_vector(members, v), oracle::gathered(numbers, positions));
        break;
      default:
        array<T, 1, group<Space>, layout_right> y(extents<1>(n), members, rows);
        sort_by_key(members, x, v, y, v, order);
        require_elements(to_vector(members, x), keys);
        require_elements(to_vector(members, v), oracle::gathered(numbers, positions));
        copy(members, y, x);
    }
    require_elements(to_vector(members, x), oracle::gathered(keys, positions));
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
    matmul_options<float, host_memory> on_group{.beta = 2.0f};
    matmul_options<float, typename Space::memory_type> on_one{.beta = 2.0f};
    const std::vector<float> biases = draw_elements<float>(d, n, "bias");
    const array<float, 1, Space> biases0(biases, space);
    if (d.one_in("biased", 2)) {
      on_group.epilogue = bias(biases);
      on_one.epilogue = bias(biases0);
    }
    matmul(members, a, b, c, on_group);
    matmul(space, a0, b0, c0, on_one);
    require_elements(to_vector(members, c), to_vector(space, c0));
    return true;
  }
};

/// Products whose k is cut, with chains of few or all chunks at a time.
struct term_products {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t k = d.size("k", 9000);
    const index_t m = d.size("m", (index_t{1} << 19) / (k + 1000));
    const index_t n = d.size("n", (index_t{1} << 21) / (m * k + 1000));
    const std::vector<float> as = draw_elements<float>(d, k * m, "a");
    const std::vector<float> bs = draw_elements<float>(d, k * n, "b");
    const auto members = draw_group(d, space);
    using matrix = array<float, 2, group<Space>, layout_right>;
    const cut rows = draw_cut(d, "cut", k, members.size());
    matrix a({k, m}, members, rows);
    matrix b = d.one_in("replicated", 3) ? matrix({k, n}, members, replicated)
                                         : matrix({k, n}, members, rows);
    matrix c({m, n}, 0.5f, members, draw_cut(d, "cut of c", m, members.size()));
    copy(members, as, a);
    copy(members, bs, b);
    array<float, 2, Space> a0({k, m}, space);
    array<float, 2, Space> b0({k, n}, space);
    array<float, 2, Space> c0({m, n}, 0.5f, space);
    copy(space, as, a0);
    copy(space, bs, b0);
    const auto bytes = static_cast<std::size_t>(d.number("bytes of chains", 0, 1 << 22));
    const matmul_options<float, host_memory> on_group{.beta = 2.0f};
    detail::run_transposed(members, transposed(a), b, c, on_group, bytes);
    matmul(space, transposed(a0), b0, c0, {.beta = 2.0f});
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
    {"group-select", on_a_space<selections>},
    {"group-stencil", on_a_space<stencils>},
    {"group-sort-float", on_a_space<group_sorts<float, std::uint32_t>>},
    {"group-sort-uint64", on_a_space<group_sorts<std::uint64_t, double>>},
    {"group-sort-int8", on_a_space<group_sorts<std::int8_t, std::uint16_t>>},
    {"group-matmul", on_a_space<row_products>},
    {"group-matmul-k", on_a_space<term_products>},
};

}  // namespace
}  // namespace tandem::fuzz
