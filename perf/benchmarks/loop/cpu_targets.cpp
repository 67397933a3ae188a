// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for loops over lines: tandem against hand-written OpenMP, TBB and Kokkos.
#include <perf/benchmarks/loop/host_loops.hpp>

namespace perf::loop_cpu_targets {

template <loop Operation, class Index, class T>
void run_lambda(host_loop_data<T>& data) {
  run_line<Operation, Index>(data.space, input_view(data.x), input_view(data.y), data.z.view());
}

template <loop Operation, class T>
void run_transform(host_loop_data<T>& data) {
  const auto x = input_view(data.x);
  const auto z = data.z.view();
  if constexpr (Operation == loop::triad) {
    tandem::transform(data.space, x, input_view(data.y), z,
                      [](T a, T b) { return tandem::fma(static_cast<T>(triad_scale), b, a); });
  } else if constexpr (Operation == loop::copy) {
    tandem::copy(data.space, x, z);
  } else {
    tandem::transform(data.space, z, z, [](T a) { return a + T(1); });
  }
}

template <loop Operation, class T>
void run_one_thread(host_loop_data<T>& data) {
  run_part<Operation>(data.x.data_handle(), data.y.data_handle(), data.z.data_handle(), 0, data.n);
}

problem line_problem(const std::string& name, const std::string& type, index_t n, double bytes) {
  return problem_of("loops", name, type, n, bytes, [] {
    return reference{{}, 0, "what each element should be"};
  });
}

template <loop Operation, class T>
void list_line(lineup& add, const char* name, const char* type, index_t n) {
  const double arrays = Operation == loop::triad ? 3 : 2;
  const problem solved = line_problem(name, type, n, arrays * sizeof(T));
  const auto shared = std::make_shared<shared_host_data<T>>(n);
  const auto made = [&](auto run) { return on_shared_host<Operation>(shared, run); };
  add(tandem_on_cpu(solved, "openmp", made(run_lambda<Operation, int, T>)));
  add(tandem_on_cpu(solved, "openmp", made(run_transform<Operation, T>), "transform"));
  add(peer(solved, "openmp", "raw", made(run_raw<Operation, T>)));
  add(peer(solved, "serial", "loop", made(run_one_thread<Operation, T>)));
  if (tbb_present) add(peer(solved, "openmp", "tbb", made(run_tbb<Operation, T>)));
  if (kokkos_present) add(peer(solved, "openmp", "kokkos", made(run_kokkos<Operation, T>)));
}

template <class T>
void list_lines(lineup& add, const char* type) {
  for (const index_t n : powers_of_two({8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28})) {
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
  add(tandem_on_cpu(solved, "openmp", made(run_lambda<loop::triad, Index, float>)));
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

}  // namespace perf::loop_cpu_targets
