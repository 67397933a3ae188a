// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace perf {

/// A peer's library, opened at run time, so that the benchmarks build and start on machines without
/// it. Stays open until the program ends, since BLAS libraries keep their threads.
class dynamic_library {
 public:
  /// Opens the first of `names` that the loader finds.
  explicit dynamic_library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
  }

  bool is_open() const { return handle_ != nullptr; }

  bool has(const char* name) const { return is_open() && dlsym(handle_, name) != nullptr; }

  /// The function `name`, of the type that the caller knows from the library's manual. Errors:
  /// std::runtime_error.
  template <class Function>
  Function* function(const char* name) const {
    void* found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    if (found == nullptr)
      throw std::runtime_error(std::string("no function ") + name + " in its library");
    return reinterpret_cast<Function*>(found);
  }

  /// Calls a function of exactly these types of arguments, which returns a status; 0 is success.
  template <class... Argument>
  int status_of(const char* name, Argument... arguments) const {
    return function<int(Argument...)>(name)(arguments...);
  }

  /// Calls such a function. Errors: std::runtime_error, also if the status is not 0.
  template <class... Argument>
  void require(const char* name, Argument... arguments) const {
    const int status = status_of(name, arguments...);
    if (status != 0)
      throw std::runtime_error(std::string(name) + ": status " + std::to_string(status));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace perf
