// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/transfer/bench.hpp>
#include <perf/support/gpu.cuh>

namespace perf::transfer_gpu {

/// An array of the host, in the memory of Owner, and one of the GPU. The source holds the values,
/// the destination none of them.
template <class Owner>
struct both_sides {
  both_sides(transfer way, index_t n)
      : host(host_elements<float, Owner>(*space, n, uniform_values<float>{transfer_seed})),
        device(extents<1>(n), *space) {
    tandem::fill(*space, device, 0.0f);
    if (way == transfer::to_device) return;
    tandem::copy(*space, *host, device);
    space->fence();
    for (float& x : *host) x = 0;
  }

  outcome result(transfer way) const {
    return way == transfer::to_device ? summary(*space, device.const_view())
                                      : summary_of(host->data_handle(), host->size());
  }

  std::shared_ptr<cuda> space = std::make_shared<cuda>();
  std::shared_ptr<host_array<float, Owner>> host;
  device_array<float> device;
};

/// Makes a candidate that ends each copy with a fence, since a program uses what it has copied.
template <class Owner, class Copy>
candidate transferred(transfer way, index_t n, const Copy& copy) {
  auto data = std::make_shared<both_sides<Owner>>(way, n);
  return on_host(
      [=](std::int64_t) {
        copy(*data);
        data->space->fence();
      },
      [=] { return data->result(way); });
}

template <class Owner>
candidate by_tandem(transfer way, index_t n) {
  return transferred<Owner>(way, n, [=](both_sides<Owner>& data) {
    if (way == transfer::to_device) {
      tandem::copy(*data.space, *data.host, data.device);
    } else {
      tandem::copy(*data.space, data.device, *data.host);
    }
  });
}

template <class Owner>
candidate by_driver(transfer way, index_t n) {
  return transferred<Owner>(way, n, [=](both_sides<Owner>& data) {
    const bool sends = way == transfer::to_device;
    float* const device = data.device.data_handle();
    float* const host = data.host->data_handle();
    check_cuda(cudaMemcpyAsync(sends ? device : host, sends ? host : device,
                               static_cast<std::size_t>(n) * sizeof(float), cudaMemcpyDefault,
                               data.space->native_stream()),
               "cudaMemcpyAsync");
  });
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  for (const transfer way : {transfer::to_device, transfer::to_host}) {
    for (const index_t n : curve_sizes(chosen)) {
      const problem solved = transfer_problem(way, n);
      add_through_host(add, solved, [=](auto owner) {
        return by_tandem<typename decltype(owner)::type>(way, n);
      });
      add(peer_through_host(solved, "raw", "pageable", [=] { return by_driver<serial>(way, n); }));
      add(peer_through_host(solved, "raw", "pinned",
                            [=] { return by_driver<tandem::cuda_pinned>(way, n); }));
    }
  }
}

const registration gpu(list_gpu);

}  // namespace perf::transfer_gpu
