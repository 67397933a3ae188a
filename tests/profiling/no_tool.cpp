// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that has no function of Kokkos Tools.

extern "C" int tandem_no_tool();
int tandem_no_tool() { return 0; }
