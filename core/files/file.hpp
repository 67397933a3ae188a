// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

/// The only place in which tandem reads, writes and maps files. Errors are file_errors that begin
/// with the name of the operation and of the file.
namespace tandem::detail {

/// An open regular file.
class file {
 public:
  /// Opens a file that exists, for reading or also for writing.
  /// Errors: no such file, no permission, a directory, a pipe or a device.
  file(const char* operation, std::string path, bool writes);

  /// Creates a file beside `path` that commit() renames to it. A link is followed, and a file that
  /// is replaced passes its permissions on.
  static file create(const char* operation, const std::string& path);

  file(file&& other) noexcept;
  file& operator=(file&&) = delete;
  /// Removes the file if it was created and not renamed.
  ~file();

  const std::string& path() const { return path_; }
  /// The number of bytes at the moment.
  std::size_t size() const;

  /// Makes a created file this large and reserves its blocks, so that writing to its mapping cannot
  /// fail for want of space.
  void reserve(std::size_t bytes) const;
  /// Errors: a file that ends before the last byte; a failure of the disk.
  void read(void* data, std::size_t bytes, std::size_t position) const;
  /// Errors: a full disk.
  void write(const void* data, std::size_t bytes, std::size_t position) const;
  /// Gives a created file its name, in place of the file that had it.
  void commit();

  /// Throws file_error "operation: path: what".
  [[noreturn]] void fail(std::initializer_list<message_part> what) const;

 private:
  friend class memory_map;
  file(const char* operation, std::string path) : operation_(operation), path_(std::move(path)) {}
  /// Throws the error of the system's call that has just failed, after `what`.
  [[noreturn]] void fail_system(std::initializer_list<message_part> what) const;

  const char* operation_;
  std::string path_;
  std::string target_;     // of the rename
  std::string temporary_;  // a created file's name until then, otherwise empty
  int descriptor_ = -1;
};

/// A file's bytes as memory, from the first on.
class memory_map {
 public:
  memory_map() = default;
  /// Maps `bytes` bytes, for reading in their order or for writing. The file may be closed.
  memory_map(const file& from, std::size_t bytes, bool writes);
  memory_map(memory_map&& other) noexcept;
  memory_map& operator=(memory_map&& other) noexcept;
  ~memory_map();

  /// Null if nothing is mapped.
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tandem::detail
