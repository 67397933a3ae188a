// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/profiling/profiling.hpp>

#include <dlfcn.h>

#include <tandem/core/contract/environment.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tandem::detail {

constinit const profiler* first_profiler = nullptr;

bool add_profiler(profiler& added) {
  added.next = first_profiler;
  __atomic_store_n(&first_profiler, &added, __ATOMIC_RELEASE);
  return true;
}

void remove_profiler(const profiler& last) {
  __atomic_store_n(&first_profiler, last.next, __ATOMIC_RELEASE);
}

namespace {

// TANDEM_TRACE=1 prints a line per operation.

std::uint64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

profiler trace{[](const operation&, std::uint64_t* id) { *id = nanoseconds(); },
               [](const operation& what, std::uint64_t begin) {
                 const double milliseconds = static_cast<double>(nanoseconds() - begin) * 1e-6;
                 char sizes[96] = "";
                 int length = 0;
                 for (int d = 0; d < what.sizes.count; ++d) {
                   const auto room = sizeof sizes - static_cast<std::size_t>(length);
                   length += std::snprintf(sizes + length, room, d == 0 ? " %lld" : " x %lld",
                                           static_cast<long long>(what.sizes.size[d]));
                 }
                 // One call, so that lines of several threads do not mix.
                 std::fprintf(stderr, "tandem: %s: %s%s: %.6f ms\n", what.space.name, what.label,
                              sizes, milliseconds);
               },
               true, true};

[[maybe_unused]] const bool is_traced = flag_in_environment("TANDEM_TRACE") && add_profiler(trace);

/// The library that KOKKOS_TOOLS_LIBS names, called through the C interface of Kokkos Tools
/// (github.com/kokkos/kokkos-tools, kp_core.hpp); any of its functions may be missing.
class kokkos_tool {
 public:
  /// Loads the first library of the list, if there is one. A library that cannot be loaded, or that
  /// is no tool, is reported on stderr and ignored.
  kokkos_tool() {
    const char* list = std::getenv("KOKKOS_TOOLS_LIBS");
    if (list == nullptr || *list == '\0') return;
    const std::string path(list, std::strcspn(list, ";"));
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      ignore_setting("KOKKOS_TOOLS_LIBS", list, dlerror());
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
    if (!has_function_) {
      ignore_setting(
          "KOKKOS_TOOLS_LIBS", list,
          "the library is no tool: it has none of the functions that Kokkos Tools calls, "
          "such as kokkosp_begin_parallel_for");
      return;
    }
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
  void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    has_function_ = has_function_ || function != nullptr;
  }

  static void begin(const operation& what, std::uint64_t* id);
  static void end(const operation& what, std::uint64_t id);

  void (*begin_[3])(const char*, std::uint32_t, std::uint64_t*) = {};
  void (*end_[3])(std::uint64_t) = {};
  void (*push_)(const char*) = nullptr;
  void (*pop_)() = nullptr;
  void (*finalise_)() = nullptr;
  bool has_function_ = false;
  profiler profiler_{begin, end, false, true};
};

/// Constructed before main(), so that a tool sees the whole program.
kokkos_tool the_kokkos_tool;

void kokkos_tool::begin(const operation& what, std::uint64_t* id) {
  *id = 0;
  if (what.kind == profile_kind::region) {
    if (the_kokkos_tool.push_ != nullptr) the_kokkos_tool.push_(what.label);
  } else if (const auto call = the_kokkos_tool.begin_[static_cast<int>(what.kind)];
             call != nullptr) {
    call(what.label, 0, id);
  }
}

void kokkos_tool::end(const operation& what, std::uint64_t id) {
  if (what.kind == profile_kind::region) {
    if (the_kokkos_tool.pop_ != nullptr) the_kokkos_tool.pop_();
  } else if (const auto call = the_kokkos_tool.end_[static_cast<int>(what.kind)]; call != nullptr) {
    call(id);
  }
}

}  // namespace

}  // namespace tandem::detail
