// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/range.hpp>

namespace tandem {

class serial;

namespace serial_impl {

/// Calls f(i) for first <= i < end, ascending, and counts in the function's own index type (a cast
/// in the loop would keep compilers from vectorising it). The last call stands outside the loop,
/// since the next index may not fit its type.
template <class Index, class Function>
void count_up(index_t first, index_t end, const Function& f) {
  if (first >= end) return;
  const Index last = static_cast<Index>(end - 1);
  for (Index i = static_cast<Index>(first); i < last; ++i) f(i);
  f(last);
}

}  // namespace serial_impl

/// Calls f(i) for every index, in ascending order.
template <class Function>
void dispatch_for(const serial&, const char*, const range& r, const Function& f) {
  serial_impl::count_up<loop_index<Function>>(r.begin, r.end, f);
}

/// Calls f(j, i) for every pair, in row-major order.
template <class Function>
void dispatch_for(const serial&, const char*, const grid<2>& g, const Function& f) {
  using Index = loop_index<Function>;
  serial_impl::count_up<Index>(0, g.sizes[0], [&](Index j) {
    serial_impl::count_up<Index>(0, g.sizes[1], [&, j](Index i) { f(j, i); });
  });
}

/// Calls f(k, j, i) for every triple, in row-major order.
template <class Function>
void dispatch_for(const serial&, const char*, const grid<3>& g, const Function& f) {
  using Index = loop_index<Function>;
  serial_impl::count_up<Index>(0, g.sizes[0], [&](Index k) {
    serial_impl::count_up<Index>(0, g.sizes[1], [&, k](Index j) {
      serial_impl::count_up<Index>(0, g.sizes[2], [&, k, j](Index i) { f(k, j, i); });
    });
  });
}

}  // namespace tandem
