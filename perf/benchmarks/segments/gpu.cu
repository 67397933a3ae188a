// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's targets for segments: tandem against CUB, and for sparse matrices against cuSPARSE.
#include <perf/benchmarks/segments/csr.hpp>
#include <perf/support/cusparse.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <cstdio>
#include <utility>

#include <cuda/std/functional>

namespace perf::segments_gpu {

/// Makes a candidate of a CUB algorithm: call(scratch, bytes, data).
template <class Data, class Call>
candidate by_cub(const segment_case& asked, const Call& call) {
  auto data = std::make_shared<Data>(asked);
  const auto run = two_phase(*data->space, [=](void* scratch, std::size_t& bytes, std::int64_t) {
    return call(scratch, bytes, *data);
  });
  return resident(data->space, run,
                  [=] { return weighted_summary(*data->space, data->sums.view()); });
}

candidate segments_by_cub(const segment_case& asked) {
  const auto call = [](void* scratch, std::size_t& bytes, segment_data<cuda>& data) {
    const int* offsets = data.offsets.data_handle();
    return cub::DeviceSegmentedReduce::Sum(scratch, bytes, data.x.data_handle(),
                                           data.sums.data_handle(), data.sums.size(), offsets,
                                           offsets + 1, data.space->native_stream());
  };
  return by_cub<segment_data<cuda>>(asked, call);
}

candidate runs_by_cub(const segment_case& asked) {
  auto runs = std::make_shared<device_array<int>>(extents<1>(1), cuda());
  const auto call = [=](void* scratch, std::size_t& bytes, run_data<cuda>& data) {
    return cub::DeviceReduce::ReduceByKey(
        scratch, bytes, data.keys.data_handle(), data.keys_out.data_handle(), data.x.data_handle(),
        data.sums.data_handle(), runs->data_handle(), ::cuda::std::plus<>{},
        static_cast<int>(data.x.size()), data.space->native_stream());
  };
  return by_cub<run_data<cuda>>(asked, call);
}

candidate csr_by_cusparse(const sparse_pattern& pattern, cusparse::algorithm chosen) {
  auto data = std::make_shared<csr_data<cuda>>(pattern);
  auto scratch = std::make_shared<device_array<char>>();
  const cusparse::product computed{.rows = data->sums.size(),
                                   .columns = data->x.size(),
                                   .elements = data->values.size(),
                                   .offsets = data->offsets.data_handle(),
                                   .column = data->columns.data_handle(),
                                   .value = data->values.data_handle(),
                                   .x = data->x.data_handle(),
                                   .y = data->sums.data_handle()};
  auto product = std::make_shared<cusparse>(
      data->space->native_stream(), computed, chosen, [&](std::size_t bytes) {
        *scratch = device_array<char>(extents<1>(bytes), *data->space);
        return static_cast<void*>(scratch->data_handle());
      });
  return resident(
      data->space,
      [product, scratch](std::int64_t) { product->multiply(); },  // `product` works on `scratch`
      [=] { return weighted_summary(*data->space, data->sums.view()); });
}

constexpr std::pair<const char*, cusparse::algorithm> algorithms[] = {
    {"cusparse", cusparse::algorithm::automatic},
    {"cusparse_alg1", cusparse::algorithm::csr_1},
    {"cusparse_alg2", cusparse::algorithm::csr_2}};

void list_matrix(const sparse_pattern& pattern, lineup& add) {
  const problem solved = csr_problem(pattern);
  add(tandem_on_gpu(solved, [=] { return csr_by_tandem<cuda>(pattern); }));
  if (!cusparse::is_present()) return;
  for (const auto& [name, algorithm] : algorithms) {
    const auto chosen = algorithm;
    add(peer(solved, "cuda", name, [=] { return csr_by_cusparse(pattern, chosen); }));
  }
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  for (const segment_case& asked : segment_cases()) {
    const problem solved = segment_problem(asked);
    add(tandem_on_gpu(solved, [=] { return segments_by_tandem<cuda>(asked); }));
    add(peer(solved, "cuda", "cub", [=] { return segments_by_cub(asked); }));
  }
  for (const segment_case& asked : run_cases()) {
    const problem solved = run_problem(asked);
    add(tandem_on_gpu(solved, [=] { return runs_by_tandem<cuda>(asked); }));
    add(peer(solved, "cuda", "cub", [=] { return runs_by_cub(asked); }));
  }
  if (!cusparse::is_present())
    std::printf("segments: no libcusparse here, so cuSPARSE is not measured\n");
  for (const sparse_pattern& pattern : matrix_cases()) list_matrix(pattern, add);
}

const registration gpu(list_gpu);

}  // namespace perf::segments_gpu
