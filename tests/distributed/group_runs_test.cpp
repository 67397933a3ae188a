// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys have the bits of serial, wherever the keys are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

/// Keys in runs of up to 2 * `mean`, one of them of `long_one` keys.
std::vector<short> keys_in_runs(std::size_t n, std::size_t mean, std::size_t long_one) {
  std::vector<short> keys;
  for (std::size_t run = 0; keys.size() < n; ++run) {
    const std::size_t length = run == 3 ? long_one : 1 + mix(n + run) % (2 * mean);
    keys.insert(keys.end(), std::min(length, n - keys.size()), static_cast<short>(run % 5));
  }
  return keys;
}

/// Reduces runs into outputs with room for all of them, and for fewer.
template <class Space, class T, class R>
void check_runs(const std::vector<T>& values, const std::vector<short>& keys, const R& reducer) {
  using result = typename decltype(tandem::detail::checked_reducer_for<T>(reducer))::result;
  const auto n = static_cast<tandem::index_t>(values.size());
  const tandem::serial serial;
  for (const std::size_t room : {values.size(), values.size() / 7, std::size_t{1}}) {
    std::vector<short> wanted_keys(room, 77);
    tandem::array<result, 1, tandem::serial> wanted({room}, result{}, serial);
    const auto runs = tandem::reduce_by_key(serial, keys, values, wanted_keys, wanted, reducer);
    bool is_right = true;
    for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<T, 1, Space> x({n}, members, where);
      tandem::sharded<short, 1, Space> k({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
      tandem::sharded<short, 1, Space> first({room}, 77, members);
      tandem::sharded<result, 1, Space> out({room}, result{}, members);
      tandem::copy(members, values, x);
      tandem::copy(members, keys, k);
      is_right = is_right && tandem::reduce_by_key(members, k, x, first, out, reducer) == runs;
      is_right = is_right && tandem::to_vector(members, first) == wanted_keys;
      const auto found = tandem::to_vector(members, out);
      for (std::size_t i = 0; i < room; ++i)
        is_right = is_right && same_result(found[i], wanted(static_cast<tandem::index_t>(i)));
    });
    CHECK(is_right);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("groups: runs of equal keys", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = random_values<float>(3011, 1);
  check_runs<Space>(values, keys_in_runs(3011, 40, 1500), tandem::sum{});
  check_runs<Space>(values, keys_in_runs(3011, 1, 2), tandem::maxloc{});
  check_runs<Space>(values, std::vector<short>(3011, 4), tandem::with_initial(tandem::sum{}, 2.0f));
  check_runs<Space>(random_values<double>(901, 2), keys_in_runs(901, 100, 500), tandem::sum{});
  check_runs<Space>(random_values<float>(1, 3), {3}, tandem::sum{});
  check_runs<Space>(std::vector<float>(), {}, tandem::sum{});
}

TEST_CASE_TEMPLATE("groups: runs into operands of the host, and what is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto where = tandem::cut::of({3, 0, 7});
  const std::vector<int> keys = {1, 1, 7, 7, 7, 2, 2, 2, 2, 1};
  tandem::sharded<int, 1, Space> k({10}, members, where);
  tandem::sharded<float, 1, Space> x({10}, 1.5f, members, where);
  tandem::sharded<float, 1, Space> y({10}, 1.5f, members);
  tandem::sharded<float, 1, Space> copies({10}, 1.5f, members, tandem::replicated);
  tandem::copy(members, keys, k);
  std::vector<int> first(6, -1);
  std::vector<float> sums(6, -1.0f);
  CHECK(tandem::reduce_by_key(members, k, x, first, sums) == 4);
  members.fence();
  CHECK(first == std::vector<int>{1, 7, 2, 1, -1, -1});
  CHECK(sums == std::vector<float>{3.0f, 4.5f, 6.0f, 1.5f, -1.0f, -1.0f});
  CHECK_THROWS_AS(tandem::reduce_by_key(members, k, y, first, sums), tandem::extent_error);
  CHECK_THROWS_AS(tandem::reduce_by_key(members, k, copies, first, sums), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::reduce_by_key(members, k, x, first, y),
                       "reduce_by_key: extent of keys_out (6) != extent of values_out (10)",
                       tandem::extent_error);
  check_out_of_memory("", Backend::make(),
                      [&] { (void)tandem::reduce_by_key(members, k, x, first, sums); });
}
