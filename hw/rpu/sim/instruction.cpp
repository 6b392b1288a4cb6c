// SPDX-License-Identifier: Apache-2.0
// Decoder and text form of B512 instructions. The generated tables describe the instructions.
#include "sim/instruction.h"

#include <array>

namespace ringfort::rpu {
namespace {

constexpr std::size_t kNoOp = kInstructions.size();

constexpr std::array<u8, 32> op_by_code() {
  std::array<u8, 32> ops{};
  ops.fill(kNoOp);
  for (std::size_t i = 0; i < kInstructions.size(); ++i)
    ops[kInstructions[i].opcode + (kInstructions[i].bfly ? 16U : 0U)] = static_cast<u8>(i);
  return ops;
}
constexpr std::array<u8, 32> kOpByCode = op_by_code();

bool share_memory(u64 registers) noexcept { return std::popcount(registers) > std::popcount(memories_of(registers)); }

bool same_destinations(const Instruction& in) noexcept { return in.info().vd1 == Role::write && in.vd == in.vd1; }

Trap illegal_case(const Instruction& in) noexcept {
  if (in.has_mode()) {
    if (in.vs > static_cast<u8>(Mode::repeat)) return Trap::mode_value;
    if (in.vt > (in.mode() == Mode::linear ? 0 : kMaximumModeValue)) return Trap::mode_value;
    if (in.op == Op::vstore && in.mode() == Mode::repeat) return Trap::store_collision;
  }
  const VectorUse use = vector_use(in);
  const bool clash = same_destinations(in) || share_memory(use.reads) || share_memory(use.writes);
  return clash ? Trap::register_memory : Trap::none;
}

std::string reg(char prefix, unsigned number) { return prefix + std::to_string(number); }

std::string memory_operand(const Instruction& in) {
  std::string text = std::to_string(16ULL * in.address) + "(" + reg('a', in.rm) + ")";
  constexpr std::array<const char*, 4> kNames{"linear", "stride", "skip", "repeat"};
  if (in.has_mode() && in.mode() != Mode::linear)
    text += std::string(", ") + kNames[in.vs] + " " + std::to_string(1ULL << in.vt);
  return text;
}

}  // namespace

Decoded decode(u64 word) noexcept {
  const u8 index = kOpByCode[kOpcodeField.of(word) + 16 * kBflyField.of(word)];
  if (index == kNoOp) return {{}, Trap::opcode};
  if ((word & ~kInstructions[index].used_mask) != 0) return {{}, Trap::reserved_bits};
  Instruction in;
  in.op = static_cast<Op>(index);
  in.vd = static_cast<u8>(kVdField.of(word));
  in.vs = static_cast<u8>(kVsField.of(word));
  in.vt = static_cast<u8>(kVtField.of(word));
  in.vt1 = static_cast<u8>(kVt1Field.of(word));
  in.vd1 = static_cast<u8>(kVd1Field.of(word));
  in.rm = static_cast<u8>(kRmField.of(word));
  in.address = kAddressField.of(word);
  in.end = kEndField.of(word) != 0;
  return {in, illegal_case(in)};
}

u64 encode(const Instruction& in) noexcept {
  const auto at = [](const Field& field, u64 value) { return value << field.lsb; };
  return at(kOpcodeField, in.info().opcode) | at(kBflyField, in.info().bfly ? 1 : 0) | at(kVdField, in.vd) |
         at(kVsField, in.vs) | at(kVtField, in.vt) | at(kVt1Field, in.vt1) | at(kVd1Field, in.vd1) |
         at(kRmField, in.rm) | at(kAddressField, in.address) | at(kEndField, in.end ? 1 : 0);
}

VectorUse vector_use(const Instruction& in) noexcept {
  const InstructionInfo& info = in.info();
  VectorUse use;
  const auto add = [&use](Role role, u8 number) {
    if (role == Role::read) use.reads |= u64{1} << number;
    if (role == Role::write) use.writes |= u64{1} << number;
  };
  add(info.vd, in.vd);
  add(info.vs, in.vs);
  add(info.vt, in.vt);
  add(info.vt1, in.vt1);
  add(info.vd1, in.vd1);
  return use;
}

std::string format(const Instruction& in) {
  const InstructionInfo& info = in.info();
  const std::string head = std::string(info.mnemonic) + " ";
  if (info.pipe == Pipe::load_store) return head + reg('v', in.vd) + ", " + memory_operand(in);
  if (info.pipe == Pipe::front_end) {
    const char prefix = in.op == Op::sload ? 's' : in.op == Op::mload ? 'm' : 'a';
    return head + reg(prefix, in.vt) + ", " + std::to_string(16ULL * in.address);
  }
  std::string text = head + reg('v', in.vd) + ", ";
  if (info.vd1 != Role::none) text += reg('v', in.vd1) + ", ";
  text += reg('v', in.vs);
  if (kVtField.of(info.used_mask) != 0) text += ", " + reg(info.vt == Role::read ? 'v' : 's', in.vt);
  if (info.vt1 != Role::none) text += ", " + reg('v', in.vt1);
  return info.pipe == Pipe::compute ? text + ", " + reg('m', in.rm) : text;
}

const TrapInfo& trap_info(Trap trap) noexcept { return kTraps[static_cast<std::size_t>(trap) - 1]; }

}  // namespace ringfort::rpu
