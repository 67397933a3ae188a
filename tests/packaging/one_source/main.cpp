// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the functions of parts/kernels.cpp for each of the program's spaces by name, and for the
// one that this machine suggests.
#include <cstdio>
#include <sstream>
#include <string>

#include <tandem/tandem.hpp>

// Defined in parts/kernels.cpp.
template <class Space>
double sum_of_odd_numbers(const Space& space, int n);
template <class Space>
std::string compiled_for(const Space& space);

namespace {

bool is_right(const tandem::any_space& space) {
  const int n = 1000;
  return space.visit([&](const auto& s) {
    const bool right = sum_of_odd_numbers(s, n) == double(n) * n && compiled_for(s) == s.name;
    std::printf("%s: %s\n", s.name, right ? "right" : "wrong");
    return right;
  });
}

}  // namespace

int main(int, char** arguments) {
  bool right = true;
  std::istringstream names(tandem::any_space::names());
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    try {
      right &= is_right(tandem::any_space(name));
    } catch (const tandem::no_device_error& error) {
      std::printf("%s: %s\n", name.c_str(), error.what());
    }
  }
  // The arguments are the spaces that the test expects.
  for (char** name = arguments + 1; *name != nullptr; ++name) {
    right &= tandem::any_space::names().find(*name) != std::string::npos;
  }
  return right ? 0 : 1;
}
