// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot, norms, argmin and argmax on groups and streamed have the results of one space, whose own
// are compared with oracles elsewhere.

#include "fuzz/groups.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

/// Compares the result of one of the operations with that of serial.
template <class T, class Space, class X>
void require_equal_results(draw& d, const serial& one, const std::vector<T>& a,
                           const std::vector<T>& b, const Space& space, const X& x, const X& y) {
  switch (d.pick("operation", {"dot", "asum", "nrm_inf", "norm2", "argmin", "argmax"})) {
    case 0:
      return require_same(dot(space, x, y), dot(one, a, b), "dot");
    case 1:
      return require_same(asum(space, x), asum(one, a), "asum");
    case 2:
      return require_same(nrm_inf(space, x), nrm_inf(one, a), "nrm_inf");
    case 3:
      return require_same(norm2(space, x), norm2(one, a), "norm2");
    case 4:
      return require_same(argmin(space, x), argmin(one, a), "argmin");
    default:
      return require_same(argmax(space, x), argmax(one, a), "argmax");
  }
}

template <class T>
struct named_reductions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> a = draw_elements<T>(d, n, "x");
    const std::vector<T> b = draw_elements<T>(d, n, "y");
    const serial one;
    if (d.one_in("streamed", 2)) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 1 << 12, 1 << 18)) * 16;
      const streamed<Space> big(space, {.budget = budget});
      require_equal_results(d, one, a, b, big, a, b);
      return true;
    }
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    array<T, 1, group<Space>, layout_right> x(extents<1>(n), members, rows);
    array<T, 1, group<Space>, layout_right> y(extents<1>(n), members, rows);
    copy(members, a, x);
    copy(members, b, y);
    require_equal_results(d, one, a, b, members, x, y);
    return true;
  }
};

const registered all[] = {
    {"group-norms-float", on_a_space<named_reductions<float>>},
    {"group-norms-double", on_a_space<named_reductions<double>>},
    {"group-norms-int8", on_a_space<named_reductions<std::int8_t>>},
};

}  // namespace
}  // namespace tandem::fuzz
