// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report's candidates of loops on the GPU.
#include <perf/benchmarks/loop/device_loops.cuh>

namespace perf::loop_gpu {

/// Makes a candidate that calls enqueue(data, round) on data in the device's memory.
template <class Enqueue>
std::function<candidate()> on_device(const loop_case& asked, const Enqueue& enqueue) {
  return [=] {
    const auto data = std::make_shared<loop_data<float>>(asked);
    candidate made = resident(
        data->space, [=](std::int64_t round) { enqueue(*data, round); }, [] { return outcome{}; });
    made.check = [=] {
      data->reset();
      enqueue(*data, 0);
      return report_outcome(asked, on_the_host(*data->space, data->z.set(0)).data());
    };
    return made;
  };
}

/// tandem's loop over a line or, of increments, over a plane.
template <loop Operation>
void run_case(const cuda& space, const loop_case& asked, const float* x, const float* y, float* z) {
  if constexpr (Operation == loop::increment) {
    const auto plane = tandem::as_view<tandem::device_memory>(z, asked.rows, asked.columns);
    if (asked.shape == form::plane) return run_plane<Operation>(space, plane, plane, plane);
  }
  const placement place = asked.place();
  run_line<Operation, int>(space, line_view(x, place), line_view(y, place), line_view(z, place));
}

/// Allocates, copies the inputs in, runs the loop and copies the result out in each run: the cost
/// of a function on arrays of the host. Increments have one array.
template <loop Operation, class Owner>
candidate on_host_arrays(const loop_case& asked) {
  constexpr bool in_place = Operation == loop::increment;
  const index_t n = asked.place().size();
  auto space = std::make_shared<cuda>();
  auto x =
      host_elements<float, Owner>(*space, n, uniform_values<float>{in_place ? z_seed : x_seed});
  auto y = in_place ? x : host_elements<float, Owner>(*space, n, uniform_values<float>{y_seed});
  auto z = in_place ? x : make_host_array<float, Owner>(n);
  return on_host(
      [=](std::int64_t) {
        const extents<1> size(n);
        const extents<1> others(in_place ? 0 : n);
        device_array<float> device_z(size, *space), device_x(others, *space),
            device_y(others, *space);
        if constexpr (in_place) {
          tandem::copy(*space, *x, device_z);
        } else {
          tandem::copy(*space, *x, device_x);
          tandem::copy(*space, *y, device_y);
        }
        run_case<Operation>(*space, asked, device_x.data_handle(), device_y.data_handle(),
                            device_z.data_handle());
        tandem::copy(*space, device_z, *z);
        space->fence();
      },
      [=] { return report_outcome(asked, z->data_handle()); });
}

template <loop Operation>
void list_case(lineup& add, const loop_case& asked) {
  using data_type = loop_data<float>;
  const problem solved = report_problem(asked);
  add(tandem_on_gpu(solved, on_device(asked, [](data_type& data, std::int64_t round) {
                      run_case<Operation>(*data.space, data.asked, data.x_at(round),
                                          data.y_at(round), data.z_at(round));
                    })));
  add(peer(solved, "cuda", "raw", on_device(asked, [](data_type& data, std::int64_t round) {
             run_raw_words(data, raw_arrays<Operation, float>(data, round));
           })));
  if constexpr (Operation == loop::triad)
    add(peer(solved, "cuda", "cub", on_device(asked, run_cub<Operation, float>)));
  add_through_host(add, solved, [=](auto owner) {
    return on_host_arrays<Operation, typename decltype(owner)::type>(asked);
  });
}

void list_gpu(const settings& chosen, lineup& add) {
  if (chosen.targets || !gpu_present()) return;
  for (const loop_case& asked : report_cases(chosen)) {
    with_operation(asked.operation,
                   [&](auto operation) { list_case<decltype(operation)::value>(add, asked); });
  }
}

const registration gpu(list_gpu);

}  // namespace perf::loop_gpu
