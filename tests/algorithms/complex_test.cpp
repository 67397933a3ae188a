// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers and 16-bit floats as elements of reductions, scans and lambdas.

#include <complex>
#include <cstdint>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

template <class Complex>
std::vector<Complex> random_complexes(std::size_t n, std::uint64_t seed) {
  using T = typename Complex::value_type;
  std::vector<Complex> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(Complex(random_value<T>(seed, 2 * i), random_value<T>(seed, 2 * i + 1)));
  return values;
}

template <class Complex>
bool same_complex(Complex a, Complex b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

template <class Complex>
bool same_line(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_complex(a[i], b[i]);
  return same;
}

struct square {
  template <class T>
  TANDEM_FUNCTION T operator()(T x) const {
    return x * x;
  }
};

/// Checks every operation on complex elements against serial's plain loops.
template <class Complex, class Space>
void check_complex(const Space& space) {
  const tandem::serial plain;
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{33}, std::size_t{4097}, std::size_t{70001}}) {
    CAPTURE(n);
    const auto xs = random_complexes<Complex>(n, 1);
    const auto ys = random_complexes<Complex>(n, 2);
    auto x = to_space(space, xs);
    auto y = to_space(space, ys);
    CHECK(same_complex(tandem::parallel_reduce(space, x), tandem::parallel_reduce(plain, xs)));
    CHECK(same_complex(tandem::parallel_reduce(space, x, tandem::product{}),
                       tandem::parallel_reduce(plain, xs, tandem::product{})));
    CHECK(same_complex(tandem::dot(space, x, y), tandem::dot(plain, xs, ys)));
    auto wanted = xs;
    tandem::parallel_scan(plain, xs, wanted);
    tandem::parallel_scan(space, x, y);
    CHECK(same_line(to_host(space, y), wanted));
    tandem::transform(space, x, y, square{});
    tandem::transform(plain, xs, wanted, square{});
    CHECK(same_line(to_host(space, y), wanted));
    tandem::fill(space, y, Complex(1, -2));
    CHECK(same_line(to_host(space, y), std::vector<Complex>(n, Complex(1, -2))));
  }
}

template <class T>
struct saxpy {
  float a;
  TANDEM_FUNCTION T operator()(T x, T y) const { return T(a * x + y); }
};

template <class View>
struct accumulate_square {
  View x;
  View y;
  TANDEM_FUNCTION void operator()(int i) const {
    y(i) += x(i) * x(i);
    y(i) -= 0.5f;
    y(i) *= x(i);
    y(i) /= 3.0f;
  }
};

template <class T, class Space>
void check_16bit(const Space& space) {
  const auto floats = random_values<float>(2000, 3);
  std::vector<T> xs;
  for (const float v : floats) xs.push_back(T(v));
  auto x = to_space(space, xs);
  auto y = to_space(space, xs);
  tandem::transform(space, x, y, y, saxpy<T>{2.5f});
  const auto after_saxpy = to_host(space, y);
  using View = decltype(x.view());
  tandem::parallel_for(space, 2000, accumulate_square<View>{x.view(), y.view()});
  const auto after_loop = to_host(space, y);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const float v = xs[i];
    const T axpy = T(2.5f * v + v);
    REQUIRE(after_saxpy[i].bits() == axpy.bits());
    const T added(float(axpy) + v * v);
    const T halved(float(added) - 0.5f);
    const T times(float(halved) * v);
    REQUIRE(after_loop[i].bits() == T(float(times) / 3.0f).bits());
  }
}

}  // namespace

TEST_CASE_TEMPLATE("complex: reductions, dot, scans and transforms have serial's bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_complex<tandem::complex<float>>(space);
  check_complex<tandem::complex<double>>(space);
  if constexpr (Backend::space::memory_type::host_accessible) {
    check_complex<std::complex<float>>(space);
    check_complex<std::complex<double>>(space);
  }
}

TEST_CASE_TEMPLATE("complex: elements of std::complex on the host have the bits of tandem's",
                   Backend, TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const auto xs = random_complexes<std::complex<float>>(30011, 4);
    const std::vector<tandem::complex<float>> ours(xs.begin(), xs.end());
    CHECK(same_complex<std::complex<float>>(tandem::parallel_reduce(space, ours),
                                            tandem::parallel_reduce(space, xs)));
    CHECK(same_complex<std::complex<float>>(tandem::dot(space, ours, ours),
                                            tandem::dot(space, xs, xs)));
  }
}

TEST_CASE_TEMPLATE("half and bf16: arithmetic in kernels is that of floats, rounded where assigned",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_16bit<tandem::half>(space);
  check_16bit<tandem::bf16>(space);
}
