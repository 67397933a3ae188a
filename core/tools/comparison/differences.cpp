// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/comparison/run_records.hpp>

#include <tandem/core/numbers/half.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tandem::detail {

namespace {

/// Writes the value of an unwritten number: for floating point, ordinary numbers that are far apart
/// in the two runs; for integers small ones, because programs use them as indices.
void write_unwritten(run which, const element_field& field, unsigned char* at) {
  const bool is_first = which == run::a;
  switch (field.kind) {
    case number_kind::bits:
    case number_kind::boolean:
      std::memset(at, 0, field.bytes);
      return;
    case number_kind::integer:
    case number_kind::natural:
      std::memset(at, 0, field.bytes);
      static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
      at[0] = is_first ? 29 : 46;
      return;
    default:
      std::memset(at, is_first ? 0x51 : 0xa9, field.bytes);
  }
}

bool is_unwritten(run which, const element_field& field, const unsigned char* at) {
  if (field.kind == number_kind::bits || field.kind == number_kind::boolean) return false;
  unsigned char expected[sizeof(double)] = {};
  write_unwritten(which, field, expected);
  return std::memcmp(at, expected, field.bytes) == 0;
}

template <class T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_floating(const element_field& field) {
  return field.kind == number_kind::real || field.kind == number_kind::half ||
         field.kind == number_kind::bf16;
}

double as_double(const element_field& field, const unsigned char* at) {
  if (field.kind == number_kind::half) return static_cast<double>(float(read<half>(at)));
  if (field.kind == number_kind::bf16) return static_cast<double>(float(read<bf16>(at)));
  return field.bytes == sizeof(float) ? static_cast<double>(read<float>(at)) : read<double>(at);
}

std::uint64_t bits_of(const element_field& field, const unsigned char* at) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, field.bytes);
  return bits;
}

/// Returns the number of a floating-point value in ascending order of all values; -0 and +0 count
/// as one.
std::int64_t rank_of(const element_field& field, const unsigned char* at) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * field.bytes - 1);
  const std::uint64_t bits = bits_of(field, at);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t distance(const element_field& field, const unsigned char* a, const unsigned char* b) {
  const double x = as_double(field, a);
  const double y = as_double(field, b);
  if (x != x || y != y) return std::numeric_limits<std::uint64_t>::max();
  const auto from = static_cast<std::uint64_t>(rank_of(field, a));
  const auto to = static_cast<std::uint64_t>(rank_of(field, b));
  return rank_of(field, a) < rank_of(field, b) ? to - from : from - to;
}

bool agree(const element_field& field, const unsigned char* a, const unsigned char* b) {
  if (std::memcmp(a, b, field.bytes) == 0) return true;
  if (is_floating(field)) {
    const double x = as_double(field, a);
    const double y = as_double(field, b);
    if (x != x && y != y) return true;
  }
  return is_unwritten(run::a, field, a) && is_unwritten(run::b, field, b);
}

std::string text_of(run which, const element_field& field, const unsigned char* at) {
  char text[64] = "";
  if (is_unwritten(which, field, at)) return "unwritten";
  if (is_floating(field)) {
    const int digits = field.bytes == sizeof(double) ? 17 : field.bytes == sizeof(float) ? 9 : 5;
    std::snprintf(text, sizeof text, "%.*g", digits, as_double(field, at));
  } else if (field.kind == number_kind::bits) {
    int length = std::snprintf(text, sizeof text, "0x");
    for (std::size_t i = 0; i < std::min<std::size_t>(field.bytes, 16); ++i) {
      const auto room = sizeof text - static_cast<std::size_t>(length);
      length += std::snprintf(text + length, room, "%02x", at[i]);
    }
  } else {
    std::uint64_t bits = bits_of(field, at);
    const std::size_t width = 8 * field.bytes;
    const bool is_negative = field.kind == number_kind::integer && (bits >> (width - 1) & 1) != 0;
    if (is_negative && width < 64) bits |= ~std::uint64_t{0} << width;
    return is_negative ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
  }
  return text;
}

std::string element_text(run which, const element_format& format, const unsigned char* at) {
  std::string text;
  for (int i = 0; i < format.count; ++i)
    text += (i == 0 ? "" : ", ") + text_of(which, format.field[i], at + format.field[i].offset);
  return format.count == 1 ? text : "{" + text + "}";
}

}  // namespace

element_bytes unwritten(run which, index_t count, const element_format& format) {
  element_bytes bytes(static_cast<std::size_t>(count) * format.bytes);
  for (std::size_t at = 0; at < bytes.size(); at += format.bytes) {
    for (int i = 0; i < format.count; ++i)
      write_unwritten(which, format.field[i], &bytes[at + format.field[i].offset]);
  }
  return bytes;
}

difference find_difference(const element_bytes& a, const element_bytes& b,
                           const element_format& format) {
  difference found;
  if (a == b) return found;
  for (std::size_t at = 0; at < a.size(); at += format.bytes) {
    bool differs = false;
    for (int i = 0; i < format.count; ++i) {
      const element_field& field = format.field[i];
      const unsigned char* const x = &a[at + field.offset];
      const unsigned char* const y = &b[at + field.offset];
      if (agree(field, x, y)) continue;
      differs = true;
      if (is_floating(field)) found.ulp = std::max(found.ulp, distance(field, x, y));
    }
    if (!differs) continue;
    if (found.differing++ > 0) continue;
    found.first = static_cast<index_t>(at / format.bytes);
    found.value_a = element_text(run::a, format, &a[at]);
    found.value_b = element_text(run::b, format, &b[at]);
  }
  return found;
}

}  // namespace tandem::detail
