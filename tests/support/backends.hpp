// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include <tandem/tandem.hpp>

/// Which spaces a test case runs on. A file of tests is compiled twice: for the host's backends by
/// the host's compiler, and for CUDA by nvcc (TANDEM_TEST_CUDA). Each case is a template over one
/// of the tags below:
///
///   TEST_CASE_TEMPLATE("sum: ..", Backend, TANDEM_TEST_BACKENDS) { const auto space =
///   Backend::make(); .. }
///
/// The threads of openmp come from the environment (TANDEM_TEST_THREADS, 3 by default), so that one
/// compilation serves all thread counts: CTest runs the binary once for each of them.
namespace tandem::test {

struct on_serial {
  using space = serial;
  static space make() { return serial{}; }
};

struct on_openmp {
  using space = openmp;
  static space make() {
    static const char* const threads = std::getenv("TANDEM_TEST_THREADS");
    return openmp(threads == nullptr ? 3 : std::atoi(threads));
  }
};

#ifdef TANDEM_TEST_CUDA
struct on_cuda {
  using space = cuda;
  static space make() { return cuda(0); }
};
#define TANDEM_TEST_BACKENDS tandem::test::on_cuda
#else
#define TANDEM_TEST_BACKENDS tandem::test::on_serial, tandem::test::on_openmp
#endif

/// A copy of the values in the memory of a space.
template <class T, class Space>
array<T, 1, Space> to_space(const Space& space, const std::vector<T>& values) {
  array<T, 1, Space> result(extents<1>(values.size()), space);
  copy(space, values, result);
  space.fence();
  return result;
}

/// The elements of an array or a view of any rank and layout, row-major, on the host.
template <class Space, class Source>
auto to_host(const Space& space, const Source& source) {
  const auto from = as_view(source);
  using View = decltype(from);
  using T = typename std::remove_cvref_t<View>::value_type;
  std::vector<T> result(static_cast<std::size_t>(from.size()));
  const view<T, std::remove_cvref_t<View>::rank(), layout_right, host_memory> to(result.data(),
                                                                                 from.extents());
  copy(space, from, to);
  space.fence();
  return result;
}

}  // namespace tandem::test
