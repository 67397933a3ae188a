// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/histogram/peers.cuh>

namespace perf::histogram_gpu {

template <class Owner, class Samples>
candidate histogram_of_host_array(const Samples& samples) {
  using T = typename Samples::value_type;
  auto space = std::make_shared<cuda>();
  auto host = host_elements<T, Owner>(*space, samples.n, samples.values());
  auto counts = make_host_array<std::int32_t, Owner>(samples.bins);
  return on_host(
      [=](std::int64_t) {
        device_array<T> x(extents<1>(samples.n), *space);
        device_array<std::int32_t> device_counts(extents<1>(samples.bins), *space);
        tandem::copy(*space, *host, x);
        count_by_tandem<Samples>{samples}.count(*space, x.const_view(), device_counts.view());
        tandem::copy(*space, device_counts, *counts);
        space->fence();
      },
      [=] { return histogram_outcome(counts->data_handle(), samples.bins); });
}

/// Adds tandem and CUB.
template <class Samples>
void add_with_cub(lineup& add, const problem& solved, const Samples& samples) {
  add(tandem_on_gpu(solved, [=] { return resident_histogram<cuda>(samples); }));
  add(peer(solved, "cuda", "cub", [=] { return cub_histogram(samples); }));
}

template <class Samples>
void list_samples(const std::vector<Samples>& cases, lineup& add) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    add_with_cub(add, solved, samples);
    add_through_host(add, solved, [=](auto owner) {
      return histogram_of_host_array<typename decltype(owner)::type>(samples);
    });
  }
}

/// Adds tandem, CUB and the time of reading the input.
template <class Samples>
void add_with_read(lineup& add, const Samples& samples) {
  const problem solved = histogram_problem(samples, true);
  add_with_cub(add, solved, samples);
  add(read_limit(solved, solved.bytes));
}

/// Adds the targets' benchmarks of one distribution.
void list_targets(spread kind, lineup& add) {
  constexpr index_t large = index_t{1} << 27;
  for (const int bins : {10, 150, 256}) add_with_read(add, float_samples{large, kind, bins});
  for (const index_t n : {large / 4, large})
    add_with_read(add, integer_samples<std::int32_t>{n, kind});
  add_with_read(add, integer_samples<std::uint8_t>{large, kind});
  for (const int bins : {1000, 4096, 65536, 1 << 20}) {
    const integer_samples<std::int32_t> samples{large, kind, bins};
    const problem solved = histogram_problem(samples, true);
    add_with_cub(add, solved, samples);
    add(peer(solved, "cuda", "atomics", [=] { return atomic_histogram(samples); }));
  }
}

void list_targets(lineup& add) {
  constexpr index_t large = index_t{1} << 27;
  const float_samples million{1'000'000};
  add_with_cub(add, histogram_problem(million, true), million);
  for (const spread kind : spreads) list_targets(kind, add);
  for (const int bins : {100, 1000}) {
    const problem solved = edges_problem(large, bins);
    add(tandem_on_gpu(solved, [=] { return resident_edges<cuda>(large, bins); }));
    add(peer(solved, "cuda", "cub", [=] { return cub_edges(large, bins); }));
    add(read_limit(solved, solved.bytes));
  }
  const problem solved = weighted_problem(large);
  add(tandem_on_gpu(solved, [=] { return resident_weighted<cuda>(large); }));
  add(read_limit(solved, solved.bytes));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  if (chosen.targets) return list_targets(add);
  list_samples(float_cases(chosen), add);
  list_samples(integer_cases(chosen), add);
}

const registration gpu(list_gpu);

}  // namespace perf::histogram_gpu
