// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/openmp/std_threads/std_threads.hpp"

/// The one backend on which tandem_tests_std_threads runs the tests of algorithms.
namespace tandem::test {

struct on_std_threads : tag<std_threads> {};
using on_fastest = on_std_threads;
using host_space = openmp;

}  // namespace tandem::test

#define TANDEM_TEST_BACKENDS tandem::test::on_std_threads
