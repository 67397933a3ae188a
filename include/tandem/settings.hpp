// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Build settings for editors and other readers of a clone that is not configured: plain C++,
/// unchecked. Builds and installations generate a replacement from cmake/settings.hpp.in.

#ifndef TANDEM_CHECKED
#define TANDEM_CHECKED 0
#endif

#ifndef TANDEM_AGREEMENT
#define TANDEM_AGREEMENT 1
#endif

#include <tandem/core/annotations.hpp>
