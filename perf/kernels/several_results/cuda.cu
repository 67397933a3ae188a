// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/several_results/kernel.hpp>

#include <limits>

namespace perf::several_results_cuda {

constexpr int threads = 256;
constexpr int warps = threads / 32;

using extremes_results = sum_and_extremes<cuda>::results;
using fields_results = field_sums<cuda>::results;

struct extremes_of {
  long long sum = 0;
  int least = std::numeric_limits<int>::max();
  int most = std::numeric_limits<int>::min();

  __device__ void add(int x) {
    sum += x;
    least = min(least, x);
    most = max(most, x);
  }
};

__device__ void add_atomically(extremes_results* found, const extremes_of& more) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&tandem::get<0>(*found)),
            static_cast<unsigned long long>(more.sum));
  atomicMin(&tandem::get<1>(*found), more.least);
  atomicMax(&tandem::get<2>(*found), more.most);
}

__global__ void start_kernel(extremes_results* found) {
  *found = tandem::make_tuple(std::int64_t{0}, extremes_of().least, extremes_of().most);
}

/// A block's results, valid in thread 0.
__device__ extremes_of of_block(extremes_of mine) {
  __shared__ int least[warps];
  __shared__ int most[warps];
  const unsigned lane = threadIdx.x % 32;
  mine.least = __reduce_min_sync(~0u, mine.least);
  mine.most = __reduce_max_sync(~0u, mine.most);
  if (lane == 0) {
    least[threadIdx.x / 32] = mine.least;
    most[threadIdx.x / 32] = mine.most;
  }
  mine.sum = block_sum<threads>(mine.sum);  // synchronises
  if (threadIdx.x == 0) {
    for (int w = 1; w < warps; ++w) {
      mine.least = min(mine.least, least[w]);
      mine.most = max(mine.most, most[w]);
    }
  }
  return mine;
}

__global__ void __launch_bounds__(threads)
    extremes_kernel(const int* __restrict__ x, int n, extremes_results* found) {
  const int step = static_cast<int>(gridDim.x * threads);
  extremes_of mine;
#pragma unroll 4
  for (int i = static_cast<int>(blockIdx.x * threads + threadIdx.x); i < n; i += step)
    mine.add(__ldg(x + i));
  mine = of_block(mine);
  if (threadIdx.x == 0) add_atomically(found, mine);
}

void extremes_by_hand(sum_and_extremes<cuda>& kernel, cudaStream_t stream) {
  static const unsigned blocks = blocks_at_once(extremes_kernel, threads);
  extremes_results* const found = kernel.found.data_handle();
  start_kernel<<<1, 1, 0, stream>>>(found);
  extremes_kernel<<<blocks, threads, 0, stream>>>(kernel.x.data_handle(),
                                                  static_cast<int>(kernel.x.size()), found);
  check_launch("hand-written extremes");
}

/// The results of blocks, and how many blocks have written theirs; the last one to do so combines
/// them in the same launch.
constexpr unsigned most_blocks = 4096;
__device__ extremes_of of_blocks[most_blocks];
__device__ unsigned blocks_done;

/// Loads words of 16 bytes; n is a multiple of 4.
__global__ void __launch_bounds__(threads)
    extremes_tuned_kernel(const int4* __restrict__ x, int words, extremes_results* found) {
  const int step = static_cast<int>(gridDim.x * threads);
  extremes_of mine;
#pragma unroll 4
  for (int i = static_cast<int>(blockIdx.x * threads + threadIdx.x); i < words; i += step) {
    const int4 word = __ldg(x + i);
    mine.add(word.x);
    mine.add(word.y);
    mine.add(word.z);
    mine.add(word.w);
  }
  mine = of_block(mine);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    of_blocks[blockIdx.x] = mine;
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  mine = extremes_of();
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) {
    mine.sum += of_blocks[b].sum;
    mine.least = min(mine.least, of_blocks[b].least);
    mine.most = max(mine.most, of_blocks[b].most);
  }
  mine = of_block(mine);
  if (threadIdx.x == 0)
    *found = tandem::make_tuple(static_cast<std::int64_t>(mine.sum), mine.least, mine.most);
}

void extremes_tuned(sum_and_extremes<cuda>& kernel, cudaStream_t stream) {
  static const unsigned blocks =
      std::min(blocks_at_once(extremes_tuned_kernel, threads), most_blocks);
  extremes_tuned_kernel<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const int4*>(kernel.x.data_handle()), static_cast<int>(kernel.x.size() / 4),
      kernel.found.data_handle());
  check_launch("tuned extremes");
}

/// The arrays of field_sums, whose rows are `pitch` apart.
struct fields {
  const double* __restrict__ volume;
  const double* __restrict__ density;
  const double* __restrict__ energy;
  const double* __restrict__ pressure;
  const double* __restrict__ u;
  const double* __restrict__ v;
  int rows;
  int pitch;

  /// The square of the speed of node `at`.
  __device__ double square(int at) const {
    const double x = __ldg(u + at);
    const double y = __ldg(v + at);
    return x * x + y * y;
  }
};

/// What a thread adds: volume, mass, internal and kinetic energy, and pressure by volume.
struct five_sums {
  double of[5] = {};

  __device__ void add(const fields& f, int at, double squares) {
    const double cell = __ldg(f.volume + at);
    const double mass = cell * __ldg(f.density + at);
    of[0] += cell;
    of[1] += mass;
    of[2] += mass * __ldg(f.energy + at);
    of[3] += 0.5 * mass * squares;
    of[4] += cell * __ldg(f.pressure + at);
  }
  __device__ void add_to(fields_results* found) const {
    double* const sums[]{&tandem::get<0>(*found), &tandem::get<1>(*found), &tandem::get<2>(*found),
                         &tandem::get<3>(*found), &tandem::get<4>(*found)};
#pragma unroll
    for (int s = 0; s < 5; ++s) {
      const double sum = block_sum<threads>(of[s]);
      if (threadIdx.x == 0) atomicAdd(sums[s], sum);
      __syncthreads();  // block_sum's memory is free again
    }
  }
};

/// Each thread takes cells of a column, gridDim.y rows apart.
__global__ void __launch_bounds__(threads) fields_kernel(fields f, fields_results* found) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  five_sums sums;
  if (i < f.pitch - 1) {
    for (int j = static_cast<int>(blockIdx.y); j < f.rows; j += static_cast<int>(gridDim.y)) {
      const int at = j * f.pitch + i;
      const int below = at + f.pitch;
      sums.add(f, at,
               0.25 * (f.square(at) + f.square(at + 1) + f.square(below) + f.square(below + 1)));
    }
  }
  sums.add_to(found);
}

/// Each thread walks down a part of a column: the squares of the nodes below a cell are those above
/// the next one.
__global__ void __launch_bounds__(threads) fields_tuned_kernel(fields f, fields_results* found) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  const auto row = [&](unsigned part) {
    return static_cast<int>(static_cast<long long>(f.rows) * part / gridDim.y);
  };
  const int rows = row(blockIdx.y + 1) - row(blockIdx.y);
  five_sums sums;
  if (i < f.pitch - 1) {
    int at = row(blockIdx.y) * f.pitch + i;
    double above = f.square(at) + f.square(at + 1);
#pragma unroll 4
    for (int j = 0; j < rows; ++j, at += f.pitch) {
      const double below = f.square(at + f.pitch) + f.square(at + f.pitch + 1);
      sums.add(f, at, 0.25 * (above + below));
      above = below;
    }
  }
  sums.add_to(found);
}

/// Launches a kernel on as many blocks as the device runs at once.
template <class Launched>
void add_fields(field_sums<cuda>& kernel, cudaStream_t stream, const Launched& launched,
                unsigned at_once) {
  const fields f{kernel.volume.data_handle(),
                 kernel.density.data_handle(),
                 kernel.energy.data_handle(),
                 kernel.pressure.data_handle(),
                 kernel.u.data_handle(),
                 kernel.v.data_handle(),
                 static_cast<int>(kernel.volume.extent(0)) - 1,
                 static_cast<int>(kernel.volume.extent(1))};
  const unsigned across = blocks_for(f.pitch - 1, threads);
  const unsigned down = std::clamp(at_once / across, 1u, static_cast<unsigned>(f.rows));
  fields_results* const found = kernel.found.data_handle();
  check_cuda(cudaMemsetAsync(found, 0, sizeof *found, stream), "cudaMemsetAsync");
  launched<<<dim3(across, down), threads, 0, stream>>>(f, found);
  check_launch("hand-written sums of fields");
}

void fields_by_hand(field_sums<cuda>& kernel, cudaStream_t stream) {
  static const unsigned at_once = blocks_at_once(fields_kernel, threads);
  add_fields(kernel, stream, fields_kernel, at_once);
}

void fields_tuned(field_sums<cuda>& kernel, cudaStream_t stream) {
  static const unsigned at_once = blocks_at_once(fields_tuned_kernel, threads);
  add_fields(kernel, stream, fields_tuned_kernel, at_once);
}

const registration extremes(
    list_kernel<cuda, sum_and_extremes<cuda>, extremes_by_hand, extremes_tuned>);
const registration all_fields(list_kernel<cuda, field_sums<cuda>, fields_by_hand, fields_tuned>);

}  // namespace perf::several_results_cuda
