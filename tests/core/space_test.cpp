// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spaces chosen by name, by the environment and by the machine's devices. The rule is tested on
// made-up spaces, because the machine's devices vary.

#include "support/backends.hpp"

#include <cstdlib>
#include <string>

#include <tandem/tandem.hpp>

namespace {

/// Sets TANDEM_SPACE during a test and restores the previous value.
class space_in_environment {
 public:
  explicit space_in_environment(const char* value) {
    if (const char* old = std::getenv("TANDEM_SPACE")) before_ = old;
    setenv("TANDEM_SPACE", value, 1);
  }
  ~space_in_environment() {
    if (before_.empty()) {
      unsetenv("TANDEM_SPACE");
    } else {
      setenv("TANDEM_SPACE", before_.c_str(), 1);
    }
  }
  space_in_environment(const space_in_environment&) = delete;
  space_in_environment& operator=(const space_in_environment&) = delete;

 private:
  std::string before_;
};

struct one_core {
  using memory_type = tandem::host_memory;
  static constexpr const char* name = "one_core";
  static constexpr bool one_thread = true;
};

struct all_cores {
  using memory_type = tandem::host_memory;
  static constexpr const char* name = "all_cores";
};

template <bool Present>
struct accelerator {
  using memory_type = tandem::device_memory;
  static constexpr const char* name = Present ? "present" : "absent";
  accelerator() {
    if (!Present) throw tandem::no_device_error("accelerator: no device");
  }
};

/// Returns what "automatic" selects among these spaces.
template <class... Spaces>
std::string automatic() {
  return tandem::basic_any_space<void, Spaces...>("automatic").name();
}

}  // namespace

TEST_CASE("any_space: a name makes the space of that name, and visit() calls with its type") {
  const tandem::any_space space("serial");
  CHECK(std::string(space.name()) == "serial");
  const bool is_serial =
      space.visit([]<class Space>(const Space&) { return std::is_same_v<Space, tandem::serial>; });
  CHECK(is_serial);
  space.fence();
}

TEST_CASE("any_space: TANDEM_SPACE names the space of an object made without a name") {
  const space_in_environment environment("serial");
  CHECK(std::string(tandem::any_space().name()) == "serial");
}

TEST_CASE("any_space: an empty TANDEM_SPACE is automatic") {
  const space_in_environment environment("");
  CHECK(std::string(tandem::any_space().name()) == tandem::any_space("automatic").name());
}

TEST_CASE("any_space: an unknown name throws, with where it comes from and the names there are") {
  const std::string list = "'abacus' in this program, which has " + tandem::any_space::names();
  CHECK_THROWS_WITH_AS(tandem::any_space("abacus"),
                       ("any_space: there is no space " + list).c_str(), tandem::argument_error);
  const space_in_environment environment("abacus");
  CHECK_THROWS_WITH_AS(tandem::any_space(), ("TANDEM_SPACE: there is no space " + list).c_str(),
                       tandem::argument_error);
}

TEST_CASE("any_space: a null name throws, with the names there are") {
  const char* const unset = std::getenv("TANDEM_TEST_VARIABLE_THAT_NOBODY_SETS");
  const std::string text =
      "any_space: the name is null, as from std::getenv of a variable that is not set; this "
      "program has " +
      tandem::any_space::names();
  CHECK_THROWS_WITH_AS(tandem::any_space{unset}, text.c_str(), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::any_space{nullptr}, text.c_str(), tandem::argument_error);
  CHECK(std::string(tandem::any_space(std::string("serial")).name()) == "serial");
}

TEST_CASE("any_space: names() lists the spaces of the build") {
  CHECK(tandem::any_space::names().starts_with("serial, "));
  CHECK(tandem::any_space::names().ends_with(", automatic"));
}

TEST_CASE("any_space: automatic is a device that is there, then many threads, then one") {
  CHECK(automatic<one_core, all_cores, accelerator<true>>() == "present");
  CHECK(automatic<one_core, all_cores, accelerator<false>>() == "all_cores");
  CHECK(automatic<tandem::serial, all_cores>() == "all_cores");
  CHECK(automatic<accelerator<false>, accelerator<true>>() == "present");
  CHECK(automatic<one_core, accelerator<false>>() == "one_core");
  CHECK_THROWS_AS((automatic<accelerator<false>>()), tandem::no_device_error);
}

TEST_CASE("any_space: a device that is named and absent throws") {
  using some = tandem::basic_any_space<void, one_core, accelerator<false>>;
  CHECK_THROWS_AS(some("absent"), tandem::no_device_error);
}

TEST_CASE("any_space: holds a space that its caller has made") {
  const auto threads_of = []<class Space>(const Space& s) {
    if constexpr (requires { s.threads(); }) {
      return s.threads();
    } else {
      return 1;
    }
  };
  const auto made = tandem::test::on_fastest::make();
  const tandem::any_space space = made;
  CHECK(space.visit(threads_of) == threads_of(made));
  CHECK(std::string(space.name()) == decltype(made)::name);
}

TEST_CASE("any_space: processors() lists the processor and the devices of the spaces") {
  std::size_t devices = 0;
  for (const auto& one : tandem::any_space::processors()) {
    if (one.space == "cuda") ++devices;
    CHECK(one.units > 0);
    CHECK(one.memory > 0);
    CHECK(one.text().starts_with(one.space + " " + std::to_string(one.number) + ": " + one.name));
  }
  CHECK(devices == tandem::cuda::devices().size());
  const tandem::processor one{"cuda", 1, "NVIDIA H200", 132, "multiprocessors", 150110011392};
  CHECK(one.text() == "cuda 1: NVIDIA H200, 132 multiprocessors, 139.8 GiB");
}

TEST_CASE("version: the text has the three numbers") {
  const std::string numbers = std::to_string(tandem::version_major) + "." +
                              std::to_string(tandem::version_minor) + "." +
                              std::to_string(tandem::version_patch);
  CHECK(tandem::version == numbers);
}
