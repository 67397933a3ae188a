// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/segmented_reduce.hpp>
#include <tandem/core/numbers/fixed_point.hpp>
#include <tandem/core/view/subview.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

/// A sparse matrix in compressed sparse rows (CSR): row i has the elements values(k) in columns
/// columns(k) for offsets(i) <= k < offsets(i + 1). It consists of views, owns nothing, and is
/// copied.
///
///   const tandem::csr_matrix a{as_view(offsets), as_view(columns), as_view(values), 1000};
///
/// offsets   rank-1 view of integers, one more than there are rows, ascending in 0 ..
///           values.extent(0)
/// columns   rank-1 view of integers in 0 .. column_count - 1, in any order within a row;
///           duplicates are added up
/// values    rank-1 view of floating point, of the extent of columns
template <class Offsets, class Columns, class Values>
struct csr_matrix {
  Offsets offsets;
  Columns columns;
  Values values;
  index_t column_count;

  index_t rows() const { return offsets.size() - 1; }
};

namespace detail {

/// The offsets of a csr_matrix without a number of columns. Says so, and is like any offsets after
/// that, so that a compiler says nothing else.
template <class Offsets>
struct offsets_without_columns : Offsets {
  template <class From>
  // NOLINTNEXTLINE(google-explicit-constructor): initialises a member of the aggregate.
  offsets_without_columns(const From& offsets) : Offsets(offsets) {
    static_assert(sizeof(From) == 0,
                  "tandem: csr_matrix{offsets, columns, values, column_count}: the number of "
                  "columns is missing, which the three views do not tell");
  }
};

/// The type of an array's view, to take the array's place in a csr_matrix. Says that as well.
template <class Array>
struct view_instead_of : as_view_t<const Array&> {
  template <class From>
  // NOLINTNEXTLINE(google-explicit-constructor): initialises a member of the aggregate.
  view_instead_of(const From&) {
    static_assert(sizeof(From) == 0,
                  "tandem: csr_matrix: a csr_matrix consists of views, not arrays: "
                  "csr_matrix{offsets.view(), columns.view(), values.view(), column_count}");
  }
};

template <class X>
struct csr_member {
  using type = std::decay_t<X>;
};
template <viewable X>
  requires(!std::copy_constructible<X>)
struct csr_member<X> {
  using type = view_instead_of<X>;
};

}  // namespace detail

template <class Offsets, class Columns, class Values>
csr_matrix(const Offsets&, const Columns&, const Values&, index_t)
    -> csr_matrix<typename detail::csr_member<Offsets>::type,
                  typename detail::csr_member<Columns>::type,
                  typename detail::csr_member<Values>::type>;

template <class Offsets, class Columns, class Values>
csr_matrix(Offsets, Columns, Values)
    -> csr_matrix<detail::offsets_without_columns<Offsets>, Columns, Values>;

namespace detail {

/// Reads the elements of a rank-1 view in kernels. Unlike strided_line, it stores no size and can
/// have stride 1 at compile time: a product passes three of these as kernel arguments.
template <class T, bool Contiguous>
struct line_reader {
  const T* data;
  index_t stride;

  [[gnu::always_inline]] TANDEM_FUNCTION const T* at(index_t i) const {
    return data + (Contiguous ? i : i * stride);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION T operator()(index_t i) const {
    return load_constant(at(i));
  }
  /// The elements from number `first` on.
  [[gnu::always_inline]] TANDEM_FUNCTION line_reader from(index_t first) const {
    return {target::in_register(at(first)), stride};
  }
};

template <bool Contiguous, class View>
line_reader<std::remove_const_t<typename View::value_type>, Contiguous> read_line(const View& v) {
  return {v.data_handle(), v.stride(0)};
}

/// Unsigned column numbers, which one comparison checks: a negative column becomes a large unsigned
/// number.
template <class Column>
using column_number = std::conditional_t<std::is_signed_v<Column> && sizeof(Column) < 8,
                                         std::make_unsigned_t<Column>, std::uint64_t>;

/// The rounded product of stored element k and its element of the vector; NaN if its column is out
/// of range.
///
/// Contiguous, ContiguousX  whether the matrix and x have stride 1, which saves three
///                          multiplications per element
template <class Column, class T, bool Contiguous, bool ContiguousX>
struct csr_term {
  line_reader<Column, Contiguous> columns;
  line_reader<T, Contiguous> values;
  line_reader<T, ContiguousX> x;  ///< has an element 0, even if there is no column
  column_number<Column> column_count;

  [[gnu::always_inline]] TANDEM_FUNCTION T operator()(index_t k) const {
    const Column column = columns(k);
    if (is_outside(column)) [[unlikely]]
      return nan_of<T>;
    return values(k) * x(static_cast<index_t>(column));
  }

  /// Returns the terms from number `first` on, in two steps, so that a GPU has the loads of many
  /// elements in flight before it waits for a column: the second step has no branch, and no
  /// predicate that is live across the wait for x.
  struct stored {
    Column column;
    T value;
  };
  [[gnu::always_inline]] TANDEM_FUNCTION csr_term from(index_t first) const {
    return {columns.from(first), values.from(first), x, column_count};
  }
  [[gnu::always_inline]] TANDEM_FUNCTION stored fetch(int k) const {
    return {columns(k), values(k)};
  }
  [[gnu::always_inline]] TANDEM_FUNCTION T finish(const stored& element) const {
    const bool outside = is_outside(element.column);
    const T value = outside ? nan_of<T> : element.value;
    return value * x(static_cast<index_t>(outside ? Column{0} : element.column));
  }

 private:
  [[gnu::always_inline]] TANDEM_FUNCTION bool is_outside(Column column) const {
    return static_cast<column_number<Column>>(column) >= column_count;
  }
};

/// Returns position k if its column is out of range, else `none`.
template <class Columns>
struct find_wrong_column {
  Columns columns;
  index_t count;

  static constexpr index_t none = std::numeric_limits<index_t>::max();

  TANDEM_FUNCTION index_t operator()(index_t k) const {
    const auto column = static_cast<index_t>(columns.data_handle()[k * columns.stride(0)]);
    return column < 0 || column >= count ? k : none;
  }
};

/// Throws if a column is out of range. Waits for the columns, so only checked builds call it.
template <class Space, class Columns>
void require_columns(const Space& space, const Columns& columns, index_t count) {
  if (columns.size() == 0) return;
  const index_t wrong =
      dispatch_reduce(space, "multiply", columns.size(), find_wrong_column<Columns>{columns, count},
                      minimum<index_t>{});
  if (wrong == find_wrong_column<Columns>::none) return;
  throw argument_error(message({"multiply: column number ", wrong, " is not in 0 .. ", count - 1}));
}

/// Reports in one line that a matrix consists of something else than views.
template <class Offsets, class Columns, class Values>
consteval bool check_csr_views() {
  constexpr bool are_views = requires {
    typename Offsets::memory_type;
    typename Columns::memory_type;
    typename Values::memory_type;
  };
  static_assert(are_views,
                "tandem: multiply: a csr_matrix consists of views: csr_matrix{as_view(offsets), "
                "as_view(columns), as_view(values), column_count}");
  return are_views;
}

/// Reports in one line what cannot be multiplied.
template <class Space, class Matrix, class X, class Y>
consteval void check_csr() {
  using Columns = decltype(Matrix::columns);
  using Values = decltype(Matrix::values);
  using T = std::remove_const_t<typename Values::value_type>;
  constexpr bool one_type =
      (std::is_same_v<T, float> ||
       std::is_same_v<T, double>)&&std::is_same_v<typename X::value_type, T> &&
      std::is_same_v<typename Y::element_type, T>;
  static_assert((X::rank() == 1 || X::rank() == 2) && Y::rank() == X::rank(),
                "tandem: multiply: x and y are both vectors or both matrices");
  static_assert(Columns::rank() == 1 && Values::rank() == 1,
                "tandem: multiply: columns and values have one dimension");
  check_index_type<typename Columns::value_type>();
  static_assert(one_type,
                "tandem: multiply: values, x and y are of one type, float or double, which is not "
                "const in y");
  static_assert(reaches<Space, Columns, Values, X>,
                "tandem: multiply: the space cannot reach the memory of columns, values or x");
  check_offsets<Space, decltype(Matrix::offsets), Y>();
}

/// Throws unless the extents of a, x and y match.
template <class Matrix, class X, class Y>
void require_csr(const Matrix& a, const X& x, const Y& y) {
  require_same_extents("multiply", "columns", a.columns, "values", a.values);
  require(a.offsets.size() >= 1, "multiply", "offsets has no element");
  require_equal("multiply", "columns of a", a.column_count, "extent 0 of x", x.extent(0));
  require(!overlaps(a.columns, y) && !overlaps(a.values, y) && !overlaps(x, y), "multiply",
          "y overlaps an input");
  if constexpr (Y::rank() == 1) {
    require_segments("multiply", a.offsets, y);
  } else {
    require_equal("multiply", "extent 1 of x", x.extent(1), "extent 1 of y", y.extent(1));
    require_distinct_elements("multiply", "y", y);
    require_equal("multiply", "rows of a", a.rows(), "extent 0 of y", y.extent(0));
    require_apart_from_offsets("multiply", a.offsets, y, "y");
  }
}

/// Describes the segments whose sums are y = a x.
template <bool Contiguous, bool ContiguousX, class Matrix, class X, class Y>
auto product_segments(const Matrix& a, const X& x, const Y& y) {
  using T = typename X::value_type;
  using Column = std::remove_const_t<typename decltype(a.columns)::value_type>;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Column>::max());
  const auto count = static_cast<std::uint64_t>(a.column_count);
  const auto values = read_line<Contiguous>(a.values);
  const csr_term<Column, T, Contiguous, ContiguousX> term{
      read_line<Contiguous>(a.columns),
      values,
      {a.column_count > 0 ? x.data_handle() : values.data, x.stride(0)},
      static_cast<column_number<Column>>(most < count ? most + 1 : count)};
  return make_segments(a.values.size(), term, sum<T>{}, a.offsets, y);
}

/// Computes y = a x for each column of validated operands. A checked build reads what it checks
/// before the first write.
template <bool Contiguous, class Space, class Matrix, class X, class Y>
void multiply_columns(const Space& space, const Matrix& a, const X& x, const Y& y) {
  const auto problem = [&](index_t c) {
    if constexpr (Y::rank() == 2) {
      return product_segments<Contiguous, false>(a, subview(x, all, c), subview(y, all, c));
    } else {
      return product_segments<Contiguous, Contiguous>(a, x, y);
    }
  };
  const index_t columns = y.size() / a.rows();
  if constexpr (checks_contents) {
    require_columns(space, a.columns, a.column_count);
    require_offsets_ascend(space, "multiply", problem(0));
  }
  if constexpr (checks_kernels<Space>) {
    for (index_t c = 0; c < columns; ++c) {
      if constexpr (Y::rank() == 2) {
        require_written_at("multiply", "x", subview(x, all, c), a.columns);
      } else {
        require_written_at("multiply", "x", x, a.columns);
      }
    }
  }
  for (index_t c = 0; c < columns; ++c) dispatch_segments(space, "multiply", problem(c));
}

/// Computes y = a x with the most specialised readers of the operands.
template <class Space, class Matrix, class X, class Y>
void dispatch_multiply(const Space& space, const Matrix& a, const X& x, const Y& y) {
  if constexpr (Space::memory_type::host_accessible || Y::rank() == 1) {
    if (a.columns.stride(0) == 1 && a.values.stride(0) == 1 && (Y::rank() == 2 || x.stride(0) == 1))
      return multiply_columns<true>(space, a, x, y);
  }
  multiply_columns<false>(space, a, x, y);
}

/// Checks and runs y = a x.
template <class Space, class Matrix, class X, class Y>
void run_multiply(const Space& space, const Matrix& a, const X& x, const Y& y) {
  check_csr<Space, Matrix, X, Y>();
  const operands with{input{"columns", a.columns}, input{"values", a.values},
                      input{"offsets", a.offsets}, partly_read{"x", x}, overwritten{"y", y}};
  const auto check = [&] {
    require_csr(a, x, y);
    return !y.empty();
  };
  run(space,
      call{"multiply", profile_kind::reduction, {y.size(), a.values.size()}, with, check, [&] {
             dispatch_multiply(space, a, x, y);
           }});
}

}  // namespace detail

/// Computes y = a x for a sparse matrix and a vector, or for each column of a matrix x with few
/// columns.
///
/// @param a    m x n matrix in compressed rows; its views are in memory that the space can access
/// @param x    rank-1 operand of n elements, or rank-2 operand of n rows, any layout; of the type
///             of a's values
/// @param y    rank-1 operand of m elements, or rank-2 operand of m rows and the columns of x, any
///             layout; overwritten. An empty row gives 0
/// Errors      extent_error if extents differ; argument_error if y overlaps another operand or
///             itself, or an operand has no memory, or memory that the space cannot access, and in
///             a checked build (TANDEM_CHECKED) if a column is out of range or offsets descend or
///             lead outside; out_of_memory_error. y is unchanged then. In other builds a column
///             that is out of range makes the element of y NaN; offsets as for segmented_reduce
/// Complexity  2 operations per stored element and column of x. Reads a once per column of x,
///             gathers one element of that column per stored element, and writes y once. Scratch as
///             for segmented_reduce
/// Agreement   the same bits on every backend, thread count and device: rounded products are summed
///             in their stored order by the reduction order of docs/numerics.md, as dot does. Each
///             column of y has the bits of a product with that column alone
/// Asynchronous on `space`.
template <execution_space Space, class Offsets, class Columns, class Values, viewable X, viewable Y>
void multiply(const Space& space, const csr_matrix<Offsets, Columns, Values>& a, X&& x, Y&& y) {
  if constexpr (detail::check_csr_views<Offsets, Columns, Values>()) {
    detail::run_multiply(space, a, detail::read_only(as_view(std::forward<X>(x))),
                         as_view(std::forward<Y>(y)));
  }
}

/// Calls multiply(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { multiply(detail::here(), std::forward<Argument>(a)...); }
auto multiply(Argument&&... arguments) {
  return multiply(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
