// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streamed products: batches, several devices, files, progress, and what is refused.

#include "distributed/support.hpp"
#include "support/files.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

template <int Rank>
using host_view = tandem::view<float, Rank, tandem::layout_right, tandem::host_memory>;

template <int Rank>
host_view<Rank> on_host(std::vector<float>& values, const tandem::extents<Rank>& sizes) {
  return {values.data(), sizes};
}

/// The product on one space.
template <class Space, int Ra, int Rb, int Rc>
std::vector<float> product_on(const Space& space, const host_view<Ra>& a, const host_view<Rb>& b,
                              const host_view<Rc>& c, float beta) {
  const tandem::array<float, Ra, Space> a0(a, space);
  const tandem::array<float, Rb, Space> b0(b, space);
  tandem::array<float, Rc, Space> c0(c, space);
  tandem::matmul(space, a0, b0, c0, {.beta = beta});
  return tandem::to_vector(space, c0);
}

}  // namespace

TEST_CASE_TEMPLATE("streamed: batches of products", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const index_t k : {index_t{40}, index_t{1500}}) {
    auto as = random_values<float>(static_cast<std::size_t>(9 * 20 * k), 1);
    auto bs = random_values<float>(static_cast<std::size_t>(9 * k * 30), 2);
    const auto cs = random_values<float>(9 * 20 * 30, 3);
    const auto a = on_host<3>(as, {9, 20, k});
    const auto b = on_host<3>(bs, {9, k, 30});
    const auto one_a = on_host<2>(as, {20, k});
    const auto one_b = on_host<2>(bs, {k, 30});
    for (const std::size_t budget : {std::size_t{65536}, std::size_t{1} << 20, std::size_t{0}}) {
      const auto check = [&](const auto& big, const auto& left, const auto& right) {
        std::vector<float> found = cs;
        const auto c = on_host<3>(found, {9, 20, 30});
        const auto wanted = product_on(space, left, right, c, 0.5f);
        tandem::matmul(big, left, right, c, {.beta = 0.5f});
        CHECK(first_difference(found, wanted) == -1);
      };
      const tandem::streamed big(space, {.budget = budget});
      check(big, a, b);
      check(big, one_a, b);
      check(big, a, one_b);
      check(tandem::streamed(tandem::shards<typename Backend::space>(4), {.budget = 4 * budget}), a,
            b);
    }
  }
}

TEST_CASE_TEMPLATE("streamed: products over several devices", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto as = random_values<float>(65 * 2100, 1);
  auto bs = random_values<float>(2100 * 33, 2);
  std::vector<float> cs(65 * 33, 1.0f);
  const auto a = on_host<2>(as, {65, 2100});
  const auto b = on_host<2>(bs, {2100, 33});
  const auto c = on_host<2>(cs, {65, 33});
  const auto wanted = product_on(space, a, b, c, 2.0f);
  for (const int devices : member_counts()) {
    const tandem::streamed big(tandem::shards<typename Backend::space>(devices),
                               {.budget = static_cast<std::size_t>(devices) << 17});
    std::fill(cs.begin(), cs.end(), 1.0f);
    tandem::matmul(big, a, b, c, {.beta = 2.0f});
    CHECK(first_difference(cs, wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("streamed: a product of files", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const temporary_folder folder;
  auto as = random_values<float>(50 * 3000, 1);
  auto bs = random_values<float>(3000 * 70, 2);
  {
    tandem::mapped<float, 2> a(folder / "a.npy", {50, 3000}, tandem::new_file);
    tandem::mapped<float, 2> b(folder / "b.npy", {3000, 70}, tandem::new_file);
    std::copy(as.begin(), as.end(), a.view().data_handle());
    std::copy(bs.begin(), bs.end(), b.view().data_handle());
  }
  const tandem::mapped<const float, 2> a(folder / "a.npy");
  const tandem::mapped<const float, 2> b(folder / "b.npy");
  tandem::mapped<float, 2> c(folder / "c.npy", {50, 70}, tandem::new_file);
  std::vector<float> none(50 * 70);
  const auto wanted = product_on(space, on_host<2>(as, {50, 3000}), on_host<2>(bs, {3000, 70}),
                                 on_host<2>(none, {50, 70}), 0.0f);
  tandem::matmul(tandem::streamed(space, {.budget = 200000}), a, b, c);
  CHECK(first_difference(std::vector<float>(c.view().begin(), c.view().end()), wanted) == -1);
}

TEST_CASE_TEMPLATE("streamed: operands in memory of the device stay there", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto as = random_values<float>(50 * 3000, 1);
  auto bs = random_values<float>(3000 * 70, 2);
  std::vector<float> cs(50 * 70);
  const auto a = on_host<2>(as, {50, 3000});
  const tandem::array<float, 2, Space> b(on_host<2>(bs, {3000, 70}), space);
  const auto wanted = product_on(space, a, on_host<2>(bs, {3000, 70}), on_host<2>(cs, {50, 70}), 0);
  const tandem::streamed big(space, {.budget = 200000});
  tandem::matmul(big, a, b, on_host<2>(cs, {50, 70}));
  CHECK(first_difference(cs, wanted) == -1);
  tandem::array<float, 2, Space> c({50, 70}, space);
  tandem::matmul(big, a, b, c, {.beta = 0.0f});
  CHECK(first_difference(tandem::to_vector(space, c), wanted) == -1);
}

TEST_CASE_TEMPLATE("streamed: products tell progress, which can end them", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto as = random_values<float>(64 * 2100, 1);
  auto bs = random_values<float>(2100 * 64, 2);
  std::vector<float> cs(64 * 64);
  const auto a = on_host<2>(as, {64, 2100});
  const auto b = on_host<2>(bs, {2100, 64});
  std::vector<index_t> done;
  const auto note = [&](index_t rows, index_t all) {
    CHECK(all == 64);
    done.push_back(rows);
  };
  tandem::matmul(tandem::streamed(space, {.budget = 1 << 18, .progress = note}), a, b,
                 on_host<2>(cs, {64, 64}));
  CHECK(done.size() > 10);
  CHECK(done.back() == 64);
  CHECK(std::is_sorted(done.begin(), done.end()));
  struct enough {};
  const auto stop = [](index_t rows, index_t) {
    if (rows > 30) throw enough();
  };
  CHECK_THROWS_AS(tandem::matmul(tandem::streamed(space, {.budget = 1 << 18, .progress = stop}), a,
                                 b, on_host<2>(cs, {64, 64})),
                  enough);
}

TEST_CASE_TEMPLATE("streamed: what products refuse, with c unchanged", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto as = random_values<float>(6 * 5000, 1);
  auto bs = random_values<float>(5000 * 7, 2);
  std::vector<float> cs(42, 5.0f);
  const auto a = on_host<2>(as, {6, 5000});
  const auto b = on_host<2>(bs, {5000, 7});
  const auto c = on_host<2>(cs, {6, 7});
  const tandem::streamed big(space);
  CHECK_THROWS_WITH_AS(tandem::matmul(big, b, a, c), "matmul: columns of a (7) != rows of b (6)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(big, a, b, on_host<2>(as, {6, 7})), "matmul: c overlaps a",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(big, a, b, on_host<2>(bs, {6, 7})), "matmul: c overlaps b",
                       tandem::argument_error);
  const host_view<2> nothing(nullptr, {6, 5000});
  CHECK_THROWS_AS(tandem::matmul(big, nothing, b, c), tandem::argument_error);
  const std::vector<float> bias(6);
  CHECK_THROWS_WITH_AS(tandem::matmul(big, a, b, c, {.epilogue = tandem::bias(bias)}),
                       "matmul: elements of bias (6) != columns of c (7)", tandem::extent_error);
  CHECK_THROWS_AS(tandem::matmul(tandem::streamed(space, {.budget = 1000}), a, b, c),
                  tandem::argument_error);
  CHECK(cs == std::vector<float>(42, 5.0f));
  tandem::matmul(big, on_host<2>(as, {0, 5000}), b, on_host<2>(cs, {0, 7}));
  CHECK(cs == std::vector<float>(42, 5.0f));
}

TEST_CASE_TEMPLATE("out of memory: streamed products", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto as = random_values<float>(40 * 2100, 1);
  auto bs = random_values<float>(2100 * 40, 2);
  std::vector<float> cs(1600, 1.0f);
  const auto a = on_host<2>(as, {40, 2100});
  const auto b = on_host<2>(bs, {2100, 40});
  const auto c = on_host<2>(cs, {40, 40});
  const auto wanted = product_on(space, a, b, c, 0);
  const tandem::streamed big(space, {.budget = 1 << 18});
  check_out_of_memory("", space, [&] { tandem::matmul(big, a, b, c); });
  CHECK(first_difference(cs, wanted) == -1);
}
