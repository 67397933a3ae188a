// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

/// What profilers are told (docs/interoperability.md): the one seam through which every operation
/// reports its beginning and end. Where no profiler is loaded, an operation reads one pointer.
namespace tandem::detail {

/// What kind of operation a profiler is told of, in the words of Kokkos Tools.
enum class profile_kind : unsigned char { loop, reduction, scan, region };

/// A profiler of this process. The state is of the process, because profilers are; it changes only
/// while static objects are made, before main().
struct profiler {
  /// Called where an operation begins; `*id` is handed to `end`.
  void (*begin)(const char* label, profile_kind kind, std::uint64_t* id);
  /// Called where it ends.
  void (*end)(profile_kind kind, std::uint64_t id);
  /// Whether the space's work is to be complete at the end.
  bool waits;
  const profiler* next = nullptr;
};

inline constinit const profiler* first_profiler = nullptr;
inline constexpr int most_profilers = 2;

/// Adds a profiler, while static objects are made.
inline bool add_profiler(profiler& added) {
  added.next = first_profiler;
  first_profiler = &added;
  return true;
}

/// Reports an operation from its construction to its end.
template <class Space>
class profiled {
 public:
  profiled(const Space& space, const char* label, profile_kind kind) : space_(space), kind_(kind) {
    if (first_profiler != nullptr) [[unlikely]]
      begin(label);
  }
  profiled(const profiled&) = delete;
  profiled& operator=(const profiled&) = delete;
  ~profiled() {
    if (first_profiler != nullptr) [[unlikely]]
      end();
  }

 private:
  [[gnu::noinline, gnu::cold]] void begin(const char* label) {
    int i = 0;
    for (const profiler* one = first_profiler; one != nullptr; one = one->next)
      one->begin(label, kind_, &ids_[i++]);
  }

  [[gnu::noinline, gnu::cold]] void end() noexcept {
    int i = 0;
    for (const profiler* one = first_profiler; one != nullptr; one = one->next) {
      if (one->waits) wait();
      one->end(kind_, ids_[i++]);
    }
  }

  void wait() noexcept {
    try {
      space_.fence();
    } catch (...) {  // while it is recorded, or lost: the next call reports that
    }
  }

  const Space& space_;
  profile_kind kind_;
  std::uint64_t ids_[most_profilers];
};

/// The library that KOKKOS_TOOLS_LIBS names, called by the C interface of Kokkos Tools
/// (github.com/kokkos/kokkos-tools, kp_core.hpp): its functions may each be missing.
class kokkos_tool {
 public:
  /// Loads the first library of the list, if there is one. One that cannot be loaded is reported on
  /// stderr and left out.
  kokkos_tool() {
    const char* list = std::getenv("KOKKOS_TOOLS_LIBS");
    if (list == nullptr || *list == '\0') return;
    const std::string path(list, std::strcspn(list, ";"));
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      std::fprintf(stderr, "tandem: KOKKOS_TOOLS_LIBS: %s\n", dlerror());
      return;
    }
    find(library, "kokkosp_begin_parallel_for", begin_[0]);
    find(library, "kokkosp_end_parallel_for", end_[0]);
    find(library, "kokkosp_begin_parallel_reduce", begin_[1]);
    find(library, "kokkosp_end_parallel_reduce", end_[1]);
    find(library, "kokkosp_begin_parallel_scan", begin_[2]);
    find(library, "kokkosp_end_parallel_scan", end_[2]);
    find(library, "kokkosp_push_profile_region", push_);
    find(library, "kokkosp_pop_profile_region", pop_);
    void (*initialise)(int, std::uint64_t, std::uint32_t, void*) = nullptr;
    find(library, "kokkosp_init_library", initialise);
    find(library, "kokkosp_finalize_library", finalise_);
    constexpr std::uint64_t interface_version = 20211015;
    if (initialise != nullptr) initialise(0, interface_version, 0, nullptr);
    add_profiler(profiler_);
  }
  kokkos_tool(const kokkos_tool&) = delete;
  kokkos_tool& operator=(const kokkos_tool&) = delete;
  ~kokkos_tool() {
    first_profiler = nullptr;
    if (finalise_ != nullptr) finalise_();
  }

 private:
  template <class Function>
  static void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  }

  static void begin(const char* label, profile_kind kind, std::uint64_t* id);
  static void end(profile_kind kind, std::uint64_t id);

  void (*begin_[3])(const char*, std::uint32_t, std::uint64_t*) = {};
  void (*end_[3])(std::uint64_t) = {};
  void (*push_)(const char*) = nullptr;
  void (*pop_)() = nullptr;
  void (*finalise_)() = nullptr;
  profiler profiler_{begin, end, true};
};

/// Made before main(), so that a tool sees the whole program.
inline kokkos_tool the_kokkos_tool;

inline void kokkos_tool::begin(const char* label, profile_kind kind, std::uint64_t* id) {
  *id = 0;
  if (kind == profile_kind::region) {
    if (the_kokkos_tool.push_ != nullptr) the_kokkos_tool.push_(label);
  } else if (const auto call = the_kokkos_tool.begin_[static_cast<int>(kind)]; call != nullptr) {
    call(label, 0, id);
  }
}

inline void kokkos_tool::end(profile_kind kind, std::uint64_t id) {
  if (kind == profile_kind::region) {
    if (the_kokkos_tool.pop_ != nullptr) the_kokkos_tool.pop_();
  } else if (const auto call = the_kokkos_tool.end_[static_cast<int>(kind)]; call != nullptr) {
    call(id);
  }
}

}  // namespace tandem::detail
