// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perf {

/// A result in short: a hash of all its bits, and one number made of its values for results whose
/// bits may differ.
struct outcome {
  std::uint64_t bits = 0;
  double value = 0;
  /// Root mean square of the elements' errors over that of the elements; 0 where nobody looked.
  double error = 0;
};

/// What a case must give. `value` holds to within `tolerance` whatever the order of operations.
struct reference {
  outcome result;
  double tolerance = 0;
  std::string made_by;  ///< the space that computed it
};

/// One implementation with its data. Closures rather than a class, since each is made where its
/// types are known and run by one runner that knows none of them; a call through them costs 2 ns.
struct contender {
  /// Runs once on fresh data and sums up the result. Empty where there is no result of the problem
  /// to check: a limit.
  std::function<outcome()> check;
  /// Runs once to the end, on set number `round` of its data.
  std::function<void(std::int64_t round)> run;
  /// Where the device's clock counts: runs `rounds` times from `first` on and returns the seconds
  /// of the device. Else empty.
  std::function<double(std::int64_t first, int rounds)> device_seconds;
};

/// What is computed, at one size. Shared by all contenders.
struct problem {
  std::string algorithm;  ///< name of the binary: "reduce"
  std::string name;       ///< "abs_sum"
  std::string type;       ///< "f32"
  std::string size;       ///< as users write it: "1000x1000"
  double elements = 0;    ///< the size as a number, for plots
  double bytes = 0;       ///< memory that any implementation must move
  double flops = 0;
  /// Computes the reference; runs once for all contenders.
  std::function<reference()> expected = {};

  std::string key() const { return algorithm + "/" + name + "/" + type + "/" + size; }
};

/// What clock a measurement is read from.
enum class clock { host, device };

/// One line of the measurements: who solves the problem, where, and with what included in the time.
struct entry {
  perf::problem problem;
  std::string where;  ///< serial, openmp, cuda
  std::string who;    ///< tandem, raw, cub, ...
  std::string how;    ///< resident, to_host, pageable, pinned, or the name of a kernel
  clock timed_by = clock::host;
  bool same_bits = false;  ///< promises the bits of the reference
  std::function<contender()> make;

  std::string key() const { return problem.key() + "/" + where + "/" + who + "/" + how; }
};

/// tandem on the CPU: the host's clock, the reference's bits.
inline entry tandem_on_cpu(const problem& solved, const std::string& where,
                           std::function<contender()> make, const std::string& how = "resident") {
  return {solved, where, "tandem", how, clock::host, true, std::move(make)};
}

/// tandem on the GPU, on data that lies there: the device's clock.
inline entry tandem_on_gpu(const problem& solved, std::function<contender()> make,
                           const std::string& how = "resident") {
  return {solved, "cuda", "tandem", how, clock::device, true, std::move(make)};
}

/// tandem on the GPU, called by a program on the host that waits for the result there: the host's
/// clock. `how` says what the time includes.
inline entry tandem_through_host(const problem& solved, const std::string& how,
                                 std::function<contender()> make) {
  return {solved, "cuda", "tandem", how, clock::host, true, std::move(make)};
}

/// Somebody else's implementation. Its bits are its own.
inline entry peer(const problem& solved, const std::string& where, const std::string& who,
                  std::function<contender()> make) {
  return {solved, where,          who, "resident", where == "cuda" ? clock::device : clock::host,
          false,  std::move(make)};
}

/// Registers an entry timed by the host's clock: a result on the host, or a launch. `how` is that
/// of tandem's entry.
inline entry peer_through_host(const problem& solved, const std::string& who,
                               const std::string& how, std::function<contender()> make) {
  return {solved, "cuda", who, how, clock::host, false, std::move(make)};
}

/// A yardstick on the GPU that does not solve the problem: its contender's check is empty.
inline entry limit(const problem& solved, const std::string& who, std::function<contender()> make) {
  return {solved, "cuda", who, "resident", clock::device, false, std::move(make)};
}

/// What the command line asked for.
struct settings {
  bool quick = false;
  /// The table of bars of one side: its own sizes and contenders, references by OpenMP rather than
  /// by one thread.
  bool limits = false;
};

/// Adds one side's entries; each source file with cases registers one.
using lister = void (*)(const settings&, std::vector<entry>&);

/// All listers of the program, in the order in which files register.
std::vector<lister>& listers();

/// Registers a lister by its definition at namespace scope.
struct registration {
  explicit registration(lister list) { listers().push_back(list); }
};

}  // namespace perf
