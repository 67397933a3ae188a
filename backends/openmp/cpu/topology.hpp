// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What Linux reports of the processors that this process may run on.
namespace tandem::openmp_impl {

/// Numbers of the processors, in ascending order; empty where the system does not report them.
/// Where OpenMP binds threads (OMP_PROC_BIND) they are those of all its places, of which the
/// calling thread has one.
std::vector<int> allowed_processors();

/// The first line of a processor's file, "cache/index3/size" for example; empty where there is no
/// such file. Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu.
std::string processor_line(int processor, const std::string& file);

/// Bytes of the third-level caches of all these processors; 0 where the system does not report
/// them.
std::size_t third_level_cache_bytes();

}  // namespace tandem::openmp_impl
