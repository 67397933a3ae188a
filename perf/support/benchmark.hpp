// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perf {

/// Summary of a result: a hash of all its bits, and one number made of its values for results whose
/// bits may differ.
struct outcome {
  std::uint64_t bits = 0;
  double value = 0;
  /// Root mean square of the elements' errors over that of the elements; 0 if it is not
  /// computed.
  double error = 0;
};

/// What a candidate's result must be. `value` holds to within `tolerance` for any order of
/// operations.
struct reference {
  outcome result;
  double tolerance = 0;
  std::string made_by;  ///< the backend that computed it
};

/// One implementation with its data. Closures rather than a class: the code that makes one knows
/// its types, the runner does not.
struct candidate {
  /// Runs once on fresh data and summarises the result. Empty for a limit, which has no result of
  /// the problem to check.
  std::function<outcome()> check;
  /// Runs once to completion, on set number `round` of its data.
  std::function<void(std::int64_t round)> run;
  /// Runs `rounds` times from `first` on and returns the seconds by the device's clock. Empty if
  /// the host's clock counts.
  std::function<double(std::int64_t first, int rounds)> device_seconds;
};

/// What is computed, at one size. Shared by all candidates.
struct problem {
  std::string algorithm;  ///< name of the program: "reduce"
  std::string name;       ///< "abs_sum"
  std::string type;       ///< "f32"
  std::string size;       ///< as users write it: "1000x1000"
  double elements = 0;    ///< the size as a number, for plots
  double bytes = 0;       ///< memory traffic that no implementation can avoid
  double flops = 0;
  /// Computes the reference; runs once for all candidates.
  std::function<reference()> expected = {};

  std::string key() const { return algorithm + "/" + name + "/" + type + "/" + size; }
};

/// A problem of n elements, each with `bytes` of memory traffic.
inline problem problem_of(const std::string& algorithm, const std::string& name,
                          const std::string& type, std::int64_t n, double bytes,
                          std::function<reference()> expected) {
  const auto elements = static_cast<double>(n);
  return {algorithm,          name, type, std::to_string(n), elements, bytes * elements, 0,
          std::move(expected)};
}

/// "f32", "i64" or "u8" for the type of elements.
template <class T>
std::string type_name() {
  const char* const kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
  return kind + std::to_string(8 * sizeof(T));
}

/// The clock by which a benchmark is timed.
enum class clock { host, device };

/// One measurement to make: a problem, who solves it on which backend, and what the time includes.
struct benchmark {
  perf::problem problem;
  std::string backend;         ///< serial, openmp, cuda
  std::string implementation;  ///< tandem, or the peer: raw, cub, ...
  /// What the time includes (resident, to_host, pageable, pinned), or which of several calls or
  /// kernels runs (transform, threads_1, naive).
  std::string variant;
  clock timed_by = clock::host;
  bool same_bits = false;  ///< promises the bits of the reference
  std::function<candidate()> make;

  /// The name as printed: "reduce/sum/f32/1048576/cuda/cub/resident".
  std::string key() const {
    return problem.key() + "/" + backend + "/" + implementation + "/" + variant;
  }
};

/// tandem on the CPU, timed by the host's clock, with the reference's bits.
inline benchmark tandem_on_cpu(const problem& solved, const std::string& backend,
                               std::function<candidate()> make,
                               const std::string& variant = "resident") {
  return {solved, backend, "tandem", variant, clock::host, true, std::move(make)};
}

/// tandem on the GPU, on data that resides there, timed by the device's clock.
inline benchmark tandem_on_gpu(const problem& solved, std::function<candidate()> make,
                               const std::string& variant = "resident") {
  return {solved, "cuda", "tandem", variant, clock::device, true, std::move(make)};
}

/// tandem on the GPU, timed by the host's clock: a program on the host calls it and waits for the
/// result there. `variant` says what the time includes.
inline benchmark tandem_through_host(const problem& solved, const std::string& variant,
                                     std::function<candidate()> make) {
  return {solved, "cuda", "tandem", variant, clock::host, true, std::move(make)};
}

/// A peer's implementation, whose bits may differ from the reference's.
inline benchmark peer(const problem& solved, const std::string& backend,
                      const std::string& implementation, std::function<candidate()> make) {
  const clock timed_by = backend == "cuda" ? clock::device : clock::host;
  return {solved, backend, implementation, "resident", timed_by, false, std::move(make)};
}

/// A peer on the GPU, timed by the host's clock: a result on the host, or a launch. `variant` is
/// that of tandem's benchmark.
inline benchmark peer_through_host(const problem& solved, const std::string& implementation,
                                   const std::string& variant, std::function<candidate()> make) {
  return {solved, "cuda", implementation, variant, clock::host, false, std::move(make)};
}

/// A limit on the GPU, such as the time of reading the input: its candidate does not solve the
/// problem, and its check is empty.
inline benchmark limit(const problem& solved, const std::string& implementation,
                       std::function<candidate()> make) {
  return {solved, "cuda", implementation, "resident", clock::device, false, std::move(make)};
}

/// What the command line asked for.
struct settings {
  bool quick = false;
  /// Lists the benchmarks of the tables of targets rather than those of the report: other sizes and
  /// candidates, and references by OpenMP rather than by one thread.
  bool targets = false;
};

inline std::vector<std::int64_t> powers_of_two(const std::vector<int>& exponents) {
  std::vector<std::int64_t> powers;
  for (const int exponent : exponents) powers.push_back(std::int64_t{1} << exponent);
  return powers;
}

/// Sizes for a plot of time against size: 2^10 to 2^27, or up to 2^20 in a quick run.
inline std::vector<std::int64_t> curve_sizes(const settings& chosen) {
  if (chosen.quick) return powers_of_two({12, 16, 20});
  return powers_of_two({10, 12, 14, 16, 18, 20, 22, 24, 26, 27});
}

/// Sides of squares for such a plot: 2^10 to 2^26 elements.
inline std::vector<std::int64_t> square_sides(const settings& chosen) {
  if (chosen.quick) return {64, 256, 1000};
  return {32, 64, 128, 256, 512, 1000, 2048, 4096, 8192};
}

/// The benchmarks of a program.
struct lineup {
  void operator()(benchmark added) { benchmarks.push_back(std::move(added)); }

  std::vector<benchmark> benchmarks;
  std::map<std::string, std::string> context;  ///< what the result file says of the libraries
};

/// Adds the benchmarks of one source file to the lineup; each file registers one.
using lister = void (*)(const settings&, lineup& add);

/// All listers of the program, in the order in which files register.
std::vector<lister>& listers();

/// Registers a lister by its definition at namespace scope.
struct registration {
  explicit registration(lister list) { listers().push_back(list); }
};

}  // namespace perf
