// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

namespace tandem::test {

/// x -> a * x + b; the composition of two is associative but does not commute.
struct affine {
  float a;
  float b;
};

/// Applies f first, then g.
struct compose {
  TANDEM_FUNCTION affine operator()(affine f, affine g) const {
    return {g.a * f.a, tandem::fma(g.a, f.b, g.b)};
  }
};

}  // namespace tandem::test
