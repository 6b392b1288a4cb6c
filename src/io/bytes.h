// SPDX-License-Identifier: Apache-2.0
// A reader of untrusted bytes, and a writer of bytes. Integers are little endian. They are composed by shifts, without
// casts of pointers. After a read past the end, integers are read as zero, other reads get no bytes, and ok() stays
// false. Therefore the caller checks ok() only once, at the end. The source file of each format defines the meaning of
// its fields.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text.h"
#include "math/types.h"

namespace ringfort::io {

[[nodiscard]] inline u64 load_u64(const u8* p) noexcept {
  u64 value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<u64>(p[i]) << (8 * i);
  return value;
}

inline void store_u64(u8* p, u64 value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(p, &value, sizeof value);
    return;
  }
  for (unsigned i = 0; i < 8; ++i) p[i] = static_cast<u8>(value >> (8 * i));
}

// Returns the bytes as hexadecimal digits, for ids in messages and in the result of inspect().
[[nodiscard]] inline std::string hex(std::span<const u8> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const u8 byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const u8> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] u8 take_u8() noexcept { return static_cast<u8>(take_word(1)); }
  [[nodiscard]] u16 take_u16() noexcept { return static_cast<u16>(take_word(2)); }
  [[nodiscard]] u32 take_u32() noexcept { return static_cast<u32>(take_word(4)); }
  [[nodiscard]] u64 take_u64() noexcept { return take_word(8); }
  // Returns the next `count` bytes without a copy. Returns no bytes if fewer are left.
  [[nodiscard]] std::span<const u8> view(std::size_t count) noexcept {
    if (!advance(count)) return {};
    return bytes_.subspan(position_ - count, count);
  }
  void take_bytes(std::span<u8> out) noexcept {
    const auto from = view(out.size());
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = from[i];
  }
  // Reads text from a field of fixed size. Zeros must fill the field after the text; any other byte there makes ok()
  // false.
  [[nodiscard]] std::string take_text(std::size_t field_bytes) {
    const auto field = view(field_bytes);
    std::size_t used = 0;
    while (used < field.size() && field[used] != 0) ++used;
    for (std::size_t i = used; i < field.size(); ++i) ok_ = ok_ && field[i] == 0;
    return {field.begin(), field.begin() + static_cast<std::ptrdiff_t>(used)};
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool at_end() const noexcept { return ok_ && position_ == bytes_.size(); }
  [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - position_; }

 private:
  bool advance(std::size_t count) noexcept {
    if (!ok_ || count > bytes_.size() - position_) {
      ok_ = false;
      return false;
    }
    position_ += count;
    return true;
  }
  u64 take_word(unsigned count) noexcept {
    if (!advance(count)) return 0;
    u64 value = 0;
    for (unsigned i = 0; i < count; ++i) value |= static_cast<u64>(bytes_[position_ - count + i]) << (8 * i);
    return value;
  }

  std::span<const u8> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<u8>& out) noexcept : out_(out) {}

  void put_u8(u8 value) { put_word(value, 1); }
  void put_u16(u16 value) { put_word(value, 2); }
  void put_u32(u32 value) { put_word(value, 4); }
  void put_u64(u64 value) { put_word(value, 8); }
  void put_bytes(std::span<const u8> bytes) {
    const std::size_t at = out_.size();
    out_.resize(at + bytes.size());
    if (!bytes.empty()) std::memcpy(out_.data() + at, bytes.data(), bytes.size());
  }
  void put_zeros(std::size_t count) { out_.insert(out_.end(), count, u8{0}); }
  // Writes the text, and then zeros up to the size of the field. Cuts a longer text between two characters.
  void put_text(std::string_view text, std::size_t field_bytes) {
    text = whole_characters(text, field_bytes);
    out_.insert(out_.end(), text.begin(), text.end());
    put_zeros(field_bytes - text.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

 private:
  void put_word(u64 value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) out_.push_back(static_cast<u8>(value >> (8 * i)));
  }
  std::vector<u8>& out_;
};

}  // namespace ringfort::io
