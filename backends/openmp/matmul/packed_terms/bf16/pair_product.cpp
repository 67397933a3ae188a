// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/packed_terms/bf16/pair_product.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

template <class T>
using bf16_packing = matmul_packing<T, bf16>;

/// The ranges of both operands, packed by one thread or by all.
struct operand_ranges {
  bf16_range a;
  bf16_range b;
};

void raise(std::uint16_t& shared, std::uint16_t to) {
  std::uint16_t before = __atomic_load_n(&shared, __ATOMIC_RELAXED);
  while (before < to && !__atomic_compare_exchange_n(&shared, &before, to, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

/// Merges a thread's ranges into the shared ones.
void merge(operand_ranges& shared, const operand_ranges& mine) {
  raise(shared.a.largest, mine.a.largest);
  raise(shared.a.smallest, mine.a.smallest);
  raise(shared.b.largest, mine.b.largest);
  raise(shared.b.smallest, mine.b.smallest);
}

/// Biased exponents: 0 for subnormal numbers, 255 for infinities and NaNs.
int largest_exponent(const bf16_range& range) { return range.largest >> 7; }
int least_exponent(const bf16_range& range) { return ((1 << 15) - range.smallest) >> 7; }

/// Whether all products of two ranges are normal or 0 and do not overflow, and their sums are
/// normal or 0 unless they overflow; see bf16_product.
bool avoids_subnormals(const operand_ranges& of) {
  constexpr int special = 255;
  // Two biases of 127: ea + eb - 14 >= -126, and below 2^(ea + 1) * 2^(eb + 1) <= 2^128.
  constexpr int least = 2 * 127 - 126 + 14;
  constexpr int largest = 2 * 127 + 126;
  if (largest_exponent(of.a) == special || largest_exponent(of.b) == special) return false;
  if (least_exponent(of.a) == 0 || least_exponent(of.b) == 0) return false;
  return least_exponent(of.a) + least_exponent(of.b) >= least &&
         largest_exponent(of.a) + largest_exponent(of.b) <= largest;
}

/// Packs the whole problem. Returns whether the kernels then give the canonical bits.
template <class T>
bool pack(int threads, const bf16_packing<T>& packing, const bf16_kernels& kernels, float* memory) {
  operand_ranges all;
  run_parallel(packing.useful_threads(threads), [&](int part, int parts) {
    operand_ranges mine;
    packing.pack(
        part, parts, memory,
        [&](const float* packed, index_t count) { kernels.widen(packed, count, mine.a); },
        [&](const float* packed, index_t count) { kernels.widen(packed, count, mine.b); });
    merge(all, mine);
  });
  return avoids_subnormals(all);
}

}  // namespace

// The problem is oriented before it is packed: a and b are packed in different ways.
template <class T>
bf16_product<T>::bf16_product(int threads, const matmul_problem<T, bf16>& problem,
                              const bf16_kernels& kernels)
    : threads_(threads),
      kernels_(kernels),
      oriented_(canonical_orientation(problem, kernels.pairs.products.lanes)),
      packing_(oriented_, kernels.pairs),
      pairs_(schedule_matmul(packing_.product(reserve_packed()), kernels.pairs.products, threads)) {
  reserve<float>(pairs_);
}

template <class T>
float* bf16_product<T>::reserve_packed() const {
  const auto bytes = static_cast<std::size_t>(packing_.sizes()) * sizeof(float);
  return static_cast<float*>(own_scratch.packed.at_least(bytes));
}

template <class T>
const matmul_schedule& bf16_product<T>::plan_widened() {
  const auto& floats = best_kernels<matmul_kernels<float, bf16>>();
  const auto& schedule = widened_.emplace(
      schedule_matmul(canonical_orientation(oriented_, floats.lanes), floats, threads_));
  reserve<float>(schedule);
  return schedule;
}

template <class T>
void bf16_product<T>::move_to(const matmul_problem<T, bf16>& problem) {
  oriented_ = canonical_orientation(problem, kernels_.pairs.products.lanes);
}

template <class T>
bool bf16_product<T>::run_pairs() const {
  float* const memory = reserve_packed();
  // Both use the same number of threads: GNU's runtime restarts threads when a team's size changes.
  if (!pack(pairs_.threads, packing_, kernels_, memory)) return false;
  run_scheduled(pairs_, packing_.product(memory), kernels_.pairs.products);
  return true;
}

template <class T>
void bf16_product<T>::run() {
  if (run_pairs()) return;
  const matmul_schedule& schedule = widened_ ? *widened_ : plan_widened();
  const auto& floats = best_kernels<matmul_kernels<float, bf16>>();
  run_scheduled(schedule, canonical_orientation(oriented_, floats.lanes), floats);
}

template class bf16_product<float>;
template class bf16_product<bf16>;

namespace {

/// Whether the processor sums pairs as the canonical chain does. The manual specifies the order;
/// this verifies it with sums that reveal any other order or rounding.
bool sums_canonically(const bf16_kernels& kernels) {
  constexpr index_t n = 16;
  constexpr index_t k = 32;
  bf16 a[k];
  bf16 b[k * n];
  float chains[n] = {};
  for (index_t l = 0; l < k; ++l) {
    a[l] = bf16(static_cast<float>(l * 37 % 61 - 30) * (l % 3 == 0 ? 0x1p5f : 0x1.7ep0f));
    for (index_t j = 0; j < n; ++j) {
      bf16& right = b[l * n + j];
      right =
          bf16(static_cast<float>((l * 23 + j * 11) % 59 - 29) * (l % 5 == 0 ? 8.0f : 0x1.36p0f));
      chains[j] = tandem::fma(float{a[l]}, float{right}, chains[j]);
    }
  }
  float c[n] = {};
  return bf16_product<float>(1, contiguous_problem(1, n, k, a, b, c), kernels).run_pairs() &&
         __builtin_memcmp(c, chains, sizeof c) == 0;
}

}  // namespace

const bf16_kernels* usable_bf16_kernels() {
  static const bf16_kernels* const usable = [] {
    const auto& kernels = usable_kernels<bf16_kernels>();
    return !kernels.empty() && sums_canonically(*kernels.front()) ? kernels.front() : nullptr;
  }();
  return usable;
}

const bf16_kernels* fast_bf16_kernels() {
  static const bool fast = has_fast_avx512_bf16();
  return fast ? usable_bf16_kernels() : nullptr;
}

}  // namespace tandem::openmp_impl
