// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What a build generates (cmake/settings.hpp.in), for editors and other readers of a clone that is
/// not configured: plain C++, unchecked. Builds and installations have their own and not this file.

#ifndef TANDEM_CHECKED
#define TANDEM_CHECKED 0
#endif

#ifndef TANDEM_AGREEMENT
#define TANDEM_AGREEMENT 1
#endif

#include <tandem/core/annotations.hpp>
