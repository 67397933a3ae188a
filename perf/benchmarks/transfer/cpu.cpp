// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/transfer/bench.hpp>

namespace perf {

problem transfer_problem(transfer way, index_t n) {
  const char* name = way == transfer::to_device ? "to_device" : "to_host";
  return problem_of("transfer", name, "f32", n, sizeof(float), [=] {
    const serial space;
    array<float, 1, serial> x(n);
    fill_with(space, x.view(), uniform_values<float>{transfer_seed});
    return reference{summary_of(x.data_handle(), n), 0, "serial"};
  });
}

}  // namespace perf
