// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices that are cut along k have the bits of one space: wherever the rows are cut,
// also inside chunks, and however many rows of c and chunks members multiply at a time.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

struct shape {
  index_t m;
  index_t n;
  index_t k;
};

template <class T>
std::vector<T> elements(index_t count, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = mix(seed * 1000003 + i);
    if constexpr (std::is_integral_v<T>) {
      values[i] = static_cast<T>(bits);
    } else {
      values[i] = static_cast<T>(static_cast<float>(static_cast<double>(bits % 20001) / 1e4 - 1));
    }
  }
  return values;
}

template <class T>
using options_of = tandem::matmul_options<tandem::detail::matmul_sum_t<T>, tandem::host_memory>;

/// The product on one space.
template <class T, class In, class Space>
std::vector<T> on_one_space(const Space& space, const shape& size, const std::vector<In>& as,
                            const std::vector<In>& bs, const std::vector<T>& cs,
                            const options_of<T>& options) {
  using Sum = tandem::detail::matmul_sum_t<T>;
  tandem::array<In, 2, Space> a({size.k, size.m}, space);
  tandem::array<In, 2, Space> b({size.k, size.n}, space);
  tandem::array<T, 2, Space> c({size.m, size.n}, space);
  tandem::copy(space, as, a);
  tandem::copy(space, bs, b);
  tandem::copy(space, cs, c);
  auto plain = tandem::detail::without_bias<typename Space::memory_type>(options);
  tandem::array<Sum, 1, Space> bias(tandem::extents<1>(size.n), space);
  if (options.epilogue.bias) {
    tandem::copy(space, *options.epilogue.bias, bias);
    plain.epilogue.bias = std::as_const(bias).view();
  }
  tandem::matmul(space, tandem::transposed(a), b, c, plain);
  return tandem::to_vector(space, c);
}

/// Bytes of chains at a time: one chunk of 256 rows of c, some, all that there are.
std::vector<std::size_t> chain_bytes() {
  return {1, std::size_t{300} << 10, tandem::detail::bytes_of_chains};
}

/// Compares products of all cuts and forms of operands with that on one space.
template <class T, class In, class Backend>
void compare(const shape& size, const options_of<T>& options) {
  using Space = typename Backend::space;
  const auto as = elements<In>(size.k * size.m, 1);
  const auto bs = elements<In>(size.k * size.n, 2);
  const auto cs = elements<T>(size.m * size.n, 3);
  const auto wanted = on_one_space<T>(Backend::make(), size, as, bs, cs, options);
  const tandem::extents<2> size_of_c(size.m, size.n);
  std::size_t number = 0;
  for (const int parts : {1, 2, 3, 5, 8}) {
    const auto members = tandem::shards<Space>(parts);
    const auto cuts_of_c = hostile_cuts(size.m, parts);
    for (const tandem::cut& where : hostile_cuts(size.k, parts)) {
      INFO("m " << size.m << ", n " << size.n << ", k " << size.k << " cut at " << where.text());
      tandem::sharded<In, 2, Space> a({size.k, size.m}, members, where, tandem::halo{1});
      tandem::sharded<In, 2, Space> b({size.k, size.n}, members, where);
      tandem::copy(members, as, a);
      tandem::copy(members, bs, b);
      const std::size_t bytes = chain_bytes()[number % 3];
      tandem::sharded<T, 2, Space> c0(size_of_c, members, cuts_of_c[number % cuts_of_c.size()]);
      tandem::copy(members, cs, c0);
      tandem::detail::run_transposed(members, tandem::transposed(a), b, c0, options, bytes);
      CHECK(first_difference(tandem::to_vector(members, c0), wanted) == -1);
      if (number++ % 4 > 0) continue;
      auto on_host = cs;
      const auto c = tandem::reshape(on_host, size.m, size.n);
      tandem::matmul(members, tandem::transposed(a), b, c, options);
      members.fence();
      CHECK(first_difference(on_host, wanted) == -1);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("groups: products along k of floats and doubles", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto bias = elements<float>(70, 4);
  const auto doubles = elements<double>(70, 4);
  const auto some = [](const auto& all, index_t n) {
    return tandem::subview(tandem::as_view(all), tandem::slice{0, n});
  };
  for (const shape& size : {shape{37, 21, 5000}, shape{300, 3, 2100}, shape{1, 15, 36 * 1024},
                            shape{30, 30, 1000}, shape{3, 3, 0}}) {
    compare<float, float, Backend>(size, {});
    compare<float, float, Backend>(
        size, {.alpha = 2.0f,
               .beta = -0.5f,
               .epilogue = tandem::bias(some(bias, size.n), tandem::matmul_activation::gelu)});
    compare<double, double, Backend>(
        size, {.beta = 3.0,
               .epilogue = tandem::bias(some(doubles, size.n), tandem::matmul_activation::relu)});
  }
}

TEST_CASE_TEMPLATE("groups: products along k of 16-bit floats and of 8-bit integers", Backend,
                   TANDEM_TEST_BACKENDS) {
  for (const shape& size : {shape{17, 21, 3000}, shape{5, 9, 17000}}) {
    for (const bool split_k : {false, true}) {
      const options_of<float> options{.alpha = 0.5f, .beta = -1.0f, .split_k = split_k};
      compare<tandem::bf16, tandem::bf16, Backend>(size, options);
      compare<tandem::half, tandem::half, Backend>(size, options);
      compare<float, tandem::half, Backend>(size, options);
    }
    compare<std::int32_t, std::int8_t, Backend>(size, {.alpha = 3, .beta = -2});
  }
}

TEST_CASE_TEMPLATE("groups: products along k with a reduced precision", Backend,
                   TANDEM_TEST_BACKENDS) {
  using enum tandem::matmul_precision;
  for (const auto precision : {tf32, bf16x6, bf16x9}) {
    compare<float, float, Backend>({17, 21, 3000}, {.precision = precision});
    compare<float, float, Backend>({5, 7, 16500}, {.beta = 2.0f, .precision = precision});
  }
}

TEST_CASE_TEMPLATE("groups: products of a matrix with itself and of replicated ones", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const shape size{19, 19, 4100};
  const auto xs = elements<float>(size.k * size.m, 1);
  const std::vector<float> zeros(static_cast<std::size_t>(size.m * size.n));
  const auto wanted = on_one_space<float>(Backend::make(), size, xs, xs, zeros, {});
  for (const int parts : {1, 3, 5}) {
    const auto members = tandem::shards<Space>(parts);
    for (const tandem::cut& where : hostile_cuts(size.k, parts)) {
      tandem::sharded<float, 2, Space> x({size.k, size.m}, members, where);
      tandem::sharded<float, 2, Space> everywhere({size.k, size.m}, members, tandem::replicated);
      tandem::sharded<float, 2, Space> c({size.m, size.n}, members, tandem::replicated);
      tandem::copy(members, xs, x);
      tandem::copy(members, xs, everywhere);
      const auto check = [&](const auto& left, const auto& right) {
        tandem::fill(members, c, 0.0f);
        tandem::matmul(members, tandem::transposed(left), right, c);
        for (int p = 0; p < parts; ++p) {
          CHECK(first_difference(tandem::to_vector(members.member(p), c.part(p)), wanted) == -1);
        }
      };
      check(x, x);
      check(x, everywhere);
      check(everywhere, x);
      check(everywhere, everywhere);
      // In the order of the members' streams, so x may change at once.
      tandem::matmul(members, tandem::transposed(x), x, c);
      tandem::fill(members, x, 0.0f);
      CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
    }
  }
}

TEST_CASE("groups: which chunks of k members multiply") {
  using tandem::detail::product_chunks;
  const auto check = [](const tandem::range& rows, index_t k, const tandem::range& whole,
                        const tandem::range& split) {
    const product_chunks found = product_chunks::of(rows, k);
    CHECK(found.whole.size() == whole.size());
    CHECK(found.split.size() == split.size());
    if (whole.size() > 0) CHECK(found.whole.begin == whole.begin);
    if (split.size() > 0) CHECK(found.split.begin == split.begin);
  };
  check({0, 2048}, 5000, {0, 2048}, {});
  check({0, 2047}, 5000, {0, 1024}, {1024, 2048});
  check({1, 1024}, 5000, {}, {});
  check({1024, 1025}, 5000, {}, {1024, 2048});
  check({1025, 5000}, 5000, {2048, 4096}, {4096, 5000});
  check({100, 4100}, 4200, {1024, 4096}, {4096, 4200});
  check({4096, 4096}, 5000, {}, {});
  using tandem::detail::chain_block;
  const auto block = [](index_t m, index_t chunks, std::size_t row, std::size_t bytes) {
    const chain_block found = chain_block::fitting(m, chunks, row, bytes);
    return std::vector<index_t>{found.rows, found.chunks};
  };
  CHECK(block(4096, 128, 16384, std::size_t{512} << 20) == std::vector<index_t>{256, 128});
  CHECK(block(4096, 32, 16384, std::size_t{512} << 20) == std::vector<index_t>{1024, 32});
  CHECK(block(100, 32, 400, std::size_t{512} << 20) == std::vector<index_t>{100, 32});
  CHECK(block(4096, 128, 16384, std::size_t{64} << 20) == std::vector<index_t>{256, 16});
  CHECK(block(4096, 128, 16384, 1) == std::vector<index_t>{256, 1});
}

TEST_CASE_TEMPLATE("groups: what products along k refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> a({6, 4}, 1.0f, members, tandem::cut::of({2, 2, 2}));
  tandem::sharded<float, 2, Space> b({5, 7}, 1.0f, members);
  tandem::sharded<float, 2, Space> c({4, 7}, 1.0f, members);
  CHECK_THROWS_WITH_AS(tandem::matmul(members, tandem::transposed(a), b, c),
                       "matmul: columns of a (6) != rows of b (5)", tandem::extent_error);
  tandem::sharded<float, 2, Space> d({6, 7}, 1.0f, members, tandem::cut::of({2, 3, 1}));
  CHECK_THROWS_WITH_AS(
      tandem::matmul(members, tandem::transposed(a), d, c),
      "matmul: arrays are cut at rows 0, 2, 4, 6 and 0, 2, 5, 6: make both with the "
      "rows() of one, or copy()",
      tandem::extent_error);
  tandem::sharded<float, 2, Space> e({6, 7}, 1.0f, members, tandem::cut::of({2, 2, 2}));
  CHECK_THROWS_WITH_AS(tandem::matmul(members, tandem::transposed(a), e, d),
                       "matmul: rows of c (6) != rows of a (4)", tandem::extent_error);
  const std::vector<float> bias(6);
  CHECK_THROWS_AS(
      tandem::matmul(members, tandem::transposed(a), e, c, {.epilogue = tandem::bias(bias)}),
      tandem::extent_error);
  tandem::sharded<float, 2, Space> square({6, 6}, 1.0f, members, tandem::cut::of({2, 2, 2}));
  CHECK_THROWS_AS(tandem::matmul(members, tandem::transposed(square), square, square),
                  tandem::argument_error);
  const tandem::view<float, 2, tandem::layout_right, tandem::host_memory> none(nullptr, {4, 7});
  CHECK_THROWS_WITH_AS(tandem::matmul(members, tandem::transposed(a), e, none),
                       "matmul: c has 28 elements but no memory (null)", tandem::argument_error);
  const auto others = tandem::shards<Space>(2);
  tandem::sharded<float, 2, Space> of_others({4, 7}, 1.0f, others);
  CHECK_THROWS_AS(tandem::matmul(members, tandem::transposed(a), e, of_others),
                  tandem::argument_error);
  CHECK(tandem::to_vector(members, c) == std::vector<float>(28, 1.0f));
}

TEST_CASE_TEMPLATE("out of memory: a product along k", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> a({5000, 5}, 1.0f, members);
  tandem::sharded<float, 2, Space> c({5, 5}, 0.0f, members);
  check_out_of_memory("", space, [&] { tandem::matmul(members, tandem::transposed(a), a, c); });
  CHECK(tandem::to_vector(members, c) == std::vector<float>(25, 5000.0f));
}
