// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/kernel/failure.hpp>

#include <string_view>
#include <typeinfo>

namespace tandem::detail {

namespace {

/// Throws a copy of `e` with the place, unless a user has derived its type.
template <class Error>
void add_place(const Error& e, const std::string& place) {
  if (typeid(e) == typeid(Error)) throw Error(std::string(e.what()) + "; in " + place);
}

}  // namespace

std::string kernel_note(const char* named) {
  const std::string_view text = named;
  const std::string_view before = "Kernel = ";
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return "";
  std::string_view name = text.substr(begin + before.size());
  name = name.substr(0, name.find("; std::"));  // g++ expands aliases
  if (!name.empty() && name.back() == ']') name.remove_suffix(1);
  if (name.starts_with("tandem::detail::")) return "";
  return " (kernel " + std::string(name) + ")";
}

void throw_with_place(const std::string& place) {
  try {
    throw;
  } catch (const requirement_error& e) {
    throw requirement_error(e.text(), e.value(), e.place() + ", in " + place);
  } catch (const extent_error& e) {
    add_place(e, place);
    throw;
  } catch (const argument_error& e) {
    add_place(e, place);
    throw;
  } catch (const kernel_error& e) {
    add_place(e, place);
    throw;
  }
}

void throw_with_indices(const char* operation, const char* named,
                        std::initializer_list<index_t> indices) {
  constexpr const char* names[] = {", k = ", ", j = ", ", i = "};
  const char* const* name = names + 3 - indices.size();
  std::string place = operation + kernel_note(named);
  for (const index_t index : indices) place += *name++ + text(index);
  throw_with_place(place);
}

void throw_with_team(const char* named, index_t team) {
  throw_with_place(message({"parallel_teams", kernel_note(named), ", team ", team}));
}

}  // namespace tandem::detail
