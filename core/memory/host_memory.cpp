// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/memory/host_memory.hpp>

#include <cstdio>
#include <cstring>

namespace tandem::detail {

std::size_t number_in(const char* path) {
  unsigned long long value = 0;
  std::FILE* file = std::fopen(path, "r");
  const bool found = file != nullptr && std::fscanf(file, "%llu", &value) == 1;
  if (file != nullptr) std::fclose(file);
  return found ? static_cast<std::size_t>(value) : SIZE_MAX;
}

std::size_t number_named(const char* path, const char* name) {
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return 0;
  const std::size_t length = std::strlen(name);
  char line[128];
  unsigned long long value = 0;
  bool found = false;
  while (!found && std::fgets(line, sizeof line, file) != nullptr) {
    found =
        std::strncmp(line, name, length) == 0 && std::sscanf(line + length, "%llu", &value) == 1;
  }
  std::fclose(file);
  return found ? static_cast<std::size_t>(value) : 0;
}

namespace {

/// Returns the bytes that the system can still give to processes, without swap; SIZE_MAX if it does
/// not tell.
std::size_t free_system_bytes() {
  const std::size_t kibibytes = number_named("/proc/meminfo", "MemAvailable:");
  return kibibytes == 0 ? SIZE_MAX : kibibytes * 1024;
}

/// Returns the bytes that the limit of the address space leaves; SIZE_MAX if there is none.
std::size_t free_address_space(std::size_t limit) {
  if (limit == SIZE_MAX) return SIZE_MAX;
  const std::size_t used = number_named("/proc/self/status", "VmSize:") * 1024;
  return used < limit ? limit - used : 0;
}

/// Returns the bytes that the system, or a container's limit, can still give to this process.
std::size_t free_physical_bytes() {
  const std::size_t system = free_system_bytes();
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::size_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == SIZE_MAX || used == SIZE_MAX) return system;
  const char* const statistics = "/sys/fs/cgroup/memory.stat";
  const std::size_t files =
      number_named(statistics, "inactive_file") + number_named(statistics, "active_file");
  const std::size_t kept = files < used ? used - files : 0;
  const std::size_t left = kept < limit ? limit - kept : 0;
  return left < system ? left : system;
}

}  // namespace

std::size_t address_space_limit(const char* path) {
  const std::size_t limit = number_named(path, "Max address space");  // or "unlimited"
  return limit == 0 ? SIZE_MAX : limit;
}

free_memory free_host_memory() {
  const std::size_t limit = address_space_limit();
  const std::size_t left = free_address_space(limit);
  const std::size_t physical = free_physical_bytes();
  return left < physical ? free_memory{left, limit} : free_memory{physical};
}

std::size_t free_host_bytes() { return free_host_memory().bytes; }

void fail_host_memory(std::string_view where, std::size_t asked) {
  const free_memory left = free_host_memory();
  throw out_of_memory_error(where, asked, left.bytes, left.limit);
}

void* allocate_host(const char* where, std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return nullptr;
  const bool absurd = bytes > static_cast<std::size_t>(PTRDIFF_MAX) - alignment;
  if (absurd || (bytes >= checked_bytes && bytes > free_host_bytes()))
    fail_host_memory(where, bytes);
  // Small blocks of ordinary alignment come from the C library's fast free lists.
  void* const pointer = alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
                            ? ::operator new(bytes, std::nothrow)
                            : ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
  if (pointer == nullptr) fail_host_memory(where, bytes);
  return pointer;
}

}  // namespace tandem::detail
