// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include <tandem/tandem.hpp>

/// Selects the spaces of a test case. A test file is compiled for the host's backends by the host
/// compiler, and again for each backend with a separate compiler. Each case is a template over a
/// tag, on_NAME, for each backend that the binary tests:
///
///   TEST_CASE_TEMPLATE("sum: ..", Backend, TANDEM_TEST_BACKENDS) {
///     const auto space = Backend::make();
///     ..
///   }
///
/// The build defines the tags, TANDEM_TEST_BACKENDS and `host_space`, the fastest backend of the
/// host (tests/test_helpers.cmake). The environment sets the threads of openmp
/// (TANDEM_TEST_THREADS, 3 by default), so one compilation serves all thread counts: CTest runs the
/// binary once for each.
namespace tandem::test {

template <class Space>
struct tag {
  using space = Space;
  static constexpr bool on_device = !Space::memory_type::host_accessible;

  static Space make() {
    if constexpr (requires { Space::with_threads(1); }) {
      static const char* const threads = std::getenv("TANDEM_TEST_THREADS");
      return Space::with_threads(threads == nullptr ? 3 : std::atoi(threads));
    } else {
      return Space{};
    }
  }
};

}  // namespace tandem::test

#include <test_backends.hpp>

namespace tandem::test {

/// Copies the values to the memory of a space.
template <class T, class Space>
array<T, 1, Space> to_space(const Space& space, const std::vector<T>& values) {
  array<T, 1, Space> result(extents<1>(values.size()), space);
  copy(space, values, result);
  space.fence();
  return result;
}

/// Returns the elements of an array or a view of any rank and layout, row-major, on the host.
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
