// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with serial as the default space, whatever tandem's build uses.
#include <concepts>

#include <tandem/tandem.hpp>

static_assert(std::same_as<tandem::default_space, tandem::serial>);
static_assert(std::same_as<tandem::build_space, tandem::serial>);

int main() {}
