// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul of each element type, any layout, batch and epilogue, on one space and streamed.

#include <tuple>

#include <tandem/distributed.hpp>

#include "fuzz/oracles_matmul.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most_products = index_t{1} << 21;

/// The type in which products are accumulated.
template <class T>
using sum_of = std::conditional_t<is_16bit_float<T>, float, T>;

/// Whether the space computes these products with tensor cores, whose bits are not promised.
template <class Space, class In>
bool is_rounded(matmul_precision precision) {
  const bool device = Space::memory_type::kind != memory_kind::host;
  return device && (is_16bit_float<In> || precision != matmul_precision::full);
}

/// A function of row, column and element, applied to each finished element.
template <class T>
struct add_position {
  TANDEM_FUNCTION T operator()(index_t i, index_t j, T x) const {
    return static_cast<T>(static_cast<sum_of<T>>(x) + static_cast<sum_of<T>>(i % 3 - j % 2));
  }
};

/// Multiplies operands in memory of the space, or streams them from the host within any budget.
template <class T, class In, bool IsStreamed = false>
struct products {
  using S = sum_of<T>;
  template <class Space>
  using home = std::conditional_t<IsStreamed, serial, Space>;
  static constexpr bool whole = std::is_integral_v<S>;

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const bool batched = d.one_in("batched", 3);
    const index_t batch = batched ? d.number("batch", 0, 4) : 1;
    const index_t m = d.size("m", d.one_in("tall", 8) ? 5000 : 200, sizeof(In));
    const index_t n = d.size("n", std::min<index_t>(300, most_products / (m + 1)), sizeof(In));
    const index_t k = d.size(
        "k", std::min<index_t>(20000, most_products / (m * n * std::max<index_t>(batch, 1) + 1)),
        sizeof(In));
    if (!batched) return multiply<2, 2, 2>(d, space, {m, k}, {k, n}, {m, n});
    switch (d.pick("shared", {"none", "a", "b"})) {
      case 0:
        return multiply<3, 3, 3>(d, space, {batch, m, k}, {batch, k, n}, {batch, m, n});
      case 1:
        return multiply<2, 3, 3>(d, space, {m, k}, {batch, k, n}, {batch, m, n});
      default:
        return multiply<3, 2, 3>(d, space, {batch, m, k}, {k, n}, {batch, m, n});
    }
  }

 private:
  template <int RankA, int RankB, int Rank, class Space>
  static bool multiply(draw& d, const Space& space, extents<RankA> a_sizes, extents<RankB> b_sizes,
                       extents<Rank> c_sizes) {
    using Home = home<Space>;
    matmul_options<S, typename Home::memory_type> options;
    options.precision = draw_precision(d);
    options.split_k = d.one_in("split_k", 3);
    const bool inexact = is_rounded<Space, In>(options.precision);
    const Home& place = [&]() -> const Home& {
      if constexpr (IsStreamed) {
        static const serial host;
        return host;
      } else {
        return space;
      }
    }();
    placed<In, RankA, Home> a(place, draw_placement(d, "a", a_sizes, false),
                              draw_values(d, "a.values", inexact));
    placed<In, RankB, Home> b(place, draw_placement(d, "b", b_sizes, false),
                              draw_values(d, "b.values", inexact));
    placed<T, Rank, Home> c(place, draw_placement(d, "c", c_sizes, true),
                            draw_values(d, "c.values", inexact));
    const index_t n = c_sizes[Rank - 1];
    placed<S, 1, Home> bias(place, draw_placement(d, "bias", extents<1>(n), false),
                            draw_values(d, "bias.values", inexact));
    const oracle::finish<S> finish = draw_finish(d);
    options.alpha = finish.alpha;
    options.beta = finish.beta;
    options.epilogue.activation = static_cast<matmul_activation>(finish.activation);
    if (finish.has_bias)
      options.epilogue = tandem::bias(bias.strided(), options.epilogue.activation);
    const bool with_function = !IsStreamed && d.one_in("function", 5);
    a.upload(place);
    b.upload(place);
    bias.upload(place);
    if constexpr (IsStreamed) {
      c.upload(place);
      stream(d, space, a, b, c, options);
    } else {
      run(
          space, draw_way(d), [&] { c.upload(space); },
          [&](const Space& s) {
            if (with_function) {
              matmul(s, a.strided(), b.strided(), c.strided(), options, add_position<T>{});
            } else if (a.is_packed() && b.is_packed() && c.is_packed()) {
              matmul(s, a.packed(), b.packed(), c.packed(), options);
            } else {
              matmul(s, a.strided(), b.strided(), c.strided(), options);
            }
          });
    }
    judge(place, a, b, c, bias, finish, options.precision, inexact, with_function);
    return true;
  }

  /// Streams the product through one or several devices, again with a larger budget if an element
  /// does not fit.
  template <class Space, class A, class B, class C, class Options>
  static void stream(draw& d, const Space& space, A& a, B& b, C& c, const Options& options) {
    std::vector<Space> devices;
    const index_t count = d.number("devices", 1, 4);
    for (index_t p = 0; p < count; ++p) devices.push_back(second_stream(space));
    const group<Space> members(std::move(devices));
    auto budget = static_cast<std::size_t>(d.number("budget", 1, 1 << 16)) * 64;
    const auto go = [&](std::size_t bytes) {
      matmul(streamed<Space>(members, {.budget = bytes}), a.strided(), b.strided(), c.strided(),
             options);
    };
    try {
      go(budget);
    } catch (const argument_error&) {
      go(budget + (std::size_t{8} << 20));
    }
  }

  static matmul_precision draw_precision(draw& d) {
    if (!std::is_same_v<In, float>) return matmul_precision::full;
    constexpr matmul_precision all[] = {matmul_precision::full, matmul_precision::full,
                                        matmul_precision::tf32, matmul_precision::bf16x6,
                                        matmul_precision::bf16x9};
    return all[d.pick("precision", {"full", "default", "tf32", "bf16x6", "bf16x9"})];
  }

  static oracle::finish<S> draw_finish(draw& d) {
    oracle::finish<S> f;
    const S alphas[] = {S(1), S(-1), S(3), S(0), static_cast<S>(whole ? 7 : -0.75)};
    const S betas[] = {S(0), S(1), S(-2), static_cast<S>(whole ? 5 : 1.25)};
    f.alpha = alphas[d.number("alpha", 0, 4)];
    f.beta = betas[d.number("beta", 0, 3)];
    f.has_bias = d.one_in("has_bias", 2);
    f.activation = d.pick("activation", {"none", "relu", "gelu"});
    if (whole && f.activation == 2) f.activation = 0;
    return f;
  }

  /// Compares every element with the oracle's.
  template <class Space, class A, class B, class C, class Bias>
  static void judge(const Space& space, A& a, B& b, C& c, Bias& bias,
                    const oracle::finish<S>& finish, matmul_precision precision, bool inexact,
                    bool with_function) {
    const auto size = c.strided().extents();
    constexpr int rank = decltype(c.strided())::rank();
    const index_t m = size[rank - 2];
    const index_t n = size[rank - 1];
    const auto a_size = a.strided().extents();
    const index_t k = a_size[decltype(a.strided())::rank() - 1];
    const index_t a_batch = decltype(a.strided())::rank() == 3 ? m * k : 0;
    const index_t b_batch = decltype(b.strided())::rank() == 3 ? n * k : 0;
    const std::vector<T> results = c.download(space);
    std::vector<In> row(static_cast<std::size_t>(k));
    std::vector<In> column(row);
    for (index_t at = 0; at < c.size(); ++at) {
      const index_t p = at / (m * n);
      const index_t i = at / n % m;
      const index_t j = at % n;
      for (index_t l = 0; l < k; ++l) {
        row[static_cast<std::size_t>(l)] = a(p * a_batch + i * k + l);
        column[static_cast<std::size_t>(l)] = b(p * b_batch + l * n + j);
      }
      const auto old = static_cast<S>(c(at));
      const S added = finish.has_bias ? bias(j) : S{};
      const T result = results[static_cast<std::size_t>(c.place(at))];
      T& expected = c.expected(at);
      if (inexact || finish.activation == 2) {
        if (!with_function)
          require_near(result, row, column, finish, old, added, precision, inexact);
        expected = result;
        continue;
      }
      const S r = oracle::finished(oracle::total<S>(row, column), finish, old, added);
      expected = stored(r);
      if (with_function) expected = add_position<T>{}(i, j, expected);
    }
    require_same(results, c.expected_buffer(), "buffer of c");
  }

  static T stored(S r) {
    if constexpr (is_16bit_float<T>) {
      return T(static_cast<float>(oracle::nearest_16bit<T>(static_cast<double>(r))));
    } else {
      return r;
    }
  }

  /// Requires results within the error bounds of the page, if it does not promise bits or does not
  /// state gelu's.
  static void require_near(T result, const std::vector<In>& row, const std::vector<In>& column,
                           const oracle::finish<S>& f, S old, S added, matmul_precision precision,
                           bool inexact) {
    if constexpr (!whole) {
      double bound = 0;
      double r = 0;
      if (inexact) {
        std::tie(r, bound) =
            oracle::bounded_element<S>(row, column, f, old, added,
                                       precision == matmul_precision::tf32     ? 0x1.03p-10
                                       : precision == matmul_precision::bf16x6 ? 0x1p-25
                                                                               : 0);
      } else {
        r = oracle::finished(oracle::total<S>(row, column), f, old, added);
      }
      oracle::require_activated<T, S>(result, r, bound, f.activation);
    }
  }
};

const registered all[] = {
    {"matmul-float", on_a_space<products<float, float>>},
    {"matmul-double", on_a_space<products<double, double>>},
    {"matmul-half", on_a_space<products<half, half>>},
    {"matmul-bf16", on_a_space<products<bf16, bf16>>},
    {"matmul-half-float", on_a_space<products<float, half>>},
    {"matmul-bf16-float", on_a_space<products<float, bf16>>},
    {"matmul-int8", on_a_space<products<std::int32_t, std::int8_t>>},
    {"matmul-streamed-float", on_a_space<products<float, float, true>>},
    {"matmul-streamed-double", on_a_space<products<double, double, true>>},
    {"matmul-streamed-bf16", on_a_space<products<bf16, bf16, true>>},
    {"matmul-streamed-half-float", on_a_space<products<float, half, true>>},
    {"matmul-streamed-int8", on_a_space<products<std::int32_t, std::int8_t, true>>},
};

}  // namespace
}  // namespace tandem::fuzz
