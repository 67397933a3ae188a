// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for loops over lines: tandem against hand-written OpenMP, TBB and Kokkos.
#include <perf/benchmarks/loop/cpu_targets.hpp>
#include <perf/support/host_peers.hpp>

namespace perf {

namespace {

template <class T>
auto input_view(const array<T, 1, openmp>& x) {
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
void list_line(lineup& add, const char* name, const char* type, index_t n) {
  const double arrays = Operation == loop::triad ? 3 : 2;
  const problem solved = line_problem(name, type, n, arrays * sizeof(T));
  const auto shared = std::make_shared<shared_host_data<T>>(n);
  const auto made = [&](auto run) { return on_shared_host<Operation>(shared, run); };
  add(tandem_on_cpu(solved, "openmp", made(run_line<Operation, int, T>)));
  add(tandem_on_cpu(solved, "openmp", made(run_transform<Operation, T>), "transform"));
  add(peer(solved, "openmp", "raw", made(run_raw<Operation, T>)));
  add(peer(solved, "serial", "loop", made(run_one_thread<Operation, T>)));
  if (tbb_present) add(peer(solved, "openmp", "tbb", made(run_tbb<Operation, T>)));
  if (kokkos_present) add(peer(solved, "openmp", "kokkos", made(run_kokkos<Operation, T>)));
}

template <class T>
void list_lines(lineup& add, const char* type) {
  for (const int exponent : {8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28}) {
    const index_t n = index_t{1} << exponent;
    list_line<loop::triad, T>(add, "triad", type, n);
    list_line<loop::copy, T>(add, "copy", type, n);
    list_line<loop::increment, T>(add, "increment", type, n);
  }
}

/// Adds the triad with another type of index, for which some compilers generate slower code.
template <class Index>
void list_index(lineup& add, const char* type) {
  const index_t n = index_t{1} << 20;
  const problem solved = line_problem(std::string("triad_") + type, "f32", n, 3 * sizeof(float));
  const auto shared = std::make_shared<shared_host_data<float>>(n);
  const auto made = [&](auto run) { return on_shared_host<loop::triad>(shared, run); };
  add(tandem_on_cpu(solved, "openmp", made(run_line<loop::triad, Index, float>)));
  add(peer(solved, "openmp", "raw", made(run_raw<loop::triad, float>)));
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  list_lines<float>(add, "f32");
  list_lines<double>(add, "f64");
  list_index<int>(add, "int");
  list_index<unsigned>(add, "unsigned");
  list_index<long>(add, "long");
  list_index<std::size_t>(add, "size_t");
}

const registration host(list_host);

}  // namespace

}  // namespace perf
