// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

/// What require_in_kernel.hpp needs of a device: where a kernel leaves its failure until the
/// host looks for it.
namespace tandem::device {

/// The first failure since the host looked.
struct requirement_record {
  unsigned state;  ///< 0 none, 1 being written, 2 there
  unsigned block[3];
  unsigned thread[3];
  int line;
  bool is_integer;
  std::int64_t integer;
  double real;
  char text[128];
  char file[128];
};

/// That of this file's kernels: each file has one of its own, since device code is not linked
/// across files. A template, so that it is there where a kernel or the host names it alone.
template <class>
static __device__ requirement_record requirement_slot;

/// Lets fences look into a file's slot; called before main(), so it makes no call of CUDA.
bool watch_requirements(const void* slot);

__device__ inline void copy_text(char (&to)[128], const char* from) {
  int i = 0;
  for (; i < 127 && from[i] != '\0'; ++i) to[i] = from[i];
  to[i] = '\0';
}

/// Records the failure unless there is one, and ends the thread. Barriers do not wait for threads
/// that have ended (PTX ISA, "exit").
template <class Value>
__device__ void fail_requirement(const char* text, Value value, const char* file, int line) {
  requirement_record& slot = requirement_slot<std::void_t<Value>>;
  if (atomicCAS(&slot.state, 0u, 1u) == 0) {
    const uint3 at[2] = {{blockIdx.x, blockIdx.y, blockIdx.z},
                         {threadIdx.x, threadIdx.y, threadIdx.z}};
    for (int i = 0; i < 2; ++i) {
      unsigned(&to)[3] = i == 0 ? slot.block : slot.thread;
      to[0] = at[i].x;
      to[1] = at[i].y;
      to[2] = at[i].z;
    }
    slot.line = line;
    slot.is_integer = std::is_integral_v<Value>;
    if constexpr (std::is_integral_v<Value>) {
      slot.integer = static_cast<std::int64_t>(value);
    } else {
      slot.real = static_cast<double>(value);
    }
    copy_text(slot.text, text);
    copy_text(slot.file, file);
    __threadfence();
    atomicExch(&slot.state, 2u);
  }
  asm volatile("exit;");
}

}  // namespace tandem::device
