// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of a program that links the CUDA backend, for a receiver of NVTX ranges: also those of
// the CPU, and without a GPU.

#include <vector>

#include <tandem/tandem.hpp>

int main() {
  (void)tandem::cuda::devices();  // links the backend's runtime
  const tandem::serial space;
  std::vector<float> x(100, 1.0f);
  float* const first = x.data();
  tandem::parallel_for(space, 100, [=](int i) { first[i] += 1.0f; });
  if (tandem::dot(space, x, x) != 400) return 1;
  tandem::sort(space, x);
}
