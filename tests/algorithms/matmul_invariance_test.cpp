// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/matmuls.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::matmul_precision;

// The bits of an element of c depend on its row of a and its column of b alone: part of a product
// has the bits of the whole, in every type and precision.

namespace {

constexpr index_t whole_size = on_fastest::on_device ? 4096 : 300;

template <class In>
std::vector<In> inputs(index_t count, std::uint64_t seed) {
  std::vector<In> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_integral_v<In>) {
      values[i] = static_cast<In>(mix(seed ^ i));
    } else {
      // A cheaper random_value: three binades of either sign.
      const auto bits = static_cast<std::int64_t>(mix(seed ^ i) % 65536);
      values[i] = static_cast<In>(static_cast<float>(bits - 32768) / 8192);
    }
  }
  return values;
}

template <class In, int Rank, class Space>
tandem::array<In, Rank, Space> filled(const Space& space, const tandem::extents<Rank>& sizes,
                                      std::uint64_t seed) {
  tandem::array<In, Rank, Space> result(sizes, space);
  tandem::copy(space, inputs<In>(sizes.size(), seed), result);
  space.fence();
  return result;
}

/// Computes a whole product, and parts of it alone.
template <class T, class In, class Space>
class whole_and_parts {
 public:
  whole_and_parts(const Space& space, index_t m, index_t n, index_t k, matmul_precision precision,
                  bool split_k = false)
      : space_(space),
        precision_(precision),
        split_k_(split_k),
        a_(filled<In, 2>(space, {m, k}, 1)),
        b_(filled<In, 2>(space, {k, n}, 2)),
        c_(tandem::extents<2>(m, n), space) {
    multiply(a_.const_view(), b_.const_view(), c_.view());
  }

  /// Computes rows i .. i + m - 1 and columns j .. j + n - 1 alone, into a row-major or
  /// column-major c.
  void check(index_t i, index_t m, index_t j, index_t n) {
    const tandem::slice rows{i, i + m};
    const tandem::slice columns{j, j + n};
    const auto a = tandem::subview(a_.const_view(), rows, tandem::all);
    const auto b = tandem::subview(b_.const_view(), tandem::all, columns);
    const auto expected = to_host(space_, tandem::subview(c_.view(), rows, columns));
    tandem::array<T, 2, Space> alone(tandem::extents<2>(m, n), space_);
    tandem::array<T, 2, Space, tandem::layout_left> by_columns(tandem::extents<2>(m, n), space_);
    multiply(a, b, alone.view());
    multiply(a, b, by_columns.view());
    INFO("rows from " << i << ": " << m << ", columns from " << j << ": " << n);
    CHECK(first_other(to_host(space_, alone), expected) == -1);
    CHECK(first_other(to_host(space_, by_columns), expected) == -1);
  }

  /// Checks the same operands stored in the opposite order.
  void check_transposed_operands() {
    tandem::array<In, 2, Space, tandem::layout_left> a(a_.view().extents(), space_);
    tandem::array<In, 2, Space, tandem::layout_left> b(b_.view().extents(), space_);
    tandem::copy(space_, a_.const_view(), a.view());
    tandem::copy(space_, b_.const_view(), b.view());
    const auto expected = to_host(space_, c_);
    tandem::array<T, 2, Space> c(c_.view().extents(), space_);
    multiply(a.const_view(), b_.const_view(), c.view());
    CHECK(first_other(to_host(space_, c), expected) == -1);
    multiply(a_.const_view(), b.const_view(), c.view());
    CHECK(first_other(to_host(space_, c), expected) == -1);
    multiply(a.const_view(), b.const_view(), c.view());
    CHECK(first_other(to_host(space_, c), expected) == -1);
  }

 private:
  template <class A, class B, class C>
  void multiply(const A& a, const B& b, const C& c) {
    tandem::matmul(space_, a, b, c, {.precision = precision_, .split_k = split_k_});
  }

  const Space& space_;
  matmul_precision precision_;
  bool split_k_;
  tandem::array<In, 2, Space> a_;
  tandem::array<In, 2, Space> b_;
  tandem::array<T, 2, Space> c_;
};

template <class T, class In, class Space>
void check_parts(const Space& space, matmul_precision precision = matmul_precision::full) {
  const index_t size = whole_size;
  INFO("precision " << static_cast<int>(precision));
  // One row and one column alone, blocks on and off every alignment, one element.
  whole_and_parts<T, In, Space> whole(space, size, size, whole_size == 4096 ? 1030 : 300,
                                      precision);
  for (const index_t i : {index_t{0}, index_t{77}, size - 1}) {
    whole.check(i, 1, 0, size);
    whole.check(0, size, i, 1);
  }
  whole.check(3, 130, 64, 65);
  whole.check(128, 128, 128, 128);
  whole.check(7, 17, 11, 200);
  whole.check(size - 1, 1, size - 1, 1);
  whole.check_transposed_operands();
  // k spans several chunks of any kind and is odd; then all of it with unaligned rows.
  whole_and_parts<T, In, Space> deep(space, 70, 75, whole_size == 4096 ? 20003 : 2503, precision);
  deep.check(0, 1, 0, 75);
  deep.check(5, 64, 2, 64);
  deep.check(69, 1, 74, 1);
  deep.check_transposed_operands();
}

/// Computes parts of a product whose k would be one chain without split_k. The whole has many
/// tiles, so one block computes all chunks of each; the parts have few, so several do.
template <class T, class In, class Space>
void check_parts_of_split(const Space& space, matmul_precision precision = matmul_precision::full) {
  const index_t size = whole_size;
  whole_and_parts<T, In, Space> split(space, size, size, whole_size == 4096 ? 5003 : 2503,
                                      precision, true);
  split.check(0, 1, 0, size);
  split.check(0, size, size - 1, 1);
  split.check(5, 64, 2, 64);
  split.check(size - 1, 1, size - 1, 1);
  split.check_transposed_operands();
}

/// Computes the entries of a batch alone, and of a batch that shares an operand.
template <class T, class In, class Space>
void check_batch(const Space& space, index_t m, index_t n, index_t k, matmul_precision precision) {
  auto a = filled<In, 3>(space, {9, m, k}, 1);
  auto b = filled<In, 3>(space, {9, k, n}, 2);
  tandem::array<T, 3, Space> c(tandem::extents<3>(9, m, n), space);
  tandem::array<T, 2, Space> alone(tandem::extents<2>(m, n), space);
  const auto entry = [](const auto& v, index_t p) {
    return tandem::subview(v, p, tandem::all, tandem::all);
  };
  INFO("precision " << static_cast<int>(precision) << ", m = " << m << ", n = " << n
                    << ", k = " << k);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {.precision = precision});
  for (const index_t p : {0, 4, 8}) {
    tandem::matmul(space, entry(a.const_view(), p), entry(b.const_view(), p), alone.view(),
                   {.precision = precision});
    CHECK(first_other(to_host(space, entry(c.view(), p)), to_host(space, alone)) == -1);
  }
  tandem::matmul(space, a.const_view(), entry(b.const_view(), 8), c.view(),
                 {.precision = precision});
  CHECK(first_other(to_host(space, entry(c.view(), 8)), to_host(space, alone)) == -1);
  tandem::matmul(space, entry(a.const_view(), 8), b.const_view(), c.view(),
                 {.precision = precision});
  CHECK(first_other(to_host(space, entry(c.view(), 8)), to_host(space, alone)) == -1);
}

template <class T, class In, class Space>
void check_batches(const Space& space, matmul_precision precision = matmul_precision::full) {
  for (const index_t size : {4, 7, 16, 32, 64, 100, 128})
    check_batch<T, In>(space, size, size, size, precision);
  check_batch<T, In>(space, 5, 60, 3000, precision);
  check_batch<T, In>(space, 1, 256, 64, precision);
}

/// Uses more matrices than a GPU's grid allows blocks along two of its dimensions.
template <class T, class In, class Space>
void check_many(const Space& space, matmul_precision precision = matmul_precision::full) {
  constexpr index_t many = 70001;
  auto a = filled<In, 3>(space, {many, 3, 4}, 1);
  auto b = filled<In, 3>(space, {many, 4, 5}, 2);
  tandem::array<T, 3, Space> c(tandem::extents<3>(many, 3, 5), space);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {.precision = precision});
  for (const tandem::slice part : {tandem::slice{0, 7}, {65530, 65541}, {many - 2, many}}) {
    tandem::array<T, 3, Space> alone(tandem::extents<3>(part.size(), 3, 5), space);
    const auto of = [&](const auto& v) {
      return tandem::subview(v, part, tandem::all, tandem::all);
    };
    tandem::matmul(space, of(a.const_view()), of(b.const_view()), alone.view(),
                   {.precision = precision});
    INFO("matrices from " << part.begin << ", precision " << static_cast<int>(precision));
    CHECK(first_other(to_host(space, of(c.view())), to_host(space, alone)) == -1);
  }
}

using tested = on_fastest;
constexpr matmul_precision precisions[] = {matmul_precision::full, matmul_precision::tf32,
                                           matmul_precision::bf16x6, matmul_precision::bf16x9};

}  // namespace

TEST_CASE("matmul: a part of a product of floats has the bits of the whole, in each precision") {
  const auto space = tested::make();
  for (const auto precision : precisions) check_parts<float, float>(space, precision);
}

TEST_CASE("matmul: a part of a product of doubles or integers has the bits of the whole") {
  const auto space = tested::make();
  check_parts<double, double>(space);
  check_parts<std::int32_t, std::int8_t>(space);
}

TEST_CASE("matmul: a part of a product with a split k has the bits of the whole") {
  const auto space = tested::make();
  check_parts_of_split<float, float>(space, matmul_precision::tf32);
  check_parts_of_split<tandem::half, tandem::half>(space);
  check_parts_of_split<float, tandem::bf16>(space);
}

TEST_CASE("matmul: a part of a product of half or bf16 has the bits of the whole") {
  const auto space = tested::make();
  check_parts<tandem::half, tandem::half>(space);
  check_parts<tandem::bf16, tandem::bf16>(space);
  check_parts<float, tandem::half>(space);
  check_parts<float, tandem::bf16>(space);
}

TEST_CASE("matmul: an entry of a batch has the bits that it has alone, in every type") {
  const auto space = tested::make();
  for (const auto precision : precisions) check_batches<float, float>(space, precision);
  check_batches<double, double>(space);
  check_batches<std::int32_t, std::int8_t>(space);
  check_batches<tandem::half, tandem::half>(space);
  check_batches<tandem::bf16, tandem::bf16>(space);
  check_batches<float, tandem::half>(space);
  check_batches<float, tandem::bf16>(space);
}

TEST_CASE("matmul: a batch of more matrices than a grid has blocks, in every type") {
  const auto space = tested::make();
  for (const auto precision : precisions) check_many<float, float>(space, precision);
  check_many<double, double>(space);
  check_many<std::int32_t, std::int8_t>(space);
  check_many<tandem::half, tandem::half>(space);
  check_many<float, tandem::bf16>(space);
}
