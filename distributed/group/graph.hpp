// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/support/graph.hpp>
#include <tandem/distributed/group/group.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

template <class Space>
std::span<const Space> spaces_of(const group<Space>& members) {
  return {&members.member(0), static_cast<std::size_t>(members.size())};
}

/// Runs `sequence` on a group of the spaces of a recording.
template <class Space, class Sequence>
auto recorded(const group<Space>& members, const Sequence& sequence) {
  auto recording = dispatch_record(spaces_of(members));
  auto spaces = list_for<Space>("record", members.size());
  for (int p = 0; p < members.size(); ++p) {
    const Space& space = recording.space(static_cast<std::size_t>(p));
    spaces.push_back(space.named(members.member(p).label()));
  }
  sequence(group<Space>(std::move(spaces)));
  return recording.finish();
}

}  // namespace detail

/// What GPUs recorded as one graph of all members' work.
template <detail::has_recordings Space, class Sequence>
class graph<group<Space>, Sequence> {
 public:
  /// Records the sequence. Errors: those of record().
  ///
  /// Complexity  that of record()
  graph(const group<Space>& members, const Sequence& sequence)
      : work_(detail::recorded(members, sequence)) {}

  /// Runs the recorded operations behind the earlier work of all members, and before the later work
  /// of each.
  ///
  /// @param members  as many as recorded, of the same devices in the same order
  /// Errors          argument_error for others; recording_error for a group that is itself being
  ///                 recorded; device_error when the launch fails
  /// Complexity      the work of the operations, for which the host makes one launch, and an event
  ///                 per member that orders it
  /// Asynchronous on the members.
  void replay(const group<Space>& members) { work_.replay(detail::spaces_of(members)); }

 private:
  decltype(detail::recorded(std::declval<const group<Space>&>(),
                            std::declval<const Sequence&>())) work_;
};

/// Records the operations that `sequence` enqueues on a group, without running them:
///
///   auto steps = tandem::record(gpus, [&](const tandem::group<tandem::cuda>& on) {
///     for (int pair = 0; pair < 10; ++pair) {
///       tandem::parallel_for(on, inside, heat{}, tandem::exchanged(u), v);
///       tandem::parallel_for(on, inside, heat{}, tandem::exchanged(v), u);
///     }
///   });
///   for (int i = 0; i < 100; ++i) steps.replay(gpus);
///
/// GPUs then run all of them as one graph, exchanges included, with one launch.
///
/// @param sequence  function object sequence(on) that enqueues on the group it is given, and on no
///                  other space
/// Arrays may be captured by reference. Their memory is part of the graph of GPUs, so they must
/// keep it: do not move, swap or resize them between record() and the last replay, nor within the
/// sequence. A group of the host calls the sequence again with each replay.
/// Errors         recording_error for operations that wait for the members (fence, results by
///                value, sorts, selections that count) or that copy ordinary memory of the host;
///                what the operations throw. The recording ends then, and the group works on. On a
///                CPU nothing is refused, and errors of the operations come from replay().
/// Complexity     on GPUs one call of the sequence and the making of a launchable graph, on the
///                host; constant on a CPU
/// Waits for nothing of the members.
template <class Space, class Sequence>
graph<group<Space>, Sequence> record(const group<Space>& members, Sequence sequence) {
  static_assert(std::is_invocable_v<const Sequence&, const group<Space>&>,
                "tandem: record: the sequence takes the group to work on, as in "
                "[&](const tandem::group<tandem::cuda>& on) { .. }");
  return graph<group<Space>, Sequence>(members, std::move(sequence));
}

}  // namespace tandem
