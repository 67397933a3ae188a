// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's targets for loops over lines, planes, strided and misaligned views.
#include <perf/benchmarks/loop/device_loops.cuh>

namespace perf::loop_gpu_targets {

/// Loops as functions of their views, which say by their types what they only read.
template <class T>
struct of_views {
  using input = tandem::view<const T, 1, tandem::layout_right, tandem::device_memory>;
  using output = tandem::view<T, 1, tandem::layout_right, tandem::device_memory>;

  struct triad {
    T scale;
    TANDEM_FUNCTION void operator()(int i, input x, input y, output z) const {
      z(i) = tandem::fma(scale, y(i), x(i));
    }
  };
  struct copy {
    TANDEM_FUNCTION void operator()(int i, input x, output z) const { z(i) = x(i); }
  };
};

template <class T>
auto strided_view(T* data, const placement& place) {
  using view = tandem::view<T, 1, tandem::layout_stride, tandem::device_memory>;
  return view(data,
              tandem::layout_stride::mapping<1>(extents<1>(place.columns), extents<1>(place.step)));
}

template <class T>
auto pitched_view(T* data, const placement& place) {
  using layout = tandem::layout_right_padded;
  using view = tandem::view<T, 2, layout, tandem::device_memory>;
  return view(data, layout::mapping<2>(extents<2>(place.rows, place.columns), place.pitch));
}

/// tandem's loop of a case over views of x and y with elements of type Input.
template <loop Operation, class Input, class T>
void run_lambda(loop_data<T>& data, std::int64_t round) {
  const placement place = data.asked.place();
  Input* x = data.x_at(round);
  Input* y = data.y_at(round);
  T* z = data.z_at(round);
  const cuda& space = *data.space;
  switch (data.asked.shape) {
    case form::line:
    case form::misaligned:
      return run_line<Operation, int>(space, line_view(x, place), line_view(y, place),
                                      line_view(z, place));
    case form::strided:
      return run_line<Operation, int>(space, strided_view(x, place), strided_view(y, place),
                                      strided_view(z, place));
    case form::plane: {
      const auto plane = [&](auto* p) {
        return tandem::as_view<tandem::device_memory>(p, place.rows, place.columns);
      };
      return run_plane<Operation>(space, plane(x), plane(y), plane(z));
    }
    case form::pitched:
      return run_plane<Operation>(space, pitched_view(x, place), pitched_view(y, place),
                                  pitched_view(z, place));
  }
}

/// tandem's loop over a line whose views, none of them const, are arguments of the loop.
template <loop Operation, class T>
void run_arguments(loop_data<T>& data, std::int64_t round) {
  const placement place = data.asked.place();
  const auto n = static_cast<int>(place.columns);
  const auto x = line_view(data.x_at(round), place);
  const auto z = line_view(data.z_at(round), place);
  if constexpr (Operation == loop::triad) {
    const typename of_views<T>::triad f{static_cast<T>(triad_scale)};
    tandem::parallel_for(*data.space, n, f, x, line_view(data.y_at(round), place), z);
  } else {
    tandem::parallel_for(*data.space, n, typename of_views<T>::copy{}, x, z);
  }
}

/// tandem's loop over pitched planes through layout_stride, whose type does not fix any stride.
template <loop Operation, class T>
void run_lambda_strides(loop_data<T>& data, std::int64_t round) {
  const placement place = data.asked.place();
  const auto plane = [&]<class E>(E* p) {
    using layout = tandem::layout_stride;
    return tandem::view<E, 2, layout, tandem::device_memory>(
        p, layout::mapping<2>(extents<2>(place.rows, place.columns),
                              extents<2>(place.pitch, place.step)));
  };
  const T* const x = data.x_at(round);
  const T* const y = data.y_at(round);
  run_plane<Operation>(*data.space, plane(x), plane(y), plane(data.z_at(round)));
}

/// The hand-written kernel of a case, with words of 16 bytes if addresses are aligned to them.
template <loop Operation, class T>
void run_raw(loop_data<T>& data, std::int64_t round) {
  const applied<Operation, T> f;
  const placement place = data.asked.place();
  const raw_arrays<Operation, T> at(data, round);
  switch (data.asked.shape) {
    case form::line:
    case form::plane:
      run_raw_words(data, at);
      break;
    case form::pitched: {
      constexpr index_t each = sizeof(raw_word<T>) / sizeof(T);
      const index_t n = place.columns / each;
      const dim3 blocks(raw_blocks(n, large_loads), static_cast<unsigned>(place.rows));
      raw_rows_kernel<large_loads><<<blocks, raw_threads, 0, data.stream()>>>(
          words(at.x), words(at.y), words(at.z), n, place.pitch / each, f);
      break;
    }
    case form::strided:
    case form::misaligned:
      raw_strided_kernel<element_loads>
          <<<raw_blocks(place.columns, element_loads), raw_threads, 0, data.stream()>>>(
              at.x, at.y, at.z, place.columns, static_cast<int>(place.step), f);
  }
  check_cuda(cudaGetLastError(), "raw kernel");
}

template <loop Operation, class T>
void run_transform(loop_data<T>& data, std::int64_t round) {
  const placement place = data.asked.place();
  const auto x = line_view(data.x_at(round), place);
  const auto z = line_view(data.z_at(round), place);
  if constexpr (Operation == loop::triad) {
    tandem::transform(*data.space, x, line_view(data.y_at(round), place), z,
                      applied<Operation, T>{});
  } else {
    tandem::transform(*data.space, x, z, applied<Operation, T>{});
  }
}

template <loop Operation, class T>
void add_case(lineup& add, const loop_case& asked, const std::string& type) {
  const problem solved = loop_problem(asked, type, sizeof(T));
  const auto shared = std::make_shared<shared_data<T>>(asked);
  const auto made = [&](auto enqueue) { return on_shared<Operation>(shared, enqueue); };
  add(tandem_on_gpu(solved, made(run_lambda<Operation, const T, T>)));
  add(peer(solved, "cuda", "raw", made(run_raw<Operation, T>)));
  if (asked.shape == form::pitched)
    add(tandem_on_gpu(solved, made(run_lambda_strides<Operation, T>), "strides"));
  if (asked.shape != form::line || Operation == loop::increment) return;
  add(tandem_on_gpu(solved, made(run_lambda<Operation, T, T>), "mutable"));
  add(tandem_on_gpu(solved, made(run_arguments<Operation, T>), "arguments"));
  add(tandem_on_gpu(solved, made(run_transform<Operation, T>), "transform"));
  add(peer(solved, "cuda", "cub", made(run_cub<Operation, T>)));
}

template <class T>
void add_cases(lineup& add, const std::string& type, bool lines_only) {
  for (const loop_case& asked : loop_cases(lines_only)) {
    switch (asked.operation) {
      case loop::triad:
        add_case<loop::triad, T>(add, asked, type);
        break;
      case loop::copy:
        add_case<loop::copy, T>(add, asked, type);
        break;
      case loop::increment:
        add_case<loop::increment, T>(add, asked, type);
        break;
      // Only the report has these.
      case loop::add:
      case loop::multiply:
        break;
    }
  }
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  add_cases<float>(add, "f32", false);
  add_cases<double>(add, "f64", true);
}

const registration gpu(list_gpu);

}  // namespace perf::loop_gpu_targets
