// SPDX-License-Identifier: Apache-2.0
// Interprets the line-number program of DWARF 4, section 6.2. A line-number program is byte code that outputs rows.
// Each row gives the first address of a source line. Reading terminates, because every step consumes a byte of the
// section. This file ignores columns, and does not read other versions of DWARF.
#include "line_table.h"

#include <array>
#include <string_view>

#include "bytes.h"
#include "words.h"

namespace ringfort::pim {

namespace {
enum Standard : u8 {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kConstAddPc = 8,
  kFixedAdvancePc = 9
};
enum Extended : u8 { kEndSequence = 1, kSetAddress = 2 };
}  // namespace

// Reads the units of the section. A unit is a header and a line-number program. read_unit() returns false at the end of
// the section or at an error.
class LineProgram {
 public:
  LineProgram(ByteReader& in, LineTable& table) : in_(in), table_(table) {}

  bool read_unit() {
    const u32 length = in_.take_u32();
    const std::size_t end = in_.position() + length;
    if (!in_.good() || length < 8 || in_.take_u16() != 4 || !read_header()) return false;
    while (in_.good() && in_.position() < end) step(in_.take_u8());
    return in_.good();
  }

 private:
  bool read_header() {
    const u32 header_length = in_.take_u32();
    const std::size_t program = in_.position() + header_length;
    minimum_length_ = in_.take_u8();
    in_.skip(2);  // skips the fields maximum_operations_per_instruction and default_is_stmt
    line_base_ = static_cast<i8>(in_.take_u8());
    line_range_ = in_.take_u8();
    opcode_base_ = in_.take_u8();
    if (!in_.good() || line_range_ == 0 || opcode_base_ == 0) return false;
    for (unsigned i = 1; i < opcode_base_; ++i) operands_[i] = in_.take_u8();
    while (in_.good() && !in_.text().empty()) {}
    read_files();
    in_.seek(program);
    return in_.good();
  }

  void read_files() {
    first_file_ = static_cast<u32>(table_.files_.size());
    for (std::string_view name = in_.text(); in_.good() && !name.empty(); name = in_.text()) {
      table_.files_.emplace_back(name.substr(name.find_last_of('/') + 1));
      for (int field = 0; field < 3; ++field) in_.uleb();  // skips directory, time and length
    }
  }

  void emit() {
    if (file_ == 0 || file_ > table_.files_.size() - first_file_) return;
    table_.rows_[address_] = {first_file_ + file_ - 1, line_};
  }

  void advance(u64 operations) { address_ += static_cast<u32>(operations * minimum_length_); }

  void special(u8 opcode) {
    const unsigned adjusted = opcode - opcode_base_;
    advance(adjusted / line_range_);
    line_ += static_cast<u32>(line_base_ + static_cast<int>(adjusted % line_range_));
    emit();
  }

  void extended() {
    const u64 length = in_.uleb();
    const std::size_t next = in_.position() + static_cast<std::size_t>(length);
    const u8 code = length == 0 ? u8{0} : in_.take_u8();
    if (code == kSetAddress) address_ = in_.take_u32();
    if (code == kEndSequence) {
      line_ = 0;
      emit();
      address_ = 0;
      file_ = line_ = 1;
    }
    if (next < in_.position() && length != 0) in_.skip(~std::size_t{0});  // a wrong length ends reading
    in_.seek(next);
  }

  void step(u8 opcode) {
    if (opcode >= opcode_base_) return special(opcode);
    switch (opcode) {
      case kExtended: return extended();
      case kCopy: return emit();
      case kAdvancePc: return advance(in_.uleb());
      case kAdvanceLine: line_ += static_cast<u32>(in_.sleb()); return;
      case kSetFile: file_ = static_cast<u32>(in_.uleb()); return;
      case kConstAddPc: return advance((255u - opcode_base_) / line_range_);
      case kFixedAdvancePc: address_ += in_.take_u16(); return;
      default:
        for (unsigned i = 0; i < operands_[opcode]; ++i) in_.uleb();
    }
  }

  ByteReader& in_;
  LineTable& table_;
  u32 first_file_ = 0;
  u32 address_ = 0;
  u32 file_ = 1;
  u32 line_ = 1;
  u8 minimum_length_ = 1;
  i8 line_base_ = 0;
  u8 line_range_ = 1;
  u8 opcode_base_ = 1;
  std::array<u8, 256> operands_{};
};

LineTable::LineTable(std::span<const u8> debug_line) {
  ByteReader in(debug_line);
  while (!in.at_end() && LineProgram(in, *this).read_unit()) {}
}

std::string LineTable::at(u32 address) const {
  auto row = rows_.upper_bound(address);
  if (row == rows_.begin()) return "";
  --row;
  if (row->second.line == 0) return "";
  return files_[row->second.file] + ":" + std::to_string(row->second.line);
}

}  // namespace ringfort::pim
