// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/session.hpp>

#include <elf.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

/// Maps code addresses to lines: addr2line, if installed, reads the debug information.
namespace tandem::checked {

namespace {

/// A program or library loaded into memory.
struct module {
  std::string path;
  std::uintptr_t base = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

int add_module(dl_phdr_info* info, std::size_t, void* list) {
  auto& modules = *static_cast<std::vector<module>*>(list);
  module m;
  m.path = info->dlpi_name[0] == '\0' && modules.empty() ? own_path() : info->dlpi_name;
  m.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    m.begin = m.base + header.p_vaddr;
    m.end = m.begin + header.p_memsz;
  }
  modules.push_back(m);
  return 0;
}

std::vector<module> loaded_modules() {
  std::vector<module> modules;
  dl_iterate_phdr(add_module, &modules);
  return modules;
}

const module* module_of(const std::vector<module>& modules, std::uintptr_t address) {
  for (const module& m : modules) {
    if (address >= m.begin && address < m.end) return &m;
  }
  return nullptr;
}

/// Returns the output of a command; empty if it cannot be run.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; failed == 0 && (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

/// Whether a line belongs to tandem's headers or the standard library, so that its caller is
/// reported.
bool is_inner_file(std::string_view file) {
  for (const char* const part :
       {"/tandem/core/", "/tandem/algorithms/", "/tandem/backends/", "/tandem/default_space",
        "/include/c++/", "/core/team.hpp", "/core/team/grid.hpp", "/core/team/host.hpp",
        "/core/view.hpp", "/core/atomic.hpp", "/require_in_kernel.hpp", "/core/array.hpp"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  // Code without debug information is at "??:0" or "file.cpp:?".
  return file.empty() || file[0] == '?' || file.ends_with(":?");
}

/// Shortens a line to "kernel.cpp:12": removes the working directory and anything after the number.
std::string short_line(std::string line) {
  line = std::filesystem::path(line.substr(0, line.find(" ("))).lexically_normal().string();
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) return line;
  const std::string prefix = std::string(folder) + "/";
  return line.compare(0, prefix.size(), prefix) == 0 ? line.substr(prefix.size()) : line;
}

/// Returns the innermost user line of an address, considering inlined functions; empty if there is
/// none.
std::string line_of(std::uintptr_t address) {
  static auto* const known = new std::map<std::uintptr_t, std::string>;
  const auto [it, is_new] = known->try_emplace(address);
  if (!is_new) return it->second;
  const auto modules = loaded_modules();
  const module* const m = module_of(modules, address);
  if (m == nullptr) return "";
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%zx", static_cast<std::size_t>(address - 1 - m->base));
  const std::string text = output_of({"addr2line", "-i", "-e", m->path, offset});
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (!is_inner_file(line)) return it->second = short_line(line);
    begin = end + 1;
  }
  return "";
}

/// Returns the innermost line of an address, without inlined callers.
std::string innermost_line(std::uintptr_t address) {
  const auto modules = loaded_modules();
  const module* const m = module_of(modules, address);
  if (m == nullptr) return "";
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%zx", static_cast<std::size_t>(address - 1 - m->base));
  return output_of({"addr2line", "-e", m->path, offset});
}

struct span {
  std::uintptr_t begin, end;
};

bool is_inner_name(std::string_view name) {
  for (const std::string_view start :
       {"_ZN6tandem10atomic_", "_ZN6tandem6detail13load_constant", "_ZNK6tandem4viewI",
        "_ZN6tandem5arrayI", "_ZNK6tandem5arrayI", "_ZN6tandem8per_laneI"}) {
    if (name.starts_with(start)) return true;
  }
  return name.find("N6tandem4host") < 4 && name.find("for_each") == std::string_view::npos;
}

/// Returns the small tandem functions that were not inlined in the program, in ascending order.
std::vector<span> all_inner_code() {
  std::vector<span> found;
  std::ifstream file(own_path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < sizeof(ElfW(Ehdr))) return found;
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(bytes.data());
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(bytes.data() + header->e_shoff);
  const std::uintptr_t base = loaded_modules().front().base;
  for (int i = 0; header->e_shoff < bytes.size() && i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const names = bytes.data() + sections[sections[i].sh_link].sh_offset;
    const auto* const symbols =
        reinterpret_cast<const ElfW(Sym)*>(bytes.data() + sections[i].sh_offset);
    for (std::size_t s = 0; s < sections[i].sh_size / sizeof(ElfW(Sym)); ++s) {
      if (symbols[s].st_size > 0 && is_inner_name(names + symbols[s].st_name))
        found.push_back(
            {base + symbols[s].st_value, base + symbols[s].st_value + symbols[s].st_size});
    }
  }
  std::sort(found.begin(), found.end(), [](span a, span b) { return a.begin < b.begin; });
  return found;
}

}  // namespace

code_answer code_cache[cached_codes];
std::uintptr_t outer_code_cache[cached_codes];

bool find_inner_code(std::uintptr_t address) {
  static const auto* const spans = new std::vector<span>(all_inner_code());
  const auto it = std::upper_bound(spans->begin(), spans->end(), address,
                                   [](std::uintptr_t x, span s) { return x <= s.begin; });
  const bool is_inner = it != spans->begin() && address <= std::prev(it)->end;
  code_cache[address % cached_codes] = {address, is_inner};
  outer_code_cache[address % cached_codes] = is_inner ? 0 : address;
  return is_inner;
}

bool is_library_code(std::uintptr_t address) {
  static auto* const known = new std::map<std::uintptr_t, bool>;
  const auto [it, is_new] = known->try_emplace(address);
  if (is_new) it->second = innermost_line(address).find("/include/c++/") != std::string::npos;
  return it->second;
}

std::string source_place(const std::uintptr_t* addresses, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::string line = line_of(addresses[i]);
    if (!line.empty()) return line;
  }
  return "";
}

std::string source_place(std::uint32_t low_half) {
  const std::uintptr_t below = std::uintptr_t{1} << 32;
  for (const module& m : loaded_modules()) {
    std::uintptr_t address = (m.begin & ~(below - 1)) | low_half;
    if (address < m.begin) address += below;
    if (address >= m.begin && address < m.end) return line_of(address);
  }
  return "";
}

}  // namespace tandem::checked
