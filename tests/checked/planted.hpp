// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>
#include <tandem/tandem.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

/// Runs the bug corpus: a planted bug has the comment `// NAME` on the line of the access that is
/// reported, and `// NAME, other` on the line of the access that it conflicts with.
namespace zoo {

using tandem::index_t;

inline std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Returns the line that ends with the comment `// text`, or 0 if there is none.
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

/// Returns the number after "lane ", "item " or "i = " in an access of a message, or -1.
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

/// One access of a message: who made it, and on which line.
struct access_text {
  index_t team = -1;
  index_t lane = -1;  ///< or the item, or i of a loop
  std::string place;
  std::string text;
};

inline access_text access_of(const std::string& text) {
  access_text a;
  a.text = text;
  a.lane = lane_in(text);
  const std::size_t team = text.find("team ");
  if (team != std::string::npos) a.team = std::atoll(text.c_str() + team + 5);
  const std::size_t at = text.rfind(" at ");
  if (at != std::string::npos) a.place = name_of(text.substr(at + 4));
  return a;
}

/// The two accesses of a message; the second one is empty if there is only one.
struct two_accesses {
  access_text first;
  access_text other;
};

inline two_accesses accesses_of(const std::string& message) {
  const std::size_t begin = message.find("): ") + 3;
  const std::string both = message.substr(begin, message.find(" (seed ") - begin);
  const std::size_t end = both.find("; ");
  if (end == std::string::npos) return {access_of(both), {}};
  return {access_of(both.substr(0, end)), access_of(both.substr(end + 2))};
}

/// Which two lanes reveal a bug (`lanes` says which pairs): of the same team or of two.
enum class teams_are { any, the_same, two };

/// Runs a kernel with a bug and compares the message's kind, lines and lanes.
///
/// lanes(a, b)  whether lane or iteration a could conflict with b (-1 if there is none)
/// value        the value that one of the two accesses reports: "writes 5"
template <class Function, class Lanes>
void expect(const char* file, const std::string& name, const std::string& kind, const Function& f,
            const Lanes& lanes, teams_are teams = teams_are::any, const std::string& value = "") {
  CAPTURE(name);
  std::string message;
  try {
    f();
  } catch (const tandem::kernel_error& e) {
    message = e.what();
  }
  CAPTURE(message);
  REQUIRE(message.rfind(kind + ": ", 0) == 0);
  const auto [first, other] = accesses_of(message);
  const int line = line_with(file, name);
  const int other_line = line_with(file, name + ", other");
  REQUIRE(line > 0);
  if (other_line == 0) {
    CHECK(first.place == place(file, line));
    if (!other.place.empty()) CHECK(other.place == first.place);
  } else {
    // The order of lanes decides which access comes second, and the second one is reported. An
    // access may also conflict with one on the same line.
    const std::string both[2] = {place(file, line), place(file, other_line)};
    const bool is_one_of_each = (first.place == both[0] && other.place == both[1]) ||
                                (first.place == both[1] && other.place == both[0]);
    CHECK(is_one_of_each);
  }
  CHECK(lanes(first.lane, other.lane));
  if (teams == teams_are::the_same) CHECK(first.team == other.team);
  if (teams == teams_are::two) CHECK(first.team != other.team);
  const bool has_value = (first.text + other.text).find(value) != std::string::npos;
  CHECK(has_value);
}

/// Runs a kernel that throws `Error` at once and compares the message: how it begins, then the
/// kernel, who, and the line.
template <class Error, class Function>
void expect_failure(const char* file, const std::string& name, const std::string& what,
                    const std::string& who, const Function& f) {
  CAPTURE(name);
  std::string message;
  try {
    f();
  } catch (const Error& e) {
    message = e.what();
  }
  CAPTURE(message);
  CHECK(message.rfind(what, 0) == 0);
  CHECK(message.find("; in parallel_") != std::string::npos);
  CHECK(message.find("(kernel ") != std::string::npos);
  CHECK(message.find("), " + who) != std::string::npos);
  const int line = line_with(file, name);
  REQUIRE(line > 0);
  const std::string place_found = message.substr(0, message.rfind(" (seed "));
  CHECK(name_of(place_found.substr(place_found.rfind(" at ") + 4)) == place(file, line));
}

/// Relations of lanes.
inline bool differ(index_t a, index_t b) { return a != b && a >= 0; }
inline bool are_neighbours(index_t a, index_t b) { return a - b == 1 || b - a == 1; }
inline bool is_one(index_t a, index_t) { return a >= 0; }
inline bool any(index_t, index_t) { return true; }

}  // namespace zoo
