// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/tools/checked/shadow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::checked {

/// Memory that the runtime knows by name: an array with its padding, or a team's scratch.
struct range {
  std::uintptr_t outer_begin = 0;
  std::uintptr_t outer_end = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  element_type type{'s', 1};
  int rank = 1;
  index_t extents[6] = {};
  index_t strides[6] = {};
  page_kind kind = page_kind::plain;
  bool is_dead = false;
  std::string name;
};

/// The content of memory that has not been written.
inline constexpr unsigned char unwritten_byte = 0xfb;

/// Returns the range whose memory, including padding, holds `address`; nullptr if there is none.
range* find_range(std::uintptr_t address);
/// Returns the first range that ends after `address`, in ascending order; nullptr at the end.
range* next_range(std::uintptr_t address);
range& add_range(const range& r);
void remove_range(std::uintptr_t outer_begin);

/// Returns the element at `address` as in "A(3, 7)", and its value.
std::string element_name(const range& r, std::uintptr_t address);
std::string element_value(element_type type, const void* p);

}  // namespace tandem::checked
