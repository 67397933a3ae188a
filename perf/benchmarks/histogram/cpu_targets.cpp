// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for histograms: tandem against hand-written private bins and TBB.
#include <perf/benchmarks/histogram/peers.hpp>

namespace perf {

namespace {

/// A hand-written histogram that cycles through four copies of the bins, since increments of one
/// address wait for each other.
template <class Bin, class T>
void interleaved_histogram(const Bin bin, const T* x, index_t n, std::int32_t* counts) {
  for (int b = 0; b < bin.bins; ++b) counts[b] = 0;
#pragma omp parallel
  {
    const std::size_t size = private_size(bin.bins);
    counts_line mine(4 * size);
    std::int32_t* const words[] = {mine.data(), mine.data() + size, mine.data() + 2 * size,
                                   mine.data() + 3 * size};
#pragma omp for schedule(static) nowait
    for (index_t quad = 0; quad < n / 4; ++quad) {
      for (int k = 0; k < 4; ++k) ++words[k][bin(x[4 * quad + k])];
    }
#pragma omp critical
    for (const std::int32_t* copy : words)
      for (int b = 0; b < bin.bins; ++b) counts[b] += copy[b];
  }
  std::int32_t none = 0;
  for (index_t i = n - n % 4; i < n; ++i) {
    const int b = bin(x[i]);
    ++(b < bin.bins ? counts[b] : none);
  }
}

template <class Samples>
void list_targets(lineup& add, const Samples& samples) {
  using data_type = histogram_data<openmp, Samples>;
  const problem solved = histogram_problem(samples, true);
  const auto shared = std::make_shared<shared_while_used<data_type, Samples>>(samples);
  const auto made = [=](auto run) {
    return [=] {
      const std::shared_ptr<data_type> data = shared->get();
      return resident(
          data->space, [=](std::int64_t) { run(*data); },
          [=] { return histogram_result(*data->space, data->counts.view()); });
    };
  };
  const auto by_pointers = [=](auto count_bins) {
    return made([=](data_type& data) {
      count_bins(bin_of(samples), data.x.set(0).data_handle(), samples.n,
                 data.counts.data_handle());
    });
  };
  add(tandem_on_cpu(solved, "openmp", made([=](data_type& data) {
                      const typename data_type::input x = data.x.set(0);
                      count(*data.space, samples, x, data.counts.view());
                    })));
  const auto raw = [](auto... arguments) { raw_histogram(arguments...); };
  const auto interleaved = [](auto... arguments) { interleaved_histogram(arguments...); };
  const auto tbb = [](auto... arguments) { tbb_histogram(arguments...); };
  add(peer(solved, "openmp", "raw", by_pointers(raw)));
  add(peer(solved, "openmp", "interleaved", by_pointers(interleaved)));
  if (tbb_present) add(peer(solved, "openmp", "tbb", by_pointers(tbb)));
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const spread kind : spreads) {
    list_targets(add, float_samples{index_t{1} << 26, kind});
    list_targets(add, float_samples{index_t{1} << 26, kind, 65536});
    for (const int bins : {256, 4096, 65536})
      list_targets(add, integer_samples<std::int32_t>{index_t{1} << 25, kind, bins});
    list_targets(add, integer_samples<std::uint8_t>{index_t{1} << 25, kind});
  }
}

const registration host(list_host);

}  // namespace

}  // namespace perf
