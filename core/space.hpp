// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem {

/// The space that calls without one use: made at its first use, shared by the whole program.
/// Errors: what making a Space throws, for example no_device_error; the next call tries again.
template <class Space>
const Space& default_instance() {
  static const Space space;
  return space;
}

}  // namespace tandem
