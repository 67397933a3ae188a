// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/tools/checked/shadow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::checked {

/// Memory that the runtime knows by name: an array with the room around it, or a team's scratch.
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

/// What memory holds before it is written.
inline constexpr unsigned char unwritten_byte = 0xfb;

/// The range whose memory, with the room around it, holds `address`; nullptr where there is none.
range* find_range(std::uintptr_t address);
/// The first range that ends after `address`, in ascending order; nullptr at the end.
range* next_range(std::uintptr_t address);
range& add_range(const range& r);
void remove_range(std::uintptr_t outer_begin);

/// The element at `address` as in "A(3, 7)", and its value.
std::string element_name(const range& r, std::uintptr_t address);
std::string element_value(element_type type, const void* p);

}  // namespace tandem::checked
