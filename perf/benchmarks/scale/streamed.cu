// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/scale/bench.hpp>

#include <algorithm>
#include <cmath>

#include <cub/device/device_reduce.cuh>

namespace perf::scale_gpu {
namespace {

constexpr std::size_t budget = std::size_t{384} << 20;

using big = tandem::streamed<cuda>;

big through_one() { return big(cuda(), {.budget = budget}); }
big through_all() { return big(tandem::devices(), {.budget = budget * cuda::devices().size()}); }

struct twice {
  TANDEM_FUNCTION float operator()(float x) const { return 2 * x; }
};

/// Operations on lines of the host, in ordinary or pinned memory.
template <class Owner>
struct lines {
  explicit lines(index_t n)
      : x(host_elements<float, Owner>(cuda(), n, uniform_values<float>{scale_seed})),
        y(make_host_array<float, Owner>(n)) {}

  std::shared_ptr<host_array<float, Owner>> x;
  std::shared_ptr<host_array<float, Owner>> y;
};

template <class Owner>
candidate reduced(const std::function<big()>& make, index_t n) {
  auto space = std::make_shared<big>(make());
  auto x = host_elements<float, Owner>(cuda(), n, uniform_values<float>{scale_seed});
  auto total = std::make_shared<float>(0.0f);
  return on_host([=](std::int64_t) { *total = tandem::parallel_reduce(*space, *x); },
                 [=] { return summary_of(*total); });
}

template <class Owner>
candidate transformed(const std::function<big()>& make, index_t n) {
  auto space = std::make_shared<big>(make());
  auto data = std::make_shared<lines<Owner>>(n);
  return on_host([=](std::int64_t) { tandem::transform(*space, *data->x, *data->y, twice{}); },
                 [=] { return line_outcome(openmp(), n, data->y->const_view()); });
}

candidate scanned(index_t n) {
  auto space = std::make_shared<big>(through_one());
  auto data = std::make_shared<lines<tandem::cuda_pinned>>(n);
  return on_host([=](std::int64_t) { tandem::parallel_scan(*space, *data->x, *data->y); },
                 [=] { return line_outcome(openmp(), n, data->y->const_view()); });
}

/// Random keys, which the first run sorts, and spare memory: a streamed sort moves them in the same
/// way whatever their order.
struct keys {
  explicit keys(index_t n) : x(extents<1>(n)), spare(extents<1>(n)) {
    const cuda gpu;
    device_array<std::uint32_t> made(extents<1>(n), gpu);
    tandem::fill_random(gpu, made, tandem::random_bits{}, scale_seed);
    tandem::copy(gpu, made, x);
    gpu.fence();
  }

  host_array<std::uint32_t, tandem::cuda_pinned> x;
  host_array<std::uint32_t, tandem::cuda_pinned> spare;
};

candidate sorted(index_t n) {
  auto space = std::make_shared<big>(through_one());
  auto data = std::make_shared<keys>(n);
  return on_host(
      [=](std::int64_t) {
        tandem::sort(*space, data->x, tandem::sort_order::ascending, data->spare);
      },
      [=] { return line_outcome(openmp(), n, std::as_const(data->x)); });
}

/// Chunks of a line by hand: two buffers and streams of a device, which take them in turn.
class chunk_loop {
 public:
  static constexpr index_t chunk = index_t{32} << 20;

  /// @param work  work(stream, chunk in memory of the device, its elements, its number)
  template <class Work>
  void run(const float* x, index_t n, const Work& work) {
    for (index_t begin = 0, number = 0; begin < n; begin += chunk, ++number) {
      const index_t count = std::min(chunk, n - begin);
      const auto turn = static_cast<std::size_t>(number % 2);
      const cudaStream_t stream = streams_[turn].native_stream();
      float* const device = buffers_[turn].data_handle();
      check_cuda(cudaMemcpyAsync(device, x + begin, static_cast<std::size_t>(count) * sizeof(float),
                                 cudaMemcpyDefault, stream),
                 "cudaMemcpyAsync");
      work(stream, device, count, number);
    }
    for (const cuda& stream : streams_) stream.fence();
  }
  const cuda& stream(std::size_t turn) const { return streams_[turn]; }

 private:
  cuda streams_[2];
  device_array<float> buffers_[2] = {device_array<float>(extents<1>(chunk), streams_[0]),
                                     device_array<float>(extents<1>(chunk), streams_[1])};
};

/// Sums of chunks by CUB, which the host adds.
class sum_by_cub {
 public:
  explicit sum_by_cub(index_t n) : totals_(extents<1>(n / chunk_loop::chunk + 1)) {
    check_cuda(
        cub::DeviceReduce::Sum(nullptr, bytes_, static_cast<float*>(nullptr),
                               static_cast<float*>(nullptr), static_cast<int>(chunk_loop::chunk)),
        "CUB's query of scratch bytes");
    for (auto& one : scratch_) one = device_array<unsigned char>(extents<1>(bytes_), cuda());
  }
  void run(const float* x, index_t n) {
    loop_.run(x, n, [&](cudaStream_t stream, const float* part, index_t count, index_t number) {
      std::size_t bytes = bytes_;
      check_cuda(
          cub::DeviceReduce::Sum(scratch_[number % 2].data_handle(), bytes, part,
                                 totals_.data_handle() + number, static_cast<int>(count), stream),
          "CUB");
    });
    total_ = 0;
    for (index_t chunk = 0; chunk * chunk_loop::chunk < n; ++chunk)
      total_ += totals_.data_handle()[chunk];
  }
  float total() const { return total_; }

 private:
  chunk_loop loop_;
  array<float, 1, tandem::cuda_pinned> totals_;
  device_array<unsigned char> scratch_[2];
  std::size_t bytes_ = 0;
  float total_ = 0;
};

template <class Owner>
candidate reduced_by_hand(index_t n) {
  auto work = std::make_shared<sum_by_cub>(n);
  auto x = host_elements<float, Owner>(cuda(), n, uniform_values<float>{scale_seed});
  return on_host([=](std::int64_t) { work->run(x->data_handle(), n); },
                 [=] { return summary_of(work->total()); });
}

__global__ void double_kernel(float* x, index_t n) {
  const index_t i = blockIdx.x * index_t{blockDim.x} + threadIdx.x;
  if (i < n) x[i] *= 2;
}

template <class Owner>
candidate transformed_by_hand(index_t n) {
  auto loop = std::make_shared<chunk_loop>();
  auto data = std::make_shared<lines<Owner>>(n);
  return on_host(
      [=](std::int64_t) {
        float* const y = data->y->data_handle();
        loop->run(data->x->data_handle(), n,
                  [&](cudaStream_t stream, float* part, index_t count, index_t number) {
                    double_kernel<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(
                        part, count);
                    check_cuda(cudaGetLastError(), "kernel");
                    check_cuda(cudaMemcpyAsync(y + number * chunk_loop::chunk, part,
                                               static_cast<std::size_t>(count) * sizeof(float),
                                               cudaMemcpyDefault, stream),
                               "cudaMemcpyAsync");
                  });
      },
      [=] { return line_outcome(openmp(), n, data->y->const_view()); });
}

/// The link's limit: pinned memory that is copied to the device, and for a transform back at the
/// same time.
candidate over_the_link(index_t n, bool both_ways) {
  auto data = std::make_shared<lines<tandem::cuda_pinned>>(n);
  auto loop = std::make_shared<chunk_loop>();
  candidate made;
  made.run = [=](std::int64_t) {
    loop->run(data->x->data_handle(), n,
              [&](cudaStream_t, const float* part, index_t count, index_t number) {
                if (!both_ways) return;
                const auto other = static_cast<std::size_t>((number + 1) % 2);
                check_cuda(cudaMemcpyAsync(data->y->data_handle() + number * chunk_loop::chunk,
                                           part, static_cast<std::size_t>(count) * sizeof(float),
                                           cudaMemcpyDefault, loop->stream(other).native_stream()),
                           "cudaMemcpyAsync");
              });
  };
  return made;
}

enum class line_result { sum, scan, twice };

problem line_problem(const char* name, index_t n, double bytes, line_result what) {
  return problem_of("scale", name, "f32", n, bytes, [=] {
    const openmp space;
    array<float, 1, openmp> x(extents<1>(n), space);
    fill_with(space, x.view(), uniform_values<float>{scale_seed});
    if (what == line_result::sum) {
      const float total = tandem::parallel_reduce(space, x);
      return reference{summary_of(total), 1e-4 * std::abs(total), "openmp"};
    }
    if (what == line_result::scan) {
      tandem::parallel_scan(space, x, x);
    } else {
      for (float& value : x) value *= 2;
    }
    return reference{line_outcome(space, n, std::as_const(x)), 0, "openmp"};
  });
}

problem sort_problem(index_t n) {
  return problem_of("scale", "streamed_sort", "u32", n, 16, [=] {
    const cuda gpu;
    device_array<std::uint32_t> x(extents<1>(n), gpu);
    tandem::fill_random(gpu, x, tandem::random_bits{}, scale_seed);
    tandem::sort(gpu, x);
    return reference{line_outcome(gpu, n, std::as_const(x)), 0, "one GPU"};
  });
}

void list_streamed(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  const index_t n = index_t{1} << (chosen.quick ? 24 : 30);
  const problem sum = line_problem("streamed_reduce", n, 4, line_result::sum);
  const problem both = line_problem("streamed_transform", n, 8, line_result::twice);
  add(limit(sum, "link", [=] { return over_the_link(n, false); }));
  add(limit(both, "link", [=] { return over_the_link(n, true); }));
  const problem scan = line_problem("streamed_scan", n, 8, line_result::scan);
  add(limit(scan, "link", [=] { return over_the_link(n, true); }));
  add(tandem_through_host(scan, "pinned", [=] { return scanned(n); }));
  const problem sort = sort_problem(n / 4);
  // Two passes, each of which moves the keys in both directions.
  add(limit(sort, "link", [=] { return over_the_link(n / 2, true); }));
  add(tandem_through_host(sort, "pinned", [=] { return sorted(n / 4); }));
  add_through_host(add, sum, [=](auto owner) {
    return reduced<typename decltype(owner)::type>(through_one, n);
  });
  add_through_host(add, both, [=](auto owner) {
    return transformed<typename decltype(owner)::type>(through_one, n);
  });
  add(peer_through_host(sum, "raw", "pageable", [=] { return reduced_by_hand<serial>(n); }));
  add(peer_through_host(sum, "raw", "pinned",
                        [=] { return reduced_by_hand<tandem::cuda_pinned>(n); }));
  add(peer_through_host(both, "raw", "pageable", [=] { return transformed_by_hand<serial>(n); }));
  add(peer_through_host(both, "raw", "pinned",
                        [=] { return transformed_by_hand<tandem::cuda_pinned>(n); }));
  if (cuda::devices().size() > 1) {
    add(tandem_through_host(sum, "devices",
                            [=] { return reduced<tandem::cuda_pinned>(through_all, n); }));
    add(tandem_through_host(both, "devices",
                            [=] { return transformed<tandem::cuda_pinned>(through_all, n); }));
  }
}

const registration streams(list_streamed);

}  // namespace
}  // namespace perf::scale_gpu
