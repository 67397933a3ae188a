// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <omp.h>

#include <cmath>
#include <map>

namespace perf {

/// The extents of a kernel's data, outermost first.
using kernel_size = std::vector<index_t>;

/// The sizes of a kernel: a quick run takes the first of `all`, others all of them and, on a GPU,
/// those of `on_gpu`.
struct kernel_sizes {
  std::vector<kernel_size> all;
  std::vector<kernel_size> on_gpu = {};

  std::vector<kernel_size> measured(const settings& chosen, bool on_cpu) const {
    if (chosen.quick) return {all.front()};
    std::vector<kernel_size> sizes = all;
    if (!on_cpu) sizes.insert(sizes.end(), on_gpu.begin(), on_gpu.end());
    return sizes;
  }
};

/// The least memory traffic, or the operations if these bound a kernel; the other is 0.
struct kernel_cost {
  double bytes = 0;
  double flops = 0;
};

/// A kernel of the bench, written once with tandem, as a class template over the space that is
/// instantiated for openmp by g++ and for cuda by nvcc.
///
/// Kernel::name      as in the tables; "_by_teams" at its end says that it calls parallel_teams on
///                   every space
/// Kernel::type      "f32"
/// Kernel::sizes     what is measured, smallest first
/// Kernel::cost_each of one run per element, whose number is the product of the extents; or
///                   Kernel::cost(n) of one run at size n
/// Kernel(space, n)  allocates and fills what is only read
/// reset(space)      restores the state before the first run, results included, so that no result
///                   is left over from another candidate
/// run(space)        tandem's version
/// result(space)     outcome of what a run after reset() made
/// Kernel::error     only if the two versions add in different orders: the largest difference
///                   of the results' values relative to the value; without it all bits are compared
template <class Kernel, class Space>
concept bench_kernel = requires(Kernel& kernel, const Space& space, const kernel_size& size) {
  Kernel(space, size);
  { Kernel::name } -> std::convertible_to<std::string>;
  { Kernel::type } -> std::convertible_to<std::string>;
  { Kernel::sizes } -> std::same_as<const kernel_sizes&>;
  kernel.reset(space);
  kernel.run(space);
  { kernel.result(space) } -> std::same_as<outcome>;
};

/// Functions that compute references, by kernel: the hand-written OpenMP versions, for both sides.
inline std::map<std::string, std::function<reference(const kernel_size&)>>& kernel_references() {
  static std::map<std::string, std::function<reference(const kernel_size&)>> all;
  return all;
}

/// A kernel with its space.
template <class Kernel, class Space>
struct prepared_kernel {
  explicit prepared_kernel(const kernel_size& size) : kernel(space, size) {}

  std::shared_ptr<Space> shared = std::make_shared<Space>();
  const Space& space = *shared;
  Kernel kernel;
};

/// Limits the threads of OpenMP, and hence of tandem, during its lifetime.
class limited_threads {
 public:
  explicit limited_threads(int threads) { omp_set_num_threads(threads); }
  ~limited_threads() { omp_set_num_threads(before_); }
  limited_threads(const limited_threads&) = delete;
  limited_threads& operator=(const limited_threads&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

/// Makes the candidate that calls run(prepared) with at most `threads` threads on a CPU.
template <class Prepared, class Run>
candidate kernel_candidate(const std::shared_ptr<Prepared>& data, int threads, const Run& run) {
  const auto enqueue = [=](std::int64_t) {
    const limited_threads limit(threads);
    run(*data);
  };
  candidate made = resident(data->shared, enqueue, [] { return outcome{}; });
  made.check = [=] {
    data->kernel.reset(data->space);
    enqueue(0);
    data->space.fence();
    return data->kernel.result(data->space);
  };
  return made;
}

/// The problem of a kernel at one size.
template <class Kernel>
problem kernel_problem(const kernel_size& size) {
  problem solved{"kernels", Kernel::name, Kernel::type, {}};
  solved.elements = 1;
  for (const index_t extent : size) {
    solved.size += (solved.size.empty() ? "" : "x") + std::to_string(extent);
    solved.elements *= static_cast<double>(extent);
  }
  if constexpr (requires { Kernel::cost_each; }) {
    solved.bytes = Kernel::cost_each.bytes * solved.elements;
    solved.flops = Kernel::cost_each.flops * solved.elements;
  } else {
    solved.bytes = Kernel::cost(size).bytes;
    solved.flops = Kernel::cost(size).flops;
  }
  solved.expected = [size] { return kernel_references().at(Kernel::name)(size); };
  return solved;
}

/// Computes the reference by the hand-written version of a kernel for OpenMP.
template <class Kernel, class Run>
reference kernel_reference(const kernel_size& size, const Run& run) {
  const auto data = std::make_shared<prepared_kernel<Kernel, openmp>>(size);
  const outcome result = kernel_candidate(data, omp_get_max_threads(), run).check();
  double tolerance = 0;
  if constexpr (requires { Kernel::error; }) tolerance = Kernel::error * std::abs(result.value);
  return {result, tolerance, "hand-written"};
}

/// The variant of a benchmark on `threads` threads of a CPU that has `all`.
inline std::string threads_variant(int threads, int all) {
  return threads == 1 || threads < all ? "threads_" + std::to_string(threads) : "resident";
}

/// The numbers of threads on which a kernel is measured on a CPU that has `all`: all of them, 4 and
/// 1; a quick run measures all alone.
inline std::vector<int> measured_threads(int all, bool quick) {
  std::vector<int> numbers{all};
  for (const int fewer : {4, 1}) {
    if (all > fewer && !quick) numbers.push_back(fewer);
  }
  return numbers;
}

/// Lists a kernel for `Space` at all of its sizes, by tandem and by hand; a lister. by_hand(kernel)
/// runs a hand-written version on OpenMP's threads, by_hand(kernel, stream) enqueues it. The first
/// one, "raw", is plain; a second one, "raw_tuned", is listed if it may be faster.
template <class Space, class Kernel, auto by_hand, auto... tuned>
  requires(bench_kernel<Kernel, Space> && sizeof...(tuned) <= 1)
void list_kernel(const settings& chosen, lineup& add) {
  constexpr bool on_cpu = Space::memory_type::host_accessible;
  constexpr bool same_bits = !requires { Kernel::error; };
  using prepared = prepared_kernel<Kernel, Space>;
  const auto run = [](prepared& data) { data.kernel.run(data.space); };
  const auto calling = [](auto function) {
    return [function](prepared& data) {
      if constexpr (on_cpu) {
        function(data.kernel);
      } else {
        function(data.kernel, data.space.native_stream());
      }
    };
  };
  if constexpr (on_cpu) {
    kernel_references()[Kernel::name] = [=](const kernel_size& size) {
      return kernel_reference<Kernel>(size, calling(by_hand));
    };
  } else if (cuda::devices().empty()) {
    return;
  }
  const int all_threads = omp_get_max_threads();
  for (const kernel_size& size : Kernel::sizes.measured(chosen, on_cpu)) {
    const problem solved = kernel_problem<Kernel>(size);
    const auto shared = std::make_shared<shared_while_used<prepared, kernel_size>>(size);
    const auto add_version = [&](const char* implementation, int threads, const auto& body) {
      const std::string variant = on_cpu ? threads_variant(threads, all_threads) : "resident";
      add({solved, Space::name, implementation, variant, on_cpu ? clock::host : clock::device,
           same_bits, [=] { return kernel_candidate(shared->get(), threads, body); }});
    };
    for (const int threads : measured_threads(all_threads, chosen.quick || !on_cpu)) {
      add_version("tandem", threads, run);
      add_version("raw", threads, calling(by_hand));
      (add_version("raw_tuned", threads, calling(tuned)), ...);
    }
  }
}

}  // namespace perf
