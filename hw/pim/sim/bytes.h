// SPDX-License-Identifier: Apache-2.0
// Reads little-endian numbers from untrusted bytes. Every access is checked. After a failed access, good()
// returns false, and the number that was read has no meaning.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "words.h"

namespace ringfort::pim {

class ByteReader {
 public:
  explicit ByteReader(std::span<const u8> bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  bool good() const { return good_; }
  std::size_t position() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  void seek(std::size_t at) { at_ = at; }
  void skip(std::size_t count) {
    if (require(count)) at_ += count;
  }

  u8 take_u8() { return static_cast<u8>(number(1)); }
  u16 take_u16() { return static_cast<u16>(number(2)); }
  u32 take_u32() { return static_cast<u32>(number(4)); }

  // Reads a DWARF ULEB128 number (seven bits in each byte) of at most ten bytes. A longer number is an error.
  u64 uleb() {
    u64 value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const u8 byte = take_u8();
      if (shift < 64) value |= static_cast<u64>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    good_ = false;
    return 0;
  }

  i64 sleb() {
    u64 value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const u8 byte = take_u8();
      value |= static_cast<u64>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0) value |= ~u64{0} << (shift + 7);
      return static_cast<i64>(value);
    }
    good_ = false;
    return 0;
  }

  // Reads a text and the zero byte that ends it. A text without a zero byte is an error.
  std::string_view text() {
    const std::size_t first = at_;
    while (take_u8() != 0 && good_) {}
    if (!good_) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + first, at_ - first - 1};
  }

 private:
  bool require(std::size_t count) {
    if (good_ && at_ <= bytes_.size() && count <= bytes_.size() - at_) return true;
    good_ = false;
    return false;
  }

  u64 number(unsigned count) {
    if (!require(count)) return 0;
    u64 value = 0;
    for (unsigned i = 0; i < count; ++i) value |= static_cast<u64>(bytes_[at_ + i]) << (8 * i);
    at_ += count;
    return value;
  }

  std::span<const u8> bytes_;
  std::size_t at_;
  bool good_ = true;
};

}  // namespace ringfort::pim
