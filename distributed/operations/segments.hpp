// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/segmented_scan.hpp>
#include <tandem/distributed/operations/numbered_terms.hpp>
#include <tandem/distributed/operations/parallel_scan.hpp>
#include <tandem/distributed/operations/segment_parts.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Reduces the segments to `results`, a line of their cut.
template <class Space, class X, class R, class Results>
void reduce_segment_parts(const group<Space>& members, const X& x,
                          const segment_parts<Space>& parts, const cut& terms, const R& reducer,
                          Results& results) {
  using T = typename X::value_type;
  constexpr const char* name = "segmented_reduce";
  for_each_member(members, [&](int p) {
    if (results.part(p).empty()) return;
    segmented_reduce(members.member(p), x.part(p), parts.offsets(p), results.part(p),
                     numbered_from(terms.begin(p), reducer));
  });
  for (const auto& one : parts.split()) {
    const auto value = reduce_parts(
        members, name, one.terms.size(), reducer, [&](int p) { return parts.terms_of(one, p); },
        [&](int p) {
          return from_term(contiguous_load<T, R>{x.whole(p).data_handle(), reducer},
                           one.terms.begin);
        });
    using result = typename R::result;
    for_member(one.member, members.size(), [&] {
      dispatch_for(
          members.member(one.member), name, range(1),
          store_known<result>{results.whole(one.member).data_handle() + one.number, value});
    });
  }
}

/// Scans a segment whose terms several members have, by a group's scan of a copy.
template <class Space, class X, class Y, class Operation, class... From>
void scan_split_segment(const group<Space>& members, const X& x, Y& y,
                        const segment_parts<Space>& parts,
                        const typename segment_parts<Space>::split_segment& one,
                        const Operation& operation, const From&... from) {
  auto sizes = list_for<index_t>("segmented_scan", members.size());
  for (int p = 0; p < members.size(); ++p) sizes.push_back(parts.terms_of(one, p).size());
  const cut rows = cut::of(sizes);
  array<typename X::value_type, 1, group<Space>, layout_right> terms({rows.rows()}, members, rows);
  array<typename Y::value_type, 1, group<Space>, layout_right> prefixes({rows.rows()}, members,
                                                                        rows);
  const auto in_whole = [&](auto whole, int p) {
    using View = decltype(whole);
    return View(whole.data_handle() + one.terms.begin + rows.begin(p), extents<1>(rows.size(p)));
  };
  fence_on_error(members, [&] {
    for_each_member(members, [&](int p) {
      if (rows.size(p) > 0) copy(members.member(p), in_whole(x.whole(p), p), terms.part(p));
    });
    parallel_scan(members, terms, prefixes, operation, from...);
    for_each_member(members, [&](int p) {
      if (rows.size(p) > 0) copy(members.member(p), prefixes.part(p), in_whole(y.whole(p), p));
    });
  });
}

template <class Space, class X, class Offsets, class Y, class Operation, class... From>
void scan_segments_of_group(const group<Space>& members, const X& x, const Offsets& offsets, Y& y,
                            const Operation& operation, const From&... from) {
  constexpr const char* name = "segmented_scan";
  static_assert(X::rank() == 1 && Y::rank() == 1,
                "tandem: segmented_scan: x and y have one dimension");
  common_cut common(name);
  common.add(members, x);
  common.add(members, y);
  require_equal(name, "extent of x", x.extent(0), "extent of y", y.extent(0));
  require(!x.is_replicated() && !y.is_replicated(), name, "x and y are sharded, not replicated");
  require(offsets.size() >= 1, name, "offsets has no element");
  if (x.size() == 0 || offsets.size() == 1) return;
  on_every_member<Space, Offsets> everywhere(name, members, offsets);
  segment_parts<Space> parts(name, members, x.rows());
  fence_on_error(members, [&] {
    everywhere.fill(members, offsets);
    parts.find(*everywhere);
    for_each_member(members, [&](int p) {
      if (parts.segments().size(p) > 0)
        segmented_scan(members.member(p), x.part(p), parts.offsets(p), y.part(p), operation,
                       from...);
    });
    for (const auto& one : parts.split())
      scan_split_segment(members, x, y, parts, one, operation, from...);
  });
}

/// Calls use(offsets) with a sharded array, or with the view of an operand of the host.
template <class Offsets, class Use>
void with_offsets(const Offsets& offsets, const Use& use) {
  static_assert(sharded_operand<Offsets> || viewable<const Offsets>,
                "tandem: segments: offsets are a sharded array or an operand of the host");
  const auto use_line = [&]<class Line>(const Line& line) {
    static_assert(Line::rank() == 1, "tandem: segments: offsets have one dimension");
    if constexpr (check_index_type<std::remove_const_t<typename Line::value_type>>()) use(line);
  };
  if constexpr (sharded_operand<Offsets>) {
    use_line(offsets);
  } else {
    use_line(read_only(as_view(offsets)));
  }
}

/// The elements of an output of one dimension, which is checked.
template <class Space, class Out>
index_t size_of_results(const group<Space>& members, const char* name, const Out& out) {
  if constexpr (sharded_operand<Out>) {
    static_assert(Out::rank() == 1, "tandem: segments: out has one dimension");
    require_members(name, members, out);
    return out.size();
  } else {
    const auto to = as_view(out);
    static_assert(decltype(to)::rank() == 1, "tandem: segments: out has one dimension");
    require_data(name, "out", to);
    require_distinct_elements(name, "out", to);
    return to.size();
  }
}

template <class Space, class X, class Offsets, class Out, class R>
void reduce_segments_of_group(const group<Space>& members, const X& x, const Offsets& offsets,
                              Out& out, const R& reducer) {
  constexpr const char* name = "segmented_reduce";
  require_members(name, members, x);
  const index_t segments = size_of_results(members, name, out);
  require_equal(name, "extent of offsets", offsets.size(), "extent of out + 1", segments + 1);
  if (segments == 0) return;
  const cut terms = rows_as_terms(name, x, members.size());
  on_every_member<Space, Offsets> everywhere(name, members, offsets);
  segment_parts<Space> parts(name, members, terms);
  fence_on_error(members, [&] {
    everywhere.fill(members, offsets);
    parts.find(*everywhere);
  });
  array<typename R::result, 1, group<Space>, layout_right> results(extents<1>(segments), members,
                                                                   parts.segments());
  fence_on_error(members, [&] {
    reduce_segment_parts(members, x, parts, terms, reducer, results);
    copy(members, results, out);
  });
}

}  // namespace detail

/// Reduces each segment of a sharded line, by default to its sum, as segmented_reduce() on one
/// space and with its bits.
///
/// @param x        sharded or replicated array of one dimension
/// @param offsets  integers, one more than there are segments, as on one space: a replicated array,
///                 or a sharded one or an operand of the host, of which every member then gets a
///                 copy for the time of the call
/// @param out      sharded or replicated array, or operand of the host, with an element for each
///                 segment; overwritten
/// @param reducer  as on one space; one with positions reports indices of the whole
/// Errors          argument_error for arrays of other members; those of one space. Memory that runs
///                 out leaves out unchanged
/// Complexity      each member reduces the segments that begin and end in its part. A segment that
///                 a cut splits, of which there is at most one per cut, is a parallel_reduce() of
///                 its own, one after the other. Scratch: an offset and a result per segment, and
///                 the copies of the offsets
/// Waits for the offsets, and for the segments that cuts split; otherwise asynchronous on the
/// members.
template <class Space, detail::sharded_operand X, class Offsets, class Out,
          reducer_or_deduced Reducer = sum<>>
void segmented_reduce(const group<Space>& members, const X& x, const Offsets& offsets, Out&& out,
                      const Reducer& reducer = {}) {
  static_assert(X::rank() == 1, "tandem: segmented_reduce: x has one dimension");
  const auto chosen = detail::checked_reducer_for<typename X::value_type>(reducer);
  if constexpr (detail::check_reducer<std::remove_const_t<decltype(chosen)>, Space>()) {
    detail::with_offsets(offsets, [&](const auto& at) {
      detail::reduce_segments_of_group(members, x, at, out, chosen);
    });
  }
}

/// Scans each segment of a sharded line, by default to running sums, as segmented_scan() on one
/// space and with its bits.
///
/// @param x, y       sharded arrays of one cut and equal extent, of one dimension; y may be x.
///                   Elements that are in no segment are unchanged
/// @param offsets    as for segmented_reduce() on a group
/// @param operation  as on one space; by default the sum
/// Errors            extent_error when extents or cuts differ; argument_error for arrays of other
///                   members and for replicated ones; those of one space
/// Complexity        each member scans the segments that begin and end in its part. A segment that
///                   a cut splits, of which there is at most one per cut, is copied, and scanned as
///                   by parallel_scan() on the group. Scratch: an offset per segment, the copies of
///                   the offsets and of split segments
/// Waits for the offsets; otherwise asynchronous on the members.
template <class Space, detail::sharded_operand X, class Offsets, detail::sharded_operand Y,
          class Operation = sum<>>
void segmented_scan(const group<Space>& members, const X& x, const Offsets& offsets, Y& y,
                    const Operation& operation = {}) {
  detail::with_offsets(offsets, [&](const auto& at) {
    detail::scan_segments_of_group(members, x, at, y, operation);
  });
}

/// Scans each segment from an initial value: y(i) = init op x(b) op .. op x(i - 1).
///
/// @param x, offsets, y, operation  as for the inclusive scan
/// @param from                      exclusive{init}
/// Errors, complexity               as for the inclusive scan
/// Waits for the offsets; otherwise asynchronous on the members.
template <class Space, detail::sharded_operand X, class Offsets, detail::sharded_operand Y,
          class Operation, class Init>
void segmented_scan(const group<Space>& members, const X& x, const Offsets& offsets, Y& y,
                    const Operation& operation, const exclusive<Init>& from) {
  const exclusive init{detail::first_of<typename Y::value_type, Operation>(from)};
  detail::with_offsets(offsets, [&](const auto& at) {
    detail::scan_segments_of_group(members, x, at, y, operation, init);
  });
}

}  // namespace tandem
