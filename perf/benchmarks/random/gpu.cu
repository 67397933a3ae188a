// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's targets for random numbers: tandem against a fill of the same array, and against
// cuRAND.
#include <perf/benchmarks/random/bench.hpp>
#include <perf/support/curand.hpp>
#include <perf/support/gpu.cuh>

#include <cstdio>

namespace perf::random_gpu {

template <class T>
candidate fill_limit(index_t n) {
  candidate made = resident_draw<cuda, T>(
      std::make_shared<cuda>(), n,
      [](const cuda& space, const auto& x) { tandem::fill(space, x, T{1}); });
  made.check = nullptr;
  return made;
}

template <drawn Kind, class T>
candidate draw_by_curand(index_t n, curand::generator kind) {
  auto space = std::make_shared<cuda>();
  auto generator = std::make_shared<curand>(space->native_stream(), kind);
  return resident_draw<cuda, T>(space, n, [=](const cuda&, const auto& x) {
    const auto size = static_cast<std::size_t>(x.size());
    if constexpr (Kind == drawn::bits) {
      generator->fill_bits(x.data_handle(), size);
    } else if constexpr (Kind == drawn::uniform) {
      generator->fill_uniform(x.data_handle(), size);
    } else {
      generator->fill_normal(x.data_handle(), size);
    }
  });
}

template <drawn Kind, class T>
void list_draws(lineup& add, int exponent) {
  const index_t n = index_t{1} << exponent;
  const problem solved = draw_problem<Kind, T>(n);
  add(tandem_on_gpu(solved, [=] { return random_by_tandem<cuda, Kind, T>(n); }));
  add(limit(solved, "fill", [=] { return fill_limit<T>(n); }));
  if (!curand::is_present()) return;
  using generator = curand::generator;
  add(peer(solved, "cuda", "curand_philox",
           [=] { return draw_by_curand<Kind, T>(n, generator::philox); }));
  add(peer(solved, "cuda", "curand_xorwow",
           [=] { return draw_by_curand<Kind, T>(n, generator::xorwow); }));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  if (!curand::is_present()) std::printf("random: no libcurand here, so cuRAND is not measured\n");
  list_draws<drawn::bits, std::uint32_t>(add, 28);
  list_draws<drawn::uniform, float>(add, 28);
  list_draws<drawn::uniform, double>(add, 27);
  list_draws<drawn::normal, float>(add, 28);
}

const registration gpu(list_gpu);

}  // namespace perf::random_gpu
