// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along an axis have the bits of serial, wherever the rows are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

template <class T>
bool same_results(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_result(a[i], b[i])) return false;
  }
  return true;
}

/// The extents without dimension `along`.
template <int Rank>
tandem::extents<Rank - 1> without(const tandem::extents<Rank>& sizes, int along) {
  tandem::extents<Rank - 1> result;
  for (int d = 0; d < Rank - 1; ++d) result[d] = sizes[d < along ? d : d + 1];
  return result;
}

/// Reduces along every axis, into arrays of the members and of the host.
template <class Space, int Rank, class T, class R>
void check_axes(const tandem::extents<Rank>& sizes, const std::vector<T>& values,
                const R& reducer) {
  const tandem::serial serial;
  tandem::array<T, Rank, tandem::serial> whole(sizes, serial);
  tandem::copy(serial, values, whole);
  using result = typename decltype(tandem::detail::checked_reducer_for<T>(reducer))::result;
  for (int along = 0; along < Rank; ++along) {
    const auto left = without(sizes, along);
    tandem::array<result, Rank - 1, tandem::serial> out(left, serial);
    tandem::parallel_reduce_into(serial, whole, tandem::axis{along}, reducer, out);
    const auto wanted = tandem::to_vector(serial, out);
    bool is_right = true;
    for_each_cut<Space>(sizes[0], [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<T, Rank, Space> x(sizes, members, where, tandem::halo{sizes[0] > 0 ? 1 : 0});
      tandem::copy(members, values, x);
      tandem::sharded<result, Rank - 1, Space> even(left, members);
      tandem::parallel_reduce_into(members, x, tandem::axis{along}, reducer, even);
      is_right = is_right && same_results(tandem::to_vector(members, even), wanted);
      if (along > 0) {
        tandem::sharded<result, Rank - 1, Space> beside(left, members, where);
        tandem::parallel_reduce_into(members, x, tandem::axis{along - Rank}, reducer, beside);
        is_right = is_right && same_results(tandem::to_vector(members, beside), wanted);
      }
      tandem::array<result, Rank - 1, tandem::serial> host(left, serial);
      tandem::parallel_reduce_into(members, x, tandem::axis{along}, reducer, host);
      members.fence();
      is_right = is_right && same_results(tandem::to_vector(serial, host), wanted);
    });
    CHECK(is_right);
  }
}

struct square {
  TANDEM_FUNCTION double operator()(float total) const { return double{total} * double{total}; }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: reductions along the axes of matrices and volumes", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  using tandem::extents;
  check_axes<Space>(extents<2>(5000, 3), random_values<float>(15000, 1), tandem::sum{});
  check_axes<Space>(extents<2>(70, 200), random_values<float>(14000, 2), tandem::sum{});
  check_axes<Space>(extents<2>(4097, 1), random_values<double>(4097, 3), tandem::sum{});
  check_axes<Space>(extents<3>(2300, 3, 5), random_values<double>(2300 * 15, 4), tandem::sum{});
  check_axes<Space>(extents<2>(1, 7), random_values<float>(7, 5), tandem::sum{});
  check_axes<Space>(extents<2>(0, 7), std::vector<float>(), tandem::sum{});
  check_axes<Space>(extents<2>(7, 0), std::vector<float>(), tandem::sum{});
}

TEST_CASE_TEMPLATE("groups: reducers of all kinds along the axes", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  using tandem::extents;
  const extents<2> sizes(3001, 5);
  const auto values = random_values<float>(15005, 3);
  check_axes<Space>(sizes, hostile_values<float>(15005, 4), tandem::minloc{});
  check_axes<Space>(sizes, values, tandem::maxloc{});
  check_axes<Space>(sizes, random_values<int>(15005, 5), tandem::sum{});
  check_axes<Space>(sizes, values, tandem::minmax{});
  check_axes<Space>(sizes, values, tandem::with_initial(tandem::sum{}, 10.0f));
  check_axes<Space>(sizes, values, tandem::finished_reducer(tandem::sum{}, square{}));
  check_axes<Space>(sizes, values, tandem::combined_reducer{tandem::sum{}, tandem::maxloc{}});
  check_axes<Space>(sizes, values,
                    tandem::combined_reducer{tandem::sum<float>{}, tandem::sum<double>{},
                                             tandem::minimum<float>{}});
  std::vector<affine> maps;
  for (std::uint64_t i = 0; i < 1616 * 3; ++i)
    maps.push_back({1 + random_value<float>(8, i) * 0.001f, random_value<float>(9, i)});
  check_axes<Space>(extents<2>(1616, 3), maps, tandem::reduction{compose{}, affine{1, -0.0f}});
}

TEST_CASE_TEMPLATE("groups: a tall matrix, replicated arrays and strided results along an axis",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::serial serial;
  const tandem::extents<2> sizes(150001, 2);
  const auto values = random_values<float>(300002, 6);
  tandem::array<float, 2, tandem::serial> whole(sizes, serial);
  tandem::copy(serial, values, whole);
  std::vector<float> wanted(2);
  tandem::parallel_reduce_into(serial, whole, tandem::axis{0}, tandem::sum{}, wanted);
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> x(sizes, members, tandem::cut::of({70000, 1, 80000}));
  tandem::sharded<float, 2, Space> everywhere(sizes, members, tandem::replicated);
  tandem::sharded<float, 1, Space> sharded({2}, members, tandem::cut::of({1, 0, 1}));
  tandem::sharded<float, 1, Space> copies({2}, 0.0f, members, tandem::replicated);
  tandem::copy(members, values, x);
  tandem::copy(members, values, everywhere);
  const auto check = [&](const auto& from, auto& to) {
    tandem::parallel_reduce_into(members, from, tandem::axis{0}, tandem::sum{}, to);
    for (auto& part : to.parts()) {
      std::vector<float> found(static_cast<std::size_t>(part.view.size()));
      tandem::copy(members.member(part.member), part.view, found);
      members.fence();
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(same_bits(found[i], wanted[static_cast<std::size_t>(part.begin) + i]));
    }
  };
  check(x, sharded);
  check(x, copies);
  check(everywhere, sharded);
  check(everywhere, copies);

  const auto cubes = random_values<float>(40 * 6, 7);
  tandem::sharded<float, 3, Space> cube({10, 6, 4}, members, tandem::cut::of({3, 0, 7}));
  tandem::copy(members, cubes, cube);
  tandem::array<float, 2, tandem::serial> plain({6, 4}, serial);
  tandem::array<float, 2, tandem::serial> padded({6, 9}, -1.0f, serial);
  tandem::parallel_reduce_into(members, cube, tandem::axis{0}, tandem::sum{}, plain);
  tandem::parallel_reduce_into(members, cube, tandem::axis{-3}, tandem::sum{},
                               tandem::subview(padded, tandem::all, tandem::slice{2, 6}));
  members.fence();
  for (tandem::index_t j = 0; j < 6; ++j)
    for (tandem::index_t i = 0; i < 4; ++i) CHECK(same_bits(padded(j, i + 2), plain(j, i)));
}

TEST_CASE_TEMPLATE("groups: what reductions along an axis refuse, and memory that runs out",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto fewer = tandem::shards<Space>(2);
  tandem::sharded<float, 2, Space> x({5000, 70}, 1.0f, members, tandem::cut::of({9, 3000, 1991}));
  tandem::sharded<float, 1, Space> y({70}, 3.0f, members);
  tandem::sharded<float, 1, Space> z({71}, members);
  const auto sum_of = [&](const auto& group, int along, auto& out) {
    tandem::parallel_reduce_into(group, x, tandem::axis{along}, tandem::sum{}, out);
  };
  CHECK_THROWS_WITH_AS(sum_of(members, 0, z),
                       "parallel_reduce_into: extent 1 of x (70) != extent 0 of out (71)",
                       tandem::extent_error);
  CHECK_THROWS_AS(sum_of(members, 2, y), tandem::extent_error);
  CHECK_THROWS_AS(sum_of(members, -3, y), tandem::extent_error);
  CHECK_THROWS_WITH_AS(sum_of(fewer, 0, y),
                       "parallel_reduce_into: an array has parts of 3 members, and the group 2",
                       tandem::argument_error);
  check_out_of_memory("", Backend::make(), [&] { sum_of(members, 0, y); });
  sum_of(members, 0, y);
  CHECK(tandem::to_vector(members, y) == std::vector<float>(70, 5000.0f));
}
