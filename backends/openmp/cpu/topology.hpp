// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What Linux reports about the processors that this process may run on.
namespace tandem::openmp_impl {

/// Returns the processors' numbers in ascending order, or nothing if the system does not report
/// them. If OpenMP binds threads (OMP_PROC_BIND), these are the processors of all its places; the
/// calling thread has one of them.
std::vector<int> allowed_processors();

/// Returns the first line of a processor's file, for example "cache/index3/size"; empty if there is
/// no such file. Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu.
std::string processor_line(int processor, const std::string& file);

/// Returns the bytes of the third-level caches of all these processors; 0 if the system does not
/// report them.
std::size_t third_level_cache_bytes();

}  // namespace tandem::openmp_impl
