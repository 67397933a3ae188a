// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

/// Term i of 1 + 3 + 5 + ... One for all objects, which says the same in each of them.
struct odd_number {
  TANDEM_FUNCTION double operator()(int i) const { return 2.0 * i + 1.0; }
};
