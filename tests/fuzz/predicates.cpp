// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// count_if, all_of, any_of, none_of and copy_if with predicates that look their element up in
// memory, and so must not be called with anything else.

#include "fuzz/oracles_sort.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;
constexpr index_t huge = (index_t{1} << 21) + 77;

/// Elements are positions in a table, counted from here, so that zeros and other stray bits are not
/// elements.
constexpr std::int32_t first_position = 0x51000000;

/// Whether the table has a 1 for the element. Counts elements that are not positions in the table.
template <class Memory>
struct looked_up {
  view<const std::uint8_t, 1, layout_right, Memory> table;
  view<std::uint32_t, 1, layout_right, Memory> strangers;

  TANDEM_FUNCTION bool operator()(std::int32_t element) const {
    const index_t at = index_t{element} - first_position;
    if (at < 0 || at >= table.size()) {
      atomic_or(strangers(0), std::uint32_t{1});
      return true;
    }
    return table(at) != 0;
  }
};

/// Elements, the table in which they are looked up, and the predicate that looks them up.
template <int Rank, class Space>
class lookups {
 public:
  using memory = typename Space::memory_type;

  lookups(draw& d, const Space& space, const extents<Rank>& sizes)
      : x(space, draw_placement(d, "x", sizes, false), draw_values(d, "unused")),
        table_(extents<1>(4096), space),
        strangers_(extents<1>(1), space) {
    const auto seed = static_cast<std::uint64_t>(d.number("seed", 0, 1 << 20));
    const auto spread = static_cast<std::uint64_t>(d.number("positions", 1, 4096));
    const auto percent = static_cast<std::uint64_t>(d.number("percent", 0, 100));
    for (std::uint64_t i = 0; i < 4096; ++i) marks_.push_back(test::mix(seed + i) % 100 < percent);
    for (index_t i = 0; i < x.size(); ++i) {
      const auto random = test::mix(seed ^ static_cast<std::uint64_t>(i) << 13) % spread;
      x.initial(i) = first_position + static_cast<std::int32_t>(random);
    }
    x.expect_unchanged();
    x.upload(space);
    copy(space, marks_, table_);
    fill(space, strangers_, 0u);
    space.fence();
  }

  /// The kernel's predicate.
  looked_up<memory> predicate() { return {table_.const_view(), strangers_.view()}; }
  /// The oracle's predicate.
  bool is_marked(std::int32_t element) const {
    return marks_[static_cast<std::size_t>(element - first_position)] != 0;
  }
  void require_elements_alone(const Space& space) {
    std::uint32_t met = 0;
    copy(space, strangers_, as_view<host_memory>(&met, 1));
    space.fence();
    if (met != 0) throw mismatch("the predicate was called on what is no element");
  }

  placed<std::int32_t, Rank, Space> x;

 private:
  std::vector<std::uint8_t> marks_;
  array<std::uint8_t, 1, Space> table_;
  array<std::uint32_t, 1, Space> strangers_;
};

template <int Rank>
struct answers {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    extents<Rank> sizes;
    index_t left = d.one_in("large", 40) ? huge : most;
    for (int k = Rank - 1; k >= 0; --k) {
      sizes[k] = d.size("extent" + std::to_string(k), left);
      left /= std::max<index_t>(sizes[k], 1);
    }
    lookups<Rank, Space> of(d, space, sizes);
    index_t marked = 0;
    for (index_t i = 0; i < of.x.size(); ++i) marked += of.is_marked(of.x(i)) ? 1 : 0;
    const auto keep = of.predicate();
    with_view(of.x, [&](const auto& v) {
      require_same(count_if(space, v, keep), marked, "count_if");
      require_same(all_of(space, v, keep), marked == of.x.size(), "all_of");
      require_same(any_of(space, v, keep), marked > 0, "any_of");
      require_same(none_of(space, v, keep), marked == 0, "none_of");
    });
    of.require_elements_alone(space);
    return true;
  }
};

/// Whether the table has a 1 for an index, repeated as often as it takes. Counts indices outside
/// [begin, end).
template <class Memory>
struct marked_index {
  TANDEM_FUNCTION bool operator()(index_t i,
                                  const view<const std::uint8_t, 1, layout_right, Memory>& table,
                                  const view<std::uint32_t, 1, layout_right, Memory>& strangers,
                                  index_t begin, index_t end) const {
    if (i < begin || i >= end) {
      atomic_or(strangers(0), std::uint32_t{1});
      return true;
    }
    return table((i - begin) % table.size()) != 0;
  }
};

/// Selects from the indices of a range whose begin is drawn, into a list of T.
template <class T>
struct index_selections {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most);
    const index_t begin = d.number("begin", -1000, 1000);
    const auto seed = static_cast<std::uint64_t>(d.number("seed", 0, 1 << 20));
    const auto percent = static_cast<std::uint64_t>(d.number("percent", 0, 100));
    std::vector<std::uint8_t> marks;
    for (std::uint64_t i = 0; i < 4096; ++i) marks.push_back(test::mix(seed + i) % 100 < percent);
    std::vector<T> result;
    for (index_t i = 0; i < n; ++i) {
      if (marks[static_cast<std::size_t>(i % 4096)] != 0)
        result.push_back(static_cast<T>(begin + i));
    }
    const auto count = static_cast<index_t>(result.size());
    const index_t room = d.one_in("short", 4) ? count / 2 : count + d.number("room", 0, 3);
    placed<T, 1, Space> out(space, draw_placement(d, "out", extents<1>(room), true), {1, 5});
    for (index_t i = 0; i < std::min(count, room); ++i)
      out.expected(i) = result[static_cast<std::size_t>(i)];
    array<std::uint8_t, 1, Space> table(extents<1>(4096), space);
    array<std::uint32_t, 1, Space> strangers(extents<1>(1), space);
    array<index_t, 1, Space> memory(extents<1>(1), space);
    copy(space, marks, table);
    fill(space, strangers, 0u);
    const view<index_t, 0, layout_right, typename Space::memory_type> to(memory.data_handle(), {});
    const range indices{begin, begin + n};
    const marked_index<typename Space::memory_type> keep;
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) {
          copy_if_into(s, indices, keep, out.strided(), to, table, strangers, begin, begin + n);
        });
    require_same(count_if(space, indices, keep, table, strangers, begin, begin + n), count,
                 "count_if");
    index_t found = 0;
    std::uint32_t met = 0;
    copy(space, memory, as_view<host_memory>(&found, 1));
    copy(space, strangers, as_view<host_memory>(&met, 1));
    space.fence();
    if (met != 0) throw mismatch("the predicate was called on what is no index");
    require_same(found, count, "count");
    out.check(space, "out");
    return true;
  }
};

struct selections {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? huge : most);
    lookups<1, Space> of(d, space, extents<1>(n));
    const auto result =
        oracle::kept(of.x.elements(), [&](std::int32_t element) { return of.is_marked(element); });
    const auto count = static_cast<index_t>(result.size());
    const index_t room = d.one_in("short", 4) ? count / 2 : count + d.number("room", 0, 3);
    placed<std::int32_t, 1, Space> out(space, draw_placement(d, "out", extents<1>(room), true),
                                       {1, 5});
    for (index_t i = 0; i < std::min(count, room); ++i)
      out.expected(i) = result[static_cast<std::size_t>(i)];
    array<index_t, 1, Space> memory(extents<1>(1), space);
    const view<index_t, 0, layout_right, typename Space::memory_type> to(memory.data_handle(), {});
    const auto keep = of.predicate();
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) { copy_if_into(s, of.x.strided(), out.strided(), keep, to); });
    index_t found = 0;
    copy(space, memory, as_view<host_memory>(&found, 1));
    space.fence();
    of.require_elements_alone(space);
    require_same(found, count, "count");
    out.check(space, "out");
    return true;
  }
};

const registered all[] = {
    {"predicates", on_a_space<answers<1>>},
    {"predicates-volume", on_a_space<answers<3>>},
    {"copy-if-lookup", on_a_space<selections>},
    {"copy-if-indices", on_a_space<index_selections<std::int32_t>>},
    {"copy-if-wide-indices", on_a_space<index_selections<std::int64_t>>},
};

}  // namespace
}  // namespace tandem::fuzz
