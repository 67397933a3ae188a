// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Included first by every header of tandem: checks the compiler, defines the settings of the build
/// and the macros, then checks the flags of the file that is compiled.

#include <tandem/core/requirements.hpp>

#include <tandem/settings.hpp>

#include <tandem/core/tools/agreement/agreement.hpp>
