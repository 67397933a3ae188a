// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/matmul.hpp>
#include <tandem/algorithms/parallel_for.hpp>

/// Totals of products whose k is cut, which operations keep until all terms have been added.
namespace tandem::detail {

/// Finishes elements of a product from their totals.
template <class Totals, class C>
struct finish_totals {
  using Sum = typename Totals::value_type;
  Totals totals;
  C c;
  element_epilogue<Sum> finish;

  TANDEM_FUNCTION void operator()(index_t i, index_t j) const {
    const Sum old = finish.reads_c() ? static_cast<Sum>(c(i, j)) : Sum{0};
    c(i, j) = static_cast<typename C::value_type>(finish(totals(i, j), old, i, j));
  }
};

/// Computes elements of c, a matrix, from the totals of their products.
template <class Space, class Totals, class C, class Options>
void finish_product(const Space& space, const Totals& totals, const C& c, const Options& options) {
  element_epilogue<typename Totals::value_type> finish{
      .alpha = options.alpha, .beta = options.beta, .activation = options.epilogue.activation};
  if (const auto& bias = options.epilogue.bias) {
    finish.bias = bias->data_handle();
    finish.bias_column = bias->stride(0);
  }
  run_loop(space, "matmul", grid{c.extent(0), c.extent(1)},
           finish_totals<Totals, C>{totals, c, finish});
}

/// Adds the chains of successive chunks to totals, in ascending order.
template <class Sum>
struct add_chains {
  static constexpr index_t ahead = 16;  ///< loads that do not wait for each other

  Sum* totals;
  const Sum* chains;  ///< `count` times as many as there are totals
  index_t elements;
  index_t count;
  bool is_first;  ///< no terms have been added before: the first chain is the total

  TANDEM_FUNCTION void operator()(index_t i) const {
    Sum total = is_first ? chains[i] : add_totals(totals[i], chains[i]);
    index_t q = 1;
    for (; q + ahead <= count; q += ahead) {
      Sum next[ahead];
      for (index_t u = 0; u < ahead; ++u) next[u] = chains[(q + u) * elements + i];
      for (const Sum one : next) total = add_totals(total, one);
    }
    for (; q < count; ++q) total = add_totals(total, chains[q * elements + i]);
    totals[i] = total;
  }
};

}  // namespace tandem::detail
