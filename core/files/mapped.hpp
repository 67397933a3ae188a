// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/files/npy.hpp>
#include <tandem/core/view.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace tandem {

/// Says that mapped creates its file.
struct new_file_t {};
inline constexpr new_file_t new_file{};

/// A file as a container of host memory: NumPy's .npy, which its first bytes tell, or raw elements.
/// An operand of every operation, above all of those on streamed: the system reads the pages that
/// are used, so that a file may be larger than the memory.
///
///   const tandem::mapped<const float> samples("samples.npy");
///   const float sum = tandem::parallel_reduce(tandem::streamed(gpu), samples);
///
///   tandem::mapped<float, 2> image("image.raw", {1080, 1920});   // raw files have no extents
///   tandem::mapped<float> results("results.npy", {n}, tandem::new_file);
///
/// T     trivially copyable: const for reading alone; otherwise writes change the file. In .npy
///       files integers, bool, float, double, half, complex, and bf16, which is NumPy's '<V2'
/// Rank  1 to 6
///
/// Elements are row-major and little-endian; a .npy file in NumPy's Fortran order is accepted if
/// that is the same order. Movable but not copyable. Other processes that read the file see writes
/// at once; they reach the disk when the system writes them.
///
/// Errors: file_error, which names the file, its numbers and those that the program expects, if the
/// file does not exist, may not be opened, is a directory, is empty, is shorter than its header
/// promises, has elements of another type, byte order or order of dimensions, another rank or other
/// extents, or a size that is no multiple of an element's; extent_error for a negative extent.
///
/// A file must not become shorter while it is mapped: the system then ends a program that accesses
/// an element behind the end with SIGBUS, as it does if the disk fails, or is too full for what is
/// written to a hole of an existing file. A library cannot turn that signal into an exception.
template <class T, int Rank = 1>
class mapped {
  static_assert(Rank >= 1, "tandem: a mapped file has at least one dimension");
  static constexpr bool is_written = !std::is_const_v<T>;
  static constexpr auto format = detail::element_in_files<std::remove_const_t<T>>();

 public:
  using value_type = std::remove_const_t<T>;
  using view_type = tandem::view<T, Rank, layout_right, host_memory>;
  using const_view_type = tandem::view<const T, Rank, layout_right, host_memory>;

  /// Has no elements.
  mapped() = default;

  /// Opens a .npy file, or in one dimension a raw file with as many elements as it holds.
  ///
  /// Complexity  reads the header; no element is read
  explicit mapped(const std::string& path) {
    open(detail::file("mapped", path, is_written), false);
  }

  /// Opens a .npy or raw file that must have these extents.
  ///
  /// Complexity  reads the header; no element is read
  mapped(const std::string& path, const tandem::extents<Rank>& sizes) : sizes_(sizes) {
    detail::bytes_of_extents("mapped", sizes, sizeof(T));
    open(detail::file("mapped", path, is_written), true);
  }

  /// Creates a file of zeros with these extents, .npy if the name ends so, otherwise raw. It
  /// replaces a file of that name; mappings of the old one keep its elements. Space on the disk is
  /// reserved at once, so that later writes have it.
  /// Errors: file_error for a full disk, with the bytes needed and free, and others of writing; a
  /// file of that name is then as before.
  ///
  /// Complexity  writes the header; a file system that cannot reserve space writes all blocks
  mapped(const std::string& path, const tandem::extents<Rank>& sizes, new_file_t)
    requires is_written
      : sizes_(sizes) {
    const auto bytes =
        static_cast<std::size_t>(detail::bytes_of_extents("mapped", sizes, sizeof(T)));
    auto created = detail::file::create("mapped", path);
    const std::string header = detail::header_of(created, format, Rank, &sizes_[0]);
    created.reserve(header.size() + bytes);
    created.write(header.data(), header.size(), 0);
    map(created, header.size(), bytes);
    created.commit();
  }

  /// Takes over the mapping; `other` then has no elements.
  mapped(mapped&& other) noexcept { *this = std::move(other); }
  mapped& operator=(mapped&& other) noexcept {
    sizes_ = std::exchange(other.sizes_, {});
    map_ = std::move(other.map_);
    data_ = std::exchange(other.data_, nullptr);
    return *this;
  }
  ~mapped() = default;

  /// Returns the view that operations and kernels on the host take. Valid during the lifetime of
  /// the object; of a const one, a view of const elements.
  view_type view() & { return {data_, sizes_}; }
  const_view_type view() const& { return {data_, sizes_}; }
  /// A view of a temporary file would outlive its mapping: name it first.
  void view() const&& = delete;

  static constexpr int rank() { return Rank; }
  const tandem::extents<Rank>& extents() const { return sizes_; }
  index_t extent(int d) const { return sizes_.extent(d); }
  /// Number of elements.
  index_t size() const { return sizes_.size(); }
  T* data() { return data_; }
  const T* data() const { return data_; }

  /// The elements of a file of one dimension, for range-for and the standard library.
  T* begin()
    requires(Rank == 1)
  {
    return data_;
  }
  T* end()
    requires(Rank == 1)
  {
    return data_ + size();
  }
  const T* begin() const
    requires(Rank == 1)
  {
    return data_;
  }
  const T* end() const
    requires(Rank == 1)
  {
    return data_ + size();
  }

 private:
  void open(const detail::file& from, bool has_extents) {
    const std::size_t first = detail::find_elements(from, format, Rank, &sizes_[0], has_extents);
    map(from, first, static_cast<std::size_t>(size()) * sizeof(T));
  }
  void map(const detail::file& from, std::size_t first, std::size_t bytes) {
    if (bytes == 0) return;
    map_ = detail::memory_map(from, first + bytes, is_written);
    data_ = reinterpret_cast<T*>(map_.data() + first);
  }

  tandem::extents<Rank> sizes_;
  detail::memory_map map_;
  T* data_ = nullptr;
};

}  // namespace tandem
