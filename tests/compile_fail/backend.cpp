// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backends that lack what they declare, or do not declare what they have. Each is serial with one
// additional optional operation.
#include <tandem/tandem.hpp>

struct with_scan : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::scan};
};
template <class Load, class T, class R>
void dispatch_scan(const with_scan&, const char*, const tandem::scan_problem<Load, T, R>&) {}

static_assert(tandem::backend<with_scan>);

void correct_use(const tandem::array<float, 1, with_scan>& x,
                 tandem::array<float, 1, with_scan>& y) {
  tandem::parallel_scan(with_scan{}, x.const_view(), y.view());
}

#if CASE == 1
// expect: tandem: the backend declares this hook, but has no dispatch function that can be called
struct without_label : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::scan};
};
template <class Load, class T, class R>
void dispatch_scan(const without_label&, const tandem::scan_problem<Load, T, R>&) {}

void hook_without_its_label(const tandem::array<float, 1, without_label>& x,
                            tandem::array<float, 1, without_label>& y) {
  tandem::parallel_scan(without_label{}, x.const_view(), y.view());
}
#endif

#if CASE == 2
// expect in a note: hook::sort
struct without_sort : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::sort};
};
static_assert(tandem::backend<without_sort>);
#endif

#if CASE == 3
// expect: tandem: the backend has this hook's dispatch function, but does not declare it
struct silent : tandem::serial {};
void dispatch_histogram(const silent&, const tandem::histogram_problem&) {}

void hook_that_is_not_declared(const tandem::array<float, 1, silent>& x,
                               tandem::array<int, 1, silent>& counts) {
  tandem::histogram(silent{}, x.const_view(), {.lo = 0.0f, .hi = 1.0f}, counts.view());
}
#endif

#if CASE == 4
// expect: tandem: the backend declares this hook, but has no dispatch function that can be called
struct floats_alone : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::matmul};
};
void dispatch_matmul(const floats_alone&, const tandem::matmul_problem<float>&) {}

void hook_for_some_of_its_types(const tandem::array<float, 2, floats_alone>& a,
                                tandem::array<float, 2, floats_alone>& c) {
  tandem::matmul(floats_alone{}, a.const_view(), a.const_view(), c.view());
}
#endif

#if CASE == 5
// expect in a note: hook::select
struct counts_nothing : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::select};
};
template <class T, class Keep>
void dispatch_select(const counts_nothing&, const char*, const tandem::select_problem<T, Keep>&) {}
template <class T, class Keep>
void dispatch_select_into(const counts_nothing&, const char*,
                          const tandem::select_problem<T, Keep>&, tandem::index_t*) {}
static_assert(tandem::backend<counts_nothing>);
#endif

#if CASE == 6
// expect in a note: Space::hooks
struct mute {
  using memory_type = tandem::host_memory;
  using resource_type = tandem::serial_resource;
  using event_type = tandem::host_event;
  static constexpr const char* name = "mute";
  void fence() const {}
  tandem::host_event record() const;
  void wait(const tandem::host_event&) const {}
  resource_type resource() const { return {}; }
};
static_assert(tandem::execution_space<mute>);
#endif

#if CASE == 7
// expect: tandem: the backend declares this hook, but has no dispatch function that can be called
struct other_arguments : tandem::serial {
  static constexpr tandem::hook_set hooks{tandem::hook::record};
};
void dispatch_record(const other_arguments&, int) {}

void recording_that_takes_more() {
  tandem::record(other_arguments{}, [](const other_arguments&) {});
}
#endif

#if CASE == 8 || CASE == 9
struct memory_of_another_device : tandem::device_memory {};
struct another_device : tandem::serial {
  using memory_type = memory_of_another_device;
};
using line_of_cuda = tandem::view<float, 1, tandem::layout_right, tandem::device_memory>;
#endif

#if CASE == 8
// expect: tandem: fill: the space cannot reach the view's memory
void memory_of_one_device_on_another(line_of_cuda x) { tandem::fill(another_device{}, x, 0.0f); }
#endif

#if CASE == 9
// expect: tandem: copy: only a space of the device can reach memory of a device
void copy_between_devices(line_of_cuda from, tandem::array<float, 1, another_device>& to) {
  tandem::copy(another_device{}, from, to);
}
#endif
