// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/histogram/peers.cuh>

namespace perf {

namespace {

template <class Owner, class Samples>
candidate histogram_of_host_array(const Samples& samples) {
  using T = typename Samples::value_type;
  auto space = std::make_shared<tandem::cuda>();
  auto host = host_elements<T, Owner>(*space, samples.n, samples.values());
  auto counts = make_host_array<std::int32_t, Owner>(samples.bins);
  return on_host(
      [=](std::int64_t) {
        device_array<T> x(tandem::extents<1>(samples.n), *space);
        device_array<std::int32_t> device_counts(tandem::extents<1>(samples.bins), *space);
        tandem::copy(*space, *host, x);
        count(*space, samples, x.const_view(), device_counts.view());
        tandem::copy(*space, device_counts, *counts);
        space->fence();
      },
      [=] { return histogram_outcome(counts->data_handle(), samples.bins); });
}

template <class Samples>
void list_samples(const std::vector<Samples>& cases, std::vector<benchmark>& benchmarks) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    benchmarks.push_back(
        tandem_on_gpu(solved, [=] { return resident_histogram<tandem::cuda>(samples); }));
    benchmarks.push_back(peer(solved, "cuda", "cub", [=] { return cub_histogram(samples); }));
    add_through_host(benchmarks, solved, [=](auto owner) {
      return histogram_of_host_array<typename decltype(owner)::type>(samples);
    });
  }
}

/// Adds tandem and CUB.
template <class Samples>
void add_with_cub(std::vector<benchmark>& benchmarks, const Samples& samples) {
  const problem solved = histogram_problem(samples, true);
  benchmarks.push_back(
      tandem_on_gpu(solved, [=] { return resident_histogram<tandem::cuda>(samples); }));
  benchmarks.push_back(peer(solved, "cuda", "cub", [=] { return cub_histogram(samples); }));
}

/// Adds tandem, CUB and the time of reading the input.
template <class Samples>
void add_with_read(std::vector<benchmark>& benchmarks, const Samples& samples) {
  add_with_cub(benchmarks, samples);
  const problem solved = histogram_problem(samples, true);
  benchmarks.push_back(read_limit(solved, solved.bytes));
}

/// Adds the targets' benchmarks of one distribution.
void list_targets(spread kind, std::vector<benchmark>& benchmarks) {
  constexpr tandem::index_t large = tandem::index_t{1} << 27;
  for (const int bins : {10, 150, 256}) add_with_read(benchmarks, float_samples{large, kind, bins});
  for (const tandem::index_t n : {large / 4, large})
    add_with_read(benchmarks, integer_samples<std::int32_t>{n, kind});
  add_with_read(benchmarks, integer_samples<std::uint8_t>{large, kind});
  for (const int bins : {1000, 4096, 65536, 1 << 20}) {
    const integer_samples<std::int32_t> samples{large, kind, bins};
    add_with_cub(benchmarks, samples);
    benchmarks.push_back(peer(histogram_problem(samples, true), "cuda", "atomics",
                              [=] { return atomic_histogram(samples); }));
  }
}

void list_targets(std::vector<benchmark>& benchmarks) {
  constexpr tandem::index_t large = tandem::index_t{1} << 27;
  add_with_cub(benchmarks, float_samples{1'000'000});
  for (const spread kind : spreads) list_targets(kind, benchmarks);
  for (const int bins : {100, 1000}) {
    const problem solved = edges_problem(large, bins);
    benchmarks.push_back(
        tandem_on_gpu(solved, [=] { return resident_edges<tandem::cuda>(large, bins); }));
    benchmarks.push_back(peer(solved, "cuda", "cub", [=] { return cub_edges(large, bins); }));
    benchmarks.push_back(read_limit(solved, solved.bytes));
  }
  const problem solved = weighted_problem(large);
  benchmarks.push_back(
      tandem_on_gpu(solved, [=] { return resident_weighted<tandem::cuda>(large); }));
  benchmarks.push_back(read_limit(solved, solved.bytes));
}

void list_gpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (!gpu_present()) return;
  if (chosen.targets) return list_targets(benchmarks);
  list_samples(float_cases(chosen), benchmarks);
  list_samples(integer_cases(chosen), benchmarks);
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
