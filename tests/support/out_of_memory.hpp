// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/backends.hpp"
#include "support/failing_memory.hpp"

#include <cstring>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

/// Guarantees of every operation if memory runs out at any of its allocations.
namespace tandem::test {

/// The outputs of an operation, views in memory of a space, and their initial contents.
template <class Space, class... Output>
class kept_outputs {
 public:
  explicit kept_outputs(const Space& space, const Output&... outputs)
      : space_(space), outputs_(outputs...), first_(to_host(space, outputs)...) {}

  const auto& first() const { return first_; }
  auto contents() const {
    return std::apply(
        [&](const auto&... output) { return std::make_tuple(to_host(space_, output)...); },
        outputs_);
  }
  void restore() const { restore(std::index_sequence_for<Output...>{}); }

  template <class Contents>
  static bool same_bytes(const Contents& a, const Contents& b) {
    return same_bytes(a, b, std::index_sequence_for<Output...>{});
  }

 private:
  template <std::size_t... I>
  void restore(std::index_sequence<I...>) const {
    (copy(space_, std::get<I>(first_), std::get<I>(outputs_)), ...);
    space_.fence();
  }
  template <class Contents, std::size_t... I>
  static bool same_bytes(const Contents& a, const Contents& b, std::index_sequence<I...>) {
    return (... && (std::get<I>(a).empty() ||
                    std::memcmp(std::get<I>(a).data(), std::get<I>(b).data(),
                                std::get<I>(a).size() * sizeof(std::get<I>(a)[0])) == 0));
  }

  const Space& space_;
  std::tuple<Output...> outputs_;
  std::tuple<decltype(to_host(std::declval<const Space&>(), std::declval<const Output&>()))...>
      first_;
};

/// The outcome of a call whose memory ran out. Keeps text without allocating.
struct failed_call {
  bool has_failed = false;  ///< an allocation of it
  bool threw = false;       ///< out_of_memory_error
  std::size_t asked = 0;
  char message[200] = "";
  const char* other = "";  ///< the type of another exception

  template <class Operation>
  failed_call(int number, failing how, const Operation& operation) {
    const failing_memory memory(number, how);
    try {
      operation();
    } catch (const out_of_memory_error& e) {
      threw = true;
      asked = e.asked();
      std::strncpy(message, e.what(), sizeof message - 1);
    } catch (const std::exception& e) {
      other = typeid(e).name();
    }
    has_failed = memory.has_failed();
  }
};

/// Runs an operation with its allocation number 0 failing, then number 1, until none fails; once
/// with all later ones failing too, once with only that one. Checks that it throws
/// out_of_memory_error with its name (any, if `name` is empty) and the bytes, that its outputs keep
/// their bytes, and that the next call works.
template <class Space, class Operation, class... Output>
void check_out_of_memory(const std::string& name, const Space& space, const Operation& operation,
                         const Output&... outputs) {
  CAPTURE(name);
  const kept_outputs<Space, Output...> kept(space, outputs...);
  for (const failing how : {failing::from_then_on, failing::once}) {
    for (int number = 0;; ++number) {
      CAPTURE(number);
      REQUIRE(number < 500);
      const failed_call call(number, how, operation);
      REQUIRE(std::string(call.other) == "");
      if (!call.has_failed) break;
      if (call.threw) {
        const std::string text = ": out of memory: asked for " + std::to_string(call.asked);
        const std::string message = call.message;
        CHECK(call.asked > 0);
        REQUIRE(message.find(text) != message.npos);
        if (!name.empty()) CHECK(message.substr(0, message.find(text)) == name);
        CHECK(kept.same_bytes(kept.contents(), kept.first()));
      }
      kept.restore();  // a retry succeeded
    }
    const auto result = kept.contents();
    kept.restore();
    operation();
    CHECK(kept.same_bytes(kept.contents(), result));
    kept.restore();
  }
}

}  // namespace tandem::test
