// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of matmul, histogram and reductions along an axis in one memory: refused if they share a
// byte, accepted otherwise.

#include "fuzz/overlapping.hpp"

namespace tandem::fuzz {
namespace {

template <class T, class In>
struct products {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    using S = detail::matmul_sum_t<T>;
    const index_t batch = d.number("batch", 0, 3);
    const index_t m = d.number("m", 0, 6);
    const index_t n = d.number("n", 0, 6);
    const index_t k = d.number("k", 0, 6);
    const auto a = draw_operand<In, 2>(d, "a", {m, k});
    const auto b = draw_operand<In, 3>(d, "b", {batch, k, n});
    const auto c = draw_operand<T, 3>(d, "c", {batch, m, n});
    const auto bias = draw_operand<S, 1>(d, "bias", extents<1>(n));
    const bool has_bias = d.one_in("has_bias", 3);
    const bool bad = repeats(c) || share(a, c) || share(b, c) || (has_bias && share(bias, c));
    return judge(space, bad, [&](std::byte* at) {
      matmul_options<S, memory> options;
      if (has_bias) options.epilogue = tandem::bias(bias.template in<memory>(at));
      matmul(space, a.template in<memory>(at), b.template in<memory>(at), c.template in<memory>(at),
             options);
    });
  }
};

/// Equal bins of floats; counts of 32 or 64 bits, or sums of weights.
template <class Out>
struct histograms {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const auto x = draw_operand<float, 1>(d, "x", sizes);
    const auto out = draw_operand<Out, 1>(d, "out", extents<1>(d.number("bins", 1, 30)), true);
    const uniform_bins<float> bins{.lo = 0, .hi = 1};
    if constexpr (std::is_integral_v<Out>) {
      return judge(space, share(x, out), [&](std::byte* at) {
        histogram(space, x.in<memory>(at), bins, out.template in<memory>(at));
      });
    } else {
      const auto w = draw_operand<Out, 1>(d, "weights", sizes);
      return judge(space, share(x, out) || share(w, out), [&](std::byte* at) {
        histogram(space, x.in<memory>(at), bins, w.template in<memory>(at),
                  out.template in<memory>(at));
      });
    }
  }
};

template <class T, class R>
struct axes {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    using result = typename R::result;
    const auto sizes = small_extents<3>(d);
    const int along = static_cast<int>(d.number("axis", 0, 2));
    const extents<2> remaining(sizes[along == 0 ? 1 : 0], sizes[along == 2 ? 1 : 2]);
    const auto x = draw_operand<T, 3>(d, "x", sizes);
    const auto y = draw_operand<result, 2>(d, "y", remaining);
    return judge(space, repeats(y) || share(x, y), [&](std::byte* at) {
      parallel_reduce_into(space, x.template in<memory>(at), axis{along}, R{},
                           y.template in<memory>(at));
    });
  }
};

const registered all[] = {
    {"overlap-matmul", on_a_space<products<float, float>>},
    {"overlap-matmul-half", on_a_space<products<float, half>>},
    {"overlap-matmul-int8", on_a_space<products<std::int32_t, std::int8_t>>},
    {"overlap-counts", on_a_space<histograms<std::int32_t>>},
    {"overlap-counts-wide", on_a_space<histograms<std::uint64_t>>},
    {"overlap-sums", on_a_space<histograms<double>>},
    {"overlap-axis", on_a_space<axes<float, sum<float>>>},
    {"overlap-axis-wide", on_a_space<axes<std::int16_t, sum<std::int64_t>>>},
};

}  // namespace
}  // namespace tandem::fuzz
