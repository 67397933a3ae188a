// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled where the default space is serial, whatever it is in the build of tandem.
#include <concepts>

#include <tandem/tandem.hpp>

static_assert(std::same_as<tandem::default_space, tandem::serial>);
static_assert(std::same_as<tandem::build_space, tandem::serial>);

int main() {}
