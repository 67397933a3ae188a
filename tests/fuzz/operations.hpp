// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

#include "fuzz/draw.hpp"

/// What a family of cases registers, and how a case says that it failed.
namespace tandem::fuzz {

/// A result that is not the oracle's.
class mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An operation under test: a function that draws a case, runs it and throws where it fails.
/// Returns whether the operation ran; false is a refusal that the oracle expected.
struct operation {
  const char* name;
  bool (*check)(draw&);
};

/// All operations, in the order of their registration.
inline std::vector<operation>& operations() {
  static std::vector<operation> all;
  return all;
}

/// Registers an operation by being defined.
struct registered {
  registered(const char* name, bool (*check)(draw&)) { operations().push_back({name, check}); }
};

/// Calls Case{}(d, space) on a space that the draw picks: the device's, or in the host's binary
/// serial or OpenMP with 1 to 64 threads, more than most machines have.
template <class Case>
bool on_a_space(draw& d) {
#ifdef TANDEM_TEST_CUDA
  return Case{}(d, cuda(0));
#else
  if (d.pick("space", {"serial", "openmp"}) == 0) return Case{}(d, serial{});
  const bool many = d.one_in("oversubscribed", 4);
  return Case{}(d, openmp(static_cast<int>(d.number("threads", 1, many ? 64 : 5))));
#endif
}

/// A second stream of the space's device, or where there are no streams the space itself.
template <class Space>
Space second_stream([[maybe_unused]] const Space& space) {
#ifdef TANDEM_TEST_CUDA
  return cuda(0);
#else
  return space;
#endif
}

/// How asynchronous work is enqueued.
enum class way { directly, on_second_stream, in_graph };

inline way draw_way(draw& d) {
  return static_cast<way>(d.pick("way", {"directly", "stream", "graph"}));
}

/// Calls enqueue(space), in one of the ways, and waits. A graph is replayed twice; prepare() puts
/// the operands back before each run.
template <class Space, class Prepare, class Enqueue>
void run(const Space& space, way how, const Prepare& prepare, const Enqueue& enqueue) {
  prepare();
  if (how == way::directly) {
    enqueue(space);
  } else if (how == way::on_second_stream) {
    const Space side = second_stream(space);
    side.wait(space.record());
    enqueue(side);
    space.wait(side.record());
  } else {
    auto work = record(space, [&enqueue](const Space& s) { enqueue(s); });
    work.replay(space);
    prepare();
    work.replay(space);
  }
  space.fence();
}

/// Calls f and returns whether it ran. An error of type Error is a refusal: it must be `expected`,
/// as running must not be.
template <class Error = error, class Function>
bool runs_unless(bool expected, const char* why, const Function& f) {
  bool refused = false;
  try {
    f();
  } catch (const Error& e) {
    refused = true;
    if (!expected) throw mismatch(std::string("refused without need: ") + e.what());
  }
  if (expected && !refused) throw mismatch(std::string("accepted, though ") + why);
  return !refused;
}

}  // namespace tandem::fuzz
