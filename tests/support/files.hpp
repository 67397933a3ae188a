// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <sys/resource.h>

/// Files that tests write, and what reading them says.
namespace tandem::test {

/// A new folder that is removed at the end.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// The number of files in it.
  std::ptrdiff_t count() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::filesystem::path path_;
};

inline std::string write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// The bytes of a file, of which `most` are read; none if it does not exist.
inline std::string read_file(const std::string& path, std::uintmax_t most = UINTMAX_MAX) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(path, missing);
  std::string bytes(missing ? 0 : std::min(size, most), '\0');
  std::ifstream(path, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// A NumPy file of version major.0 with this header, padded with blanks to a multiple of 64 bytes,
/// and `bytes` after it.
inline std::string npy_bytes(const std::string& header, const std::string& bytes, int major = 1) {
  const std::size_t before = major == 1 ? 10 : 12;
  std::string text = header;
  text.resize((before + header.size()) / 64 * 64 + 63 - before, ' ');
  text += '\n';
  std::string result = "\x93NUMPY";
  result += {static_cast<char>(major), '\0'};
  for (std::size_t byte = 0; byte < before - 8; ++byte)
    result += static_cast<char>(text.size() >> (8 * byte));
  return result + text + bytes;
}

/// What the file_error says that f throws, without `folder`; nothing if it throws none.
template <class Function>
std::string file_error_of(const Function& f) {
  try {
    f();
  } catch (const file_error& e) {
    std::string what = e.what();
    const auto slash = what.rfind('/');  // tests give messages no other one
    const auto start = what.find('/');
    return slash == std::string::npos ? what : what.substr(0, start) + what.substr(slash + 1);
  }
  return {};
}

/// Lets no file of this process become larger, as a full disk does, during the object's lifetime.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, signal_);
  }

 private:
  void (*signal_)(int);
  rlimit before_{};
};

}  // namespace tandem::test
