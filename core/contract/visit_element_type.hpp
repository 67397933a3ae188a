// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/element_type.hpp>

#include <cstdint>

/// From the element_type in a problem back to types: each calls f(T{}) with the type that it names.
namespace tandem {

/// f32 and f64; anything else counts as f64.
template <class Function>
void visit_float(element_type type, const Function& f) {
  if (type == element_type::f32) {
    f(float{});
  } else {
    f(double{});
  }
}

/// Integers of 8 to 64 bits; anything else does nothing.
template <class Function>
void visit_integer(element_type type, const Function& f) {
  switch (type) {
    case element_type::i8:
      return f(std::int8_t{});
    case element_type::u8:
      return f(std::uint8_t{});
    case element_type::i16:
      return f(std::int16_t{});
    case element_type::u16:
      return f(std::uint16_t{});
    case element_type::i32:
      return f(std::int32_t{});
    case element_type::u32:
      return f(std::uint32_t{});
    case element_type::i64:
      return f(std::int64_t{});
    case element_type::u64:
      return f(std::uint64_t{});
    case element_type::f32:
    case element_type::f64:
    case element_type::f16:
    case element_type::bf16:
      return;
  }
}

/// Calls f with any of the element types.
template <class Function>
void visit_element_type(element_type type, const Function& f) {
  if (type == element_type::f32 || type == element_type::f64) return visit_float(type, f);
  visit_integer(type, f);
}

}  // namespace tandem
