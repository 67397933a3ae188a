// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints twice what a loop reports about how nvcc compiled the device code of this file.
// tests/checks/check_agreement.py compiles it with several flags.

#include <tandem/tandem.hpp>

#include <cstdio>

int main() {
  if (tandem::cuda::devices().empty()) {
    std::puts("no device");
    return 0;
  }
  const tandem::cuda space;
  for (int call = 0; call < 2; ++call) {
    try {
      tandem::parallel_for(space, 1, TANDEM_LAMBDA(int){});
      std::puts("agrees");
    } catch (const tandem::agreement_error& e) {
      std::puts(e.what());
    }
  }
  return 0;
}
