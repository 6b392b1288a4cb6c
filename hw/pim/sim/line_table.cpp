// SPDX-License-Identifier: Apache-2.0
// The line-number program of DWARF 4, section 6.2: a byte-coded machine whose output rows say from which address on a
// line holds. Bounded by the section's length: every step consumes a byte. Not read: columns, views, other versions.
#include "line_table.h"

#include <array>
#include <string_view>

#include "bytes.h"

namespace ringfort::pim {

namespace {
enum Standard : std::uint8_t {
  kExtended = 0, kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4, kSetColumn = 5, kConstAddPc = 8, kFixedAdvancePc = 9
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };
}  // namespace

// One unit: its header, then its program. False when the reading has to end.
class LineProgram {
 public:
  LineProgram(ByteReader& in, LineTable& table) : in_(in), table_(table) {}

  bool run() {
    const std::uint32_t length = in_.u32();
    const std::size_t end = in_.position() + length;
    if (!in_.good() || length < 8 || in_.u16() != 4 || !read_header()) return false;
    while (in_.good() && in_.position() < end) step(in_.u8());
    return in_.good();
  }

 private:
  bool read_header() {
    const std::uint32_t header_length = in_.u32();
    const std::size_t program = in_.position() + header_length;
    minimum_length_ = in_.u8();
    in_.skip(2);  // operations an instruction, default_is_stmt
    line_base_ = static_cast<std::int8_t>(in_.u8());
    line_range_ = in_.u8();
    opcode_base_ = in_.u8();
    if (!in_.good() || line_range_ == 0 || opcode_base_ == 0) return false;
    for (unsigned i = 1; i < opcode_base_; ++i) operands_[i] = in_.u8();
    while (in_.good() && !in_.text().empty()) {
    }
    read_files();
    in_.seek(program);
    return in_.good();
  }

  void read_files() {
    first_file_ = static_cast<std::uint32_t>(table_.files_.size());
    for (std::string_view name = in_.text(); in_.good() && !name.empty(); name = in_.text()) {
      table_.files_.emplace_back(name.substr(name.find_last_of('/') + 1));
      for (int field = 0; field < 3; ++field) in_.uleb();  // directory, time, length
    }
  }

  void emit() {
    if (file_ == 0 || first_file_ + file_ > table_.files_.size()) return;
    table_.rows_[address_] = {first_file_ + file_ - 1, line_};
  }

  void advance(std::uint64_t operations) { address_ += static_cast<std::uint32_t>(operations * minimum_length_); }

  void special(std::uint8_t opcode) {
    const unsigned adjusted = opcode - opcode_base_;
    advance(adjusted / line_range_);
    line_ += static_cast<std::uint32_t>(line_base_ + static_cast<int>(adjusted % line_range_));
    emit();
  }

  void extended() {
    const std::uint64_t length = in_.uleb();
    const std::size_t next = in_.position() + static_cast<std::size_t>(length);
    const std::uint8_t code = length == 0 ? std::uint8_t{0} : in_.u8();
    if (code == kSetAddress) address_ = in_.u32();
    if (code == kEndSequence) {
      line_ = 0;
      emit();
      address_ = 0;
      file_ = line_ = 1;
    }
    if (next < in_.position() && length != 0) in_.skip(~std::size_t{0});  // a length that lies: stop
    in_.seek(next);
  }

  void step(std::uint8_t opcode) {
    if (opcode >= opcode_base_) return special(opcode);
    switch (opcode) {
      case kExtended: return extended();
      case kCopy: return emit();
      case kAdvancePc: return advance(in_.uleb());
      case kAdvanceLine: line_ += static_cast<std::uint32_t>(in_.sleb()); return;
      case kSetFile: file_ = static_cast<std::uint32_t>(in_.uleb()); return;
      case kConstAddPc: return advance((255u - opcode_base_) / line_range_);
      case kFixedAdvancePc: address_ += in_.u16(); return;
      default:
        for (unsigned i = 0; i < operands_[opcode]; ++i) in_.uleb();
    }
  }

  ByteReader& in_;
  LineTable& table_;
  std::uint32_t first_file_ = 0;
  std::uint32_t address_ = 0;
  std::uint32_t file_ = 1;
  std::uint32_t line_ = 1;
  std::uint8_t minimum_length_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::uint8_t opcode_base_ = 1;
  std::array<std::uint8_t, 256> operands_{};
};

LineTable::LineTable(std::span<const std::uint8_t> debug_line) {
  ByteReader in(debug_line);
  while (!in.at_end() && LineProgram(in, *this).run()) {
  }
}

std::string LineTable::at(std::uint32_t address) const {
  auto row = rows_.upper_bound(address);
  if (row == rows_.begin()) return "";
  --row;
  if (row->second.line == 0) return "";
  return files_[row->second.file] + ":" + std::to_string(row->second.line);
}

}  // namespace ringfort::pim
