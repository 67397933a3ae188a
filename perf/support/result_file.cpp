// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/result_file.hpp>

#include <cstdio>
#include <stdexcept>

namespace perf {

namespace {

/// Escapes text for a JSON string.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return safe;
}

std::string in_microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", seconds * 1e6);
  return text;
}

}  // namespace

result_file::result_file(const std::string& path, const std::map<std::string, std::string>& context)
    : file_(path) {
  if (!file_) throw std::runtime_error("cannot write '" + path + "' (--out=FILE)");
  file_.precision(17);
  file_ << R"({"context": {)";
  const char* separator = "";
  for (const auto& [name, value] : context) {
    file_ << separator << '"' << name << R"(": ")" << escaped(value) << '"';
    separator = ", ";
  }
  file_ << R"(}, "benchmarks": [)";
}

result_file::~result_file() { keep(); }

void result_file::keep() {
  const auto end = file_.tellp();
  file_ << "\n]}\n" << std::flush;
  file_.seekp(end);
}

void result_file::took(const benchmark& current, double seconds, const std::string& label) {
  write(current, R"("time_unit": "us", "real_time": )" + in_microseconds(seconds) +
                     R"(, "label": ")" + escaped(label) + '"');
}

void result_file::failed(const benchmark& current, const std::string& why) {
  write(current, R"("error_occurred": true, "error_message": ")" + escaped(why) + '"');
}

void result_file::write(const benchmark& current, const std::string& rest) {
  file_ << separator_ << R"({"name": ")" << escaped(current.key())
        << R"(", "run_type": "iteration", "elements": )" << current.problem.elements
        << R"(, "bytes": )" << current.problem.bytes << R"(, "flops": )" << current.problem.flops
        << ", " << rest << "}";
  separator_ = ",\n";
}

}  // namespace perf
