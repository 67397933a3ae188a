// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tandem {

/// An event of a space whose calls return when their work is done: a time stamp; there is nothing
/// to wait for.
class host_event {
 public:
  /// @param nanoseconds  time of the machine's steady clock
  explicit host_event(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  /// Returns at once, because the work before the event is done.
  void wait() const {}
  /// When the event was recorded, on the machine's steady clock.
  std::int64_t nanoseconds() const { return nanoseconds_; }

 private:
  std::int64_t nanoseconds_;
};

/// Milliseconds between two events.
inline double elapsed_ms(const host_event& start, const host_event& stop) {
  return static_cast<double>(stop.nanoseconds() - start.nanoseconds()) * 1e-6;
}

}  // namespace tandem
