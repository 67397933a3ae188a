// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for loops over lines: tandem against hand-written OpenMP, TBB and Kokkos.
#include <perf/benchmarks/loop/cpu_targets.hpp>
#include <perf/support/host_peers.hpp>

namespace perf {

namespace {

using tandem::index_t;

template <class T>
auto input_view(const tandem::array<T, 1, tandem::openmp>& x) {
  return tandem::view<const T, 1, tandem::layout_right, tandem::host_memory>(x.data_handle(),
                                                                             x.extents());
}

/// tandem's loop over a line, through a lambda whose index has the type Index.
template <loop Operation, class Index, class T>
void run_line(host_loop_data<T>& data) {
  const auto x = input_view(data.x);
  const auto y = input_view(data.y);
  const auto z = data.z.view();
  const auto n = static_cast<Index>(data.n);
  if constexpr (Operation == loop::triad) {
    const T s = static_cast<T>(host_triad_scale);
    tandem::parallel_for(data.space, n, [=](Index i) { z(i) = tandem::fma(s, y(i), x(i)); });
  } else if constexpr (Operation == loop::copy) {
    tandem::parallel_for(data.space, n, [=](Index i) { z(i) = x(i); });
  } else {
    tandem::parallel_for(data.space, n, [=](Index i) { z(i) += T(1); });
  }
}

template <loop Operation, class T>
void run_transform(host_loop_data<T>& data) {
  const auto x = input_view(data.x);
  const auto z = data.z.view();
  if constexpr (Operation == loop::triad) {
    tandem::transform(data.space, x, input_view(data.y), z,
                      [](T a, T b) { return tandem::fma(static_cast<T>(host_triad_scale), b, a); });
  } else if constexpr (Operation == loop::copy) {
    tandem::copy(data.space, x, z);
  } else {
    tandem::transform(data.space, z, z, [](T a) { return a + T(1); });
  }
}

/// A hand-written loop over elements [begin, end), the body of the peers that split ranges.
template <loop Operation, class T>
void run_part(const T* __restrict x, const T* __restrict y, T* __restrict z, index_t begin,
              index_t end) {
#pragma omp simd
  for (index_t i = begin; i < end; ++i) z[i] = host_element<Operation, T>{}(x[i], y[i], z[i]);
}

template <loop Operation, class T>
void run_one_thread(host_loop_data<T>& data) {
  run_part<Operation>(data.x.data_handle(), data.y.data_handle(), data.z.data_handle(), 0, data.n);
}

template <loop Operation, class T>
void raw_line(const T* __restrict x, const T* __restrict y, T* __restrict z, index_t n) {
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) z[i] = host_element<Operation, T>{}(x[i], y[i], z[i]);
}

template <loop Operation, class T>
void run_raw(host_loop_data<T>& data) {
  raw_line<Operation>(data.x.data_handle(), data.y.data_handle(), data.z.data_handle(), data.n);
}

template <loop Operation, class T>
void run_tbb(host_loop_data<T>& data) {
  tbb_for(data.n, [x = data.x.data_handle(), y = data.y.data_handle(), z = data.z.data_handle()](
                      index_t begin, index_t end) { run_part<Operation>(x, y, z, begin, end); });
}

template <loop Operation, class T>
void run_kokkos(host_loop_data<T>& data) {
  kokkos_for(data.n, [x = data.x.data_handle(), y = data.y.data_handle(), z = data.z.data_handle()](
                         index_t i) { z[i] = host_element<Operation, T>{}(x[i], y[i], z[i]); });
}

problem line_problem(const std::string& name, const std::string& type, index_t n, double bytes) {
  problem solved{"loops", name, type, std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = bytes * solved.elements;
  solved.expected = [] { return reference{{}, 0, "what each element should be"}; };
  return solved;
}

template <loop Operation, class T>
void list_line(std::vector<benchmark>& benchmarks, const char* name, const char* type, index_t n) {
  const double arrays = Operation == loop::triad ? 3 : 2;
  const problem solved = line_problem(name, type, n, arrays * sizeof(T));
  const auto shared = std::make_shared<shared_host_data<T>>(n);
  const auto made = [&](auto run) { return on_shared_host<Operation>(shared, run); };
  benchmarks.push_back(tandem_on_cpu(solved, "openmp", made(run_line<Operation, int, T>)));
  benchmarks.push_back(
      tandem_on_cpu(solved, "openmp", made(run_transform<Operation, T>), "transform"));
  benchmarks.push_back(peer(solved, "openmp", "raw", made(run_raw<Operation, T>)));
  benchmarks.push_back(peer(solved, "serial", "loop", made(run_one_thread<Operation, T>)));
  if (tbb_present) benchmarks.push_back(peer(solved, "openmp", "tbb", made(run_tbb<Operation, T>)));
  if (kokkos_present)
    benchmarks.push_back(peer(solved, "openmp", "kokkos", made(run_kokkos<Operation, T>)));
}

template <class T>
void list_lines(std::vector<benchmark>& benchmarks, const char* type) {
  for (const int exponent : {8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28}) {
    const index_t n = index_t{1} << exponent;
    list_line<loop::triad, T>(benchmarks, "triad", type, n);
    list_line<loop::copy, T>(benchmarks, "copy", type, n);
    list_line<loop::increment, T>(benchmarks, "increment", type, n);
  }
}

/// Adds the triad with another type of index, for which some compilers generate slower code.
template <class Index>
void list_index(std::vector<benchmark>& benchmarks, const char* type) {
  const index_t n = index_t{1} << 20;
  const problem solved = line_problem(std::string("triad_") + type, "f32", n, 3 * sizeof(float));
  const auto shared = std::make_shared<shared_host_data<float>>(n);
  const auto made = [&](auto run) { return on_shared_host<loop::triad>(shared, run); };
  benchmarks.push_back(tandem_on_cpu(solved, "openmp", made(run_line<loop::triad, Index, float>)));
  benchmarks.push_back(peer(solved, "openmp", "raw", made(run_raw<loop::triad, float>)));
}

void list_host(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (!chosen.targets) return;
  list_lines<float>(benchmarks, "f32");
  list_lines<double>(benchmarks, "f64");
  list_index<int>(benchmarks, "int");
  list_index<unsigned>(benchmarks, "unsigned");
  list_index<long>(benchmarks, "long");
  list_index<std::size_t>(benchmarks, "size_t");
}

const registration host(list_host);

}  // namespace

}  // namespace perf
