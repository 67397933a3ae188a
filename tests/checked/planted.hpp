// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>
#include <tandem/tandem.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

/// How the zoo's kernels are run: a planted bug has the comment `// NAME` on the line of the access
/// that is reported, and `// NAME, other` on the line of the access that it is in conflict with.
namespace zoo {

using tandem::index_t;

inline std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The number of the line that ends with the comment `// text`; 0 where there is none.
inline int line_with(const char* file, const std::string& text) {
  std::ifstream source(std::string(TANDEM_ZOO) + '/' + name_of(file));
  const std::string comment = "// " + text;
  int number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    if (line.size() >= comment.size() &&
        line.compare(line.size() - comment.size(), comment.size(), comment) == 0)
      return number;
  }
  return 0;
}

/// The number behind "lane ", "item " or "i = " in one access of a message; -1 where there is none.
inline index_t lane_in(const std::string& access) {
  for (const char* const word : {"lane ", "item ", "i = "}) {
    const std::size_t at = access.find(word);
    if (at != std::string::npos) return std::atoll(access.c_str() + at + std::string(word).size());
  }
  return -1;
}

inline std::string place(const char* file, int line) {
  return name_of(file) + ":" + std::to_string(line);
}

/// Runs a kernel with a bug and compares the message with its kind, its lines and lanes.
///
/// lanes(a, b)  whether lane or iteration a could be in conflict with b (-1 where there is none)
template <class Function, class Lanes>
void expect(const char* file, const std::string& name, const std::string& kind, const Function& f,
            const Lanes& lanes) {
  CAPTURE(name);
  std::string message;
  try {
    f();
  } catch (const tandem::kernel_error& e) {
    message = e.what();
  }
  CAPTURE(message);
  REQUIRE(message.rfind(kind + ": ", 0) == 0);
  const std::string accesses = message.substr(message.find("): ") + 3);
  const std::size_t end_of_first = accesses.find("; ");
  const std::string first = accesses.substr(0, end_of_first);
  const std::string rest = accesses.substr(end_of_first);
  const std::string other = rest.substr(0, rest.find("hint: "));
  const int line = line_with(file, name);
  const int other_line = line_with(file, name + ", other");
  const bool is_first_here = first.find(place(file, line)) != std::string::npos;
  if (other_line == 0) {
    CHECK(is_first_here);
  } else {
    // The order of lanes decides which of the two comes second, and is the one that is reported.
    const std::string both[2] = {place(file, line), place(file, other_line)};
    CHECK(first.find(both[is_first_here ? 0 : 1]) != std::string::npos);
    const bool has_other =
        other.find(both[0]) != std::string::npos || other.find(both[1]) != std::string::npos;
    CHECK(has_other);
  }
  CHECK(lanes(lane_in(first), lane_in(other)));
}

/// Relations of lanes.
inline bool differ(index_t a, index_t b) { return a != b && a >= 0; }
inline bool are_neighbours(index_t a, index_t b) { return a - b == 1 || b - a == 1; }
inline bool is_one(index_t a, index_t) { return a >= 0; }
inline bool any(index_t, index_t) { return true; }

}  // namespace zoo
