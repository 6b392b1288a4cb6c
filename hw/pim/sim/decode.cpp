// SPDX-License-Identifier: Apache-2.0
// Decodes instructions by the RISC-V encodings (unprivileged ISA, RV32I; Zba and Zbb 1.0), with one table per format of
// instruction words. A minimum or maximum costs two slots, because the DPU needs a compare-and-jump and a move. It
// costs only one slot if one of its operands is the result of a subtraction among the eight preceding instructions,
// because the subtraction has already compared. hw/pim/README.md explains the terms.
#include "decode.h"

#include <algorithm>
#include <array>
#include <utility>

#include "../sdk/dpu/dpu_isa.h"
#include "fields.h"
#include "floats.h"
#include "fuse.h"
#include "operations.h"
#include "rules.h"
#include "words.h"

namespace ringfort::pim {
namespace {

// An instruction with two operands: the fields funct7 and funct3 of its word, and the function that executes it.
struct Row {
  u32 funct7, funct3;
  Execute execute;
};

template <auto Rule>
constexpr Execute kOfRegisters = op::of_registers<Rule>;
template <auto Rule>
constexpr Execute kOfImmediate = op::of_immediate<Rule>;

constexpr Row kRegisters[] = {
    {0, 0, kOfRegisters<rule::add>},
    {32, 0, kOfRegisters<rule::subtract>},
    {0, 1, kOfRegisters<rule::shift_left>},
    {0, 2, kOfRegisters<rule::less_signed>},
    {0, 3, kOfRegisters<rule::less>},
    {0, 4, kOfRegisters<rule::exclusive_or>},
    {0, 5, kOfRegisters<rule::shift_right>},
    {32, 5, kOfRegisters<rule::shift_right_signed>},
    {0, 6, kOfRegisters<rule::inclusive_or>},
    {0, 7, kOfRegisters<rule::conjunction>},
    {16, 2, kOfRegisters<rule::add_twice>},
    {16, 4, kOfRegisters<rule::add_four_times>},
    {16, 6, kOfRegisters<rule::add_eight_times>},
    {32, 4, kOfRegisters<rule::exclusive_nor>},
    {32, 6, kOfRegisters<rule::or_not>},
    {32, 7, kOfRegisters<rule::and_not>},
    {48, 1, kOfRegisters<rule::rotate_left>},
    {48, 5, kOfRegisters<rule::rotate_right>},
    {4, 4, kOfRegisters<rule::half_word>},
};

// A minimum or maximum instruction, whose funct7 is 5. `once` executes it in one slot, `twice` in two slots.
struct Extreme {
  u32 funct3;
  Execute once, twice;
};
template <auto Rule>
constexpr Extreme extreme(u32 funct3) {
  return {funct3, op::of_registers<Rule>, op::of_registers_twice<Rule>};
}
constexpr u32 kExtremes7 = 5;
constexpr Extreme kExtremes[] = {extreme<rule::least_signed>(4), extreme<rule::least>(5),
                                 extreme<rule::greatest_signed>(6), extreme<rule::greatest>(7)};

constexpr Row kImmediates[] = {
    {0, 0, kOfImmediate<rule::add>},          {0, 2, kOfImmediate<rule::less_signed>},
    {0, 3, kOfImmediate<rule::less>},         {0, 4, kOfImmediate<rule::exclusive_or>},
    {0, 6, kOfImmediate<rule::inclusive_or>}, {0, 7, kOfImmediate<rule::conjunction>},
};
constexpr Row kShifts[] = {
    {0, 1, kOfImmediate<rule::shift_left>},
    {0, 5, kOfImmediate<rule::shift_right>},
    {32, 5, kOfImmediate<rule::shift_right_signed>},
    {48, 5, kOfImmediate<rule::rotate_right>},
};

// Unary instructions of Zbb. The upper twelve bits select the instruction.
constexpr Row kUnary[] = {
    {0x600, 1, kOfImmediate<rule::leading_zeros>}, {0x601, 1, kOfImmediate<rule::trailing_zeros>},
    {0x602, 1, kOfImmediate<rule::count_ones>},    {0x604, 1, kOfImmediate<rule::extend_byte>},
    {0x605, 1, kOfImmediate<rule::extend_half>},   {0x698, 5, kOfImmediate<rule::reverse_bytes>},
    {0x287, 5, kOfImmediate<rule::fill_bytes>},
};

constexpr Row kBranches[] = {
    {0, 0, op::branch<rule::equal>},        {0, 1, op::branch<rule::different>},
    {0, 4, op::branch<rule::below_signed>}, {0, 5, op::branch<rule::not_below_signed>},
    {0, 6, op::branch<rule::below>},        {0, 7, op::branch<rule::not_below>},
};
constexpr Row kLoads[] = {
    {0, 0, op::load<i8>}, {0, 1, op::load<i16>}, {0, 2, op::load<i32>}, {0, 4, op::load<u8>}, {0, 5, op::load<u16>},
};
constexpr Row kStores[] = {{0, 0, op::store<u8>}, {0, 1, op::store<u16>}, {0, 2, op::store<u32>}};

constexpr Row kArithmetic[] = {
    {0, kDpuLslAdd, op::of_three<rule::lsl_add>}, {0, kDpuLsrAdd, op::of_three<rule::lsr_add>},
    {0, kDpuRolAdd, op::of_three<rule::rol_add>}, {0, kDpuLslSub, op::of_three<rule::lsl_sub>},
    {0, kDpuUnary, op::of_three<rule::unary>},
};

template <std::size_t... kVariants>
constexpr auto multiplies(std::index_sequence<kVariants...>) {
  return std::array<Execute, sizeof...(kVariants)>{op::of_registers<rule::multiply_bytes<kVariants>>...};
}
constexpr auto kMultiplies = multiplies(std::make_index_sequence<16>{});
constexpr Row kSystem[] = {
    {kDpuMe, kDpuThread, op::thread_number},
    {kDpuAcquire, kDpuThread, op::acquire},
    {kDpuTryAcquire, kDpuThread, op::try_acquire},
    {kDpuRelease, kDpuThread, op::release},
    {kDpuStop, kDpuThread, op::stop},
    {kDpuResume, kDpuThread, op::resume},
    {kDpuHalt, kDpuThread, op::halt},
    {kDpuCounterConfigure, kDpuCounter, op::counter_configure},
    {kDpuCounterLow, kDpuCounter, op::counter_low},
    {kDpuCounterHigh, kDpuCounter, op::counter_high},
    {kDpuCounterCycles, kDpuCounter, op::counter_cycles},
    {kDpuCounterInstructions, kDpuCounter, op::counter_instructions},
    {kDpuPrint, kDpuHost, op::print},
    {kDpuFault, kDpuHost, op::soft_fault},
};

template <std::size_t Count>
Execute find(const Row (&rows)[Count], u32 funct7, u32 funct3) {
  const auto* row =
      std::find_if(rows, rows + Count, [&](const Row& r) { return r.funct7 == funct7 && r.funct3 == funct3; });
  return row == rows + Count ? nullptr : row->execute;
}

class Decoder {
 public:
  Decoder(std::span<const u32> words, const Timing& timing, std::span<const u8> wide)
      : words_(words),
        timing_(timing),
        wide_(wide) {}

  std::vector<Operation> decode_all() {
    for (std::size_t i = 0; i < words_.size(); ++i) out_.push_back(single(i));
    out_.push_back({.execute = op::unknown, .rd = kSink});
    if (timing_.fuse) fuse_pairs(words_, timing_.fuse_pairs ? std::span<const u8>{} : wide_, out_);
    return std::move(out_);
  }

 private:
  Operation single(std::size_t at) const {
    const Fields f(words_[at]);
    Operation o{
        .rd = static_cast<u8>(f.rd == 0 ? kSink : f.rd), .rs1 = static_cast<u8>(f.rs1), .rs2 = static_cast<u8>(f.rs2)};
    choose(f, at, o);
    if (o.execute == nullptr) return {.execute = op::unknown, .immediate = as_signed(f.word), .rd = kSink};
    return o;
  }

  // Selects o.execute; it stays null if the word is not an instruction.
  void choose(const Fields& f, std::size_t at, Operation& o) const {
    switch (f.opcode) {
      case kLui: o.execute = op::load_constant, o.immediate = as_signed(f.word & ~0xfffu); return;
      case kAuipc:
        o.execute = op::load_constant,
        o.immediate = as_signed((f.word & ~0xfffu) + kIramBase + 4 * static_cast<u32>(at));
        return;
      case kRegister: o.execute = register_operation(f, at); return;
      case kImmediate: return choose_immediate(f, o);
      case kLoad: o.execute = find(kLoads, 0, f.funct3), o.immediate = f.i_immediate(); return;
      case kStore: o.execute = find(kStores, 0, f.funct3), o.immediate = f.s_immediate(); return;
      case kBranch: return choose_jump(find(kBranches, 0, f.funct3), f.b_immediate(), at, o);
      case kJal: return choose_jump(op::jump, f.j_immediate(), at, o);
      case kJalr: o.execute = f.funct3 == 0 ? op::jump_register : nullptr, o.immediate = f.i_immediate(); return;
      case kDpuArithmetic: o.execute = arithmetic(f), o.extra = static_cast<u8>(f.funct7 & 31); return;
      case kDpuSystem: return choose_system(f, o);
      case kDpuDma: return choose_dma(f, o);
      default: return;
    }
  }

  Execute register_operation(const Fields& f, std::size_t at) const {
    if (f.funct7 != kExtremes7) return find(kRegisters, f.funct7, f.funct3);
    for (const auto& row : kExtremes) {
      if (row.funct3 == f.funct3) return timing_.fuse && follows_subtraction(f, at) ? row.once : row.twice;
    }
    return nullptr;
  }

  static Execute arithmetic(const Fields& f) {
    if (f.funct3 == kDpuMultiply) return f.funct7 < kMultiplies.size() ? kMultiplies[f.funct7] : nullptr;
    return find(kArithmetic, 0, f.funct3);
  }

  // Tells whether one of the eight preceding instructions is a subtraction whose result is an operand of this
  // instruction.
  bool follows_subtraction(const Fields& f, std::size_t at) const {
    constexpr std::size_t kNear = 8;
    for (std::size_t back = 1; back <= std::min(at, kNear); ++back) {
      const Fields before(words_[at - back]);
      if (before.opcode == kRegister && before.funct7 == 32 && before.funct3 == 0 &&
          (before.rd == f.rs1 || before.rd == f.rs2))
        return true;
    }
    return false;
  }

  void choose_immediate(const Fields& f, Operation& o) const {
    o.execute = find(kUnary, f.word >> 20, f.funct3);
    if (o.execute != nullptr) return;
    const bool shift = f.funct3 == 1 || f.funct3 == 5;
    o.execute = shift ? find(kShifts, f.funct7, f.funct3) : find(kImmediates, 0, f.funct3);
    o.immediate = shift ? as_signed(f.rs2) : f.i_immediate();
    if (f.funct3 == 0 && f.rd == kStackPointer) o.execute = op::add_to_stack;
  }

  void choose_jump(Execute execute, i32 bytes, std::size_t at, Operation& o) const {
    const auto target = static_cast<i64>(at) + bytes / 4;
    if (bytes % 4 != 0 || target < 0 || target >= static_cast<i64>(words_.size())) return;
    o.execute = execute;
    o.immediate = bytes / 4;
  }

  static void choose_system(const Fields& f, Operation& o) {
    if (f.funct3 == kDpuCall) {
      o.execute = f.funct7 <= kDpuRemS64 ? op::runtime_call : is_float_call(f.funct7) ? op::float_call : nullptr;
    } else {
      o.execute = find(kSystem, f.funct7, f.funct3);
    }
    o.extra = static_cast<u8>(f.funct7);
  }

  static void choose_dma(const Fields& f, Operation& o) {
    o.execute = f.funct3 == 0 ? op::dma : nullptr;
    o.extra = static_cast<u8>(f.funct7 & 3);
    o.immediate = static_cast<i32>(f.funct7 >> 2);
  }

  std::span<const u32> words_;
  const Timing& timing_;
  std::span<const u8> wide_;
  std::vector<Operation> out_;
};

}  // namespace

std::vector<Operation> decode(std::span<const u32> words, const Timing& timing, std::span<const u8> wide) {
  return Decoder(words, timing, wide).decode_all();
}

std::vector<u8> private_operations(std::span<const u32> words, const std::vector<Operation>& operations) {
  std::vector<u8> found(operations.size(), 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Fields f(words[i]);
    const bool arithmetic = f.opcode == kLui || f.opcode == kAuipc || f.opcode == kRegister || f.opcode == kImmediate ||
                            f.opcode == kDpuArithmetic;
    const bool control = f.opcode == kBranch || f.opcode == kJal;
    // A call of a division is not private, because a division by zero faults.
    const bool call = f.opcode == kDpuSystem && f.funct3 == kDpuCall &&
                      (f.funct7 == kDpuMul32 || f.funct7 == kDpuMul64 || is_float_call(f.funct7));
    const bool harmless = operations[i].execute != op::unknown && operations[i].execute != op::add_to_stack;
    found[i] = harmless && (arithmetic || control || call) ? 1 : 0;
  }
  return found;
}

}  // namespace ringfort::pim
