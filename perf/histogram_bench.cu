// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/histogram_bench.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_histogram.cuh>

namespace perf {

namespace {

template <class Owner, class Samples>
contender histogram_of_host_array(const Samples& samples) {
  using T = typename Samples::value_type;
  auto space = std::make_shared<tandem::cuda>();
  auto host = host_elements<T, Owner>(*space, samples.n, samples.values());
  auto counts = make_host_array<std::int32_t, Owner>(Samples::bins);
  return on_host(
      [=](std::int64_t) {
        device_array<T> x(tandem::extents<1>(samples.n), *space);
        device_array<std::int32_t> device_counts(tandem::extents<1>(Samples::bins), *space);
        tandem::copy(*space, *host, x);
        count(*space, samples, x.const_view(), device_counts.view());
        tandem::copy(*space, device_counts, *counts);
        space->fence();
      },
      [=] { return histogram_outcome(counts->data_handle(), Samples::bins); });
}

float lower_level(const float_samples&) { return float_samples::lo; }
float upper_level(const float_samples&) { return float_samples::hi; }
std::int32_t lower_level(const integer_samples&) { return 0; }
std::int32_t upper_level(const integer_samples&) { return integer_samples::bins; }

template <class Samples>
contender cub_histogram(const Samples& samples) {
  auto data = std::make_shared<histogram_data<tandem::cuda, Samples>>(samples);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    const auto* x = data->x.set(round).data_handle();
    return cub::DeviceHistogram::HistogramEven(
        scratch, bytes, x, data->counts.data_handle(), Samples::bins + 1, lower_level(samples),
        upper_level(samples), samples.n, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return histogram_result(*data->space, data->counts.view()); });
}

template <class Samples>
void list_samples(const std::vector<Samples>& cases, std::vector<entry>& entries) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    entries.push_back(
        tandem_on_gpu(solved, [=] { return resident_histogram<tandem::cuda>(samples); }));
    entries.push_back(peer(solved, "cuda", "cub", [=] { return cub_histogram(samples); }));
    add_through_host(entries, solved, [=](auto owner) {
      return histogram_of_host_array<typename decltype(owner)::type>(samples);
    });
  }
}

void list_gpu(const settings& chosen, std::vector<entry>& entries) {
  if (!gpu_present()) return;
  list_samples(float_cases(chosen), entries);
  list_samples(integer_cases(chosen), entries);
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
