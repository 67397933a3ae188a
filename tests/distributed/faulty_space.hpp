// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <tandem/backends/serial/serial.hpp>
#include <tandem/distributed.hpp>

/// A space that disappears at some call, or has no memory left, as a GPU may.
namespace tandem::test {

/// What happens to the members of a group, in a test of one thread.
struct fault {
  enum class kind { device, memory };
  static constexpr int never = std::numeric_limits<int>::max();

  int first = never;  ///< number of the call or allocation that fails, with all later ones
  kind what = kind::device;
  int seen = 0;

  bool has_happened() const { return seen > first; }
  bool happens(kind asked) { return what == asked && seen++ >= first; }
};

/// Allocates as serial does until no memory is left.
class faulty_resource {
 public:
  explicit faulty_resource(fault* plan = nullptr) : plan_(plan) {}

  void* allocate(std::size_t bytes) const {
    if (plan_ != nullptr && bytes > 0 && plan_->happens(fault::kind::memory))
      throw out_of_memory_error("faulty", bytes, 0);
    return serial_resource::allocate(bytes);
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept {
    serial_resource::deallocate(pointer, bytes);
  }

 private:
  fault* plan_;
};

/// serial, whose calls throw from one on.
class faulty_space : public serial {
 public:
  using resource_type = faulty_resource;
  static constexpr const char* name = "faulty";

  explicit faulty_space(fault* plan = nullptr) : plan_(plan) {}

  void fence() const { call(); }
  host_event record() const {
    call();
    return serial::record();
  }
  void wait(const host_event&) const { call(); }
  faulty_space named(const char*) const { return *this; }
  faulty_resource resource() const { return faulty_resource(plan_); }

  /// Throws if the device has disappeared.
  const serial& call() const {
    if (plan_ != nullptr && plan_->happens(fault::kind::device))
      throw device_error("the device is gone");
    return *this;
  }

 private:
  fault* plan_;
};

template <class... Argument>
void dispatch_copy(const faulty_space& space, const Argument&... arguments) {
  dispatch_copy(space.call(), arguments...);
}
template <class... Argument>
void dispatch_fill(const faulty_space& space, const Argument&... arguments) {
  dispatch_fill(space.call(), arguments...);
}
template <class... Argument>
void dispatch_for(const faulty_space& space, const Argument&... arguments) {
  dispatch_for(space.call(), arguments...);
}
template <class... Argument>
auto dispatch_reduce(const faulty_space& space, const Argument&... arguments) {
  return dispatch_reduce(space.call(), arguments...);
}
template <class... Argument>
void dispatch_reduce_into(const faulty_space& space, const Argument&... arguments) {
  dispatch_reduce_into(space.call(), arguments...);
}
template <class... Argument>
void dispatch_teams(const faulty_space& space, const Argument&... arguments) {
  dispatch_teams(space.call(), arguments...);
}

/// Three members, of which one fails as planned.
inline group<faulty_space> members_with(int failing, fault& plan) {
  std::vector<faulty_space> members;
  for (int p = 0; p < 3; ++p) members.emplace_back(p == failing ? &plan : nullptr);
  return group<faulty_space>(std::move(members));
}

}  // namespace tandem::test
