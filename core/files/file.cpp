// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/files/file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace tandem::detail {

namespace {

/// Calls a function of the system until no signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// The file that a path names after all links; the path itself if there is none.
std::string without_links(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  std::string result = real == nullptr ? path : real;
  std::free(real);
  return result;
}

}  // namespace

file::file(const char* operation, std::string path, bool writes)
    : file(operation, std::move(path)) {
  // A pipe would block without a writer; regular files ignore O_NONBLOCK.
  const int mode = (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK;
  descriptor_ = uninterrupted([&] { return ::open(path_.c_str(), mode); });
  if (descriptor_ < 0) {
    if (errno == ENOENT) fail({"no such file"});
    if (errno == EISDIR) fail({"is a directory"});
    if (errno == EACCES || errno == EROFS)
      fail({"no permission to read", writes ? " and write it" : " it"});
    fail_system({"cannot be opened"});
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_system({"cannot be examined"});
  if (S_ISDIR(status.st_mode)) fail({"is a directory"});
  if (!S_ISREG(status.st_mode)) fail({"is a pipe or a device, and no file"});
}

file file::create(const char* operation, const std::string& path) {
  file result(operation, path);
  result.target_ = without_links(path);
  struct stat old {};
  const bool replaces = ::stat(result.target_.c_str(), &old) == 0;
  if (replaces && S_ISDIR(old.st_mode)) result.fail({"is a directory"});
  if (replaces && !S_ISREG(old.st_mode)) result.fail({"is a pipe or a device, and no file"});
  if (replaces && ::access(result.target_.c_str(), W_OK) != 0)
    result.fail({"no permission to write it"});
  for (unsigned attempt = 0; result.descriptor_ < 0; ++attempt) {
    result.temporary_ = message({result.target_, ".part-", ::getpid(), "-", attempt});
    result.descriptor_ = uninterrupted([&] {
      return ::open(result.temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
    if (result.descriptor_ < 0 && errno != EEXIST) {
      const std::string name = std::exchange(result.temporary_, {});
      result.fail_system({"cannot create ", name, " beside it"});
    }
  }
  // Best effort: some file systems have no permissions.
  if (replaces) (void)::fchmod(result.descriptor_, old.st_mode & 0777);
  return result;
}

file::file(file&& other) noexcept
    : operation_(other.operation_),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

file::~file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::size_t file::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_system({"cannot be examined"});
  return static_cast<std::size_t>(status.st_size);
}

void file::reserve(std::size_t bytes) const {
  if (bytes == 0) return;
  int cause = EINTR;
  while (cause == EINTR) cause = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (cause == 0) return;
  struct statvfs disk {};
  const bool is_known = cause == ENOSPC && ::fstatvfs(descriptor_, &disk) == 0;
  errno = cause;
  if (!is_known) fail_system({"cannot reserve ", bytes, " bytes"});
  fail_system({"cannot reserve ", bytes, " bytes of ", disk.f_bavail * disk.f_frsize, " free"});
}

void file::read(void* data, std::size_t bytes, std::size_t position) const {
  for (std::size_t done = 0; done < bytes;) {
    const auto count = uninterrupted([&] {
      return ::pread(descriptor_, static_cast<char*>(data) + done, bytes - done,
                     static_cast<off_t>(position + done));
    });
    if (count < 0) fail_system({"cannot read ", bytes - done, " bytes at byte ", position + done});
    if (count == 0) fail({"ends at byte ", position + done, ", before byte ", position + bytes});
    done += static_cast<std::size_t>(count);
  }
}

void file::write(const void* data, std::size_t bytes, std::size_t position) const {
  for (std::size_t done = 0; done < bytes;) {
    const auto count = uninterrupted([&] {
      return ::pwrite(descriptor_, static_cast<const char*>(data) + done, bytes - done,
                      static_cast<off_t>(position + done));
    });
    if (count < 0) fail_system({"cannot write ", bytes - done, " bytes at byte ", position + done});
    done += static_cast<std::size_t>(count);
  }
}

void file::commit() {
  // Some network file systems report a full disk only now.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    fail_system({"cannot be written"});
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_system({"cannot be replaced by ", temporary_});
  temporary_.clear();
}

void file::fail(std::initializer_list<message_part> what) const {
  throw file_error(message({operation_, ": ", path_, ": ", message(what)}));
}

void file::fail_system(std::initializer_list<message_part> what) const {
  const std::string cause = std::generic_category().message(errno);
  fail({message(what), ": ", cause});
}

memory_map::memory_map(const file& from, std::size_t bytes, bool writes) {
  if (bytes == 0) return;
  const int protection = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const address = ::mmap(nullptr, bytes, protection, MAP_SHARED, from.descriptor_, 0);
  if (address == MAP_FAILED) from.fail_system({"cannot map ", bytes, " bytes"});
  if (!writes) (void)::posix_madvise(address, bytes, POSIX_MADV_SEQUENTIAL);
  data_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
}

memory_map::memory_map(memory_map&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

memory_map& memory_map::operator=(memory_map&& other) noexcept {
  memory_map taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

memory_map::~memory_map() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace tandem::detail
