// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/kernels/lanes.hpp>
#include <tandem/backends/openmp/scan/kernels/table.hpp>

/// Reassociable scans: steps inside a vector and a running prefix.
namespace tandem::openmp_impl {
namespace {

/// The total of `count` elements.
template <class Op>
element_t<Op> total_reassociated(const Op& op, const element_t<Op>* x, int count) {
  using V = vector_t<Op>;
  constexpr int width = Op::width;
  const V none = broadcast<Op>(Op::identity());
  V sums[4] = {none, none, none, none};
  int i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sums[k] = op.combine(sums[k], load_vector<Op>(x + i + k * width));
  }
  element_t<Op> lanes[static_cast<std::size_t>(width)];
  store_vector<Op>(lanes, op.combine(op.combine(sums[0], sums[1]), op.combine(sums[2], sums[3])));
  element_t<Op> total = lanes[0];
  for (int l = 1; l < width; ++l) total = op.combine(total, lanes[l]);
  for (; i < count; ++i) total = op.combine(total, x[i]);
  return total;
}

/// Scans the lanes of a vector.
template <class Op, int Distance>
[[gnu::always_inline]] inline vector_t<Op> scan_lanes(const Op& op, const vector_t<Op>& none,
                                                      const vector_t<Op>& v) {
  if constexpr (Distance >= Op::width) {
    return v;
  } else {
    return scan_lanes<Op, Distance * 2>(op, none, op.combine(shift_in<Op, Distance>(none, v), v));
  }
}

/// Writes a tile. `out` is passed by value: as far as a compiler knows, stores to y could change
/// what a reference refers to, and it would reread all of it for every vector.
template <class Op, bool Exclusive, bool Nontemporal>
element_t<Op> write_running(const Op op, const tile_output<element_t<Op>> out) {
  using T = element_t<Op>;
  using V = vector_t<Op>;
  constexpr int width = Op::width;
  const V none = broadcast<Op>(Op::identity());
  const V prefix = out.has_prefix ? broadcast<Op>(out.prefix) : none;
  V total = none;
  int i = 0;
  for (; i + width <= out.count; i += width) {
    if (out.next != nullptr) __builtin_prefetch(out.next + i, 0, 2);
    const V inside = scan_lanes<Op, 1>(op, none, load_vector<Op>(out.x + i));
    const V running = op.combine(prefix, total);
    const V y = op.combine(running, Exclusive ? shift_in<Op, 1>(none, inside) : inside);
    put_vector<Op, Nontemporal>(out.y + i, y);
    total = op.combine(total, broadcast_last<Op>(inside));
  }
  T sum = total[0];
  for (; i < out.count; ++i) {
    const T before = op.combine(prefix[0], sum);
    sum = op.combine(sum, out.x[i]);
    out.y[i] = Exclusive ? before : op.combine(prefix[0], sum);
  }
  return sum;
}

/// Writes a tile; returns its total.
template <class Op>
element_t<Op> write_reassociated(const Op& op, const tile_output<element_t<Op>>& out) {
  const bool nontemporal =
      out.nontemporal && reinterpret_cast<std::size_t>(out.y) % sizeof(vector_t<Op>) == 0;
  if (out.exclusive) {
    return nontemporal ? write_running<Op, true, true>(op, out)
                       : write_running<Op, true, false>(op, out);
  }
  return nontemporal ? write_running<Op, false, true>(op, out)
                     : write_running<Op, false, false>(op, out);
}

}  // namespace
}  // namespace tandem::openmp_impl
