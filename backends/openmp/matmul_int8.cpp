// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_int8.hpp>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/instruction_set.hpp>
#include <tandem/backends/openmp/matmul_driver.hpp>
#include <tandem/backends/openmp/matmul_form.hpp>
#include <tandem/backends/openmp/matmul_int8_driver.hpp>
#include <tandem/backends/openmp/matmul_memory.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_finish.hpp>

namespace tandem {
namespace openmp_impl {
namespace {

using int8_problem = matmul_problem<std::int32_t, std::int8_t>;

/// Bytes of packed operands that are worth a fork: one core takes about 5 us.
constexpr index_t fork_bytes = index_t{1} << 16;

/// Bytes of packed operands that a thread keeps for its next call.
constexpr std::size_t kept_bytes = std::size_t{64} << 20;

thread_local matmul_memory own_memory;

/// Lines that are packed in one go: a row of a is looked at again where its sums need a start.
constexpr index_t run_lines = 64;

/// Packs the share of `lines` lines that is a thread's: of each entry as many, calls pack(entry,
/// first, count) for runs of lines of one entry.
template <class Pack>
void pack_share(index_t entries, index_t lines, int part, int parts, const Pack& pack) {
  const share mine = share_of(entries * lines, part, parts);
  for (index_t at = mine.begin; at < mine.end;) {
    const index_t first = at % lines;
    const index_t count = tandem::min(tandem::min(lines - first, mine.end - at), run_lines);
    pack(at / lines, first, count);
    at += count;
  }
}

/// A problem and where its operands are packed, entry after entry without gaps.
struct int8_packing {
  const int8_problem& p;
  const int8_kernels& kernels;
  index_t elements;  ///< that hold the terms of a row
  index_t front;     ///< elements in front of a row of a: what its sums begin with
  index_t a_entries;
  index_t b_entries;

  int8_packing(const int8_problem& problem, const int8_kernels& with)
      : p(problem),
        kernels(with),
        elements(ceil_div<index_t>(p.k, kernels.terms)),
        front(kernels.start != nullptr ? 1 : 0),
        a_entries(p.a_batch == 0 ? 1 : p.batch),
        b_entries(p.b_batch == 0 ? 1 : p.batch) {}

  index_t a_row() const { return front + elements; }
  index_t a_size() const { return p.m * a_row(); }
  index_t b_size() const { return elements * p.n; }
  /// Of all entries of a, b behind them aligned to a cache line.
  index_t a_sizes() const { return round_up<index_t>(a_entries * a_size(), 16); }
  index_t sizes() const { return a_sizes() + b_entries * b_size(); }

  void pack_a(std::int32_t* to, index_t entry, index_t row, index_t rows) const {
    std::int32_t* const first = to + entry * a_size() + row * a_row() + front;
    kernels.pack_a({.source = p.a + entry * p.a_batch + row * p.a_row,
                    .across = p.a_row,
                    .along = p.a_column,
                    .count = rows,
                    .terms = p.k,
                    .to = first,
                    .stride = a_row()});
    if (kernels.start != nullptr) kernels.start(first, a_row(), rows, elements);
  }

  void pack_b(std::int32_t* to, index_t entry, index_t first, index_t count) const {
    const index_t term = first * kernels.terms;
    kernels.pack_b({.source = p.b + entry * p.b_batch + term * p.b_row,
                    .across = p.b_column,
                    .along = p.b_row,
                    .count = p.n,
                    .terms = tandem::min(count * kernels.terms, p.k - term),
                    .to = to + entry * b_size() + first * p.n,
                    .stride = p.n});
  }

  void pack(int threads, std::int32_t* memory) const {
    const index_t bytes = sizes() * static_cast<index_t>(sizeof(std::int32_t));
    fork(bytes < fork_bytes ? 1 : threads, [&](int part, int parts) {
      pack_share(a_entries, p.m, part, parts, [&](index_t entry, index_t row, index_t rows) {
        pack_a(memory, entry, row, rows);
      });
      pack_share(b_entries, elements, part, parts,
                 [&](index_t entry, index_t first, index_t count) {
                   pack_b(memory + a_sizes(), entry, first, count);
                 });
    });
  }

  /// The product of the packed elements.
  matmul_problem<std::int32_t> product(const std::int32_t* memory) const {
    matmul_problem<std::int32_t> q;
    q.batch = p.batch;
    q.m = p.m;
    q.n = p.n;
    q.k = elements;
    q.alpha = p.alpha;
    q.beta = p.beta;
    q.a = memory + front;
    q.a_batch = a_entries > 1 ? a_size() : 0;
    q.a_row = a_row();
    q.a_column = 1;
    q.b = memory + a_sizes();
    q.b_batch = b_entries > 1 ? b_size() : 0;
    q.b_row = p.n;
    q.b_column = 1;
    q.c = p.c;
    q.c_batch = p.c_batch;
    q.c_row = p.c_row;
    q.c_column = p.c_column;
    q.bias = p.bias;
    q.bias_row = p.bias_row;
    q.bias_column = p.bias_column;
    q.activation = p.activation;
    return q;
  }
};

/// matmul_kernel::naive: one element after another, from where a and b lie.
void run_naive(int threads, const int8_problem& p) {
  const detail::matmul_finish<std::int32_t> finish = detail::finish_of(p);
  fork(threads, [&](int part, int parts) {
    const share mine = share_of(p.batch * p.m, part, parts);
    for (index_t at = mine.begin; at < mine.end; ++at) {
      const index_t entry = at / p.m;
      const index_t i = at % p.m;
      const std::int8_t* const a = p.a + entry * p.a_batch + i * p.a_row;
      for (index_t j = 0; j < p.n; ++j) {
        const std::int8_t* const b = p.b + entry * p.b_batch + j * p.b_column;
        std::uint32_t total = 0;
        for (index_t l = 0; l < p.k; ++l)
          total += static_cast<std::uint32_t>(a[l * p.a_column] * b[l * p.b_row]);
        std::int32_t& c = p.c[entry * p.c_batch + i * p.c_row + j * p.c_column];
        c = finish(static_cast<std::int32_t>(total), finish.reads_c() ? c : 0, i, j);
      }
    }
  });
}

}  // namespace

void run_int8_matmul(int threads, const int8_problem& problem, const int8_kernels& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem);
  // Before they are packed: a and b are packed in different ways.
  const int8_problem p = in_best_form(problem, kernels.products.lanes);
  const int8_packing packing(p, kernels);
  const auto bytes = static_cast<std::size_t>(packing.sizes()) * sizeof(std::int32_t);
  auto* const memory = static_cast<std::int32_t*>(own_memory.at_least(bytes));
  const matmul_problem<std::int32_t> product = packing.product(memory);
  // As many threads for both: GNU's runtime ends and starts some where a team has another size.
  packing.pack(useful_threads(threads, product), memory);
  run_in_best_form(threads, product, kernels.products);
  own_memory.keep_at_most(kept_bytes);
}

const std::vector<const int8_kernels*>& usable_int8_kernels() {
  static const std::vector<const int8_kernels*> kernels = [] {
    std::vector<const int8_kernels*> usable;
#if defined(__x86_64__)
    if (has_avx512_vnni()) usable.push_back(&matmul_int8_avx512_vnni);
    if (has_avx_vnni()) usable.push_back(&matmul_int8_avx_vnni);
    if (widest_instruction_set() >= instruction_set::avx2) usable.push_back(&matmul_int8_avx2);
#endif
    usable.push_back(&matmul_int8_baseline);
    return usable;
  }();
  return kernels;
}

}  // namespace openmp_impl

void dispatch_matmul(const openmp& space, const openmp_impl::int8_problem& problem) {
  openmp_impl::run_int8_matmul(space.threads(), problem,
                               *openmp_impl::usable_int8_kernels().front());
}

}  // namespace tandem
