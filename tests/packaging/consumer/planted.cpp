// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with a platform function, next to an allowed one, tandem's replacement, and functions
// that are exact everywhere (CMakeLists.txt).
#include <tandem/tandem.hpp>

#include <cmath>

int main() {
  float x[1] = {2};
  const auto f = [](float v) {
    return std::exp(v) + std::log(v) + tandem::sin(v) + std::sqrt(v) + std::floor(v) +
           std::fma(v, v, v);
  };
  tandem::transform(tandem::serial{}, x, x, f);
  return x[0] > 0 ? 0 : 1;
}
