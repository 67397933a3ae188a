// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>

/// The effort of a test run. Under a tool a kernel may take a thousand times as long:
/// TANDEM_TEST_FEW=N in the environment asks for N inputs in each random sweep, and for some of the
/// sizes in cases that list theirs.
namespace tandem::test {

/// Whether few inputs were requested.
inline bool takes_few() { return std::getenv("TANDEM_TEST_FEW") != nullptr; }

/// Whether a run with few inputs omits a product of that many multiplications.
inline bool leaves_out_product(std::int64_t multiplications, std::int64_t most = 15'000'000) {
  return takes_few() && multiplications > most;
}

/// Inputs of a sweep that normally has `all`.
inline std::uint64_t sweep_inputs(std::uint64_t all) {
  const char* const asked = std::getenv("TANDEM_TEST_FEW");
  return asked == nullptr ? all : std::strtoull(asked, nullptr, 10);
}

}  // namespace tandem::test
