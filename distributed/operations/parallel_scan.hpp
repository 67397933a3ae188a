// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/scan_member.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// A scan of the elements of y over the members of a group. Each member reads its terms for the
/// totals of its tiles, all exchange the nodes that cover their parts, and each scans its tiles
/// from the nodes on their left.
template <class Space, class Y>
class group_scan {
 public:
  using T = typename Y::value_type;

  group_scan(const group<Space>& members, const char* name, Y& y)
      : members_(members),
        name_(name),
        y_(y),
        parts_(list_for<scan_member<Space, T>>(name, members.size())) {
    int last = 0;  // the last member that scans tiles
    for (int p = 0; p < members.size(); ++p) {
      const reduction_part own = terms_of(p);
      if (own.tiles.size() + own.tail.size() > 0) last = p;
    }
    for_each_member(members, [&](int p) {
      const index_t before = p == 0 ? 0 : parts_.back().nodes().end;
      parts_.emplace_back(members.member(p), terms_of(p), y.size(), before, p < last);
    });
  }

  /// problem_of(p) describes the whole scan with the memory of member p.
  template <class ProblemOf>
  void run(const ProblemOf& problem_of) {
    fence_on_error(members_, [&] {
      for_each_member(members_, [&](int p) {
        part(p).store_split_terms(members_.member(p), name_, problem_of(p));
      });
      gather_split_tiles();
      for_each_member(members_,
                      [&](int p) { part(p).find_nodes(members_.member(p), name_, problem_of(p)); });
      exchange_nodes();
      for_each_member(members_, [&](int p) {
        if (!part(p).has_tiles()) return;
        const Space& space = members_.member(p);
        run_scan_of_part(space, name_, part(p).terms(),
                         [&] { part(p).scan(space, name_, problem_of(p)); });
      });
      scatter_split_tiles();
    });
  }

 private:
  using member = scan_member<Space, T>;

  member& part(int p) { return parts_[static_cast<std::size_t>(p)]; }
  reduction_part terms_of(int p) const {
    return reduction_part::of(own_rows(y_, p), y_.size(), canonical::scan_tile);
  }

  /// Calls f(owner, p) for each member p with terms of a tile that begins in an earlier part.
  template <class F>
  void for_each_head(const F& f) {
    int owner = 0;
    for (int p = 0; p < members_.size(); ++p) {
      if (part(p).head().size() > 0) f(owner, p);
      if (part(p).has_split()) owner = p;
    }
  }

  void gather_split_tiles() {
    transfers<Space> terms(name_, members_);
    for_each_head([&](int owner, int p) {
      terms.add(p, owner,
                make_copy_problem(part(p).head_terms(), part(owner).split_terms(part(p).head())));
    });
    terms.run();
  }

  void exchange_nodes() {
    transfers<Space> nodes(name_, members_);
    for (int q = 1; q < members_.size(); ++q) {
      for (int p = 0; p < q && part(q).has_tiles(); ++p) {
        const range some = part(p).nodes();
        if (some.size() > 0)
          nodes.add(p, q, make_copy_problem(part(p).node_line(some), part(q).node_line(some)));
      }
    }
    nodes.run();
  }

  void scatter_split_tiles() {
    transfers<Space> results(name_, members_);
    const auto add = [&](int owner, int p, const range& terms) {
      const typename member::line to(y_.whole(p).data_handle() + terms.begin,
                                     extents<1>(terms.size()));
      results.add(owner, p, make_copy_problem(part(owner).split_terms(terms), to));
    };
    for (int p = 0; p < members_.size(); ++p)
      if (part(p).has_split()) add(p, p, part(p).tail());
    for_each_head([&](int owner, int p) { add(owner, p, part(p).head()); });
    results.run();
  }

  const group<Space>& members_;
  const char* name_;
  Y& y_;
  std::vector<member> parts_;
};

/// Scans the terms of a load functor for each member, which load_of(p) makes.
template <class Space, class Y, class R, class LoadOf>
void scan_loads(const group<Space>& members, Y& y, const R& reducer,
                const typename Y::value_type* init, const LoadOf& load_of) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  if (y.size() == 0) return;
  const auto problem_of = [&](int p) {
    return describe_scan(y.size(), load_of(p), reducer, y.whole(p).data_handle(), 1, init);
  };
  if (members.size() == 1) {
    run_scan_of_part(members.member(0), name, range(y.size()), [&] {
      scan_tiles_of_part(members.member(0), name, problem_of(0), scan_part<T>());
    });
  } else {
    group_scan<Space, Y>(members, name, y).run(problem_of);
  }
}

template <class Space, class X, class Y, class Operation>
void scan_array(const group<Space>& members, const X& x, Y& y, const Operation& operation,
                const typename Y::value_type* init) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  static_assert(X::rank() == 1 && Y::rank() == 1,
                "tandem: parallel_scan: x and y have one dimension");
  check_stored<typename X::value_type, T>();
  const auto reducer = as_scan_reducer<T>(operation);
  using R = std::remove_const_t<decltype(reducer)>;
  if constexpr (check_scan<Space, typename X::value_type, whole_view<Y>, R>()) {
    common_cut common(name);
    common.add(members, x);
    common.add(members, y);
    require_equal(name, "extent of x", x.extent(0), "extent of y", y.extent(0));
    require(!x.is_replicated() && !y.is_replicated(), name, "x and y are sharded, not replicated");
    scan_loads(members, y, reducer, init, [&](int p) {
      return contiguous_load<typename X::value_type, R>{x.whole(p).data_handle(), reducer};
    });
  }
}

template <class Space, class Indices, class Function, class Y, class Operation, class... Argument>
void scan_terms(const group<Space>& members, const Indices& indices, const Function& f, Y& y,
                const Operation& operation, const typename Y::value_type* init,
                Argument&... arguments) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  static_assert(Y::rank() == 1, "tandem: parallel_scan: y has one dimension");
  const auto bound = [&]([[maybe_unused]] int p) {
    return bind_to_terms<Space, 1>(f, argument_of(arguments, p)...);
  };
  using Bound = decltype(bound(0));
  if constexpr (!is_refused<Bound> && check_term_function<Space, Indices, Bound>()) {
    using Term = term_type<Bound, Indices>;
    check_stored<Term, T>();
    const auto reducer = as_scan_reducer<T>(operation);
    using R = std::remove_const_t<decltype(reducer)>;
    if constexpr (check_scan<Space, Term, whole_view<Y>, R>()) {
      const range& terms = as_indices(indices);
      require_terms<Bound>(name, indices);
      require_equal(name, "elements", terms.size(), "extent of y", y.extent(0));
      common_cut common(name);
      (common.add(members, arguments), ...);
      require(common.rows() == nullptr || terms.begin == 0, name,
              "the indices are rows of the sharded arguments, and begin at 0");
      common.add(members, y);
      require(!y.is_replicated(), name, "y is sharded, not replicated");
      scan_loads(members, y, reducer, init, [&](int p) {
        const auto placed = place_terms<Space, 1>(name, bound(p));
        using Placed = std::remove_const_t<decltype(placed)>;
        return function_load<Placed, loop_index<Bound>, R>{placed, reducer, terms.begin};
      });
    }
  }
}

}  // namespace detail

/// Computes inclusive prefixes of a sharded array, as parallel_scan() on one space and with its
/// bits: y[i] = x[0] op .. op x[i].
///
/// @param x, y       sharded arrays of one cut and equal extent, of one dimension; y may be x
/// @param operation  as on one space; by default the sum
/// Errors            extent_error when extents or cuts differ; argument_error for arrays of other
///                   members and for replicated ones; those of parallel_scan on one space
/// Complexity        each member reads its part of x twice, the last one once, and writes its part
///                   of y once. A member receives at most 62 values per level of the scan's tree
///                   and member on its left. A cut that is no multiple of 4096 elements costs a
///                   copy of fewer elements there and back. Scratch: a value per 4096 elements of
///                   the part, besides that of a scan on one space
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y,
          class Operation = sum<>>
void parallel_scan(const group<Space>& members, const X& x, Y& y, const Operation& operation = {}) {
  detail::scan_array(members, x, y, operation, nullptr);
}

/// Computes exclusive prefixes of a sharded array: y[i] = init op x[0] op .. op x[i - 1].
///
/// @param x, y, operation  as for the inclusive scan
/// @param from             exclusive{init}
/// Errors, complexity      as for the inclusive scan
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y, class Operation,
          class Init>
void parallel_scan(const group<Space>& members, const X& x, Y& y, const Operation& operation,
                   const exclusive<Init>& from) {
  const auto init = detail::first_of<typename Y::value_type, Operation>(from);
  detail::scan_array(members, x, y, operation, &init);
}

/// Scans the terms f(begin, arguments...), f(begin + 1, arguments...), .. with the bits of one
/// space.
///
/// @param indices    n or range{begin, end}. Arguments that are sharded have a row per element of
///                   y; then the indices begin at 0
/// @param f          returns the term of (i, arguments...), with the index i of the whole. It sees
///                   the member's rows of the arguments, may read the element of y at its position,
///                   but no other, and is called up to twice per index
/// @param y          sharded array of one dimension and as many elements as there are indices
/// @param operation  as on one space
/// @param arguments  sharded arrays of y's cut and replicated arrays, as views; values by copy
/// Errors            those of a scan of an array; extent_error as for terms on one space;
///                   argument_error if indices that do not begin at 0 meet sharded arguments
/// Complexity        as for a scan of an array
/// Asynchronous on the members.
template <class Space, detail::line_space Indices, class Function, detail::sharded_operand Y,
          class Operation = sum<>, class... Argument>
  requires(!detail::is_exclusive<std::remove_cvref_t<Argument>> && ...)
void parallel_scan(const group<Space>& members, const Indices& indices, const Function& f, Y& y,
                   const Operation& operation = {}, Argument&&... arguments) {
  detail::scan_terms(members, indices, f, y, operation, nullptr, arguments...);
}

/// Scans the terms of a function of the index, exclusively: y(i) combines the terms before i.
///
/// @param indices, f, y, operation, arguments  as for the inclusive scan of terms
/// @param from  exclusive{init}: init is the leftmost term
/// Errors, complexity  as for the inclusive scan of terms
/// Asynchronous on the members.
template <class Space, detail::line_space Indices, class Function, detail::sharded_operand Y,
          class Operation, class Init, class... Argument>
void parallel_scan(const group<Space>& members, const Indices& indices, const Function& f, Y& y,
                   const Operation& operation, const exclusive<Init>& from,
                   Argument&&... arguments) {
  const auto init = detail::first_of<typename Y::value_type, Operation>(from);
  detail::scan_terms(members, indices, f, y, operation, &init, arguments...);
}

}  // namespace tandem
