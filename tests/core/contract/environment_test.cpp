// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings of the environment: their values, and what is said of others. Each case has variables of
// its own, since a variable is reported once.

#include <tandem/core/contract/environment.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

using namespace tandem::detail;

namespace {

/// Calls f and returns what it writes to stderr.
template <class Function>
std::string printed(const Function& f) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  f();
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

/// Returns the position of `value` among three words.
int word_for(const char* variable, const char* value) {
  setenv(variable, value, 1);
  const int word = word_in_environment(variable, {"baseline", "avx2", "avx512"});
  unsetenv(variable);
  return word;
}

bool flag_for(const char* variable, const char* value) {
  setenv(variable, value, 1);
  const bool flag = flag_in_environment(variable);
  unsetenv(variable);
  return flag;
}

/// Returns the number that `value` is, or 77.
std::uint64_t number_for(const char* variable, const char* value) {
  setenv(variable, value, 1);
  const auto number = number_in_environment(variable);
  unsetenv(variable);
  return number.value_or(77);
}

}  // namespace

TEST_CASE("environment: a known value is found, and nothing is printed") {
  CHECK(printed([] {
          CHECK(word_for("TANDEM_TEST_KNOWN", "baseline") == 0);
          CHECK(word_for("TANDEM_TEST_KNOWN", "avx512") == 2);
          CHECK(word_for("TANDEM_TEST_KNOWN", "") == -1);
          CHECK(word_in_environment("TANDEM_TEST_KNOWN", {"baseline"}) == -1);
          for (const char* const on : {"1", "on"}) CHECK(flag_for("TANDEM_TEST_KNOWN", on));
          for (const char* const off : {"0", "off", ""}) CHECK(!flag_for("TANDEM_TEST_KNOWN", off));
          CHECK(!flag_in_environment("TANDEM_TEST_KNOWN"));
          CHECK(number_for("TANDEM_TEST_KNOWN", "0") == 0);
          CHECK(number_for("TANDEM_TEST_KNOWN", "18446744073709551615") == UINT64_MAX);
          CHECK(number_for("TANDEM_TEST_KNOWN", "") == 77);
          CHECK(!number_in_environment("TANDEM_TEST_KNOWN").has_value());
        }) == "");
}

TEST_CASE("environment: an unknown word is ignored, and one line lists the words there are") {
  CHECK(printed([] { CHECK(word_for("TANDEM_TEST_WORD", "garbage") == -1); }) ==
        "tandem: TANDEM_TEST_WORD=garbage is ignored: there are baseline, avx2, avx512\n");
  CHECK(printed([] { CHECK(word_for("TANDEM_TEST_PREFIX", "avx") == -1); }) ==
        "tandem: TANDEM_TEST_PREFIX=avx is ignored: there are baseline, avx2, avx512\n");
}

TEST_CASE("environment: a variable is reported once") {
  CHECK(printed([] { word_for("TANDEM_TEST_ONCE", "x"); }) != "");
  CHECK(printed([] { word_for("TANDEM_TEST_ONCE", "y"); }) == "");
}

TEST_CASE("environment: an unknown flag is off and reported") {
  CHECK(printed([] { CHECK(!flag_for("TANDEM_TEST_FLAG", "yes")); }) ==
        "tandem: TANDEM_TEST_FLAG=yes is ignored: there are 0, off, 1, on\n");
}

TEST_CASE("environment: what is no number, or too large, is ignored and reported") {
  const std::string rest = " is ignored: there are the numbers from 0 to 2^64 - 1\n";
  CHECK(printed([] { CHECK(number_for("TANDEM_TEST_TEXT", "abc") == 77); }) ==
        "tandem: TANDEM_TEST_TEXT=abc" + rest);
  CHECK(printed([] { CHECK(number_for("TANDEM_TEST_TAIL", "7x") == 77); }) ==
        "tandem: TANDEM_TEST_TAIL=7x" + rest);
  CHECK(printed([] { CHECK(number_for("TANDEM_TEST_SIGN", "-1") == 77); }) ==
        "tandem: TANDEM_TEST_SIGN=-1" + rest);
  CHECK(printed([] { CHECK(number_for("TANDEM_TEST_LARGE", "18446744073709551616") == 77); }) ==
        "tandem: TANDEM_TEST_LARGE=18446744073709551616" + rest);
}
