// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/detail/kernel_place.hpp>

#include <typeinfo>

namespace tandem::detail {

namespace {

/// Throws a copy of `e` with the place, unless it is of a type that its user has derived.
template <class Error>
void add_place(const Error& e, const std::string& place) {
  if (typeid(e) == typeid(Error)) throw Error(std::string(e.what()) + "; in " + place);
}

}  // namespace

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

}  // namespace tandem::detail
