// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/sort/bench.hpp>
#include <perf/support/gpu.cuh>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <limits>

namespace perf::sort_gpu {

/// Converts n to int. CUB compiles other kernels for int than for 64-bit sizes, and which are
/// faster differs from case to case; each peer gets the faster type.
int as_int(index_t n) {
  if (n > std::numeric_limits<int>::max()) throw std::runtime_error("too many elements");
  return static_cast<int>(n);
}

/// cub::DeviceRadixSort::SortKeys, with sizes of 64 bits except for f32, for which int is faster.
template <class T>
candidate cub_sort(index_t n) {
  using Size = std::conditional_t<std::is_same_v<T, float>, int, index_t>;
  auto data = std::make_shared<line_data<cuda, T>>(n, key_values<T>{keys_seed});
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    return cub::DeviceRadixSort::SortKeys(
        scratch, bytes, data->input(round).data_handle(), data->out.set(round).data_handle(),
        static_cast<Size>(n), 0, 8 * static_cast<int>(sizeof(T)), data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return sorted_outcome(*data); });
}

/// cub::DeviceRadixSort::SortPairs, with int sizes, which are faster.
candidate cub_sort_by_key(index_t n) {
  auto data = std::make_shared<pair_data<cuda>>(n);
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, data->input(round).data_handle(), data->out.set(round).data_handle(),
        data->input_values(round).data_handle(), data->values_out.set(round).data_handle(),
        as_int(n), 0, 32, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call), [=] { return pairs_outcome(*data); });
}

candidate cub_unique(index_t n) {
  auto data = std::make_shared<line_data<cuda, std::uint32_t>>(n, coin_values{keys_seed});
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    return cub::DeviceSelect::Unique(scratch, bytes, data->input(round).data_handle(),
                                     data->out.set(round).data_handle(), data->count.data_handle(),
                                     n, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return selected_outcome(*data); });
}

candidate cub_copy_if(index_t n) {
  auto data = std::make_shared<line_data<cuda, float>>(n, uniform_values<float>{keys_seed});
  const auto call = [=](void* scratch, std::size_t& bytes, std::int64_t round) {
    return cub::DeviceSelect::If(scratch, bytes, data->input(round).data_handle(),
                                 data->out.set(round).data_handle(), data->count.data_handle(), n,
                                 is_positive{}, data->space->native_stream());
  };
  return resident(data->space, two_phase(*data->space, call),
                  [=] { return selected_outcome(*data); });
}

template <class T>
void list_sort(index_t n, lineup& add) {
  const problem solved = sort_problem<T>(n);
  add(tandem_on_gpu(solved, [=] { return resident_sort<cuda, T>(n); }));
  add(peer(solved, "cuda", "cub", [=] { return cub_sort<T>(n); }));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const index_t n : curve_sizes(chosen)) {
    list_sort<std::uint32_t>(n, add);
    list_sort<float>(n, add);
    list_sort<std::uint64_t>(n, add);
    const problem pairs = sort_by_key_problem(n);
    add(tandem_on_gpu(pairs, [=] { return resident_sort_by_key<cuda>(n); }));
    add(peer(pairs, "cuda", "cub", [=] { return cub_sort_by_key(n); }));
    const problem runs = unique_problem(n);
    add(tandem_on_gpu(runs, [=] { return resident_unique<cuda>(n); }));
    add(peer(runs, "cuda", "cub", [=] { return cub_unique(n); }));
    const problem kept = copy_if_problem(n);
    add(tandem_on_gpu(kept, [=] { return resident_copy_if<cuda>(n); }));
    add(peer(kept, "cuda", "cub", [=] { return cub_copy_if(n); }));
  }
}

const registration gpu(list_gpu);

}  // namespace perf::sort_gpu
