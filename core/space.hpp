// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// Throws the argument_error of a name, from `source`, that is null or not one of the `known` ones.
[[noreturn]] void fail_space(const char* source, std::string_view name, const std::string& known);

}  // namespace detail

/// A processor or device of this machine on which a space of the build runs, as listed by
/// any_space::processors(). openmp::cpu_info() and cuda::devices() have details.
struct processor {
  std::string space;       ///< name of the space: "openmp", "cuda"
  int number = 0;          ///< among those of the space: the n of cuda::on_device(n)
  std::string name;        ///< the vendor's name; empty if the system does not report it
  int units = 0;           ///< number of parallel units, of kind `unit`
  std::string unit;        ///< "threads", "multiprocessors"
  std::size_t memory = 0;  ///< total bytes, used or not

  /// One line: "cuda 0: NVIDIA H200, 132 multiprocessors, 139.8 GiB".
  std::string text() const;
};

/// The space of calls that do not name one: constructed at its first use, shared by the whole
/// program.
/// Errors: those of constructing a Space, for example no_device_error; the next call tries again.
template <class Space>
const Space& default_instance() {
  static const Space space;
  return space;
}

/// One of several spaces, chosen at run time; tandem::any_space covers all spaces of the build.
/// Code runs on the chosen space through visit(). Move-only if one of the spaces is.
///
/// Code that loops on it must be compiled for every space: see tandem_add_sources in
/// docs/guide/one-source.md.
///
/// @tparam Nothing  void; it lets each of the other arguments begin with a comma in generated code
template <class Nothing, class... Spaces>
class basic_any_space {
 public:
  /// Makes the space that TANDEM_SPACE in the environment names; "automatic" if it is not set or
  /// empty.
  /// Errors: those of the constructor from a name.
  basic_any_space() : basic_any_space(from_environment()) {}

  /// Makes the space of this name: "serial", "openmp", "cuda", or another backend's. "automatic" is
  /// a device if this machine has one, otherwise a space that uses all processors, otherwise any.
  /// Errors: argument_error with the known names if there is no such space; no_device_error if the
  /// name is a device's and there is none.
  explicit basic_any_space(std::string_view name) : basic_any_space(choice{"any_space", name}) {}

  /// Makes the space of this name, which may come from std::getenv.
  /// Errors: as above; argument_error with the known names if `name` is null.
  explicit basic_any_space(const char* name)
      : basic_any_space(name != nullptr ? std::string_view(name) : std::string_view()) {}

  /// Holds `space`, for example tandem::cuda::on_device(1).
  template <class Space>
    requires(std::same_as<Space, Spaces> || ...)
  // NOLINTNEXTLINE(google-explicit-constructor): one of its spaces is one.
  basic_any_space(Space space) {
    place<Space>(space_) = std::move(space);
  }

  /// Returns f(space) for the space that this holds, with its static type. f is a function object
  /// that takes each of the spaces, commonly a lambda [&](const auto& space) { .. }, and returns
  /// the same type for all of them.
  ///
  /// Complexity  one call of f
  template <class Function>
  decltype(auto) visit(Function&& f) const {
    return visit_first<Spaces...>(space_, f);
  }

  /// The name of the space that this holds.
  const char* name() const {
    return visit([]<class Space>(const Space&) { return Space::name; });
  }

  /// Blocks until all work of the space is done. Errors: those of the space.
  void fence() const {
    visit([](const auto& space) { space.fence(); });
  }

  /// Lists what the spaces of the build can use on this machine: its processor, then its devices.
  ///
  ///   for (const auto& one : tandem::any_space::processors()) std::puts(one.text().c_str());
  static std::vector<processor> processors() {
    std::vector<processor> list;
    (append_processors<Spaces>(list), ...);
    return list;
  }

  /// The names that the constructor knows, as messages print them: "serial, openmp, automatic".
  static std::string names() {
    std::string list;
    ((list += Spaces::name, list += ", "), ...);
    list += "automatic";
    return list;
  }

 private:
  template <class Space>
  static void append_processors(std::vector<processor>& list) {
    if constexpr (requires { Space::processors(); }) {
      for (processor& one : Space::processors()) list.push_back(std::move(one));
    }
  }

  /// A name, and where it comes from.
  struct choice {
    const char* source;
    std::string_view name;
  };

  static choice from_environment() {
    const char* value = std::getenv("TANDEM_SPACE");
    if (value == nullptr || *value == '\0') value = "automatic";
    return {"TANDEM_SPACE", value};
  }

  explicit basic_any_space(choice chosen)
      : space_(chosen.name == "automatic" ? make_automatic() : make_named(chosen)) {}

  /// One of the spaces; the others are empty: <variant> would add its compile time to every user of
  /// a header.
  struct one_of : std::optional<Spaces>... {};

  template <class Space>
  static std::optional<Space>& place(one_of& made) {
    return made;
  }

  template <class First, class... Rest, class Function>
  static decltype(auto) visit_first(const one_of& made, Function& f) {
    const std::optional<First>& space = made;
    if constexpr (sizeof...(Rest) == 0) {
      return f(*space);
    } else {
      if (space) return f(*space);
      return visit_first<Rest...>(made, f);
    }
  }

  static one_of make_named(choice chosen) {
    one_of made;
    if (((chosen.name == Spaces::name && make<Spaces>(made)) || ...)) return made;
    detail::fail_space(chosen.source, chosen.name, names());
  }

  /// If the build has only devices and this machine has none, constructing the first one reports
  /// that.
  static one_of make_automatic() {
    one_of made;
    (void)((make_device<Spaces>(made) || ...) || (make_parallel<Spaces>(made) || ...) ||
           (make<Spaces>(made) || ...));
    return made;
  }

  template <class Space>
  static bool make(one_of& made) {
    place<Space>(made).emplace();
    return true;
  }

  /// Makes a device of this kind, if the machine has one.
  template <class Space>
  static bool make_device(one_of& made) {
    if constexpr (!Space::memory_type::host_accessible) {
      try {
        return make<Space>(made);
      } catch (const no_device_error&) {
      }
    }
    return false;
  }

  /// Makes a space that works on host memory with more than one thread.
  template <class Space>
  static bool make_parallel(one_of& made) {
    constexpr bool one_thread = requires { requires Space::one_thread; };
    if constexpr (Space::memory_type::host_accessible && !one_thread) {
      return make<Space>(made);
    } else {
      return false;
    }
  }

  one_of space_;
};

}  // namespace tandem
