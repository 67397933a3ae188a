// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/contract/element_type.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include <tandem/core/contract/matmul_types.hpp>
#include <tandem/core/contract/visit_element_type.hpp>
#include <tandem/core/half.hpp>

using tandem::bf16;
using tandem::element_type;
using tandem::half;
using tandem::hook;
using tandem::detail::element_type_of;
using tandem::detail::is_16bit_float;
using tandem::detail::is_int8;
using tandem::detail::matmul_products;
using tandem::detail::named_element;

namespace {

/// A type of one byte that is not an integer, as floats of 8 bits are.
struct one_byte {
  std::uint8_t bits;
};

}  // namespace

TEST_CASE("element types: a type of one byte is not taken for an 8-bit integer") {
  CHECK(!named_element<one_byte>);
  CHECK(!named_element<bool>);
  CHECK(!is_int8<one_byte>);
  CHECK(!is_int8<std::uint8_t>);
  CHECK(!is_16bit_float<std::int16_t>);
  CHECK(!matmul_products::has<one_byte, std::int32_t>);
  CHECK(is_int8<std::int8_t>);
  CHECK(is_16bit_float<half>);
  CHECK(is_16bit_float<bf16>);
}

TEST_CASE("element types: integers of the same size and sign have the same name") {
  CHECK(element_type_of<long> == element_type_of<long long>);
  CHECK(element_type_of<signed char> == element_type::i8);
  CHECK(element_type_of<char> == (std::is_signed_v<char> ? element_type::i8 : element_type::u8));
  CHECK(element_type_of<std::uint16_t> == element_type::u16);
  CHECK(element_type_of<half> == element_type::f16);
}

TEST_CASE("element types: a name leads back to its type") {
  tandem::visit_element_type(element_type_of<float>,
                             [](auto x) { CHECK(std::is_same_v<decltype(x), float>); });
  tandem::visit_element_type(element_type_of<std::uint32_t>,
                             [](auto x) { CHECK(std::is_same_v<decltype(x), std::uint32_t>); });
  tandem::visit_integer(element_type::bf16, [](auto) { FAIL("bf16 is not an integer"); });
}

TEST_CASE("element types: operands determine the hook of a product") {
  CHECK(matmul_products::hook_for<float>() == hook::matmul);
  CHECK(matmul_products::hook_for<double>() == hook::matmul);
  CHECK(matmul_products::hook_for<half>() == hook::matmul_16bit);
  CHECK(matmul_products::hook_for<bf16>() == hook::matmul_16bit);
  CHECK(matmul_products::hook_for<std::int8_t>() == hook::matmul_int8);
  CHECK(matmul_products::has<bf16, float>);
  CHECK(!matmul_products::has<half, bf16>);
  CHECK(!matmul_products::has<std::int32_t, std::int32_t>);
}
