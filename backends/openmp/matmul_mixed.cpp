// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_mixed.hpp>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/matmul_driver.hpp>
#include <tandem/backends/openmp/matmul_gelu.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/core/host_allocation.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_finish.hpp>

namespace tandem {
namespace {

/// Elements below which converting them is not worth a fork: one core takes about 10 us.
constexpr index_t fork_elements = index_t{1} << 15;

/// Floats for the time of a call.
class scratch {
 public:
  explicit scratch(index_t count)
      : data_(static_cast<float*>(
            detail::allocate_host("matmul", static_cast<std::size_t>(count) * sizeof(float)))) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { detail::free_host(data_); }
  float* data() const { return data_; }

 private:
  float* data_;
};

float to_float(bf16 x) { return x; }

/// As the type's own conversion, by one product and one select, so that loops vectorise: 2^112
/// moves the exponent from half's bias to float's and normalises what was subnormal.
float to_float(half x) {
  const std::uint32_t bits = x.bits();
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  const std::uint32_t finite = __builtin_bit_cast(std::uint32_t, scaled);
  const std::uint32_t special = magnitude | 0x7f800000u;
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  return __builtin_bit_cast(float, sign | ((bits & 0x7c00u) == 0x7c00u ? special : finite));
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

/// A strided matrix as contiguous rows of floats.
template <class In>
void convert(int threads, const In* from, index_t row_stride, index_t column_stride, index_t rows,
             index_t columns, float* to) {
  for_rows(threads, rows, columns, [=](index_t i) {
    const In* const line = from + i * row_stride;
    float* const out = to + i * columns;
    if (column_stride == 1) {
      for (index_t j = 0; j < columns; ++j) out[j] = to_float(line[j]);
    } else {
      for (index_t j = 0; j < columns; ++j) out[j] = to_float(line[j * column_stride]);
    }
  });
}

/// A product in floats of the terms begin .. begin + terms - 1 of one entry.
struct float_product {
  matmul_problem<float> problem;
  float* a;
  float* b;
};

/// What the float kernels compute of an entry: its a and b lie in `scratch` as rows without gaps.
template <class T, class In>
float_product describe(const matmul_problem<T, In>& p, index_t terms, float* memory) {
  float_product result{{}, memory, memory + round_up<index_t>(p.m * terms, 16)};
  matmul_problem<float>& f = result.problem;
  f.m = p.m;
  f.n = p.n;
  f.k = terms;
  f.kernel = p.kernel;
  f.a = result.a;
  f.a_row = terms;
  f.a_column = 1;
  f.b = result.b;
  f.b_row = p.n;
  f.b_column = 1;
  return result;
}

template <class T, class In>
void convert_terms(int threads, const matmul_problem<T, In>& p, index_t entry, index_t begin,
                   const float_product& to) {
  const index_t terms = to.problem.k;
  convert(threads, p.a + entry * p.a_batch + begin * p.a_column, p.a_row, p.a_column, p.m, terms,
          to.a);
  convert(threads, p.b + entry * p.b_batch + begin * p.b_row, p.b_row, p.b_column, terms, p.n,
          to.b);
}

index_t operand_elements(index_t m, index_t n, index_t terms) {
  return round_up<index_t>(m * terms, 16) + round_up<index_t>(terms * n, 16);
}

void multiply(int threads, const matmul_problem<float>& problem) {
  openmp_impl::run_matmul(threads, problem, *openmp_impl::usable_matmul_kernels<float>().front());
}

/// c of floats: the kernels write it themselves.
template <class In>
void multiply_into_floats(int threads, const matmul_problem<float, In>& p) {
  const scratch memory(operand_elements(p.m, p.n, p.k));
  float_product floats = describe(p, p.k, memory.data());
  matmul_problem<float>& f = floats.problem;
  f.alpha = p.alpha;
  f.beta = p.beta;
  f.bias = p.bias;
  f.bias_row = p.bias_row;
  f.bias_column = p.bias_column;
  f.activation = p.activation;
  f.c_row = p.c_row;
  f.c_column = p.c_column;
  for (index_t entry = 0; entry < p.batch; ++entry) {
    convert_terms(threads, p, entry, 0, floats);
    f.c = p.c + entry * p.c_batch;
    multiply(threads, f);
  }
}

/// Products without alpha and beta in scratch, and finish(c, product, row, first) for each row of c
/// and of the product; `first` says whether these are the first terms of k.
template <class T, class In, class Finish>
void multiply_and_finish(int threads, const matmul_problem<T, In>& p, index_t most_terms,
                         const Finish& finish) {
  const index_t longest = tandem::min(p.k, most_terms);
  const scratch memory(operand_elements(p.m, p.n, longest) + p.m * p.n);
  float* const product = memory.data() + operand_elements(p.m, p.n, longest);
  for (index_t entry = 0; entry < p.batch; ++entry) {
    index_t begin = 0;
    do {  // once even for k = 0
      float_product floats = describe(p, tandem::min(most_terms, p.k - begin), memory.data());
      floats.problem.c = product;
      floats.problem.c_row = p.n;
      floats.problem.c_column = 1;
      convert_terms(threads, p, entry, begin, floats);
      multiply(threads, floats.problem);
      T* const c = p.c + entry * p.c_batch;
      for_rows(threads, p.m, p.n,
               [&](index_t i) { finish(c + i * p.c_row, product + i * p.n, i, begin == 0); });
      begin += floats.problem.k;
    } while (begin < p.k);
  }
}

/// One row of c of the type of a and b: alpha, beta and the epilogue in floats, then one rounding.
/// Everything that a loop reads is a local variable, since a c may lie where anything does.
template <class T>
void round_row(const matmul_problem<T, T>& p, T* c, float* product, index_t row) {
  const index_t n = p.n;
  const index_t step = p.c_column;
  const auto combined = [alpha = p.alpha, beta = p.beta](float total, T old) {
    const float scaled = alpha * total;
    return beta != 0 ? tandem::fma(beta, to_float(old), scaled) : scaled;
  };
  detail::matmul_finish<float> finish = detail::finish_of(p);
  if (!finish.has_epilogue()) {
    for (index_t j = 0; j < n; ++j) c[j * step] = T(combined(product[j], c[j * step]));
    return;
  }
  const bool gelu = finish.activation == matmul_activation::gelu;
  if (gelu) finish.activation = matmul_activation::none;
  for (index_t j = 0; j < n; ++j)
    product[j] = finish.finished(combined(product[j], c[j * step]), row, j);
  if (gelu) openmp_impl::apply_gelu(product, n, 1);
  for (index_t j = 0; j < n; ++j) c[j * step] = T(product[j]);
}

template <class T>
void multiply_and_round(int threads, const matmul_problem<T, T>& p) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  multiply_and_finish(
      threads, p, tandem::max<index_t>(p.k, 1),
      [&](T* c, float* product, index_t row, bool) { round_row(p, c, product, row); });
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
