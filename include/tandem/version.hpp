// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem {

/// This release, by semantic versioning. CMakeLists.txt reads the numbers from this file.
inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;
inline constexpr const char* version = "0.1.0";

}  // namespace tandem
