// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compare() finds what makes a space differ from serial, names it, and finds nothing else.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>
#include <cstdint>

using namespace tandem::test;

namespace {

constexpr int n = 100000;

template <class Space>
using floats = tandem::array<float, 1, Space>;

/// The platform's exp: the C library's for serial, evaluated in double, and CUDA's on a device.
template <class Space>
struct platform_exp {
  TANDEM_FUNCTION float operator()(float x) const {
    if constexpr (std::is_same_v<Space, tandem::serial>) {
      return static_cast<float>(::exp(static_cast<double>(x)));
    } else {
      return ::expf(x);
    }
  }
};

struct twice {
  TANDEM_FUNCTION float operator()(float x) const { return x + x; }
};
struct twice_and_thrice {
  TANDEM_FUNCTION tandem::tuple<float, float> operator()(float x) const {
    return tandem::make_tuple(x + x, 3 * x);
  }
};

template <class Out, class In>
struct atomic_sum {
  Out cell;
  In x;

  TANDEM_FUNCTION void operator()(int i) const { tandem::atomic_add(cell(0), x(i)); }
};

template <class Out>
struct add_one {
  Out y;
  TANDEM_FUNCTION void operator()(int i) const { y(i) += 1.0f; }
};

template <class Space>
floats<Space> random_floats(const Space& space, int count) {
  floats<Space> x(tandem::extents<1>(count), space);
  tandem::copy(space, random_values<float>(static_cast<std::size_t>(count), 7), x);
  space.fence();
  return x;
}

struct sequence_of_many {
  template <class Space>
  void operator()(const Space& space) const {
    auto x = random_floats(space, n);
    floats<Space> y(x.extents(), space);
    tandem::transform(space, x, y, twice{});
    tandem::parallel_for(space, n, add_one<decltype(y.view())>{y.view()});
    tandem::parallel_scan(space, x, y);
    (void)tandem::parallel_reduce(space, y);
    (void)tandem::argmin(space, y);
    tandem::array<std::int32_t, 1, Space> counts(tandem::extents<1>(16), space);
    tandem::histogram(space, x, {.lo = -1.0f, .hi = 1.0f}, counts);
    tandem::sort(space, y);
    tandem::array<float, 2, Space> a({40, 50}, 0.5f, space);
    tandem::array<float, 2, Space> b({50, 30}, 0.25f, space);
    tandem::array<float, 2, Space> c(tandem::extents<2>(40, 30), space);
    tandem::matmul(space, a, b, c);
    tandem::array<tandem::complex<float>, 1, Space> z(tandem::extents<1>(10), space);
    tandem::fill(space, z, tandem::complex<float>(1, 2));
  }
};

struct sequence_with_exp {
  template <class Space>
  void operator()(const Space& space) const {
    auto x = random_floats(space, n);
    floats<Space> y(x.extents(), space);
    tandem::transform(space, x, y, twice{});
    tandem::transform(space, y, x, platform_exp<Space>{});
  }
};

struct sequence_with_atomics {
  template <class Space>
  void operator()(const Space& space) const {
    const auto x = random_floats(space, 1 << 18);
    floats<Space> cell(tandem::extents<1>(1), 0.0f, space);
    using Sum = atomic_sum<decltype(cell.view()), decltype(x.const_view())>;
    tandem::parallel_for(space, 1 << 18, Sum{cell.view(), x.const_view()});
  }
};

struct sequence_with_unwritten_element {
  template <class Space>
  void operator()(const Space& space) const {
    floats<Space> x(tandem::extents<1>(100), space);
    floats<Space> y(tandem::extents<1>(100), space);
    tandem::fill(space, tandem::subview(x.view(), tandem::slice{0, 77, 1}), 1.0f);
    tandem::fill(space, tandem::subview(x.view(), tandem::slice{78, 100, 1}), 1.0f);
    tandem::transform(space, x, y, twice{});
  }
};

/// Operations on host vectors whose outputs all depend on a number.
struct sequence_in_host_memory {
  const float& last;

  template <class Space>
  void operator()(const Space& space) const {
    const std::vector<float> x{0.5f, 1, 1, last};
    const std::vector<int> places{3, 2, 1, 0};
    std::vector<float> y(4, 0.0f), z(4, 0.0f);
    tandem::transform(space, x, y, twice{});
    tandem::transform(space, x, tandem::tie(y, z), twice_and_thrice{});
    const auto plane = [](auto& of) { return tandem::reshape(of, 2, 2); };
    tandem::transform(space, tandem::transposed(plane(x)), plane(y), twice{});
    tandem::parallel_scan(space, x, y);
    tandem::fill(space, y, x[3]);
    std::vector<std::int32_t> counts(2, 0);
    tandem::histogram(space, x, {.lo = 0.0f, .hi = 3.0f}, counts);
    tandem::histogram(space, x, {.lo = 0.0f, .hi = 3.0f}, x, y);
    tandem::gather(space, x, places, y);
    tandem::scatter(space, x, places, y);
    tandem::iota(space, y, x[3]);
    tandem::reverse(space, x, y);
    tandem::sort(space, y);
  }
};

/// Runs a different operation on every space except serial.
struct sequence_that_depends_on_the_space {
  template <class Space>
  void operator()(const Space& space) const {
    floats<Space> x(tandem::extents<1>(100), 1.0f, space);
    if constexpr (std::is_same_v<Space, tandem::serial>) {
      tandem::sort(space, x);
    } else {
      (void)tandem::parallel_reduce(space, x);
    }
  }
};

struct sequence_that_throws {
  template <class Space>
  void operator()(const Space& space) const {
    floats<Space> x(tandem::extents<1>(100), 1.0f, space);
    throw 1;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("compare: what keeps the promise agrees", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto found = tandem::compare(tandem::serial{}, space, sequence_of_many{});
  INFO(found.text());
  CHECK(found.agrees());
  CHECK(found.name_a == "serial");
  CHECK(found.name_b == Backend::space::name);
  REQUIRE(found.operations.size() == 10);
  CHECK(found.operations[0].label == "copy 100000");
  CHECK(found.operations[1].label == "transform 100000");
  CHECK(found.operations[8].label == "matmul 40 x 30 x 50 x 1");
  for (const auto& one : found.operations) {
    CHECK(one.milliseconds_a > 0);
    CHECK(one.milliseconds_b > 0);
    CHECK(one.first == -1);
  }
}

TEST_CASE_TEMPLATE("compare: operations have the label of their space", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto found =
      tandem::compare(tandem::serial{}, Backend::make(), []<class Space>(const Space& space) {
        tandem::array<float, 1, Space> x(tandem::extents<1>(10), space);
        tandem::fill(space.named("clear"), x, 0.0f);
      });
  REQUIRE(found.operations.size() == 1);
  CHECK(found.operations[0].label == "clear 10");
}

TEST_CASE_TEMPLATE("compare: a function of the platform is found", Backend, TANDEM_TEST_BACKENDS) {
  if constexpr (!std::is_same_v<typename Backend::space, tandem::serial>) {
    const auto found = tandem::compare(tandem::serial{}, Backend::make(), sequence_with_exp{});
    INFO(found.text());
    CHECK(!found.agrees());
    CHECK(found.mismatch.empty());
    REQUIRE(found.operations.size() == 3);
    CHECK(found.operations[1].agrees);
    const auto& exp = found.operations[2];
    CHECK(!exp.agrees);
    CHECK(exp.label == "transform 100000");
    CHECK(exp.output == "array 0");
    CHECK(exp.first >= 0);
    CHECK(exp.value_a != exp.value_b);
    CHECK(exp.differing > 0);
    CHECK(exp.differing < n);
    CHECK(exp.ulp >= 1);
    CHECK(exp.ulp <= 2);
    CHECK(found.text().find("DIFFERS transform 100000") != std::string::npos);
  }
}

TEST_CASE_TEMPLATE("compare: an atomic sum of floats is found", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  bool is_ordered = std::is_same_v<typename Backend::space, tandem::serial>;
  if constexpr (requires { space.threads(); }) is_ordered = space.threads() == 1;
  // Threads may happen to add in the loop's order once, but not repeatedly.
  bool is_found = false;
  for (int i = 0; i < (is_ordered ? 1 : 50) && !is_found; ++i) {
    const auto found = tandem::compare(tandem::serial{}, space, sequence_with_atomics{});
    CHECK(found.mismatch.empty());
    REQUIRE(!found.operations.empty());
    is_found = !found.operations.back().agrees;
    if (is_found) {
      CHECK(found.operations.back().label == "parallel_for 262144");
      CHECK(found.operations.back().output == "array 1");
      CHECK(found.operations.back().differing == 1);
    }
  }
  CHECK(is_found != is_ordered);
}

TEST_CASE_TEMPLATE("compare: a read of an element that nothing wrote is found", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto found =
      tandem::compare(tandem::serial{}, Backend::make(), sequence_with_unwritten_element{});
  INFO(found.text());
  REQUIRE(found.operations.size() == 3);
  CHECK(found.operations[1].agrees);
  CHECK(!found.operations[2].agrees);
  CHECK(found.operations[2].output == "array 1");
  CHECK(found.operations[2].first == 77);
  CHECK(found.operations[2].differing == 1);
}

TEST_CASE_TEMPLATE("compare: results and memory of no array are compared", Backend,
                   TANDEM_TEST_BACKENDS) {
  float term = 1;
  std::vector<float> out(10);
  // The second run sees other values, as it would if the sequence kept state.
  const auto found = tandem::compare(tandem::serial{}, tandem::serial{}, [&](const auto& space) {
    std::vector<float> x(10, 1.0f);
    x[4] = x[6] = x[8] = term;
    term = std::nextafter(term, 2.0f);
    (void)tandem::parallel_reduce(space, x, tandem::maximum{});
    tandem::copy(space, x, out);
    std::vector<std::int8_t> small(3, static_cast<std::int8_t>(-term));
    tandem::sort(space, small);
  });
  REQUIRE(found.operations.size() == 3);
  CHECK(found.operations[0].output == "result");
  CHECK(found.operations[0].ulp == 1);
  CHECK(found.operations[0].value_a == "1");
  CHECK(found.operations[0].value_b == "1.00000012");
  CHECK(found.operations[1].output == "host memory 0");
  CHECK(found.operations[1].first == 4);
  CHECK(found.operations[1].differing == 3);
  CHECK(found.operations[2].agrees);
  CHECK(found.text().find("\n          host memory 0: first at element 4, 1 (serial) and "
                          "1.00000012 (serial); 3 differ, at most 1 ulp apart\n") !=
        std::string::npos);
}

TEST_CASE_TEMPLATE("compare: what operations write to the host's own memory is compared", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    float last = 1;
    const sequence_in_host_memory sequence{last};
    const auto same = tandem::compare(tandem::serial{}, Backend::make(), sequence);
    INFO(same.text());
    CHECK(same.agrees());
    CHECK(same.operations.size() == 12);
    const auto other = tandem::compare(Backend::make(), tandem::serial{}, [&](const auto& space) {
      sequence(space);
      last = 2;
    });
    CHECK(other.mismatch.empty());
    REQUIRE(other.operations.size() == 12);
    for (const auto& one : other.operations) {
      CAPTURE(one.label);
      CHECK(!one.agrees);
      CHECK(one.output.find("host memory ") == 0);
    }
  }
}

TEST_CASE("compare: what one run alone writes between operations is found, and has no time") {
  bool is_second = false;
  const auto found = tandem::compare(tandem::serial{}, tandem::serial{}, [&](const auto& space) {
    floats<tandem::serial> x(tandem::extents<1>(10), space);
    tandem::fill(space, x, 3.0f);
    if (is_second) x[4] = 2;
    is_second = true;
    (void)tandem::parallel_reduce(space, x, tandem::minimum{});
  });
  REQUIRE(found.operations.size() == 3);
  const auto& one = found.operations[1];
  CHECK(one.label == "(between operations)");
  CHECK(one.first == 4);
  CHECK(one.milliseconds_a == 0.0);
  CHECK(one.milliseconds_b == 0.0);
}

TEST_CASE("compare: several results of one pass are told apart") {
  float term = 1;
  const auto found = tandem::compare(tandem::serial{}, tandem::serial{}, [&](const auto& space) {
    const std::vector<float> x{1, term};
    term = 2;
    const tandem::combined_reducer all{tandem::sum<float>{}, tandem::maximum<float>{},
                                       tandem::sum<std::int64_t>{}};
    (void)tandem::parallel_reduce(space, x, all);
  });
  REQUIRE(found.operations.size() == 1);
  CHECK(found.operations[0].value_a == "{2, 1, 2}");
  CHECK(found.operations[0].value_b == "{3, 2, 3}");
  CHECK(found.operations[0].differing == 1);
}

TEST_CASE("compare: a number and a NaN are as far apart as can be") {
  float term = 1;
  const auto found = tandem::compare(tandem::serial{}, tandem::serial{}, [&](const auto& space) {
    std::vector<float> x(1, term);
    term = std::nanf("");
    (void)tandem::parallel_reduce(space, x);
  });
  REQUIRE(found.operations.size() == 1);
  CHECK(!found.operations[0].agrees);
  CHECK(found.operations[0].ulp == UINT64_MAX);
}

TEST_CASE_TEMPLATE("compare: other operations end it, exceptions pass through", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (!std::is_same_v<typename Backend::space, tandem::serial>) {
    const auto space = Backend::make();
    const auto found =
        tandem::compare(tandem::serial{}, space, sequence_that_depends_on_the_space{});
    CHECK(!found.agrees());
    CHECK(found.mismatch.find("where serial runs sort 100") != std::string::npos);
    CHECK_THROWS_AS(tandem::compare(tandem::serial{}, space, sequence_that_throws{}), int);
    CHECK(tandem::compare(tandem::serial{}, space, sequence_with_unwritten_element{})
              .operations.size() == 3);
  }
}
