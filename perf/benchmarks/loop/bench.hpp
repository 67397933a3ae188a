// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace perf {

/// Operations: z = x + scale * y, z = x, z += 1, z = x + y, z = x * y.
enum class loop { triad, copy, increment, add, multiply };

template <loop Operation>
constexpr bool has_two_inputs = Operation != loop::copy && Operation != loop::increment;

inline constexpr double triad_scale = 0.4;
inline constexpr std::uint64_t x_seed = 2;
inline constexpr std::uint64_t y_seed = std::uint64_t{1} << 40;
inline constexpr std::uint64_t z_seed = 3;

/// The element that an operation computes of x, y and z.
template <loop Operation, class T>
struct element_of {
  TANDEM_FUNCTION T operator()(T x, T y, T z) const {
    if constexpr (Operation == loop::triad) return tandem::fma(static_cast<T>(triad_scale), y, x);
    if constexpr (Operation == loop::add) return x + y;
    if constexpr (Operation == loop::multiply) return x * y;
    if constexpr (Operation == loop::increment) return z + T(1);
    return x;
  }
};

/// tandem's loop over a line, through a lambda whose index has the type Index.
template <loop Operation, class Index, class Space, class Input, class Output>
void run_line(const Space& space, const Input& x, const Input& y, const Output& z) {
  using T = typename Output::value_type;
  const auto n = static_cast<Index>(z.size());
  if constexpr (Operation == loop::triad) {
    const T s = static_cast<T>(triad_scale);
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(Index i) { z(i) = tandem::fma(s, y(i), x(i)); });
  } else if constexpr (Operation == loop::add) {
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(Index i) { z(i) = x(i) + y(i); });
  } else if constexpr (Operation == loop::multiply) {
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(Index i) { z(i) = x(i) * y(i); });
  } else if constexpr (Operation == loop::copy) {
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(Index i) { z(i) = x(i); });
  } else {
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(Index i) { z(i) += T(1); });
  }
}

/// tandem's loop over a plane, through a lambda.
template <loop Operation, class Space, class Input, class Output>
void run_plane(const Space& space, const Input& x, const Input& y, const Output& z) {
  using T = typename Output::value_type;
  const tandem::grid size(z.extent(0), z.extent(1));
  if constexpr (Operation == loop::triad) {
    const T s = static_cast<T>(triad_scale);
    tandem::parallel_for(
        space, size, TANDEM_LAMBDA(int j, int i) { z(j, i) = tandem::fma(s, y(j, i), x(j, i)); });
  } else if constexpr (Operation == loop::copy) {
    tandem::parallel_for(
        space, size, TANDEM_LAMBDA(int j, int i) { z(j, i) = x(j, i); });
  } else {
    static_assert(Operation == loop::increment);
    tandem::parallel_for(
        space, size, TANDEM_LAMBDA(int j, int i) { z(j, i) += T(1); });
  }
}

/// Layout of the elements in memory: a line; every second element of a line; a line that begins one
/// element past an aligned address; a contiguous plane; a plane with gaps between its rows.
enum class form { line, strided, misaligned, plane, pitched };

/// Position of element (j, i) of a view: offset + j * pitch + i * step.
struct placement {
  index_t rows = 1;
  index_t columns = 0;
  index_t offset = 0;
  index_t pitch = 0;
  index_t step = 1;

  TANDEM_FUNCTION index_t size() const { return rows * columns; }
  /// Elements of memory that hold the view and the gaps between its elements.
  TANDEM_FUNCTION index_t span() const {
    return offset + (rows - 1) * pitch + (columns - 1) * step + 1;
  }
};

struct loop_case {
  loop operation;
  form shape;
  index_t rows;
  index_t columns;

  placement place() const;
};

/// Cases of the GPU's targets: lines of all sizes and, unless `lines_only`, the other forms of
/// some.
std::vector<loop_case> loop_cases(bool lines_only);

/// The problem of a case. Its reference is that no element is wrong, which the device counts
/// itself, since arrays of 8 GB are too large to check on the host.
problem loop_problem(const loop_case& asked, const std::string& type, std::size_t element_bytes);

/// The report's cases: additions, products and triads of lines, increments of lines and planes.
std::vector<loop_case> report_cases(const settings& chosen);

/// The problem of one of them, with the bits of the serial backend as its reference.
problem report_problem(const loop_case& asked);

/// The hash of z, which is on the host, and the number of its elements that differ from what one
/// run makes.
outcome report_outcome(const loop_case& asked, const float* z);

/// Calls call(constant) with the operation of a report's case as a std::integral_constant.
template <class Call>
void with_operation(loop operation, const Call& call) {
  switch (operation) {
    case loop::triad:
      return call(std::integral_constant<loop, loop::triad>());
    case loop::add:
      return call(std::integral_constant<loop, loop::add>());
    case loop::multiply:
      return call(std::integral_constant<loop, loop::multiply>());
    default:
      return call(std::integral_constant<loop, loop::increment>());
  }
}

}  // namespace perf
