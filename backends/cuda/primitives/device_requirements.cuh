// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

/// What require_in_kernel.hpp needs on a device: the record in which a kernel leaves its failure
/// until a fence checks it.
namespace tandem::device {

/// The first failure of a device's kernels since the host's last check, in host memory.
struct requirement_record {
  unsigned state;  ///< 0 none, 1 being written, 2 complete
  unsigned block[3];
  unsigned thread[3];
  int line;
  bool is_integer;
  std::int64_t integer;
  double real;
  char text[128];
  char file[128];
};

/// Pointer through which this file's kernels find their device's record. Each file has its own
/// pointer, since device code is not linked across files. It is a template, so that it exists even
/// if only a kernel or only the host names it.
template <class>
static __device__ requirement_record* requirement_slot;

/// Requests that a file's pointer be set on every device used from now on. Called before main(), so
/// it makes no CUDA call.
bool watch_requirements(const void* slot);

__device__ inline void copy_text(char (&to)[128], const char* from) {
  int i = 0;
  for (; i < 127 && from[i] != '\0'; ++i) to[i] = from[i];
  to[i] = '\0';
}

/// Records the failure unless one is recorded already, and ends the thread. Barriers do not wait
/// for exited threads (PTX ISA, "exit"). A kernel of a library that was loaded after its device was
/// first used has no record; it traps instead.
template <class Value>
__device__ void fail_requirement(const char* text, Value value, const char* file, int line) {
  requirement_record* const record = requirement_slot<std::void_t<Value>>;
  if (record == nullptr) __trap();
  // Atomic among the threads of this device; the host waits for them before it reads the record.
  if (atomicCAS(&record->state, 0u, 1u) == 0) {
    record->block[0] = blockIdx.x;
    record->block[1] = blockIdx.y;
    record->block[2] = blockIdx.z;
    record->thread[0] = threadIdx.x;
    record->thread[1] = threadIdx.y;
    record->thread[2] = threadIdx.z;
    record->line = line;
    record->is_integer = std::is_integral_v<Value>;
    if constexpr (std::is_integral_v<Value>) {
      record->integer = static_cast<std::int64_t>(value);
    } else {
      record->real = static_cast<double>(value);
    }
    copy_text(record->text, text);
    copy_text(record->file, file);
    __threadfence_system();
    *static_cast<volatile unsigned*>(&record->state) = 2;
  }
  asm volatile("exit;");
}

}  // namespace tandem::device
