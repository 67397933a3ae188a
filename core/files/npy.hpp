// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/files/file.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/half.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

/// Elements in files: raw, or behind the header of NumPy's format (NEP 1), versions 1.0 to 3.0.
namespace tandem::detail {

static_assert(std::endian::native == std::endian::little,
              "tandem: files hold the bytes of little-endian processors");

/// How files hold the elements of a type.
struct file_element {
  /// The type as NumPy writes it, or nullptr: then only raw files hold it.
  const char* type;
  std::size_t bytes;
  std::size_t alignment;
};

/// The name that NumPy gives to T: '<f4' is float. bf16 is two bytes without a meaning, as
/// Python's ml_dtypes writes it.
template <class T>
constexpr const char* npy_type() {
  constexpr int power = std::bit_width(sizeof(T)) - 1;
  if constexpr (std::same_as<T, bool>) {
    return "|b1";
  } else if constexpr (std::integral<T> && std::is_signed_v<T>) {
    constexpr const char* names[] = {"|i1", "<i2", "<i4", "<i8"};
    return sizeof(T) > 8 ? nullptr : names[power % 4];
  } else if constexpr (std::integral<T>) {
    constexpr const char* names[] = {"|u1", "<u2", "<u4", "<u8"};
    return sizeof(T) > 8 ? nullptr : names[power % 4];
  } else if constexpr (std::same_as<T, half>) {
    return "<f2";
  } else if constexpr (std::same_as<T, bf16>) {
    return "<V2";
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    return sizeof(T) == 4 ? "<f4" : "<f8";
  } else if constexpr (is_any_complex<T>) {
    return sizeof(T) == 8 ? "<c8" : sizeof(T) == 16 ? "<c16" : nullptr;
  } else {
    return nullptr;
  }
}

template <class T>
constexpr file_element element_in_files() {
  static_assert(std::is_trivially_copyable_v<T>,
                "tandem: files hold bits: elements must be trivially copyable");
  return {npy_type<T>(), sizeof(T), alignof(T)};
}

/// Finds the elements of a raw file, or of a NumPy file, which its first bytes tell, and checks
/// that the file has them all.
///
/// @param sizes     `rank` extents: those that the elements must have, or, unless `are_given`,
///                  those that they have
/// Returns          the position of the first element in the file
/// Errors           file_error, before any element is read: another type, rank or shape, big-endian
///                  or column-major elements, a damaged header, fewer elements than it promises; a
///                  raw file that is empty, of another size, or of several dimensions that are not
///                  given
std::size_t find_elements(const file& from, const file_element& format, int rank, index_t* sizes,
                          bool are_given);

/// The header of a new file with this name: NumPy's if it ends in .npy, otherwise none.
/// Errors: file_error if NumPy has no such type.
std::string header_of(const file& to, const file_element& format, int rank, const index_t* sizes);

}  // namespace tandem::detail
