// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/serial/copy.hpp>
#include <tandem/backends/serial/parallel_for.hpp>
#include <tandem/backends/serial/parallel_reduce.hpp>
#include <tandem/backends/serial/resource.hpp>
#include <tandem/backends/serial/team.hpp>
#include <tandem/core/contract/hooks.hpp>
#include <tandem/core/contract/host/event.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/tools/agreement/agreement.hpp>

namespace tandem {

/// One thread of the host, and the specification: its code says as plainly as possible what every
/// other backend computes, bit for bit. It has only the required operations of a backend
/// (core/contract/backend_concept.hpp); the generic algorithms do the rest.
class serial {
 public:
  using memory_type = host_memory;
  using resource_type = serial_resource;
  using event_type = host_event;
  static constexpr const char* name = "serial";
  static constexpr hook_set hooks{};
  /// Loops need no atomics here.
  static constexpr bool one_thread = true;

  /// Errors: agreement_error.
  serial() { detail::require_agreement(); }

  /// Returns at once: each call returns when its work is done.
  void fence() const {}
  /// Marks the work so far, which is already done.
  host_event record() const;
  /// Returns at once: the work before the event is done.
  void wait(const host_event&) const {}

  /// This space with a label for the operations called on it:
  ///
  ///   tandem::parallel_for(space.named("advect"), n, f);
  ///
  /// Profilers, traces, comparisons and reports of checked kernels call the operations by the
  /// label, and errors begin with "label (operation): ". Pass a string literal, or a string that
  /// outlives the space and what profilers record.
  serial named(const char* label) const {
    serial space = *this;
    space.label_ = label;
    return space;
  }
  /// The label, or null.
  const char* label() const { return label_; }

  serial_resource resource() const { return {}; }

 private:
  const char* label_ = nullptr;
};

}  // namespace tandem
