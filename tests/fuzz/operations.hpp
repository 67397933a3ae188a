// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

#include "fuzz/draw.hpp"

/// How a family of cases registers, and how a case reports a failure.
namespace tandem::fuzz {

/// A result that differs from the oracle's.
class mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An operation under test: a function that draws a case, runs it and throws if it fails. Returns
/// whether the operation ran; false means a refusal that the oracle expected.
struct operation {
  const char* name;
  bool (*check)(draw&);
};

/// All operations, in the order of their registration.
inline std::vector<operation>& operations() {
  static std::vector<operation> all;
  return all;
}

/// Registers an operation when it is defined.
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

/// Returns a second stream of the space's device, or the space itself if it has no streams.
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

/// Calls enqueue(space) in one of these ways, and waits. A graph is replayed twice; prepare()
/// restores the operands before each run.
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

/// Calls f and returns whether it ran. An error of type Error is a refusal, which must happen if
/// and only if it is `expected`.
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
