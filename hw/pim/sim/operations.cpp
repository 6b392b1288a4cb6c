// SPDX-License-Identifier: Apache-2.0
// Executes pairs of memory accesses, additions with a carry, constants, jumps and calls of run-time routines, and
// writes the texts of their faults. Signed division follows the RISC-V rule for overflow. The vendor's routines leave
// the result of an overflow undefined. hw/pim/README.md explains the terms.
#include "operations.h"

#include <algorithm>
#include <utility>

#include "../sdk/dpu/dpu_isa.h"
#include "call_cost.h"
#include "words.h"

namespace ringfort::pim {

Outcome raise(Machine& machine, const Tasklet& tasklet, FaultCode code, std::string text) {
  machine.fault = {code, tasklet.id, machine.address_of(tasklet.pc), std::move(text)};
  return Outcome::faults;
}

static Outcome idle_slot(Machine&, Tasklet& t, const Operation&) {
  if (--t.owed == 0) t.pc = t.resume;
  return Outcome::goes_on;
}
const Operation kIdleSlot{idle_slot};

namespace op {
namespace {

std::string number(u32 value) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[value >> shift & 15];
  return "0x" + digits.substr(std::min<std::size_t>(digits.find_first_not_of('0'), 7));
}

u32 read_word(const Machine& m, u32 address) {
  u32 word;
  std::memcpy(&word, m.wram.data() + address, sizeof word);
  return word;
}

}  // namespace

Outcome refuse_access(Machine& m, const Tasklet& t, u32 address, u32 bytes) {
  const std::string what = "access of " + std::to_string(bytes) + " bytes at " + number(address);
  if (address - kMramBase < kMramBytes)
    return raise(m, t, FaultCode::mram_dereference,
                 what + " is MRAM, which has no loads and stores; copy it with mram_read or mram_write");
  if (address % bytes != 0 && address < m.wram_limit)
    return raise(m, t, FaultCode::unaligned, what + " is not aligned; WRAM is accessed at multiples of the size");
  return raise(m, t, FaultCode::wram_access, what + " is outside WRAM, which ends at " + number(m.wram_limit));
}

// Raises the fault of the first of the two words that is not aligned or not in WRAM.
static Outcome refuse_pair(Machine& m, const Tasklet& t, u32 address) {
  const bool first_fits = address % 4 == 0 && address <= m.wram_limit - 4;
  return refuse_access(m, t, first_fits ? address + 4 : address, 4);
}

// load_pair and store_pair access the words at rs1 + immediate and rs1 + immediate + 4. The first word belongs to
// register rd (load) or rs2 (store), the second word to register `extra`.
Outcome load_pair(Machine& m, Tasklet& t, const Operation& o) {
  const u32 address = t.x[o.rs1] + static_cast<u32>(o.immediate);
  if (address % 4 != 0 || address > m.wram_limit - 8) return refuse_pair(m, t, address);
  t.x[o.rd] = read_word(m, address);
  t.x[o.extra] = read_word(m, address + 4);
  t.pc = &o + 2;
  return Outcome::goes_on;
}

Outcome store_pair(Machine& m, Tasklet& t, const Operation& o) {
  const u32 address = t.x[o.rs1] + static_cast<u32>(o.immediate);
  if (address % 4 != 0 || address > m.wram_limit - 8) return refuse_pair(m, t, address);
  std::memcpy(m.wram.data() + address, &t.x[o.rs2], 4);
  std::memcpy(m.wram.data() + address + 4, &t.x[o.extra], 4);
  t.pc = &o + 2;
  return Outcome::goes_on;
}

// Runs the three instructions `add low; sltu carry; add high` in `extra` slots.
Outcome add_with_carry(Machine&, Tasklet& t, const Operation& o) {
  const Operation &carry = *(&o + 1), &high = *(&o + 2);
  t.x[o.rd] = t.x[o.rs1] + t.x[o.rs2];
  t.x[carry.rd] = t.x[carry.rs1] < t.x[carry.rs2];
  t.x[high.rd] = t.x[high.rs1] + t.x[high.rs2];
  charge(t, &o + 3, o.extra, &kIdleSlot);
  return Outcome::goes_on;
}

// Runs four instructions in two slots: `add low; sltu carry; add first; add second`. `add first` adds the carry to one
// upper half, and `add second` adds the other upper half.
Outcome add_with_carry_first(Machine&, Tasklet& t, const Operation& o) {
  const Operation &carry = *(&o + 1), &first = *(&o + 2), &second = *(&o + 3);
  t.x[o.rd] = t.x[o.rs1] + t.x[o.rs2];
  t.x[carry.rd] = t.x[carry.rs1] < t.x[carry.rs2];
  t.x[first.rd] = t.x[first.rs1] + t.x[first.rs2];
  t.x[second.rd] = t.x[second.rs1] + t.x[second.rs2];
  charge(t, &o + 4, 2, &kIdleSlot);
  return Outcome::goes_on;
}

Outcome compare_halves(Machine& m, Tasklet& t, const Operation& o) {
  const Operation &second = *(&o + 1), &both = *(&o + 2), &branch = *(&o + 3);
  t.x[o.rd] = t.x[o.rs1] ^ t.x[o.rs2];
  t.x[second.rd] = t.x[second.rs1] ^ t.x[second.rs2];
  t.x[both.rd] = t.x[both.rs1] | t.x[both.rs2];
  branch.execute(m, t, branch);
  charge(t, t.pc, 2, &kIdleSlot);
  return Outcome::goes_on;
}

Outcome add_to_stack(Machine& m, Tasklet& t, const Operation& o) {
  const u32 pointer = t.x[o.rs1] + static_cast<u32>(o.immediate);
  if (pointer < t.stack_low) {
    return raise(m, t, FaultCode::stack_overflow,
                 "the stack needs " + std::to_string(t.stack_low - pointer) +
                     " bytes more than it has; compile with a larger STACK_SIZE_DEFAULT or STACK_SIZE_TASKLET_" +
                     std::to_string(t.id));
  }
  t.x[o.rd] = pointer;
  t.pc = &o + 1;
  return Outcome::goes_on;
}

Outcome load_constant(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = static_cast<u32>(o.immediate);
  t.pc = &o + 1;
  return Outcome::goes_on;
}

Outcome load_constant_pair(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = static_cast<u32>(o.immediate);
  t.pc = &o + 2;
  return Outcome::goes_on;
}

Outcome jump(Machine& m, Tasklet& t, const Operation& o) {
  t.x[o.rd] = m.address_of(&o + 1);
  t.pc = &o + o.immediate;
  return Outcome::goes_on;
}

Outcome jump_register(Machine& m, Tasklet& t, const Operation& o) {
  const u32 target = (t.x[o.rs1] + static_cast<u32>(o.immediate)) & ~1u;
  const u32 index = (target - kIramBase) / 4;
  if (target < kIramBase || target % 4 != 0 || index >= m.text.size() - 1)
    return raise(m, t, FaultCode::iram_access, "jump to " + number(target) + ", where the program has no instruction");
  t.x[o.rd] = m.address_of(&o + 1);
  t.pc = m.text.data() + index;
  return Outcome::goes_on;
}

Outcome unknown(Machine& m, Tasklet& t, const Operation& o) {
  return raise(m, t, FaultCode::instruction,
               "the word " + number(static_cast<u32>(o.immediate)) + " is not an instruction of the DPU model");
}

namespace {

u32 magnitude(u32 a) { return static_cast<i32>(a) < 0 ? 0 - a : a; }

// Returns the quotient or the remainder by the rules of RISC-V.
std::pair<u32, u32> divide(u32 a, u32 b, bool is_signed) {
  if (!is_signed) return {a / b, a % b};
  if (a == 0x80000000u && b == ~0u) return {a, 0};
  const auto x = static_cast<i32>(a), y = static_cast<i32>(b);
  return {static_cast<u32>(x / y), static_cast<u32>(x % y)};
}

u32 call32(Tasklet& t, unsigned which) {
  const u32 a = t.x[10], b = t.x[11];
  if (which == kDpuMul32) {
    t.x[10] = a * b;
    return multiply32_slots(a, b);
  }
  const bool is_signed = which == kDpuDivS32 || which == kDpuRemS32;
  const auto [quotient, remainder] = divide(a, b, is_signed);
  t.x[10] = which == kDpuRemU32 || which == kDpuRemS32 ? remainder : quotient;
  return is_signed ? divide32_slots(magnitude(a), magnitude(b), true) : divide32_slots(a, b, false);
}

u64 quotient64(u64 a, u64 b, bool is_signed) {
  if (!is_signed) return a / b;
  if (b == ~u64{0}) return 0 - a;
  return static_cast<u64>(static_cast<i64>(a) / static_cast<i64>(b));
}

u32 call64(Tasklet& t, unsigned which) {
  const u64 a = t.x[10] | u64{t.x[11]} << 32;
  const u64 b = t.x[12] | u64{t.x[13]} << 32;
  const bool is_signed = which == kDpuDivS64 || which == kDpuRemS64;
  const bool is_remainder = which == kDpuRemU64 || which == kDpuRemS64;
  u64 result = a * b;
  if (which != kDpuMul64) {
    const u64 quotient = quotient64(a, b, is_signed);
    result = is_remainder ? a - quotient * b : quotient;
  }
  t.x[10] = static_cast<u32>(result);
  t.x[11] = static_cast<u32>(result >> 32);
  const auto size = [&](u64 v) { return is_signed && static_cast<i64>(v) < 0 ? 0 - v : v; };
  return which == kDpuMul64 ? kMultiply64Slots : divide64_slots(size(a), size(b));
}

}  // namespace

// Raises the fault of a division by zero. The fault has the source line of the call.
Outcome refuse_division(Machine& m, const Tasklet& t) {
  constexpr std::size_t kReturn = 1;
  m.fault = {FaultCode::division_by_zero, t.id, t.x[kReturn] - 4,
             "a division by zero; the vendor's run-time library faults, too (code 2)"};
  return Outcome::faults;
}

bool divides_by_zero(const Tasklet& t, unsigned which) {
  if (which == kDpuMul32 || which == kDpuMul64) return false;
  return which <= kDpuRemS32 ? t.x[11] == 0 : (t.x[12] | t.x[13]) == 0;
}

// Runs a routine and charges its issue slots. The instructions for call and return are charged separately.
Outcome runtime_call(Machine& m, Tasklet& t, const Operation& o) {
  if (divides_by_zero(t, o.extra)) return refuse_division(m, t);
  const u32 slots = o.extra <= kDpuRemS32 ? call32(t, o.extra) : call64(t, o.extra);
  charge(t, &o + 1, slots - 2, &kIdleSlot);
  return Outcome::goes_on;
}

}  // namespace op
}  // namespace ringfort::pim
