// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstdint>

/// Describes a view in the messages of checked builds. The text is made on the host or on a device,
/// which has no standard library.
namespace tandem::detail {

/// The name that named() gives a view: a copy, because a kernel on a device cannot read a name in
/// host memory.
struct view_label {
  char text[32] = "";

  constexpr view_label() = default;
  /// Keeps the first 31 characters.
  TANDEM_FUNCTION constexpr explicit view_label(const char* name) {
    for (int i = 0; i < 31 && name[i] != '\0'; ++i) text[i] = name[i];
  }
};

/// "view 'x'", or "view of 8 x 4 elements at 0x7f3a10" if it has no name.
class view_text {
 public:
  TANDEM_FUNCTION view_text(const view_label& label, const void* data, int rank,
                            const index_t* sizes) {
    if (label.text[0] != '\0') {
      append("view '");
      append(label.text);
      append("'");
      return;
    }
    append("view of ");
    if (rank == 0) append("one");
    for (int d = 0; d < rank; ++d) {
      if (d > 0) append(" x ");
      append(static_cast<std::uint64_t>(sizes[d]), 10);
    }
    append(rank == 0 ? " element at 0x" : " elements at 0x");
    append(reinterpret_cast<std::uintptr_t>(data), 16);
  }

  TANDEM_FUNCTION const char* text() const { return text_; }

 private:
  TANDEM_FUNCTION void append(const char* part) {
    while (*part != '\0') text_[length_++] = *part++;
  }
  TANDEM_FUNCTION void append(std::uint64_t number, unsigned base) {
    char digits[20];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number > 0);
    while (count > 0) text_[length_++] = digits[--count];
  }

  char text_[192] = {};  // six extents of 19 digits, an address, and separators
  int length_ = 0;
};

}  // namespace tandem::detail
