// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

namespace tandem::test {

/// x -> a * x + b; composing two of them is associative but does not commute.
struct affine {
  float a;
  float b;
};

/// f first, then g.
struct compose {
  TANDEM_FUNCTION affine operator()(affine f, affine g) const {
    return {g.a * f.a, tandem::fma(g.a, f.b, g.b)};
  }
};

}  // namespace tandem::test
