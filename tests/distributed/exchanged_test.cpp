// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that exchange the halo they read have the bits of an exchange and a loop behind it.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

/// The weighted sum of the rows up to `reach` away, and of what v was.
struct blur {
  index_t reach;
  index_t rows;

  template <class U, class V>
  TANDEM_FUNCTION void operator()(index_t j, index_t i, const U& u, const V& v) const {
    float sum = v(j, i);
    for (index_t d = -reach; d <= reach; ++d)
      if (j + d >= 0 && j + d < rows) sum += static_cast<float>(d + 3) * u(j + d, i);
    v(j, i) = sum;
  }
};

/// Sums two arrays with halos of different lengths, in one dimension.
struct both {
  index_t n;

  template <class X, class Y, class Z>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y, float a, const Z& z) const {
    const float left = i >= 1 ? x(i - 1) : 0.0f;
    const float right = i + 3 < n ? y(i + 3) : 0.0f;
    z(i) = a * left - right;
  }
};

template <class Space>
std::vector<float> blurred(const Space& space, index_t ny, index_t nx,
                           const std::vector<float>& start, index_t reach, int steps) {
  tandem::array<float, 2, Space> u({ny, nx}, space);
  tandem::array<float, 2, Space> v({ny, nx}, 1.0f, space);
  tandem::copy(space, start, u);
  for (int step = 0; step < steps; ++step) {
    tandem::parallel_for(space, tandem::grid{{1, ny}, {0, nx}}, blur{reach, ny}, std::as_const(u),
                         v);
    std::swap(u, v);
  }
  return tandem::to_vector(space, u);
}

}  // namespace

TEST_CASE_TEMPLATE("groups: a loop exchanges the halo it reads, by any cut", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const index_t ny = 67;
  const index_t nx = 19;
  const auto start = random_values<float>(67 * 19, 5);
  for (const index_t reach : {1, 3}) {
    const auto wanted = blurred(Backend::make(), ny, nx, start, reach, 4);
    for_each_cut<Space>(ny, [&](const auto& members, const tandem::cut& where) {
      // A halo does not reach beyond the neighbours' rows if it is longer than these.
      tandem::sharded<float, 2, Space> u({ny, nx}, 7.0f, members, where, tandem::halo{reach});
      tandem::sharded<float, 2, Space> v({ny, nx}, 1.0f, members, tandem::halo{reach}, where);
      tandem::copy(members, start, u);
      for (int step = 0; step < 4; ++step) {
        tandem::parallel_for(members, tandem::grid{{1, ny}, {0, nx}}, blur{reach, ny},
                             tandem::exchanged(u), v);
        std::swap(u, v);
      }
      CHECK(first_difference(tandem::to_vector(members, u), wanted) == -1);
    });
  }
}

TEST_CASE_TEMPLATE("exchange: on one space, exchanged(u) is u", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const Space space = Backend::make();
  const auto start = random_values<float>(40 * 7, 5);
  tandem::array<float, 2, Space> u({40, 7}, space);
  tandem::array<float, 2, Space> v({40, 7}, 1.0f, space);
  tandem::copy(space, start, u);
  tandem::exchange(space, u);
  tandem::parallel_for(space, tandem::grid{{1, 40}, {0, 7}}, blur{1, 40}, tandem::exchanged(u), v);
  CHECK(tandem::to_vector(space, v) == blurred(Backend::make(), 40, 7, start, 1, 1));
}

TEST_CASE_TEMPLATE("groups: several arrays are exchanged, and values passed on", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const index_t n = 1009;
  const auto xs = random_values<float>(1009, 1);
  const auto ys = random_values<float>(1009, 2);
  const tandem::array<float, 1, Space> x0(xs, space);
  const tandem::array<float, 1, Space> y0(ys, space);
  tandem::array<float, 1, Space> z0({n}, space);
  tandem::parallel_for(space, n, both{n}, x0, y0, 2.5f, z0);
  const auto wanted = tandem::to_vector(space, z0);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({n}, members, where, tandem::halo{1});
    tandem::sharded<float, 1, Space> y({n}, members, where, tandem::halo{3});
    tandem::sharded<float, 1, Space> z({n}, members, where);
    tandem::copy(members, xs, x);
    tandem::copy(members, ys, y);
    tandem::parallel_for(members, n, both{n}, tandem::exchanged(x), tandem::exchanged(y), 2.5f, z);
    // What the members do next comes behind the copies of halos.
    tandem::fill(members, x, 0.0f);
    CHECK(first_difference(tandem::to_vector(members, z), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: exchanged arrays without halos, and of other members", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto values = random_values<float>(100, 1);
  tandem::sharded<float, 1, Space> x({100}, members);
  tandem::sharded<float, 1, Space> y({100}, members, tandem::replicated);
  tandem::sharded<float, 1, Space> z({100}, 0.0f, members);
  tandem::copy(members, values, x);
  tandem::copy(members, values, y);
  const auto add = [](index_t i, const auto& from, const auto& to) { to(i) += from(i); };
  if constexpr (Space::memory_type::host_accessible) {
    tandem::parallel_for(members, 100, add, tandem::exchanged(x), z);
    tandem::parallel_for(members, 100, add, tandem::exchanged(y), z);
    CHECK(tandem::to_vector(members, z)[99] == 2 * values[99]);
  }
  const auto two = tandem::shards<Space>(2);
  tandem::sharded<float, 1, Space> u({100}, 0.0f, two, tandem::halo{1});
  tandem::sharded<float, 1, Space> v({100}, 0.0f, two, tandem::halo{3});
  CHECK_THROWS_AS(tandem::parallel_for(members, 100, both{100}, tandem::exchanged(u),
                                       tandem::exchanged(v), 1.0f, z),
                  tandem::argument_error);
}

TEST_CASE_TEMPLATE("out of memory: a loop that exchanges", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> u({60, 8}, 1.0f, members, tandem::halo{1});
  tandem::sharded<float, 2, Space> v({60, 8}, 1.0f, members);
  check_out_of_memory("", space, [&] {
    tandem::parallel_for(members, tandem::grid{60, 8}, blur{1, 60}, tandem::exchanged(u), v);
  });
}
