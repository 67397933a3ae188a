// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/matmul.hpp>
#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/generic/matmul.hpp>
#include <tandem/core/view/subview.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace tandem {

/// Post-processing of each element of alpha * a b + beta * c before it is stored: adds the bias,
/// then applies the activation. Both use matmul's accumulator type, so an element of half or bf16
/// is rounded once, after the epilogue.
///
/// T       the accumulator type of matmul: the elements of c, or float for half and bf16
/// Memory  that of the space
///
/// Written as `.epilogue = tandem::bias(v)`, `tandem::bias(v, matmul_activation::relu)`, or
/// `{.activation = matmul_activation::gelu}`.
template <class T, class Memory>
struct matmul_epilogue {
  /// One element per column of c, added to each row of each product; any stride.
  std::optional<view<const T, 1, layout_stride, Memory>> bias = std::nullopt;
  matmul_activation activation = matmul_activation::none;

  /// Converts to the epilogue of any space that can access these elements: one in pinned memory
  /// serves a host and a device.
  template <class Sum, class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): the same epilogue, on another space.
  constexpr operator matmul_epilogue<Sum, Other>() const {
    constexpr bool reached = memory_convertible<Memory, Other>;
    constexpr bool added = std::is_same_v<T, Sum>;
    static_assert(reached, "tandem: matmul: the space cannot reach the memory of the bias");
    static_assert(added,
                  "tandem: matmul: a bias has elements of c's type, float for half and bf16");
    matmul_epilogue<Sum, Other> result{.activation = activation};
    if constexpr (reached && added) result.bias = bias;
    return result;
  }
};

/// Makes an epilogue that adds v(j) to column j of c and then applies `activation`.
///
/// @param v           as many elements as c has columns, of c's type or, for half and bf16, float;
///                    any stride; in memory that the space can access; it must not overlap c
/// @param activation  matmul_activation::none, relu or gelu, applied to the sum
/// Complexity         constant: matmul reads v
template <viewable V>
matmul_epilogue<element_of<V>, typename as_view_t<V>::memory_type> bias(
    V&& v, matmul_activation activation = matmul_activation::none) {
  static_assert(as_view_t<V>::rank() == 1, "tandem: matmul: a bias has one dimension");
  return {.bias = as_view(std::forward<V>(v)), .activation = activation};
}

/// How matmul combines its product with c: c = epilogue(alpha * a b + beta * c). With beta = 0, c
/// is not read.
///
/// `precision` applies to float only; products of other types are computed in one way only.
///
/// `split_k` is for few elements of c with a long k, of half, bf16 or tf32 on a GPU. It changes the
/// order in which tensor cores add: k is cut into chunks of 1024 terms, as it is beyond 16384, so
/// that separate blocks may process them, instead of being one chain. An element's bits still
/// depend only on its row of a, its column of b and k, but they are those of the chunked order.
/// Everything else has a fixed order that is cut already, and ignores `split_k`: float at full
/// precision, bf16x6, bf16x9, double, integers, and every product on a host.
template <class T, class Memory = default_space::memory_type>
struct matmul_options {
  T alpha = T{1};
  T beta = T{0};
  matmul_precision precision = matmul_precision::full;
  matmul_epilogue<T, Memory> epilogue = {};
  matmul_kernel kernel = matmul_kernel::automatic;
  bool split_k = false;
};

namespace detail {

/// Calls f on each element of c in place.
template <class View, class Function>
struct matmul_function {
  static constexpr bool batched = View::rank() == 3;
  View c;
  Function f;

  TANDEM_FUNCTION void operator()(index_t p, index_t i, index_t j) const {
    if constexpr (batched) {
      replace(c(p, i, j), i, j);
    } else {
      replace(c(i, j), i, j);
    }
  }

 private:
  using T = typename View::value_type;
  TANDEM_FUNCTION void replace(T& x, index_t i, index_t j) const {
    if constexpr (std::is_invocable_v<const Function&, T>) {
      x = static_cast<T>(f(x));
    } else {
      x = static_cast<T>(f(i, j, x));
    }
  }
};

template <class Space, class View, class Function>
void finish_by_function(const Space& space, const View& c, const Function& f) {
  constexpr int rows = View::rank() - 2;
  constexpr const char* name = "matmul (function)";
  const grid<3> elements{rows == 1 ? c.extent(0) : 1, c.extent(rows), c.extent(rows + 1)};
  run(space, call{name, profile_kind::loop, sizes_of(elements), validated{c},
                  [&] { return elements.size() > 0; },
                  [&] {
                    dispatch_for(space, name, elements, matmul_function<View, Function>{c, f});
                  }});
}

/// Distance between consecutive matrices of a batch; 0 if one matrix serves all products.
template <class View>
index_t batch_stride(const View& v) {
  return View::rank() == 3 ? v.stride(0) : 0;
}

/// The validated product as backends receive it.
template <class A, class B, class C, class Options>
auto describe_matmul(const A& a, const B& b, const C& c, const Options& options) {
  constexpr int ra = A::rank() - 2;
  constexpr int rb = B::rank() - 2;
  constexpr int rc = C::rank() - 2;
  matmul_problem<typename C::value_type, typename A::value_type> problem;
  problem.batch = rc == 1 ? c.extent(0) : 1;
  problem.m = c.extent(rc);
  problem.n = c.extent(rc + 1);
  problem.k = a.extent(ra + 1);
  problem.alpha = options.alpha;
  problem.beta = options.beta;
  problem.kernel = options.kernel;
  problem.precision = options.precision;
  problem.split_k = options.split_k;
  problem.activation = options.epilogue.activation;
  if (const auto& bias = options.epilogue.bias) {
    problem.bias = bias->data_handle();
    problem.bias_column = bias->stride(0);
  }
  problem.a = a.data_handle();
  problem.a_batch = batch_stride(a);
  problem.a_row = a.stride(ra);
  problem.a_column = a.stride(ra + 1);
  problem.b = b.data_handle();
  problem.b_batch = batch_stride(b);
  problem.b_row = b.stride(rb);
  problem.b_column = b.stride(rb + 1);
  problem.c = c.data_handle();
  problem.c_batch = batch_stride(c);
  problem.c_row = c.stride(rc);
  problem.c_column = c.stride(rc + 1);
  return problem;
}

template <class Space, class A, class B, class C, class Options>
void run_matmul(const Space& space, const A& a, const B& b, const C& c, const Options& options) {
  const auto check = [&] {
    require_matmul_shapes(a, b, c);
    require(!overlaps(a, c), "matmul", "c overlaps a");
    require(!overlaps(b, c), "matmul", "c overlaps b");
    require_epilogue(space, c, options.epilogue);
    return !c.empty();
  };
  const auto problem = describe_matmul(a, b, c, options);
  const auto multiply = [&] {
    if constexpr (checks_kernels<Space>) {
      if (problem.beta != 0) require_written(title_of(space, "matmul"), "c", c);
    }
    if constexpr (uses_hook<Space, matmul_products::hook_for<typename A::value_type>()>()) {
      dispatch_matmul(space, problem);
    } else {
      multiply_generically(space, problem);
    }
  };
  run(space, call{"matmul",
                  profile_kind::region,
                  {problem.m, problem.n, problem.k, problem.batch},
                  operands{input{"a", a}, input{"b", b}, output{"c", c}},
                  check,
                  multiply});
}

/// Whether these operands can be multiplied; if not, reports why in one line.
template <class A, class B, class C>
consteval bool check_matmul_operands() {
  constexpr bool elements = matmul_element_type<typename C::element_type>;
  constexpr bool fitting_elements = elements_fit_c<A, B, C>;
  constexpr bool ranks = matrices_for<C, C> && matrices_for<A, C> && matrices_for<B, C>;
  static_assert(elements,
                "tandem: matmul: the elements of c are float, double, half, bf16 or std::int32_t, "
                "and not const");
  static_assert(fitting_elements,
                "tandem: matmul: the elements of a, b and c do not fit: all of one "
                "type, half or bf16 into float, or std::int8_t into std::int32_t");
  static_assert(ranks, "tandem: matmul: c has rank 2 or 3, a and b have rank 2 or that of c");
  return elements && fitting_elements && ranks;
}

/// Whether they can be multiplied on Space; if not, reports why.
template <class Space, class A, class B, class C>
consteval bool check_matmul_types() {
  constexpr bool reached = can_access<Space, typename A::memory_type> &&
                           can_access<Space, typename B::memory_type> &&
                           can_access<Space, typename C::memory_type>;
  static_assert(reached, "tandem: matmul: the space cannot reach the memory of a, b or c");
  return check_matmul_operands<A, B, C>() && reached;
}

/// The options of a product whose bias is in another memory: all of them but the bias.
template <class Memory, class Sum, class GivenMemory>
matmul_options<Sum, Memory> without_bias(const matmul_options<Sum, GivenMemory>& given) {
  matmul_options<Sum, Memory> options{.alpha = given.alpha,
                                      .beta = given.beta,
                                      .precision = given.precision,
                                      .kernel = given.kernel,
                                      .split_k = given.split_k};
  options.epilogue.activation = given.epilogue.activation;
  return options;
}

/// Adds the product of a and b to the totals of earlier terms in c, of the accumulator's type: c =
/// (c + chain_0) + chain_1 + .., with the chains of chunks in ascending order. So products of
/// successive pieces of k, all but the last of whole chunks, give the total of all of k, bit for
/// bit: the first one by matmul(), all others by this. A backend may have a kernel for all chunks
/// (hook::matmul_chunks). Otherwise each is a product with beta = 1, since fma(1, c, chain) is c +
/// chain. Integers are exact in any order.
///
/// Operands are valid and not empty. half, bf16 and tf32 on tensor cores have more than one chunk
/// only for long k (matmul_piece).
template <class Space, class A, class B, class C, class Options>
void add_product(const Space& space, const A& a, const B& b, const C& c, const Options& options) {
  using Sum = typename C::value_type;
  const index_t k = a.extent(A::rank() - 1);
  if constexpr (!std::is_integral_v<Sum> && uses_hook<Space, hook::matmul_chunks>()) {
    const bool in_full = options.precision == matmul_precision::full;
    if (in_full && options.kernel == matmul_kernel::automatic) {
      const auto problem = describe_matmul(a, b, c, Options{});
      bool enqueued = false;
      run(space, call{"matmul",
                      profile_kind::region,
                      {problem.m, problem.n, problem.k, problem.batch},
                      operands{validated{c}},
                      no_precondition{},
                      [&] { enqueued = dispatch_matmul_chunks(space, problem); }});
      if (enqueued) return;
    }
  }
  const index_t step = std::is_integral_v<Sum> ? max(k, index_t{1}) : matmul_chunk;
  for (index_t first = 0; first < k; first += step) {
    const slice terms{first, min(first + step, k)};
    const auto part = [](const auto& v, const auto&... chosen) {
      if constexpr (std::remove_cvref_t<decltype(v)>::rank() == 3) {
        return subview(v, all, chosen...);
      } else {
        return subview(v, chosen...);
      }
    };
    run_matmul(space, part(a, all, terms), part(b, terms, all), c,
               Options{.beta = Sum{1}, .precision = options.precision, .kernel = options.kernel});
  }
}

/// The options that matmul on Space accepts for the operand C.
template <class Space, class C>
using matmul_options_for = matmul_options<matmul_sum_t<element_of<C>>, typename Space::memory_type>;

}  // namespace detail

/// Computes c = epilogue(alpha * a b + beta * c). Elements are float, double, half or bf16, the
/// latter two also with a c of float, or std::int8_t with a c of std::int32_t.
///
/// @param a        m x k: a view or an array of any layout and strides, also of const elements
/// @param b        k x n, likewise
/// @param c        m x n; its elements overlap neither each other nor a, b or the bias
/// @param options  {.alpha, .beta, .precision, .epilogue, .kernel, .split_k}; alpha, beta and the
///                 bias are floats for half and bf16
/// Batches         rank-3 views hold one product per index of the first dimension; with a rank-3 c,
///                 a rank-2 a or b serves every product
/// Agreement       float at full precision, double and integers: the same bits on every backend.
///                 Each element is a sum of chains of 1024 fused multiply-adds in ascending k,
///                 added in order; integers are exact, modulo 2^32. half and bf16 accumulate in
///                 float, on the host by the same chains and on a device by its tensor cores; so do
///                 products with a reduced `.precision` (docs/numerics.md has the error bounds). In
///                 every case an element's bits depend only on its row of a, its column of b, c and
///                 the options, not on m, n or the batch
/// Errors          extent_error if shapes differ, that of the bias included; argument_error for
///                 null data, a c that overlaps, memory that the space cannot access, gelu of
///                 integers; out_of_memory_error for scratch. Nothing is written then
/// Complexity      2 m n k operations per product; reads c only if beta is not 0. Scratch: none on
///                 serial; elsewhere at most packed copies of a and b, or of parts of them, and
///                 partial sums of c, several if k is split
/// Asynchronous on `space`. With k = 0, c becomes the epilogue of beta * c.
template <execution_space Space, viewable A, viewable B, viewable C>
void matmul(const Space& space, A&& a, B&& b, C&& c,
            const detail::matmul_options_for<Space, C>& options = {}) {
  const auto left = detail::read_only(as_view(std::forward<A>(a)));
  const auto right = detail::read_only(as_view(std::forward<B>(b)));
  const auto product = as_view(std::forward<C>(c));
  // One readable line is enough: do not instantiate what is known to be wrong.
  if constexpr (detail::check_matmul_types<Space, std::remove_const_t<decltype(left)>,
                                           std::remove_const_t<decltype(right)>, as_view_t<C>>())
    detail::run_matmul(space, left, right, product, options);
}

/// Computes the product, then applies f to each finished element: c(i, j) = f(c(i, j)) or
/// f(i, j, c(i, j)) with the row i and the column j, also in a batch.
///
/// @param a, b, c, options  as for the product alone
/// @param f                 a lambda (TANDEM_LAMBDA) or a function object, as parallel_for takes;
///                          its result is converted to c's elements, and refused if that narrows
///                          it. It receives each element as stored: rounded, for half and bf16
/// Errors                   those of the product
/// Complexity               that of the product, and a pass that reads and writes c once
template <execution_space Space, viewable A, viewable B, viewable C, class Function>
void matmul(const Space& space, A&& a, B&& b, C&& c,
            const detail::matmul_options_for<Space, C>& options, const Function& f) {
  constexpr bool callable =
      detail::finishes_elements<Function, typename as_view_t<C>::element_type>;
  static_assert(callable,
                "tandem: matmul: f takes an element of c, or its row, its column and the element");
  static_assert(detail::compiles_loops<Space>,
                "tandem: loops of this backend over lambdas need this file compiled by the "
                "backend's own compiler (tandem_add_sources in CMake does so)");
  using T = element_of<C>;
  constexpr bool can_run = detail::check_kernel<Function, Space>() &&
                           detail::check_result_stored<T, Function, T>() &&
                           detail::check_result_stored<T, Function, index_t, index_t, T>();
  if constexpr (callable && runs_loops<Space> && can_run) {
    const auto product = as_view(std::forward<C>(c));
    matmul(space, std::forward<A>(a), std::forward<B>(b), product, options);
    detail::finish_by_function(space, product, f);
  }
}

/// Calls matmul(space, a, b, c, options, f) on the default space.
template <viewable A, viewable B, viewable C, class... Function>
  requires(sizeof...(Function) <= 1)
void matmul(A&& a, B&& b, C&& c, const detail::matmul_options_for<default_space, C>& options = {},
            const Function&... f) {
  matmul(detail::here(), std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), options, f...);
}

}  // namespace tandem
