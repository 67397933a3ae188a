// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms with several outputs, and products with a bias, have the bits of one space on groups.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

namespace {

struct sum_and_sign {
  TANDEM_FUNCTION tandem::tuple<float, int> operator()(float a, float b) const {
    return tandem::make_tuple(a + b, a < b ? 1 : -1);
  }
};

struct twice {
  TANDEM_FUNCTION tandem::tuple<float> operator()(float a) const {
    return tandem::make_tuple(2 * a);
  }
};

struct both {
  TANDEM_FUNCTION tandem::tuple<float, float> operator()(float a) const {
    return tandem::make_tuple(a, a);
  }
};

template <class Space>
using line = tandem::sharded<float, 1, Space>;

template <class Space, class T, class Sum = T>
void check_bias(tandem::matmul_activation activation) {
  const auto space = Space();
  constexpr tandem::index_t n = 2300;  // which arrive in two steps
  const auto as = random_values<float>(17 * 13, 1);
  const auto bs = random_values<float>(13 * n, 2);
  const auto of = [](const std::vector<float>& values) {
    return std::vector<T>(values.begin(), values.end());
  };
  const auto bias = random_values<Sum>(2 * n, 3);
  const tandem::view<const Sum, 1, tandem::layout_stride, tandem::host_memory> every_second(
      bias.data(), tandem::layout_stride::mapping<1>({n}, {2}));
  tandem::array<T, 2, Space> a0({17, 13}, space);
  tandem::array<T, 2, Space> b0({13, n}, space);
  tandem::array<T, 2, Space> c0({17, n}, T(1.0f), space);
  tandem::array<Sum, 1, Space> bias0(tandem::extents<1>(n), space);
  tandem::copy(space, of(as), a0);
  tandem::copy(space, of(bs), b0);
  tandem::copy(space, every_second, bias0);
  tandem::matmul(space, a0, b0, c0, {.beta = 2, .epilogue = tandem::bias(bias0, activation)});
  const auto wanted = tandem::to_vector(space, c0);
  for (const int parts : {1, 2, 5, 17}) {
    const auto members = tandem::shards<Space>(parts);
    for (const tandem::cut& where : hostile_cuts(17, parts)) {
      tandem::sharded<T, 2, Space> a({17, 13}, members, where);
      tandem::sharded<T, 2, Space> b({13, n}, members);
      tandem::sharded<T, 2, Space> all_of_b({13, n}, members, tandem::replicated);
      tandem::sharded<T, 2, Space> c({17, n}, T(1.0f), members, where);
      tandem::copy(members, of(as), a);
      tandem::copy(members, of(bs), b);
      tandem::copy(members, b, all_of_b);
      const auto how = tandem::bias(every_second, activation);
      tandem::matmul(members, a, b, c, {.beta = 2, .epilogue = how});
      CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
      tandem::fill(members, c, T(1.0f));
      tandem::matmul(members, a, all_of_b, c, {.beta = 2, .epilogue = how});
      CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("groups: transforms with several outputs", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  constexpr tandem::index_t n = 5003;
  const auto as = random_values<float>(n, 1);
  const auto bs = random_values<float>(n, 2);
  std::vector<float> sums(n);
  std::vector<int> signs(n);
  tandem::transform(tandem::serial{}, as, bs, tandem::tie(sums, signs), sum_and_sign{});
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    line<Space> a({n}, members, where);
    line<Space> b({n}, members, tandem::replicated);
    tandem::sharded<int, 1, Space> sign({n}, members, where, tandem::halo{1});
    tandem::copy(members, as, a);
    tandem::copy(members, bs, b);
    tandem::transform(members, a, b, tandem::tie(a, sign), sum_and_sign{});
    CHECK(first_difference(tandem::to_vector(members, a), sums) == -1);
    CHECK(tandem::to_vector(members, sign) == signs);
    tandem::sharded<int, 1, Space> signs_everywhere({n}, members, tandem::replicated);
    line<Space> a_everywhere({n}, members, tandem::replicated);
    tandem::copy(members, as, a_everywhere);
    tandem::transform(members, a_everywhere, b, tandem::tie(b, signs_everywhere), sum_and_sign{});
    const int last = members.size() - 1;
    CHECK(tandem::to_vector(members.member(last), signs_everywhere.part(last)) == signs);
    CHECK(first_difference(tandem::to_vector(members.member(last), b.part(last)), sums) == -1);
    tandem::transform(members, a_everywhere, tandem::tie(a), twice{});
    CHECK(tandem::to_vector(members, a)[n - 1] == 2 * as[n - 1]);
  });
}

TEST_CASE_TEMPLATE("groups: transforms of planes with several outputs", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> a({31, 7}, 1.0f, members);
  tandem::sharded<float, 2, Space> b({31, 7}, 2.0f, members);
  tandem::sharded<int, 2, Space> sign({31, 7}, members);
  tandem::transform(members, a, b, tandem::tie(b, sign), sum_and_sign{});
  CHECK(tandem::to_vector(members, b) == std::vector<float>(31 * 7, 3.0f));
  CHECK(tandem::to_vector(members, sign) == std::vector<int>(31 * 7, 1));
}

TEST_CASE_TEMPLATE("groups: what transforms with several outputs refuse", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const auto members = tandem::shards<Space>(2);
  const auto where = tandem::cut::of({3, 7});
  line<Space> a({10}, 1.0f, members, where);
  line<Space> y({10}, 5.0f, members, where);
  tandem::sharded<int, 1, Space> sign({10}, 7, members, where);
  tandem::sharded<int, 1, Space> other_cut({10}, members, tandem::cut::of({4, 6}));
  tandem::sharded<int, 1, Space> shorter({9}, members, tandem::cut::of({3, 6}));
  tandem::sharded<int, 1, Space> everywhere({10}, members, tandem::replicated);
  const auto run = [&](auto&& outputs) {
    tandem::transform(members, a, a, outputs, sum_and_sign{});
  };
  CHECK_THROWS_AS(run(tandem::tie(y, other_cut)), tandem::extent_error);
  CHECK_THROWS_AS(run(tandem::tie(y, shorter)), tandem::extent_error);
  CHECK_THROWS_WITH_AS(run(tandem::tie(y, everywhere)),
                       "transform: one output is replicated and another one is not",
                       tandem::argument_error);
  tandem::sharded<float, 1, Space> y_everywhere({10}, members, tandem::replicated);
  CHECK_THROWS_WITH_AS(run(tandem::tie(y_everywhere, everywhere)),
                       doctest::Contains("the output is replicated and an input is not"),
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(members, a, tandem::tie(y, y), both{}),
                       doctest::Contains("two outputs overlap"), tandem::argument_error);
  CHECK(tandem::to_vector(members, y) == std::vector<float>(10, 5.0f));
  CHECK(tandem::to_vector(members, sign) == std::vector<int>(10, 7));
}

TEST_CASE_TEMPLATE("groups: products with a bias", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  check_bias<Space, float>(tandem::matmul_activation::none);
  check_bias<Space, double>(tandem::matmul_activation::relu);
  check_bias<Space, tandem::half, float>(tandem::matmul_activation::gelu);
}

TEST_CASE_TEMPLATE("groups: a bias of a batch, a wrong one, and one without memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 3, Space> a({5, 2, 4}, 1.0f, members);
  tandem::sharded<float, 2, Space> b({4, 3}, 2.0f, members, tandem::replicated);
  tandem::sharded<float, 3, Space> c({5, 2, 3}, 0.0f, members);
  const std::vector<float> bias = {1, 2, -9};
  tandem::matmul(members, a, b, c, {.epilogue = tandem::bias(bias)});
  const auto found = tandem::to_vector(members, c);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == 8 + bias[i % 3]);
  const std::vector<float> shorter(2);
  CHECK_THROWS_WITH_AS(tandem::matmul(members, a, b, c, {.epilogue = tandem::bias(shorter)}),
                       "matmul: elements of bias (2) != columns of c (3)", tandem::extent_error);
  CHECK(tandem::to_vector(members, c) == found);
  check_out_of_memory("", space, [&] {
    tandem::matmul(members, a, b, c, {.epilogue = tandem::bias(bias)});
    members.fence();
  });
  CHECK(tandem::to_vector(members, c) == found);
}
