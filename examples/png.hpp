// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace example {

/// The bytes of a PNG file: numbers are big-endian.
inline void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

/// The checksum of a chunk: CRC-32 with the polynomial of IEEE 802.3, reflected.
inline std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

inline void append_chunk(std::string& file, const std::string& name, const std::string& content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  file += name + content;
  append_number(file, checksum(name + content));
}

/// Writes a picture, given as rows of (red, green, blue) from the top, without compression. Returns
/// whether that worked. Source: the PNG specification, third edition; RFC 1950 and RFC 1951, stored
/// blocks.
inline bool write_png(const char* path, int width, int height,
                      const std::vector<std::array<std::uint8_t, 3>>& pixels) {
  std::string data("\x78\x01");
  std::uint32_t a = 1, b = 0;  // Adler-32 of the stored bytes
  const std::size_t row_bytes = 1 + 3 * static_cast<std::size_t>(width);  // no filter, then pixels
  for (int y = 0; y < height; ++y) {
    std::string row(1, '\0');
    for (int x = 0; x < width; ++x)
      for (const std::uint8_t part : pixels[static_cast<std::size_t>(y * width + x)])
        row += static_cast<char>(part);
    data += static_cast<char>(y + 1 == height ? 1 : 0);  // a block per row, the last one marked
    for (const std::size_t length : {row_bytes, ~row_bytes})
      for (int shift = 0; shift <= 8; shift += 8) data += static_cast<char>(length >> shift & 0xff);
    for (const char c : row) {
      a = (a + static_cast<std::uint8_t>(c)) % 65521;
      b = (b + a) % 65521;
    }
    data += row;
  }
  append_number(data, b << 16 | a);

  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits each of red, green and blue
  std::string file("\x89PNG\r\n\x1a\n");
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", data);
  append_chunk(file, "IEND", "");
  std::FILE* const out = std::fopen(path, "wb");
  if (out == nullptr) return false;
  const bool written = std::fwrite(file.data(), 1, file.size(), out) == file.size();
  return std::fclose(out) == 0 && written;
}

}  // namespace example
