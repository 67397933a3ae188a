// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/files/npy.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem::detail {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;  // of a type with 10,000 fields

/// What a header says.
struct description {
  std::string type;
  bool by_columns = false;
  std::vector<index_t> sizes;
};

/// Reads the dictionary of a header, a literal of Python with the keys 'descr', 'fortran_order' and
/// 'shape' in any order.
class header_reader {
 public:
  header_reader(const file& from, std::string_view text) : from_(from), text_(text) {}

  description read() {
    description result;
    int found = 0;
    expect('{');
    while (!accepts('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && text_.starts_with('[')) from_.fail({"its elements are structs"});
      if (key == "descr") result.type = quoted();
      if (key == "fortran_order") result.by_columns = truth();
      if (key == "shape") result.sizes = shape();
      found |= key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 8;
      if (!accepts(',')) {
        expect('}');
        break;
      }
    }
    if (found != 7) fail_damaged();
    return result;
  }

 private:
  [[noreturn]] void fail_damaged() const { from_.fail({"its NumPy header is damaged"}); }

  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
  }
  bool accepts(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    skip_blanks();
    return true;
  }
  bool accepts(char token) { return accepts(std::string_view(&token, 1)); }
  void expect(char token) {
    if (!accepts(token)) fail_damaged();
  }

  std::string_view quoted() {
    const char quote = text_.starts_with('"') ? '"' : '\'';
    const std::size_t end = text_.find(quote, 1);
    if (!text_.starts_with(quote) || end == std::string_view::npos) fail_damaged();
    const std::string_view result = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    skip_blanks();
    return result;
  }

  bool truth() {
    if (accepts("True"sv)) return true;
    if (!accepts("False"sv)) fail_damaged();
    return false;
  }

  std::vector<index_t> shape() {
    std::vector<index_t> result;
    expect('(');
    while (!accepts(')')) {
      index_t size = 0;
      const auto [end, error] = std::from_chars(text_.begin(), text_.end(), size);
      if (error != std::errc() || size < 0) fail_damaged();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.begin()));
      (void)accepts('L');  // long integers of Python 2
      result.push_back(size);
      skip_blanks();
      if (!accepts(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  const file& from_;
  std::string_view text_;
};

/// Reads the header, if the file begins with one, and moves `position` behind it.
bool read_header(const file& from, std::size_t size, description& result, std::size_t& position) {
  unsigned char start[12] = {};  // magic, version, and two or four bytes of the length
  const std::size_t known = std::min(size, sizeof start);
  from.read(start, known, 0);
  if (!std::equal(magic.begin(), magic.end(), start,
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
    return false;
  const int major = start[6];
  if (known > 8 && (major < 1 || major > 3 || start[7] != 0))
    from.fail(
        {"is of NumPy's format ", major, ".", int{start[7]}, ", which is none of 1.0 to 3.0"});
  position = major == 1 ? 10 : 12;
  std::size_t length = start[8] + std::size_t{start[9]} * 256;
  if (major > 1) length += (start[10] + std::size_t{start[11]} * 256) << 16;
  if (size < position + length)
    from.fail({"has ", size, " bytes, and its header ends at byte ", position + length});
  if (length > longest_header)
    from.fail({"has a header of ", length, " bytes, more than ", longest_header});
  std::string text(length, ' ');
  from.read(text.data(), length, position);
  position += length;
  result = header_reader(from, text).read();
  return true;
}

/// Whether two names of types are the same but for the order of bytes, which one byte has not.
bool is_same_type(std::string_view a, std::string_view b) {
  return a.size() == b.size() && a.substr(1) == b.substr(1) &&
         (a[0] != '>' || a.ends_with("1") || a.ends_with("V2"));
}

/// Bytes of elements; the largest number if they overflow.
std::size_t bytes_of(const file_element& format, int rank, const index_t* sizes) {
  std::size_t total = format.bytes;
  if (std::any_of(sizes, sizes + rank, [](index_t size) { return size == 0; })) return 0;
  for (int d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(total, sizes[d], &total)) return SIZE_MAX;
  }
  return total;
}

void check_description(const file& from, const description& found, const file_element& format,
                       int rank, index_t* sizes, bool are_given) {
  const char* const wanted = format.type;
  if (wanted == nullptr || !is_same_type(found.type, wanted)) {
    if (wanted != nullptr && found.type.starts_with('>') && found.type.substr(1) == wanted + 1)
      from.fail({"has big-endian elements ('", found.type, "'), and those of the processor are '",
                 wanted, "'"});
    from.fail({"has elements of type '", found.type, "', and the program's are ",
               wanted == nullptr ? "of a type that NumPy has not" : message({"'", wanted, "'"})});
  }
  if (std::ssize(found.sizes) != rank)
    from.fail({"has ", std::ssize(found.sizes), " dimensions, and the program ", rank});
  for (int d = 0; d < rank; ++d) {
    const index_t size = found.sizes[static_cast<std::size_t>(d)];
    if (are_given && size != sizes[d])
      from.fail({"its extent ", d, " is ", size, ", and the program's ", sizes[d]});
    sizes[d] = size;
  }
  const auto lines = std::count_if(sizes, sizes + rank, [](index_t size) { return size > 1; });
  if (found.by_columns && lines > 1 && bytes_of(format, rank, sizes) > 0)
    from.fail(
        {"its elements are in column-major order (fortran_order), and the program's in "
         "row-major order"});
}

}  // namespace

std::size_t find_elements(const file& from, const file_element& format, int rank, index_t* sizes,
                          bool are_given) {
  const std::size_t size = from.size();
  description found;
  std::size_t begin = 0;
  if (read_header(from, size, found, begin)) {
    check_description(from, found, format, rank, sizes, are_given);
    const std::size_t bytes = bytes_of(format, rank, sizes);
    if (size - begin < bytes)
      from.fail({"has ", size - begin, " bytes of elements, and its header promises ", bytes});
    if (begin % format.alignment != 0)
      from.fail({"its elements begin at byte ", begin, ", no multiple of ", format.alignment});
    return begin;
  }
  if (!are_given) {
    if (size == 0) from.fail({"is empty"});
    if (rank != 1)
      from.fail({"is no NumPy file, and has no extents: the program gives ", rank, " of them"});
    if (size % format.bytes != 0)
      from.fail({"has ", size, " bytes, no multiple of the ", format.bytes, " of an element"});
    sizes[0] = static_cast<index_t>(size / format.bytes);
    return 0;
  }
  if (const std::size_t bytes = bytes_of(format, rank, sizes); size != bytes)
    from.fail({"has ", size, " bytes, and the program's elements ", bytes});
  return 0;
}

std::string header_of(const file& to, const file_element& format, int rank, const index_t* sizes) {
  if (!to.path().ends_with(".npy")) return {};
  if (format.type == nullptr) to.fail({"NumPy has no type for such elements"});
  std::string text = message({"{'descr': '", format.type, "', 'fortran_order': False, 'shape': ("});
  for (int d = 0; d < rank; ++d)
    text += message({sizes[d], rank == 1 || d + 1 < rank ? "," : "", d + 1 < rank ? " " : ""});
  text += "), }";
  constexpr std::size_t before = 10;  // magic, version 1.0, length
  constexpr std::size_t alignment = 64;
  const std::size_t length = (before + text.size()) / alignment * alignment + alignment - before;
  text.resize(length - 1, ' ');
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(length % 256), static_cast<char>(length / 256)};
  return header + text + '\n';
}

}  // namespace tandem::detail
