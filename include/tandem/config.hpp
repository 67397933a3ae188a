// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What every header of tandem begins with: the compiler is checked, then the settings of the build
/// and the macros are defined, then the flags of the file that is compiled are checked.

#include <tandem/core/requirements.hpp>

#include <tandem/settings.hpp>

#include <tandem/core/tools/agreement/agreement.hpp>
