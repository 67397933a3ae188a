// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/black_scholes/kernel.hpp>

namespace perf::black_scholes_openmp {

void price_by_hand(black_scholes<openmp>& kernel) {
  const float* __restrict const share = kernel.share.data_handle();
  const float* __restrict const strike = kernel.strike.data_handle();
  const float* __restrict const years = kernel.years.data_handle();
  const auto n = static_cast<int>(kernel.share.size());
  float* __restrict const call = kernel.prices.data_handle();
  float* __restrict const put = call + n;
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) {
    const option_prices both = price_option(share[i], strike[i], years[i]);
    call[i] = both.call;
    put[i] = both.put;
  }
}

const registration all(list_kernel<openmp, black_scholes<openmp>, price_by_hand>);

}  // namespace perf::black_scholes_openmp
