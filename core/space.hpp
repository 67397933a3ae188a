// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/processor.hpp>

#include <concepts>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tandem {

/// The space that calls without one use: made at its first use, shared by the whole program.
/// Errors: what making a Space throws, for example no_device_error; the next call tries again.
template <class Space>
const Space& default_instance() {
  static const Space space;
  return space;
}

/// One of several spaces, chosen when the program runs; tandem::any_space is the one over all
/// spaces of the build. What is to run on the chosen space is called through visit(). Move-only
/// where one of the spaces is.
///
/// Code that loops on it has to be there for every space: see tandem_add_sources in
/// docs/guide/one-source.md.
///
/// @tparam None  void; it lets each of the other arguments begin with a comma in generated code
template <class None, class... Spaces>
class basic_any_space {
 public:
  /// Makes the space that TANDEM_SPACE in the environment names. Where it is not set or empty,
  /// "automatic".
  /// Errors: as the constructor from a name.
  basic_any_space() : basic_any_space(from_environment()) {}

  /// Makes the space of this name: "serial", "openmp", "cuda", or another backend's. "automatic"
  /// is a device if this machine has one, else a space that uses all processors, else any.
  /// Errors: argument_error with the known names where there is no such space; no_device_error
  /// where the name is that of a device and there is none.
  explicit basic_any_space(std::string_view name) : basic_any_space(choice{"any_space", name}) {}

  /// Holds `space`, for example tandem::cuda::on_device(1).
  template <class Space>
    requires(std::same_as<Space, Spaces> || ...)
  // NOLINTNEXTLINE(google-explicit-constructor): one of its spaces is one.
  basic_any_space(Space space) : space_(std::move(space)) {}

  /// Returns f(space) for the space that this holds, as its own type. f is a function object that
  /// takes each of the spaces, commonly a lambda [&](const auto& space) { .. }, and returns one
  /// type for all of them.
  template <class Function>
  decltype(auto) visit(Function&& f) const {
    return std::visit(std::forward<Function>(f), space_);
  }

  /// The name of the space that this holds.
  const char* name() const {
    return visit([]<class Space>(const Space&) { return Space::name; });
  }

  /// Blocks until all work of the space is done. Errors: those of the space.
  void fence() const {
    visit([](const auto& space) { space.fence(); });
  }

  /// What this machine has for the spaces of the build: its processor, then its devices.
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
    ((list += std::string(Spaces::name) + ", "), ...);
    return list + "automatic";
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

  using one_of = std::variant<Spaces...>;

  static one_of make_named(choice chosen) {
    std::optional<one_of> made;
    (void)((chosen.name == Spaces::name && make<Spaces>(made)) || ...);
    if (!made) {
      throw argument_error(std::string(chosen.source) + ": there is no space '" +
                           std::string(chosen.name) + "' in this program, which has " + names());
    }
    return std::move(*made);
  }

  /// Where there are devices alone and this machine has none, making the first one says so.
  static one_of make_automatic() {
    std::optional<one_of> made;
    (void)((make_device<Spaces>(made) || ...) || (make_parallel<Spaces>(made) || ...) ||
           (make<Spaces>(made) || ...));
    return std::move(*made);
  }

  template <class Space>
  static bool make(std::optional<one_of>& made) {
    made.emplace(std::in_place_type<Space>);
    return true;
  }

  /// Makes a device of this kind, if the machine has one.
  template <class Space>
  static bool make_device(std::optional<one_of>& made) {
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
  static bool make_parallel(std::optional<one_of>& made) {
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
