// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/default_space.hpp>
#include <tandem/distributed/cut/cut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// Throws the exception that is being handled again, with the number of the member in its message.
/// Exceptions that are not tandem's own are left as they are.
[[noreturn]] inline void fail_member(int p, int size) {
  const auto again = [&]<class Error>(const Error& e) {
    if (typeid(e) != typeid(Error)) throw;
    throw Error(message({e.what(), " (member ", p, " of ", size, ")"}));
  };
  try {
    throw;
  } catch (const out_of_memory_error& e) {
    char where[96];  // the heap may be full
    const std::string_view what = e.what();
    const auto length = static_cast<int>(std::min<std::size_t>(what.find(": out of memory"), 64));
    std::snprintf(where, sizeof where, "%.*s (member %d of %d)", length, what.data(), p, size);
    throw out_of_memory_error(where, e.asked(), e.free(), e.limit());
  } catch (const extent_error& e) {
    again(e);
  } catch (const argument_error& e) {
    again(e);
  } catch (const kernel_error& e) {
    again(e);
  } catch (const requirement_error& e) {
    throw requirement_error(e.text(), e.value(),
                            message({e.place(), " (member ", p, " of ", size, ")"}));
  } catch (const recording_error& e) {
    again(e);
  } catch (const device_error& e) {
    again(e);
  }
  throw;
}

/// Returns f(), which works for member p. Errors name the member if there are several.
template <class Function>
auto for_member(int p, int size, const Function& f) {
  try {
    return f();
  } catch (...) {
    if (size == 1) throw;
    fail_member(p, size);
  }
}

}  // namespace detail

/// A point in the order of every member of a group; group::record() makes it.
template <class Space>
class group_event {
 public:
  explicit group_event(std::vector<typename Space::event_type> events)
      : events_(std::move(events)) {}

  /// Blocks until the work of all members before the event has completed. Errors: device_error.
  void wait() const {
    for (const auto& one : events_) one.wait();
  }
  const std::vector<typename Space::event_type>& of_members() const { return events_; }

 private:
  std::vector<typename Space::event_type> events_;
};

/// Several spaces of one type, its members, that work on one problem: the GPUs of a machine
/// (devices()), or parts of one space (shards()), which give the same bits and so let a machine
/// with one GPU, or none, run what several will.
///
///   const tandem::group gpus = tandem::devices();
///   tandem::sharded<float> x({n}, 1.0f, gpus);
///   const float total = tandem::parallel_reduce(gpus, x, tandem::sum{});
///
/// Operations take a group as their space and operands whose rows are shared out among the members
/// (sharded). Each enqueues work on all members and is asynchronous if it is on one; members
/// are ordered among each other by the exchanges of an operation alone. Results have the bits of
/// serial on one space, whatever the number of members and the cut. One host thread at a time uses
/// a group. Move-only if its spaces are.
template <class Space>
class group {
 public:
  using member_type = Space;
  using event_type = group_event<Space>;
  static constexpr const char* name = "group";

  /// A group of these spaces, in this order. Errors: argument_error if there is none.
  explicit group(std::vector<Space> members) : members_(std::move(members)) {
    detail::require(!members_.empty(), "group", "a group has at least one member");
  }

  /// The number of members.
  int size() const { return static_cast<int>(members_.size()); }
  /// Member number 0 <= p < size().
  const Space& member(int p) const { return members_[static_cast<std::size_t>(p)]; }

  /// This group with a label for the operations called on it, as named() of a space:
  ///
  ///   tandem::parallel_for(members.named("advect"), n, f, x);
  ///
  /// What members do has the label in profilers, traces and their errors. Pass a string literal,
  /// or a string that outlives what profilers record. The result must not outlive this group.
  ///
  /// Complexity  names each member
  group named(const char* label) const {
    auto members = detail::list_for<Space>("named", size());
    for (const Space& one : members_) members.push_back(one.named(label));
    return group(std::move(members));
  }

  /// Blocks until the work of all members has completed, even if that of some has failed.
  /// Errors: those of the spaces' fence(), of the first member that has one, which they name.
  void fence() const {
    std::exception_ptr first;
    for (int p = 0; p < size(); ++p) {
      try {
        detail::for_member(p, size(), [&] { member(p).fence(); });
      } catch (...) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }
  /// Marks the work that all members have been given so far.
  /// Errors: those of the spaces' record(), which name the member.
  group_event<Space> record() const {
    auto events = detail::list_for<typename Space::event_type>("record", size());
    for (int p = 0; p < size(); ++p)
      detail::for_member(p, size(), [&] { events.push_back(member(p).record()); });
    return group_event<Space>(std::move(events));
  }
  /// Makes later work of every member start after the event. Does not block the host.
  void wait(const group_event<Space>& event) const {
    for (int p = 0; p < size(); ++p) {
      detail::for_member(p, size(), [&] {
        for (const auto& of_member : event.of_members()) member(p).wait(of_member);
      });
    }
  }

 private:
  std::vector<Space> members_;
};

/// `count` members that share one space of the host, or one GPU with a stream each. They have the
/// bits of as many GPUs: for tests, and for machines with fewer.
///
///   const auto parts = tandem::shards<tandem::openmp>(8);
///
/// Errors      argument_error if count < 1; those of constructing the space
/// Complexity  constructs `count` spaces
template <execution_space Space>
group<Space> shards(int count) {
  detail::require(count >= 1, "shards", "a group has at least one member");
  auto members = detail::list_for<Space>("shards", count);
  for (int p = 0; p < count; ++p) members.emplace_back();
  return group<Space>(std::move(members));
}

/// The GPUs of this machine, or those with these numbers, each with a stream. Devices
/// that are linked access each other's memory.
///
///   const tandem::group gpus = tandem::devices();
///
/// @param numbers  of devices, as cuda::devices() counts them; a number may occur several times
/// Errors          no_device_error if there are none; those of constructing the spaces
/// Complexity      makes a space for each device, and a context for one that has none yet
template <class Space = cuda>
group<Space> devices(const std::vector<int>& numbers) {
  auto members = detail::list_for<Space>("devices", static_cast<int>(numbers.size()));
  for (const int number : numbers) members.push_back(Space::on_device(number));
  for (const Space& one : members)
    for (const Space& peer : members) one.share_memory_with(peer);
  return group<Space>(std::move(members));
}
template <class Space = cuda>
group<Space> devices() {
  std::vector<int> numbers;
  for (const auto& device : Space::devices()) numbers.push_back(device.id);
  if (numbers.empty()) numbers.push_back(0);  // which says what is missing
  return devices<Space>(numbers);
}

namespace detail {

/// Makes another stream of the device of a space, or another space of the host, that starts behind
/// the work which the space has been given so far.
template <class Space>
Space stream_beside(const Space& space) {
  if constexpr (requires { space.beside(); }) {
    return space.beside();
  } else {
    return space;
  }
}

/// Calls f. If it throws, waits for the members, whose work may use memory of the caller. The first
/// cause is reported, and not what the wait fails with.
template <class Space, class Function>
void fence_on_error(const group<Space>& members, const Function& f) {
  try {
    f();
  } catch (...) {
    try {
      members.fence();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
    throw;
  }
}

/// Calls f(p) for every member. Errors name the member if there are several.
template <class Space, class Function>
void for_each_member(const group<Space>& members, const Function& f) {
  for (int p = 0; p < members.size(); ++p) for_member(p, members.size(), [&] { f(p); });
}

/// Returns f(space of the first member). Errors name it if there are several members.
template <class Space, class Function>
auto on_first(const group<Space>& members, const Function& f) {
  return for_member(0, members.size(), [&] { return f(members.member(0)); });
}

/// Makes a stream beside that of each member.
template <class Space>
group<Space> streams_beside(const char* operation, const group<Space>& members) {
  auto streams = list_for<Space>(operation, members.size());
  for_each_member(members, [&](int p) { streams.push_back(stream_beside(members.member(p))); });
  return group<Space>(std::move(streams));
}

/// Makes later work of each member start after its own part of the event.
template <class Space>
void wait_each(const group<Space>& members, const group_event<Space>& event) {
  for_each_member(members, [&](int p) {
    members.member(p).wait(event.of_members()[static_cast<std::size_t>(p)]);
  });
}

}  // namespace detail
}  // namespace tandem
