// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min and max as macros that are defined after the first header of the standard library, which
// undefines them, and still there after tandem. tests/checks/check_headers.py compiles the file.

#include <string>

#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))

#include <tandem/tandem.hpp>

#include <tandem/distributed.hpp>
#include <tandem/dlpack.hpp>
#include <tandem/print.hpp>
#include <tandem/require_in_kernel.hpp>

static_assert(max(1, 2) == 2 && min(1, 2) == 1);
