// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/histogram_bench.hpp>

#include <array>

namespace perf {

namespace {

/// The usual bin of a float: quick, and off by a bin where the product rounds across an edge.
struct usual_bin {
  const float* x;

  int operator()(tandem::index_t i) const {
    constexpr float scale = float_samples::bins / (float_samples::hi - float_samples::lo);
    if (!(x[i] >= float_samples::lo && x[i] <= float_samples::hi)) return -1;
    const int bin = static_cast<int>((x[i] - float_samples::lo) * scale);
    return bin < float_samples::bins ? bin : float_samples::bins - 1;
  }
};
struct own_bin {
  const std::int32_t* x;

  int operator()(tandem::index_t i) const { return x[i]; }
};

usual_bin bin_of(const float* x) { return {x}; }
own_bin bin_of(const std::int32_t* x) { return {x}; }

/// Private bins for each thread, added up at the end: what one writes by hand who knows that shared
/// atomics lose.
template <int Bins, class Bin>
void raw_privatised(const Bin bin, tandem::index_t n, std::int32_t* counts) {
  for (int b = 0; b < Bins; ++b) counts[b] = 0;
#pragma omp parallel
  {
    // Samples outside fall into the last one.
    std::array<std::int32_t, static_cast<std::size_t>(Bins) + 1> mine{};
#pragma omp for nowait
    for (tandem::index_t i = 0; i < n; ++i) {
      const int b = bin(i);
      ++mine[static_cast<std::size_t>(b < 0 ? Bins : b)];
    }
#pragma omp critical
    for (int b = 0; b < Bins; ++b) counts[b] += mine[static_cast<std::size_t>(b)];
  }
}

template <class Samples>
contender raw_openmp(const Samples& samples) {
  auto data = std::make_shared<histogram_data<tandem::openmp, Samples>>(samples);
  return resident(
      data->space,
      [=](std::int64_t round) {
        raw_privatised<Samples::bins>(bin_of(data->x.set(round).data_handle()), samples.n,
                                      data->counts.data_handle());
      },
      [=] { return histogram_result(*data->space, data->counts.view()); });
}

/// Peers that round bins their own way move a few samples in a million to a neighbour.
template <class Samples>
reference histogram_reference(const Samples& samples) {
  const double tolerance = std::is_floating_point_v<typename Samples::value_type>
                               ? 1e-4 * static_cast<double>(samples.n)
                               : 0;
  return {resident_histogram<tandem::serial>(samples).check(), tolerance, "serial"};
}

template <class Samples>
void list_samples(const std::vector<Samples>& cases, std::vector<entry>& entries) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    entries.push_back(tandem_on_cpu(solved, "serial",
                                    [=] { return resident_histogram<tandem::serial>(samples); }));
    entries.push_back(tandem_on_cpu(solved, "openmp",
                                    [=] { return resident_histogram<tandem::openmp>(samples); }));
    entries.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(samples); }));
  }
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  list_samples(float_cases(chosen), entries);
  list_samples(integer_cases(chosen), entries);
}

const registration cpu(list_cpu);

template <class Samples>
problem make_problem(const Samples& samples, const char* name, const char* type) {
  problem solved{"histogram", name, type, std::to_string(samples.n)};
  solved.elements = static_cast<double>(samples.n);
  solved.bytes = 4.0 * solved.elements;  // each sample is read once
  solved.expected = [=] { return histogram_reference(samples); };
  return solved;
}

}  // namespace

std::vector<float_samples> float_cases(const settings& chosen) {
  if (chosen.quick) return {{100'000}, {1'000'000}};
  return {{1'000'000}, {tandem::index_t{1} << 27}};
}

std::vector<integer_samples> integer_cases(const settings& chosen) {
  const tandem::index_t n = tandem::index_t{1} << (chosen.quick ? 20 : 25);
  std::vector<integer_samples> cases{
      {n, spread::uniform}, {n, spread::normal}, {n, spread::all_equal}};
  if (!chosen.quick) cases.push_back({tandem::index_t{1} << 27, spread::uniform});
  return cases;
}

problem histogram_problem(const float_samples& samples) {
  return make_problem(samples, "normal_150", "f32");
}

problem histogram_problem(const integer_samples& samples) {
  switch (samples.kind) {
    case spread::uniform:
      return make_problem(samples, "uniform_256", "i32");
    case spread::normal:
      return make_problem(samples, "normal_256", "i32");
    case spread::all_equal:
      return make_problem(samples, "all_equal_256", "i32");
  }
  return {};
}

}  // namespace perf
