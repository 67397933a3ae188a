// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>
#include <tandem/core/tools/checked/access.hpp>
#include <tandem/core/tools/checked/ranges.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace tandem::checked {

namespace {

struct report_state {
  std::set<std::string> seen;
  std::optional<std::string> first;
  std::optional<finding> later;
  /// Elements without a value that kernels have read, and who has read them.
  std::set<std::pair<std::uintptr_t, actor>> unwritten;
  long operations = 0;
  long findings = 0;
  long benign = 0;
};

void print_summary();

report_state& reports() {
  static auto* const one = [] {
    std::atexit(print_summary);
    return new report_state;
  }();
  return *one;
}

void print_summary() {
  const report_state& all = reports();
  const auto seed = static_cast<unsigned long long>(asked().seed);
  if (asked().is_json) {
    std::fprintf(stderr,
                 "{\"tandem\": \"summary\", \"operations\": %ld, \"findings\": %ld, \"benign\": "
                 "%ld, \"seed\": %llu}\n",
                 all.operations, all.findings, all.benign, seed);
  } else if (!asked().is_quiet) {
    std::fprintf(stderr, "tandem: checked %ld operations: %ld findings, %ld benign (seed %llu)\n",
                 all.operations, all.findings, all.benign, seed);
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      result += escaped;
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' || c == '\t' ? ' ' : c;
  }
  return result + '"';
}

/// The kernel's name; empty if it is the library's.
std::string kernel_name() {
  const std::type_info* const type = operation.what.type;
  if (current.is == mode::off || type == nullptr) return "";
  if (std::string_view(type->name()).starts_with("N6tandem6detail")) return "";
  return demangled(type->name());
}

std::string operation_text(const char* of_host) {
  if (of_host != nullptr) return of_host;
  return current.is == mode::off ? "" : operation.what.operation;
}

/// "team 0, lane 3, phase 2 writes 5 at kernel.cpp:12"
std::string access_text(const std::string& who, const char* access, const std::string& value,
                        const std::string& place) {
  return who + (who.empty() || *access == '\0' ? "" : " ") + access +
         (value.empty() ? "" : " " + value) + (place.empty() ? "" : " at " + place);
}

std::string other_text(const finding& f) {
  if (*f.other_access == '\0') return "";
  return "; " + access_text(f.other == 0 ? "it" : actor_text(f.other), f.other_access,
                            f.other_value, f.other_place);
}

std::string who_text(const finding& f) { return f.who == 0 ? "" : actor_text(f.who); }

std::string as_text(const finding& f) {
  return std::string(f.kind) + ": " + f.element + " in " + kernel_text(f.operation) + ": " +
         access_text(who_text(f), f.access, f.value, f.place) + other_text(f) + " (seed " +
         std::to_string(asked().seed) + ")";
}

std::string as_json(const finding& f) {
  std::string text = "{\"tandem\": \"finding\", \"kind\": " + quoted(f.kind) +
                     ", \"benign\": " + (f.is_benign ? "true" : "false") +
                     ", \"operation\": " + quoted(operation_text(f.operation)) +
                     ", \"kernel\": " + quoted(kernel_name()) +
                     ", \"element\": " + quoted(f.element) + ", \"who\": " + quoted(who_text(f)) +
                     ", \"access\": " + quoted(f.access) + ", \"value\": " + quoted(f.value) +
                     ", \"place\": " + quoted(f.place);
  if (*f.other_access != '\0') {
    text += ", \"other\": " + quoted(f.other == 0 ? "" : actor_text(f.other)) +
            ", \"other_access\": " + quoted(f.other_access) +
            ", \"other_value\": " + quoted(f.other_value) +
            ", \"other_place\": " + quoted(f.other_place);
  }
  return text + ", \"hint\": " + quoted(f.hint) + ", \"seed\": " + std::to_string(asked().seed) +
         "}";
}

}  // namespace

std::string kernel_text(const char* of_host) {
  const std::string name = kernel_name();
  const std::string text = operation_text(of_host);
  return text.empty() ? "host code" : text + (name.empty() ? "" : " (kernel " + name + ")");
}

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

void count_operation() {
  ++reports().operations;
  current.has_finding = false;
  reports().first.reset();
  reports().later.reset();
  reports().unwritten.clear();
}

std::string report(const finding& f) {
  auto& all = reports();
  const std::string what = (f.is_benign ? "benign " : "") + std::string(f.kind);
  const bool is_new = all.seen.insert(what + f.place + f.other_place).second;
  ++(f.is_benign ? all.benign : all.findings);
  const std::string text = (f.is_benign ? "benign " : "") + as_text(f);
  if (is_new && asked().is_json) {
    std::fprintf(stderr, "%s\n", as_json(f).c_str());
  } else if (is_new && !asked().is_quiet) {
    std::fprintf(stderr, "tandem: %s\n  hint: %s\n", text.c_str(),
                 f.is_benign ? "all of them write this value, so the order does not matter"
                             : f.hint.c_str());
  }
  std::string message = text + "; hint: " + f.hint;
  if (f.is_benign || all.first || current.is == mode::off) return message;
  all.first = message;
  current.has_finding = true;
  stop_behind_item();
  return message;
}

void report_later(const finding& f) {
  if (!reports().later) reports().later = f;
}

void note_unwritten(std::uintptr_t address) { reports().unwritten.emplace(address, current.me); }

std::string value_text(element_type type, std::uintptr_t address, actor who) {
  const auto* const p = reinterpret_cast<const unsigned char*>(address);
  if (std::all_of(p, p + type.bytes, [](unsigned char b) { return b == unwritten_byte; }))
    return "no value";
  if (reports().unwritten.count({address, who}) > 0)
    return "a value computed from an unwritten one";
  return element_value(type, p);
}

long finding_count() { return reports().findings; }

void finish_later() {
  auto& all = reports();
  if (all.later && !all.first) report(*all.later);
  all.later.reset();
}

void throw_finding() { throw kernel_error(reports().first.value_or("")); }

std::string failure_at(std::uintptr_t code, const char* kind, const std::string& what,
                       const char* hint) {
  finding f;
  f.kind = kind;
  f.element = what;
  f.who = current.me;
  f.place = place_of(code);
  f.hint = hint;
  report(f);
  return what + "; in " + kernel_text() + ", " + access_text(actor_text(f.who), "", "", f.place) +
         " (seed " + std::to_string(asked().seed) + ")";
}

std::string failure(const char* kind, const std::string& what, const char* hint) {
  if (current.is == mode::off) return what;
  const auto code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  return failure_at(code, kind, what, hint);
}

}  // namespace tandem::checked
