// SPDX-License-Identifier: Apache-2.0
// A small printf that reads its arguments from the memory of a DPU. It never uses a value of the DPU program as a host
// pointer. hw/pim/README.md explains the terms.
#include "print.h"
#include "words.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace ringfort::pim {
namespace {

constexpr std::size_t kLongestText = 65536;
constexpr std::size_t kWidestField = 256;

class Formatter {
 public:
  Formatter(std::span<const u8> wram, u32 format, u32 arguments)
      : wram_(wram),
        format_(format),
        arguments_(arguments) {}

  std::string formatted() {
    for (char letter = next(); letter != 0 && out_.size() < kLongestText; letter = next()) {
      if (letter == '%') {
        field();
      } else {
        out_ += letter;
      }
    }
    return std::move(out_);
  }

 private:
  char byte(u32 address) const { return address < wram_.size() ? static_cast<char>(wram_[address]) : '\0'; }
  char next() { return byte(format_++); }

  u64 argument(bool wide) {
    if (wide) arguments_ = (arguments_ + 7) & ~7u;
    u64 value = 0;
    for (int shift = 0; shift < (wide ? 64 : 32); shift += 8)
      value |= u64{static_cast<u8>(byte(arguments_++))} << shift;
    return value;
  }

  void field() {
    const u32 first = format_;
    left_ = zero_ = false;
    char letter = next();
    for (; letter == '-' || letter == '0' || letter == '+' || letter == ' ' || letter == '#'; letter = next()) {
      left_ = left_ || letter == '-';
      zero_ = zero_ || letter == '0';
    }
    width_ = number(letter);
    precision_ = kLongestText;
    if (letter == '.') {
      letter = next();
      precision_ = number(letter);
    }
    unsigned longs = 0;
    for (; letter == 'l' || letter == 'h' || letter == 'z'; letter = next()) longs += letter == 'l';
    convert(letter, longs >= 2, first);
  }

  std::size_t number(char& letter) {
    std::size_t value = 0;
    for (; letter >= '0' && letter <= '9'; letter = next())
      value = std::min<std::size_t>(value * 10 + static_cast<std::size_t>(letter - '0'), kWidestField);
    return value;
  }

  void convert(char letter, bool wide, u32 first) {
    switch (letter) {
      case '%': out_ += '%'; return;
      case 'c': return padded(std::string(1, static_cast<char>(argument(false))));
      case 's': return padded(string_at(static_cast<u32>(argument(false))));
      case 'd':
      case 'i': return padded(signed_text(argument(wide), wide));
      case 'u': return padded(std::to_string(argument(wide)));
      case 'o': return padded(octal(argument(wide)));
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G': return padded(floating(argument(true), letter));
      case 'x':
      case 'p': return padded(hexadecimal(argument(wide), "0123456789abcdef"));
      case 'X': return padded(hexadecimal(argument(wide), "0123456789ABCDEF"));
      default: break;
    }
    out_ += '%';
    format_ = first;
  }

  static std::string signed_text(u64 value, bool wide) {
    return std::to_string(wide ? static_cast<i64>(value) : i64{static_cast<i32>(value)});
  }

  static std::string hexadecimal(u64 value, const char* digits) {
    std::string text;
    do { text.insert(text.begin(), digits[value & 15]); } while ((value >>= 4) != 0);
    return text;
  }

  static std::string octal(u64 value) {
    std::string text;
    do { text.insert(text.begin(), static_cast<char>('0' + (value & 7))); } while ((value >>= 3) != 0);
    return text;
  }

  // Formats a double, given as its bits, with the host's library. The format field gives the precision.
  std::string floating(u64 bits, char letter) const {
    // At most 309 digits before the point, the point, and the digits of the precision.
    constexpr std::size_t kLongestNumber = 2 * kWidestField + 512;
    const char format[] = {'%', '.', '*', letter, 0};
    constexpr int kUsualPrecision = 6;
    char text[kLongestNumber];
    const int precision = precision_ > kWidestField ? kUsualPrecision : static_cast<int>(precision_);
    std::snprintf(text, sizeof text, format, precision, std::bit_cast<double>(bits));
    return text;
  }

  std::string string_at(u32 address) const {
    std::string text;
    for (char letter = byte(address); letter != 0 && text.size() < precision_; letter = byte(++address)) text += letter;
    return text;
  }

  void padded(const std::string& text) {
    const std::size_t missing = width_ > text.size() ? width_ - text.size() : 0;
    const bool sign_first = zero_ && !left_ && !text.empty() && text.front() == '-';
    if (sign_first) out_ += '-';
    if (!left_) out_.append(missing, zero_ ? '0' : ' ');
    out_ += sign_first ? text.substr(1) : text;
    if (left_) out_.append(missing, ' ');
  }

  std::span<const u8> wram_;
  u32 format_, arguments_;
  std::string out_;
  bool left_ = false, zero_ = false;
  std::size_t width_ = 0, precision_ = kLongestText;
};

}  // namespace

std::string formatted(std::span<const u8> wram, u32 format, u32 arguments) {
  return Formatter(wram, format, arguments).formatted();
}

}  // namespace ringfort::pim
