// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// polynomial, fused_dot and the arithmetic of complex numbers in kernels; sums, dot products and
// scans of complex elements.

#include <cmath>

#include "fuzz/oracles.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 15;

template <class T>
struct fused_answers {
  T constant;
  T line;
  T septic;
  T one;
  T two;
  T four;
};

/// Polynomials and dot products with coefficients from the elements that follow.
template <class T, class Memory>
struct compute_fused {
  view<const T, 1, layout_right, Memory> x;
  view<fused_answers<T>, 1, layout_right, Memory> y;

  TANDEM_FUNCTION void operator()(index_t i) const {
    T c[8];
    for (int k = 0; k < 8; ++k) c[k] = x(i + k);
    fused_answers<T> r;
    r.constant = polynomial(c[7], c[0]);
    r.line = polynomial(c[7], c[0], c[1]);
    r.septic = polynomial(c[7], c[0], c[1], c[2], c[3], c[4], c[5], c[6], 0.5);
    r.one = fused_dot(c[0], c[1]);
    r.two = fused_dot(c[0], c[1], c[2], c[3]);
    r.four = fused_dot(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    y(i) = r;
  }
};

/// Horner's rule from the highest coefficient down, p = fma(p, x, c).
template <class T>
T horner(T x, const std::vector<T>& c) {
  T p = c.back();
  for (std::size_t k = c.size() - 1; k-- > 0;) p = std::fma(p, x, c[k]);
  return p;
}

/// a0 * b0, rounded, then fma(a, b, sum) for each pair in turn.
template <class T>
T pair_sum(const std::vector<T>& c, std::size_t pairs) {
  const volatile T product = c[0] * c[1];
  T sum = product;
  for (std::size_t k = 1; k < pairs; ++k) sum = std::fma(c[2 * k], c[2 * k + 1], sum);
  return sum;
}

template <class T>
struct fusions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const index_t n = d.number("n", 1, 3000);
    placed<T, 1, Space> x(space, {extents<1>(n + 7), extents<1>(1), guard, n + 7 + 2 * guard},
                          draw_values(d, "values"));
    x.upload(space);
    array<fused_answers<T>, 1, Space> y(extents<1>(n), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, n, compute_fused<T, memory>{x.packed(), y.view()});
        });
    const auto results = to_vector(space, y);
    for (index_t i = 0; i < n; ++i) {
      std::vector<T> c;
      for (index_t k = 0; k < 8; ++k) c.push_back(x(i + k));
      require(results[static_cast<std::size_t>(i)], c);
    }
    return true;
  }

 private:
  static void require(const fused_answers<T>& r, const std::vector<T>& c) {
    std::vector<T> septic(c.begin(), c.end() - 1);
    septic.push_back(T(0.5));
    require_same(r.constant, c[0], "polynomial of degree 0");
    require_same(r.line, horner(c[7], {c[0], c[1]}), "polynomial of degree 1");
    require_same(r.septic, horner(c[7], septic), "polynomial of degree 7");
    require_same(r.one, pair_sum(c, 1), "fused_dot of one pair");
    require_same(r.two, pair_sum(c, 2), "fused_dot of two pairs");
    require_same(r.four, pair_sum(c, 4), "fused_dot of four pairs");
  }
};

/// A complex number of the oracle: two parts, each operation rounded.
template <class T>
struct parts {
  T re;
  T im;
};
template <class T>
parts<T> parts_of(const complex<T>& z) {
  return {z.real(), z.imag()};
}
template <class T>
complex<T> whole(const parts<T>& z) {
  return {z.re, z.im};
}
template <class T>
parts<T> plus(const parts<T>& a, const parts<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
struct add_parts {
  template <class T>
  parts<T> operator()(const parts<T>& a, const parts<T>& b) const {
    return plus(a, b);
  }
};
template <class T>
parts<T> times(const parts<T>& a, const parts<T>& b) {
  const volatile T rr = a.re * b.re;
  const volatile T ii = a.im * b.im;
  const volatile T ri = a.re * b.im;
  const volatile T ir = a.im * b.re;
  return {rr - ii, ri + ir};
}
template <class T>
std::vector<parts<T>> parts_of(const std::vector<complex<T>>& x) {
  std::vector<parts<T>> result;
  for (const complex<T>& z : x) result.push_back(parts_of(z));
  return result;
}

template <class T>
struct complex_answers {
  complex<T> sum;
  complex<T> difference;
  complex<T> product;
  complex<T> scaled;
  complex<T> conjugate;
  complex<T> quotient;
};

template <class T, class Memory>
struct compute_complex {
  view<const complex<T>, 1, layout_right, Memory> x;
  view<complex_answers<T>, 1, layout_right, Memory> y;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const complex<T> a = x(i);
    const complex<T> b = x(i + 1);
    y(i) = {a + b, a - b, a * b, a * b.real(), conj(a), a / b};
  }
};

/// Each part of a quotient of finite numbers is near the exact one, as far as the two terms of its
/// numerator do not cancel.
template <class T>
void require_quotient(const parts<T>& a, const parts<T>& b, const complex<T>& found) {
  using wide = long double;
  const wide n = wide{b.re} * b.re + wide{b.im} * b.im;
  const wide size = std::fabs(wide{a.re}) + std::fabs(wide{a.im}) + n;  // NaN if a part is
  if (!(size < std::numeric_limits<wide>::infinity()) || n == 0) return;
  const auto require_near = [&](T part, wide term, wide other_term) {
    using limits = std::numeric_limits<T>;
    const wide exact = (term + other_term) / n;
    const wide roundoff = sizeof(T) == 4 ? wide{0x1p-51} : wide{0x1p-50};
    const wide error = (std::fabs(term) + std::fabs(other_term)) / n * roundoff +
                       std::fabs(exact) * limits::epsilon() / 2 + limits::denorm_min();
    if (std::fabs(exact) + error >= wide{limits::max()}) return;
    if (!(std::fabs(wide{part} - exact) <= error)) throw mismatch("quotient is " + shown(found));
  };
  require_near(found.real(), wide{a.re} * b.re, wide{a.im} * b.im);
  require_near(found.imag(), wide{a.im} * b.re, wide{a.re} * b.im * -1);
}

template <class T>
struct complex_arithmetic {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const index_t n = d.number("n", 1, 3000);
    placed<complex<T>, 1, Space> x(space,
                                   {extents<1>(n + 1), extents<1>(1), guard, n + 1 + 2 * guard},
                                   draw_values(d, "values"));
    x.upload(space);
    array<complex_answers<T>, 1, Space> y(extents<1>(n), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, n, compute_complex<T, memory>{x.packed(), y.view()});
        });
    const auto results = to_vector(space, y);
    for (index_t i = 0; i < n; ++i) {
      const complex_answers<T>& r = results[static_cast<std::size_t>(i)];
      const auto a = parts_of(x(i));
      const auto b = parts_of(x(i + 1));
      require_same(r.sum, whole(plus(a, b)), "sum");
      require_same(r.difference, complex<T>(a.re - b.re, a.im - b.im), "difference");
      require_same(r.product, whole(times(a, b)), "product");
      require_same(r.scaled, complex<T>(a.re * b.re, a.im * b.re), "product with a real");
      require_same(r.conjugate, complex<T>(a.re, -a.im), "conj");
      require_quotient(a, b, r.quotient);
    }
    return true;
  }
};

/// Sum, dot product and inclusive scan of complex elements, in the reduction order of any
/// accumulator of their size.
template <class T>
struct complex_sums {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using C = complex<T>;
    const index_t n = d.size("n", most, sizeof(C));
    placed<C, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    placed<C, 1, Space> y(space, draw_placement(d, "y", extents<1>(n), true),
                          draw_values(d, "others"));
    x.upload(space);
    y.upload(space);
    const auto a = parts_of(x.elements());
    const auto b = parts_of(y.elements());
    std::vector<parts<T>> products;
    for (std::size_t i = 0; i < a.size(); ++i) products.push_back(times(a[i], b[i]));
    require_same(parallel_reduce(space, x.strided(), sum{}), total(a), "sum");
    require_same(dot(space, x.strided(), y.strided()), total(products), "dot");
    if (n > 0) {
      const auto prefixes = oracle::scan(a, add_parts{}).inclusive();
      for (index_t i = 0; i < n; ++i) y.expected(i) = whole(prefixes[static_cast<std::size_t>(i)]);
    }
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) { parallel_scan(s, x.strided(), y.strided(), sum{}); });
    y.check(space, "y");
    return true;
  }

 private:
  static complex<T> total(const std::vector<parts<T>>& terms) {
    if (terms.empty()) return {};
    return whole(oracle::reduce(terms, add_parts{}));
  }
};

const registered all[] = {
    {"fused-float", on_a_space<fusions<float>>},
    {"fused-double", on_a_space<fusions<double>>},
    {"complex-float", on_a_space<complex_arithmetic<float>>},
    {"complex-double", on_a_space<complex_arithmetic<double>>},
    {"complex-sums-float", on_a_space<complex_sums<float>>},
    {"complex-sums-double", on_a_space<complex_sums<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
