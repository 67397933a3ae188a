// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/vector/bench.hpp>
#include <perf/support/host_peers.hpp>

namespace perf {

namespace {

template <elementwise Operation>
float element(float x, float y) {
  if constexpr (Operation == elementwise::add) return x + y;
  if constexpr (Operation == elementwise::multiply) return x * y;
  return __builtin_fmaf(triad_scale, y, x);
}

template <elementwise Operation>
void raw_loop(const float* __restrict x, const float* __restrict y, float* __restrict z,
              index_t n) {
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) z[i] = element<Operation>(x[i], y[i]);
}

/// The loop over elements [begin, end), the body of TBB's.
template <elementwise Operation>
void loop_over(const float* __restrict x, const float* __restrict y, float* __restrict z,
               index_t begin, index_t end) {
#pragma omp simd
  for (index_t i = begin; i < end; ++i) z[i] = element<Operation>(x[i], y[i]);
}

template <elementwise Operation>
void tbb_loop(const float* x, const float* y, float* z, index_t n) {
  tbb_for(n, [=](index_t begin, index_t end) { loop_over<Operation>(x, y, z, begin, end); });
}

template <elementwise Operation>
void kokkos_loop(const float* x, const float* y, float* z, index_t n) {
  kokkos_for(n, [=](index_t i) { z[i] = element<Operation>(x[i], y[i]); });
}

/// Makes a candidate of a peer's loop(x, y, z, n).
template <class Loop>
std::function<candidate()> peer_loop(index_t n, const Loop& loop) {
  return [=] {
    auto data = std::make_shared<vectors<openmp>>(n);
    return resident(
        data->space,
        [=](std::int64_t round) {
          loop(data->x.set(round).data_handle(), data->y.set(round).data_handle(),
               data->z.set(round).data_handle(), n);
        },
        [=] { return summary(*data->space, data->z.set(0)); });
  };
}

/// Elementwise results do not depend on any order, so the peers' bits are the reference's, too.
reference elementwise_reference(elementwise operation, index_t n) {
  return {resident_elementwise<serial>(operation, n).check(), 0, "serial"};
}

const char* name_of(elementwise operation) {
  switch (operation) {
    case elementwise::add:
      return "add";
    case elementwise::multiply:
      return "multiply";
    case elementwise::triad:
      return "triad";
  }
  return "";
}

template <elementwise Operation>
void list_operation(const settings& chosen, lineup& add) {
  for (const index_t n : curve_sizes(chosen)) {
    const problem solved = elementwise_problem(Operation, n);
    add(tandem_on_cpu(solved, "serial",
                      [=] { return resident_elementwise<serial>(Operation, n); }));
    add(tandem_on_cpu(solved, "openmp",
                      [=] { return resident_elementwise<openmp>(Operation, n); }));
    add(peer(solved, "openmp", "raw", peer_loop(n, raw_loop<Operation>)));
    if (tbb_present) add(peer(solved, "openmp", "tbb", peer_loop(n, tbb_loop<Operation>)));
    if (kokkos_present) add(peer(solved, "openmp", "kokkos", peer_loop(n, kokkos_loop<Operation>)));
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  list_operation<elementwise::add>(chosen, add);
  list_operation<elementwise::multiply>(chosen, add);
  list_operation<elementwise::triad>(chosen, add);
}

const registration cpu(list_cpu);

}  // namespace

problem elementwise_problem(elementwise operation, index_t n) {
  problem solved{"vector", name_of(operation), "f32", std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = 12.0 * solved.elements;  // two reads and a write
  solved.expected = [=] { return elementwise_reference(operation, n); };
  return solved;
}

}  // namespace perf
