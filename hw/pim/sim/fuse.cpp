// SPDX-License-Identifier: Apache-2.0
// Fuses groups of RV32 instructions for which the DPU needs fewer instructions. The groups are: 32-bit constants, a
// branch on a result or a constant, a shift and the following addition or subtraction, the carry of a 64-bit addition,
// the comparison of 64-bit words, and, in selected functions, 64-bit loads and stores. A group is fused only if it
// overwrites its intermediate results, or if the fused operation also computes the intermediate results.
// hw/pim/README.md explains the terms.
#include "fuse.h"

#include <algorithm>
#include <iterator>

#include "fields.h"
#include "operations.h"
#include "rules.h"
#include "words.h"

namespace ringfort::pim {
namespace {

// Two functions for one arithmetic instruction: `alone` executes the instruction, and `with_branch` also executes the
// following branch on its result.
struct Fusion {
  Execute alone, with_branch;
};
template <Execute kAlone>
constexpr Fusion kRow{kAlone, op::then_branch<kAlone>};

constexpr Fusion kBeforeBranch[] = {
    kRow<op::of_immediate<rule::add>>,          kRow<op::of_immediate<rule::conjunction>>,
    kRow<op::of_immediate<rule::exclusive_or>>, kRow<op::of_immediate<rule::shift_right>>,
    kRow<op::of_immediate<rule::shift_left>>,   kRow<op::of_registers<rule::add>>,
    kRow<op::of_registers<rule::subtract>>,     kRow<op::of_registers<rule::conjunction>>,
    kRow<op::of_registers<rule::exclusive_or>>, kRow<op::of_registers<rule::inclusive_or>>,
};

class Fuser {
 public:
  Fuser(std::span<const u32> words, std::span<const u8> wide, std::vector<Operation>& operations)
      : words_(words),
        wide_(wide),
        out_(operations) {}

  void fuse_pairs() {
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const Fields first(words_[i]), second(words_[i + 1]);
      if (fuse_constant(i, first, second) || fuse_branch(i, first, second) || fuse_shift(i, first, second) ||
          fuse_carry(i) || fuse_equality(i))
        continue;
      if (wide_.empty() || wide_[i] != 0) fuse_accesses(i, first, second);
    }
  }

 private:
  // Fuses lui and addi, which together load a 32-bit constant, because a constant in a DPU instruction may have 32
  // bits.
  bool fuse_constant(std::size_t i, const Fields& lui, const Fields& addi) {
    if (lui.opcode != kLui || addi.opcode != kImmediate || addi.funct3 != 0 || addi.rs1 != lui.rd ||
        addi.rd != lui.rd || lui.rd == 0)
      return false;
    if (lui.rd == kStackPointer) return false;
    out_[i].execute = op::load_constant_pair;
    out_[i].immediate = as_signed((lui.word & ~0xfffu) + static_cast<u32>(addi.i_immediate()));
    return true;
  }

  // Fuses an instruction and the branch that follows. The DPU's compare-and-jump instruction accepts an immediate of
  // eight bits. The DPU's arithmetic instructions can jump if their result is zero, or if their result is not zero.
  bool fuse_branch(std::size_t i, const Fields& f, const Fields& branch) {
    if (branch.opcode != kBranch || f.rd == 0 || f.rd == kStackPointer) return false;
    if ((branch.rs1 == f.rd) == (branch.rs2 == f.rd)) return false;
    constexpr i32 kLeast = -128, kMost = 255;
    const bool constant =
        f.opcode == kImmediate && f.funct3 == 0 && f.rs1 == 0 && f.i_immediate() >= kLeast && f.i_immediate() <= kMost;
    const bool on_zero = branch.funct3 <= 1 && (branch.rs1 == 0 || branch.rs2 == 0);
    const auto* row = std::find_if(std::begin(kBeforeBranch), std::end(kBeforeBranch),
                                   [&](const Fusion& r) { return r.alone == out_[i].execute; });
    if ((!constant && !on_zero) || row == std::end(kBeforeBranch)) return false;
    out_[i].execute = row->with_branch;
    return true;
  }

  // Fuses a shift (slli or srli) and an addition or subtraction that uses the shift's result and overwrites it.
  bool fuse_shift(std::size_t i, const Fields& shift, const Fields& sum) {
    if (shift.opcode != kImmediate || (shift.funct3 != 1 && shift.funct3 != 5) || shift.funct7 != 0) return false;
    const bool addition = sum.opcode == kRegister && sum.funct3 == 0 && sum.funct7 == 0;
    const bool subtraction = sum.opcode == kRegister && sum.funct3 == 0 && sum.funct7 == 32 && shift.funct3 == 1;
    if ((!addition && !subtraction) || sum.rd != shift.rd || shift.rd == 0 || sum.rs1 == sum.rs2) return false;
    const bool last = sum.rs2 == shift.rd;
    if (!last && (subtraction || sum.rs1 != shift.rd)) return false;
    const Execute added = shift.funct3 == 1 ? op::of_pair<rule::lsl_add> : op::of_pair<rule::lsr_add>;
    out_[i].execute = subtraction ? op::of_pair<rule::lsl_sub> : added;
    out_[i].rs2 = static_cast<u8>(last ? sum.rs1 : sum.rs2);
    out_[i].extra = static_cast<u8>(shift.rs2);
    return true;
  }

  // Fuses the three instructions `add low; sltu carry, low, addend; add high, carry` into the DPU's instructions add
  // and addc (add with carry). If the instruction before these three adds the upper halves, that instruction already
  // counts as the addc. If not, the addc costs one more slot.
  bool fuse_carry(std::size_t i) {
    if (i + 2 >= words_.size()) return false;
    const Fields low(words_[i]), carry(words_[i + 1]), high(words_[i + 2]);
    const bool compares = carry.opcode == kRegister && carry.funct3 == 3 && carry.funct7 == 0 && carry.rd != 0 &&
                          carry.rs1 == low.rd && (carry.rs2 == low.rs1 || carry.rs2 == low.rs2);
    if (!adds(low) || !adds(high) || !compares || (high.rs1 != carry.rd && high.rs2 != carry.rd)) return false;
    const u32 upper = high.rs1 == carry.rd ? high.rs2 : high.rs1;
    const bool added_before = i > 0 && adds(Fields(words_[i - 1])) && Fields(words_[i - 1]).rd == upper;
    // The carry may be added to one upper half first, and the other upper half afterwards.
    if (!added_before && i + 3 < words_.size()) {
      const Fields other(words_[i + 3]);
      if (adds(other) && (other.rs1 == high.rd) != (other.rs2 == high.rd)) {
        out_[i].execute = op::add_with_carry_first;
        return true;
      }
    }
    out_[i].execute = op::add_with_carry;
    out_[i].extra = added_before ? 1 : 2;
    return true;
  }

  // Fuses the four instructions xor, xor, or, and a branch on zero or non-zero. The DPU needs two instructions: each
  // compares one half of two 64-bit words, and jumps.
  bool fuse_equality(std::size_t i) {
    if (i + 3 >= words_.size()) return false;
    const Fields first(words_[i]), second(words_[i + 1]), both(words_[i + 2]), branch(words_[i + 3]);
    const auto is = [](const Fields& f, u32 funct3) {
      return f.opcode == kRegister && f.funct3 == funct3 && f.funct7 == 0 && f.rd != 0;
    };
    const bool of_halves = is(first, 4) && is(second, 4) && is(both, 6) && first.rd != second.rd &&
                           std::minmax(both.rs1, both.rs2) == std::minmax(first.rd, second.rd);
    const bool on_zero = branch.opcode == kBranch && branch.funct3 <= 1 &&
                         std::minmax(branch.rs1, branch.rs2) == std::minmax(0u, both.rd);
    if (!of_halves || !on_zero || first.rd == second.rs1 || first.rd == second.rs2) return false;
    out_[i].execute = op::compare_halves;
    return true;
  }

  static bool adds(const Fields& f) { return f.opcode == kRegister && f.funct3 == 0 && f.funct7 == 0 && f.rd != 0; }

  // Fuses two accesses to neighbouring words that have the same base register. The first access must not overwrite the
  // base register.
  void fuse_accesses(std::size_t i, const Fields& first, const Fields& second) {
    const bool loads = first.opcode == kLoad && second.opcode == kLoad,
               stores = first.opcode == kStore && second.opcode == kStore;
    if ((!loads && !stores) || first.funct3 != 2 || second.funct3 != 2 || first.rs1 != second.rs1) return;
    Operation &a = out_[i], &b = out_[i + 1];
    const i32 lower = std::min(a.immediate, b.immediate);
    if (std::max(a.immediate, b.immediate) - lower != 4 || lower % 8 != 0) return;
    if (loads && (first.rd == first.rs1 || first.rd == second.rd)) return;
    const bool ascending = a.immediate == lower;
    const Operation other = b;
    a.immediate = lower;
    a.execute = loads ? op::load_pair : op::store_pair;
    a.extra = ascending ? (loads ? other.rd : other.rs2) : (loads ? a.rd : a.rs2);
    if (!ascending) (loads ? a.rd : a.rs2) = loads ? other.rd : other.rs2;
  }

  std::span<const u32> words_;
  std::span<const u8> wide_;
  std::vector<Operation>& out_;
};

}  // namespace

void fuse_pairs(std::span<const u32> words, std::span<const u8> wide, std::vector<Operation>& operations) {
  Fuser(words, wide, operations).fuse_pairs();
}

}  // namespace ringfort::pim
