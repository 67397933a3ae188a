// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of small products use separate GPU kernels: the bits are those of serial.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <limits>

using namespace tandem::test;

namespace {

using tandem::index_t;

/// Placement of a batch's matrices in their buffer: offset and strides in elements.
struct placement {
  index_t offset, batch, row, column;
};

/// Contiguous rows, columns, rows with gaps and not aligned to 16 bytes, rows in reverse, or one
/// matrix for the whole batch.
placement place(index_t rows, index_t columns, std::uint64_t kind) {
  switch (kind % 5) {
    case 0:
      return {0, rows * columns, columns, 1};
    case 1:
      return {0, rows * columns, 1, rows};
    case 2:
      return {1, rows * (columns + 3) + 2, columns + 3, 1};
    case 3:
      return {(rows - 1) * columns, rows * columns, -columns, 1};
    default:
      return {4, 0, columns, 1};
  }
}

/// The largest number of elements that any of the placements takes.
index_t span_of(index_t batch, index_t rows, index_t columns) {
  return 4 + batch * (rows * (columns + 4) + 8);
}

template <class T>
struct batch_case {
  index_t batch, m, n, k;
  placement a, b, c;
  T beta;
  tandem::matmul_activation activation;
};

template <class T, class Space>
std::vector<T> multiply(const Space& space, const batch_case<T>& p, std::uint64_t seed,
                        tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  using memory = typename Space::memory_type;
  using layout = tandem::layout_stride;
  const auto values = [&](index_t count, std::uint64_t which) {
    return to_space(space, random_values<T>(static_cast<std::size_t>(count), seed + which));
  };
  auto a = values(span_of(p.batch, p.m, p.k), 1);
  auto b = values(span_of(p.batch, p.k, p.n), 2);
  auto c = values(span_of(p.batch, p.m, p.n), 3);
  auto bias = values(p.n, 4);
  const auto matrices = [&]<class E>(E* data, index_t rows, index_t columns, const placement& at) {
    return tandem::view<E, 3, layout, memory>(
        data + at.offset,
        layout::mapping<3>({p.batch, rows, columns}, {at.batch, at.row, at.column}));
  };
  const T* const read_a = a.data_handle();
  const T* const read_b = b.data_handle();
  tandem::matmul(space, matrices(read_a, p.m, p.k, p.a), matrices(read_b, p.k, p.n, p.b),
                 matrices(c.data_handle(), p.m, p.n, p.c),
                 {.alpha = T{2},
                  .beta = p.beta,
                  .epilogue = tandem::bias(bias.const_view(), p.activation),
                  .kernel = kernel});
  return to_host(space, c);
}

/// Checks for the bits of serial and for the memory between the elements of c.
template <class T>
void check_batch(const tandem::cuda& space, const batch_case<T>& p, std::uint64_t seed) {
  INFO("batch = " << p.batch << ", m = " << p.m << ", n = " << p.n << ", k = " << p.k);
  INFO("row strides " << p.a.row << " " << p.b.row << " " << p.c.row << ", columns " << p.a.column
                      << " " << p.b.column << " " << p.c.column);
  CHECK(first_difference(multiply(space, p, seed), multiply(tandem::serial{}, p, seed)) == -1);
}

template <class T>
void check_size(const tandem::cuda& space, index_t m, index_t n, index_t k, std::uint64_t seed) {
  using enum tandem::matmul_activation;
  const tandem::matmul_activation activations[] = {none, relu, gelu};
  const batch_case<T> p{m * n > 1000 ? 9 : 150,
                        m,
                        n,
                        k,
                        place(m, k, mix(seed)),
                        place(k, n, mix(seed + 1)),
                        place(m, n, mix(seed + 2) % 4),
                        mix(seed + 3) % 2 == 0 ? T{0} : T{-1.5},
                        activations[seed % 3]};
  check_batch(space, p, seed);
}

/// Contiguous rows, rows with gaps but aligned to 16 bytes, or one matrix for the whole batch.
placement place_wide(index_t rows, index_t columns, std::uint64_t kind) {
  const placement gaps{4, rows * (columns + 4) + 8, columns + 4, 1};
  return kind % 3 == 2 ? gaps : place(rows, columns, kind % 3 == 0 ? 0 : 4);
}

/// Checks that a batch large enough for every multiprocessor has the bits of the naive kernel,
/// which are serial's.
template <class T>
void check_long_batch(const tandem::cuda& space, index_t batch, index_t m, index_t n, index_t k,
                      std::uint64_t seed) {
  const batch_case<T> p{
      batch,
      m,
      n,
      k,
      place_wide(m, k, mix(seed)),
      place_wide(k, n, mix(seed + 1)),
      place(m, n, mix(seed + 2) % 4),
      mix(seed + 3) % 2 == 0 ? T{0} : T{-1.5},
      mix(seed) % 2 == 0 ? tandem::matmul_activation::none : tandem::matmul_activation::relu};
  INFO("batch = " << p.batch << ", m = " << p.m << ", n = " << p.n << ", k = " << p.k);
  CHECK(first_difference(multiply(space, p, seed),
                         multiply(space, p, seed, tandem::matmul_kernel::naive)) == -1);
}

}  // namespace

TEST_CASE("cuda matmul: batches of small products have the bits of serial") {
  const tandem::cuda space(0);
  std::uint64_t seed = 0;
  for (const index_t size : {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 20, 24, 31, 32, 33, 48, 63, 64, 65}) {
    if (takes_few() && size % 16 != 1) continue;
    for (int repeat = 0; repeat < (takes_few() ? 1 : 6); ++repeat) {
      check_size<float>(space, size, size, size, ++seed);
      check_size<double>(space, size, size, size, ++seed);
    }
    check_size<float>(space, size, 4, 100, ++seed);
    check_size<double>(space, 3, size, 70, ++seed);
    check_size<float>(space, size, size, 1, ++seed);
    check_size<double>(space, size, size, 2, ++seed);
  }
}

TEST_CASE("cuda matmul: long batches of middle-sized products have the bits of the naive kernel") {
  const tandem::cuda space(0);
  std::uint64_t seed = 500;
  for (const index_t size : {36, 48, 64, 68, 96, 128}) {
    if (takes_few() && size != 48 && size != 96) continue;
    for (const index_t k : {size, index_t{84}}) {
      if (takes_few() && k == size) continue;
      check_long_batch<float>(space, 700, size, size, k, ++seed);
      check_long_batch<double>(space, 700, size, size, k + 2, ++seed);
    }
    check_long_batch<float>(space, 700, size - 3, size / 8 * 4 + 4, 40, ++seed);
    check_long_batch<double>(space, 700, size / 2 + 13, size, 34, ++seed);
  }
}

TEST_CASE("cuda matmul: rows of c 16 bytes apart whose last elements fill none keep what follows") {
  const tandem::cuda space(0);
  using enum tandem::matmul_activation;
  const auto packed = [](index_t rows, index_t columns) { return place(rows, columns, 0); };
  const auto padded = [](index_t rows, index_t columns) {
    const index_t pitch = tandem::round_up(columns, index_t{4});
    return placement{4, rows * pitch, pitch, 1};
  };
  std::uint64_t seed = 900;
  for (const index_t n : {1, 3, 5, 7, 13, 30, 47, 63}) {
    const index_t m = 9;
    check_batch<float>(space, {150, m, n, 12, packed(m, 12), packed(12, n), padded(m, n), 0, none},
                       ++seed);
    check_batch<double>(
        space, {150, m, n, 12, packed(m, 12), packed(12, n), padded(m, n), -1.5, relu}, ++seed);
  }
}

TEST_CASE("cuda matmul: more small products than a grid has blocks along one index") {
  const tandem::cuda space(0);
  const auto packed = [](index_t size) { return place(size, size, 0); };
  using enum tandem::matmul_activation;
  check_batch<float>(space, {70'001, 4, 4, 4, packed(4), packed(4), packed(4), 0, none}, 1);
  check_batch<double>(space, {66'000, 5, 5, 5, packed(5), packed(5), packed(5), 0, none}, 2);
}
