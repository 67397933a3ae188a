// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_mixed.hpp>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/matmul_bf16.hpp>
#include <tandem/backends/openmp/matmul_driver.hpp>
#include <tandem/backends/openmp/matmul_form.hpp>
#include <tandem/backends/openmp/matmul_gelu.hpp>
#include <tandem/backends/openmp/matmul_memory.hpp>
#include <tandem/backends/openmp/matmul_packing.hpp>
#include <tandem/backends/openmp/matmul_round.hpp>
#include <tandem/backends/openmp/matmul_terms_pack.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_finish.hpp>

#include <type_traits>

namespace tandem {
namespace {

/// Elements below which converting them is not worth a fork: one core takes about 10 us.
constexpr index_t fork_elements = index_t{1} << 15;

/// Bytes of floats that a thread keeps for its next call.
constexpr std::size_t kept_bytes = std::size_t{128} << 20;

/// Operands as floats, and products that are to be rounded.
thread_local openmp_impl::matmul_memory own_operands;
thread_local openmp_impl::matmul_memory own_products;

float* floats(openmp_impl::matmul_memory& memory, index_t count) {
  return static_cast<float*>(memory.at_least(static_cast<std::size_t>(count) * sizeof(float)));
}

/// How an element of floats holds a term of 16 bits: the forms of matmul_terms_pack.hpp.
struct single_bf16 {
  using source = std::uint16_t;
  using element = float;
  static constexpr int terms = 1;
  static std::uint32_t part(std::uint16_t bits, int) {
    return static_cast<std::uint32_t>(bits) << 16;
  }
  static float load(const std::uint16_t* p) { return __builtin_bit_cast(float, part(*p, 0)); }
};

/// As the type's own conversion, by one product and one select, so that loops vectorise: 2^112
/// moves the exponent from half's bias to float's and normalises what was subnormal.
struct single_half {
  using source = std::uint16_t;
  using element = float;
  static constexpr int terms = 1;
  static std::uint32_t part(std::uint16_t bits, int) {
    const std::uint32_t wide = bits;
    const std::uint32_t magnitude = (wide & 0x7fffu) << 13;
    const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
    const std::uint32_t finite = __builtin_bit_cast(std::uint32_t, scaled);
    const std::uint32_t special = magnitude | 0x7f800000u;
    const std::uint32_t sign = (wide & 0x8000u) << 16;
    return sign | ((wide & 0x7c00u) == 0x7c00u ? special : finite);
  }
  static float load(const std::uint16_t* p) { return __builtin_bit_cast(float, part(*p, 0)); }
};

template <class In>
using single = std::conditional_t<std::is_same_v<In, bf16>, single_bf16, single_half>;

template <class In>
float to_float(In x) {
  return __builtin_bit_cast(float, single<In>::part(x.bits(), 0));
}

/// The float kernels with operands of type In.
template <class In>
const openmp_impl::matmul_term_kernels<std::uint16_t, float>& widening_kernels() {
  static const openmp_impl::matmul_term_kernels<std::uint16_t, float> kernels{
      .products = *openmp_impl::usable_matmul_kernels<float>().front(),
      .terms = 1,
      .pack_a = openmp_impl::pack_terms_of_a<single<In>>,
      .pack_b = openmp_impl::pack_terms_of_b<single<In>>,
      .start = nullptr};
  return kernels;
}

/// Calls f(row) for each of `rows` rows of `columns` elements.
template <class Function>
void for_rows(int threads, index_t rows, index_t columns, const Function& f) {
  const bool alone =
      static_cast<double>(rows) * static_cast<double>(columns) < static_cast<double>(fork_elements);
  openmp_impl::fork(alone ? 1 : threads, [&](int part, int parts) {
    const openmp_impl::share mine = openmp_impl::share_of(rows, part, parts);
    for (index_t row = mine.begin; row < mine.end; ++row) f(row);
  });
}

/// Floats for each thread that a part of a batch may take: half a MiB, for a core's own caches.
constexpr index_t part_elements = index_t{1} << 17;

/// Calls f(part) for parts of a batch whose scratch the caches hold, or all that a thread keeps
/// where parts would all convert the operand that entries share; of one entry at least.
template <class T, class In, class Function>
void for_entries(int threads, const matmul_problem<T, In>& p, const Function& f) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  constexpr auto kept = static_cast<index_t>(kept_bytes / sizeof(float));
  const bool shares = p.a_batch == 0 || p.b_batch == 0;
  const index_t most = shares ? kept : threads * part_elements;
  const index_t each = p.m * p.k + p.k * p.n + p.m * p.n;
  const index_t together = tandem::max<index_t>(most / each, 1);
  for (index_t entry = 0; entry < p.batch; entry += together)
    f(openmp_impl::entries_of(p, entry, tandem::min(together, p.batch - entry)));
}

/// a and b become floats on their way into scratch.
template <class In>
void multiply_widened(int threads, const matmul_problem<float, In>& problem) {
  const auto& kernels = widening_kernels<In>();
  const matmul_problem<float, In> p = openmp_impl::in_best_form(problem, kernels.products.lanes);
  const openmp_impl::matmul_packing<std::uint16_t, float, In> packing(p, kernels);
  float* const memory = floats(own_operands, packing.sizes());
  const matmul_problem<float> product = packing.product(memory);
  const int useful = packing.useful_threads(openmp_impl::useful_threads(threads, product));
  const auto nothing = [](const float*, index_t) {};
  openmp_impl::fork(
      useful, [&](int part, int parts) { packing.pack(part, parts, memory, nothing, nothing); });
  openmp_impl::run_matmul(threads, product, kernels.products);
  own_operands.keep_at_most(kept_bytes);
}

/// A part of a batch, c of floats: the kernels write it themselves.
template <class In>
void multiply_part(int threads, const matmul_problem<float, In>& p) {
  if constexpr (std::is_same_v<In, bf16>) {
    const openmp_impl::bf16_kernels* const kernels = openmp_impl::fast_bf16_kernels();
    if (kernels != nullptr && openmp_impl::run_bf16_matmul(threads, p, *kernels)) return;
  }
  multiply_widened(threads, p);
}

template <class In>
void multiply_into_floats(int threads, const matmul_problem<float, In>& p) {
  for_entries(threads, p,
              [&](const matmul_problem<float, In>& part) { multiply_part(threads, part); });
}

/// The sums of all entries alone, as floats at `c` without gaps.
template <class T>
matmul_problem<float, T> product_of(const matmul_problem<T, T>& p, float* c) {
  auto q = openmp_impl::with_types<float, T>(p);
  q.alpha = 1;
  q.beta = 0;
  q.c = c;
  q.c_batch = p.m * p.n;
  q.c_row = p.n;
  q.c_column = 1;
  q.bias = nullptr;
  q.activation = matmul_activation::none;
  return q;
}

/// One row of c of the type of a and b: alpha, beta and the epilogue in floats, then one rounding.
/// Everything that a loop reads is a local variable, since a c may lie where anything does.
template <class T>
void round_row(const matmul_problem<T, T>& p, T* c, float* product, index_t row) {
  const index_t n = p.n;
  const index_t step = p.c_column;
  detail::matmul_finish<float> finish = detail::finish_of(p);
  if (!finish.has_epilogue())
    return openmp_impl::round_totals(product, n, p.alpha, p.beta, c, step);
  const bool gelu = finish.activation == matmul_activation::gelu;
  if (gelu) finish.activation = matmul_activation::none;
  for (index_t j = 0; j < n; ++j) {
    const float old = finish.reads_c() ? to_float(c[j * step]) : 0.0f;
    product[j] = finish(product[j], old, row, j);
  }
  if (gelu) openmp_impl::apply_gelu(product, n, 1);
  openmp_impl::round_totals(product, n, 1.0f, 0.0f, c, step);
}

/// c of the type of a and b: products of floats without alpha and beta in scratch, then rounded.
template <class T>
void multiply_and_round(int threads, const matmul_problem<T, T>& problem) {
  for_entries(threads, problem, [&](const matmul_problem<T, T>& p) {
    float* const product = floats(own_products, p.batch * p.m * p.n);
    multiply_part(threads, product_of(p, product));
    for_rows(threads, p.batch * p.m, p.n, [&](index_t row) {
      const index_t i = row % p.m;
      round_row(p, p.c + row / p.m * p.c_batch + i * p.c_row, product + row * p.n, i);
    });
  });
  own_products.keep_at_most(kept_bytes);
}

}  // namespace

void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem) {
  multiply_into_floats(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem) {
  multiply_into_floats(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem) {
  multiply_and_round(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem) {
  multiply_and_round(space.threads(), problem);
}

}  // namespace tandem
