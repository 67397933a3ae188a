// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_scan: inclusive and exclusive, of views and functions, with reducers and operations.

#include "fuzz/oracles.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;
constexpr index_t huge = (index_t{1} << 22) + (index_t{1} << 17);

/// Neither commutative nor associative, so the parentheses show.
struct halve_and_add {
  TANDEM_FUNCTION float operator()(float a, float b) const { return 0.5F * a + b; }
};

/// Elements whose operation composes maps x -> a x + b modulo 2^32: associative, not commutative.
struct map {
  std::uint32_t a;
  std::uint32_t b;
  friend bool operator==(const map&, const map&) = default;
};
struct compose {
  TANDEM_FUNCTION map operator()(map f, map g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

template <class T, class Memory>
struct term_of_view {
  view<const T, 1, layout_stride, Memory> x;
  TANDEM_FUNCTION T operator()(index_t i) const { return x(i - 3); }
};

/// `scanned` is tandem's operation, `combine` the oracle's on two elements.
template <class T, class Operation, class Combine>
struct scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const Combine combine{};
    const index_t n = d.size("n", d.one_in("large", 40) ? huge : most, sizeof(T));
    const bool in_place = d.one_in("in_place", 3);
    const int form = in_place ? 0 : d.pick("terms", {"view", "function"});
    const bool exclusively = d.one_in("exclusive", 2);
    const auto values = draw_values(d, "values");
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), in_place), values);
    const T init = values.template at<T>(1u << 30);
    placed<T, 1, Space> other(space,
                              in_place ? placement<1>{{}, {}, guard, 2 * guard}
                                       : draw_placement(d, "y", extents<1>(n), true),
                              {1, 5});
    placed<T, 1, Space>& y = in_place ? x : other;
    if (n > 0) {
      const oracle::scan<T, Combine> scan(x.elements(), combine);
      const std::vector<T> result = exclusively ? scan.exclusive(init) : scan.inclusive();
      for (index_t i = 0; i < n; ++i) y.expected(i) = result[static_cast<std::size_t>(i)];
    }
    const auto prepare = [&] {
      x.upload(space);
      other.upload(space);
    };
    run(space, draw_way(d), prepare, [&](const Space& s) {
      const auto call = [&](const auto&... from) {
        if (exclusively) {
          parallel_scan(s, from..., Operation{}, exclusive{init});
        } else {
          parallel_scan(s, from..., Operation{});
        }
      };
      if (form == 1) {
        const term_of_view<T, typename Space::memory_type> f{x.strided()};
        call(range{3, 3 + n}, f, y.strided());
      } else if (x.is_packed() && y.is_packed()) {
        call(x.packed(), y.packed());
      } else {
        call(x.strided(), y.strided());
      }
    });
    y.check(space, "y");
    return true;
  }
};

template <class T>
struct add {
  T operator()(T a, T b) const { return oracle::plus(a, b); }
};
template <class T>
struct multiply {
  T operator()(T a, T b) const { return oracle::times(a, b); }
};
template <class T>
struct least {
  T operator()(T a, T b) const { return oracle::smaller(a, b); }
};
template <class T>
struct greatest {
  T operator()(T a, T b) const { return oracle::larger(a, b); }
};

const registered all[] = {
    {"scan-float", on_a_space<scans<float, sum<float>, add<float>>>},
    {"scan-double", on_a_space<scans<double, sum<double>, add<double>>>},
    {"scan-int32", on_a_space<scans<std::int32_t, sum<std::int32_t>, add<std::int32_t>>>},
    {"scan-int64", on_a_space<scans<std::int64_t, sum<std::int64_t>, add<std::int64_t>>>},
    {"scan-int8", on_a_space<scans<std::int8_t, sum<std::int8_t>, add<std::int8_t>>>},
    {"scan-product", on_a_space<scans<float, product<float>, multiply<float>>>},
    {"scan-minimum", on_a_space<scans<float, minimum<float>, least<float>>>},
    {"scan-maximum",
     on_a_space<scans<std::int32_t, maximum<std::int32_t>, greatest<std::int32_t>>>},
    {"scan-operation", on_a_space<scans<float, halve_and_add, halve_and_add>>},
    {"scan-maps", on_a_space<scans<map, compose, compose>>},
};

}  // namespace
}  // namespace tandem::fuzz
