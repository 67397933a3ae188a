// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/comparison/run_records.hpp>

#include <istream>
#include <ostream>
#include <type_traits>

namespace tandem::detail {

namespace {

template <class T>
void put(std::ostream& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(std::istream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

template <class Container>
void put_bytes(std::ostream& out, const Container& bytes) {
  put(out, bytes.size());
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}
/// Reads bytes that put_bytes wrote, in pieces, so that a broken file does not allocate an absurd
/// amount.
template <class Container>
Container get_bytes(std::istream& in) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  Container bytes;
  for (auto left = get<std::size_t>(in); left > 0 && in;) {
    const std::size_t count = left < piece ? left : piece;
    const std::size_t before = bytes.size();
    bytes.resize(before + count);
    in.read(reinterpret_cast<char*>(bytes.data() + before), static_cast<std::streamsize>(count));
    left -= count;
  }
  return bytes;
}

}  // namespace

std::string output_name(int number) {
  if (number >= 0) return "array " + std::to_string(number);
  if (number > first_host_output)
    return number == first_result ? "result" : "result " + std::to_string(first_result - number);
  return "host memory " + std::to_string(first_host_output - number);
}

void put_record(std::ostream& out, const record& what) {
  put_bytes(out, what.label);
  put(out, what.milliseconds);
  put(out, what.written.size());
  for (const auto& [number, one] : what.written) {
    put(out, number);
    put(out, one.format);
    put_bytes(out, one.bytes);
  }
}

std::optional<record> get_record(std::istream& in) {
  if (in.peek() == std::istream::traits_type::eof()) return {};
  record what;
  what.label = get_bytes<std::string>(in);
  what.milliseconds = get<double>(in);
  for (auto count = get<std::size_t>(in); count > 0 && in; --count) {
    const int number = get<int>(in);
    const auto format = get<element_format>(in);
    what.written[number] = {format, get_bytes<element_bytes>(in)};
  }
  if (!in) return {};
  return what;
}

}  // namespace tandem::detail
