// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

#include <tandem/distributed.hpp>

#include <memory>
#include <string>
#include <utility>

/// What several GPUs gain over one, and what it costs to bring operands of the host to a GPU.
namespace perf::scale_gpu {

using gpus = tandem::group<cuda>;

inline constexpr std::uint64_t scale_seed = 7;

/// The terms of a sum that shows elements in wrong places.
struct weighted {
  template <class X>
  TANDEM_FUNCTION double operator()(index_t i, const X& x) const {
    return static_cast<double>(x(i)) * static_cast<double>(i % 61 + 1);
  }
};

/// Sets the elements of a matrix to numbers from 0 to 1.
struct set_entry {
  index_t step;

  template <class X>
  TANDEM_FUNCTION void operator()(index_t i, index_t j, const X& x) const {
    const auto place = static_cast<float>((i * step + j * 17 + i * j % 11) % 127);
    x(i, j) = typename X::value_type(place / 126);
  }
};

/// The outcome of a line on a space, on a group or on the host through a stream.
template <class Space, class X>
outcome line_outcome(const Space& space, index_t n, const X& x) {
  return summary_of(
      tandem::parallel_reduce(space, tandem::range(n), weighted{}, tandem::sum<double>{}, x));
}

/// A benchmark of tandem on one GPU that waits for its result: what those on several are compared
/// with.
inline benchmark on_one_gpu(const problem& solved, std::function<candidate()> make) {
  return {solved, "cuda", "one_gpu", "resident", clock::host, true, std::move(make)};
}

}  // namespace perf::scale_gpu
