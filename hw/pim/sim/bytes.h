// SPDX-License-Identifier: Apache-2.0
// Little-endian reading of foreign bytes: every access is checked, a failed one marks the reader and yields zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ringfort::pim {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  bool good() const { return good_; }
  std::size_t position() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  void seek(std::size_t at) { at_ = at; }
  void skip(std::size_t count) {
    if (claim(count)) at_ += count;
  }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }

  // At most ten bytes, as DWARF writes them; more is an error.
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const std::uint8_t byte = u8();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    good_ = false;
    return 0;
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const std::uint8_t byte = u8();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
    good_ = false;
    return 0;
  }

  // Up to the zero byte, which is consumed; without one, an error.
  std::string_view text() {
    const std::size_t first = at_;
    while (u8() != 0 && good_) {
    }
    if (!good_) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + first, at_ - first - 1};
  }

 private:
  bool claim(std::size_t count) {
    if (good_ && at_ <= bytes_.size() && count <= bytes_.size() - at_) return true;
    good_ = false;
    return false;
  }

  std::uint64_t number(unsigned count) {
    if (!claim(count)) return 0;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(bytes_[at_ + i]) << (8 * i);
    at_ += count;
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_;
  bool good_ = true;
};

}  // namespace ringfort::pim
