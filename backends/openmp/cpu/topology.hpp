// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What Linux tells of the processors that this process may run on.
namespace tandem::openmp_impl {

/// Their numbers, in ascending order; none where the system does not tell. Where OpenMP binds
/// threads (OMP_PROC_BIND) they are those of all its places: the calling thread has one alone.
std::vector<int> allowed_processors();

/// The first line of a file about a processor, "cache/index3/size" for example; empty where there
/// is no such file. Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu.
std::string processor_line(int processor, const std::string& file);

/// Bytes of the third-level caches of all of them together; 0 where the system does not tell.
std::size_t third_level_cache_bytes();

}  // namespace tandem::openmp_impl
