// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/space.hpp>
#include <tandem/default_space.hpp>

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// A backend that records work and runs it later; others keep the function that enqueues it.
template <class Space>
concept has_recordings = execution_space<Space> && uses_hook<Space, hook::record>();

/// Runs `sequence` on the space of a recording.
template <class Space, class Sequence>
auto recorded(const Space& space, const Sequence& sequence) {
  auto recording = dispatch_record(std::span<const Space>(&space, 1));
  sequence(recording.space(0));
  return recording.finish();
}

}  // namespace detail

/// A sequence of operations, recorded by record() and replayed any number of times. On a GPU it is
/// move-only and replays with one launch; a CPU keeps the sequence and calls it. Space may be a
/// group of spaces.
template <class Space, class Sequence>
class graph {
 public:
  /// Keeps the sequence; runs nothing.
  graph(const Space&, Sequence sequence) : sequence_(std::move(sequence)) {}

  /// Runs the sequence in the order of `space`, any stream of the device that it was recorded for.
  /// Replays of one graph never overlap, on whatever streams. Use one graph from one host thread at
  /// a time.
  /// Errors         argument_error for a space of another device; recording_error for a space that
  ///                is itself being recorded; device_error when the launch fails
  /// Complexity     the work of the sequence; one launch on a GPU, and on a CPU one call
  /// Asynchronous on `space`.
  void replay(const Space& space) { sequence_(space); }

  /// Calls replay(space) on the default space.
  void replay()
    requires std::same_as<Space, default_space>
  {
    replay(default_instance<Space>());
  }

 private:
  Sequence sequence_;
};

/// What a backend recorded. The sequence is not needed again.
template <detail::has_recordings Space, class Sequence>
class graph<Space, Sequence> {
 public:
  /// Records the sequence. Errors: those of record().
  ///
  /// Complexity  that of record()
  graph(const Space& space, const Sequence& sequence) : work_(detail::recorded(space, sequence)) {}

  /// Runs the recorded operations in their order on `space`, with one launch.
  ///
  /// Complexity  the work of the operations, for which the host makes one launch
  void replay(const Space& space) { work_.replay({&space, 1}); }

  /// Runs the recorded operations in their order on the default space, with one launch.
  void replay()
    requires std::same_as<Space, default_space>
  {
    replay(default_instance<Space>());
  }

 private:
  decltype(detail::recorded(std::declval<const Space&>(), std::declval<const Sequence&>())) work_;
};

/// Records the operations that `sequence` enqueues, without running them:
///
///   auto step = tandem::record(gpu, [=](const tandem::cuda& s) {
///     tandem::parallel_for(s, n, TANDEM_LAMBDA(int i) { y(i) += x(i); });
///     tandem::parallel_reduce_into(s, y, tandem::sum<float>{}, total);
///   });
///   for (int i = 0; i < 1000; ++i) step.replay(gpu);
///
/// A GPU then runs all of them with one launch, at a fraction of the cost of one launch per
/// operation.
///
/// @param sequence  function object sequence(s) that enqueues on the space it is given and on no
///                  other. A lambda around a TANDEM_LAMBDA names the type of its parameter: nvcc
///                  takes none in a generic lambda
/// The addresses and values that it sees are part of the graph. Views must stay valid for the
/// replays. Capture by value: on a CPU the sequence is called again with each replay. Arrays that
/// it makes on `s` live as long as the graph.
/// Errors         recording_error for operations that wait for the device (fence, a reduction's
///                result by value), for events between s and other streams, and for operations that
///                copy ordinary memory of the host (pinned memory is fine); what the operations
///                throw. The recording ends then, and the space works on. On a CPU nothing is
///                refused, and errors of the operations come from replay().
/// Complexity     on a GPU one call of the sequence and the making of a launchable graph, on the
///                host; constant on a CPU
/// Waits for nothing of `space`.
template <execution_space Space, class Sequence>
graph<Space, Sequence> record(const Space& space, Sequence sequence) {
  static_assert(std::is_invocable_v<const Sequence&, const Space&>,
                "tandem: record: the sequence takes the space to work on, as in "
                "[=](const tandem::cuda& s) { .. }");
  return graph<Space, Sequence>(space, std::move(sequence));
}

/// Calls record(space, sequence) on the default space.
template <class Sequence>
  requires(!execution_space<Sequence>)
graph<default_space, Sequence> record(Sequence sequence) {
  return record(default_instance<default_space>(), std::move(sequence));
}

}  // namespace tandem
