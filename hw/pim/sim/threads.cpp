// SPDX-License-Identifier: Apache-2.0
// Executes the instructions by which tasklets interact with one another and with the DMA engine: atomic bits, sleeping
// and waking, transfers, counters, and faults that the program requests. If an acquire or a resume fails, the program
// counter stays unchanged. Therefore the tasklet tries again in its next slot. hw/pim/README.md explains the terms.
#include <algorithm>
#include <string>
#include <utility>

#include "../sdk/dpu/dpu_isa.h"
#include "operations.h"
#include "print.h"
#include "words.h"

namespace ringfort::pim::op {
namespace {

Outcome next(Tasklet& t, const Operation& o) {
  t.pc = &o + 1;
  return Outcome::goes_on;
}

// Sets `mask` to the atomic bit of an instruction. The low byte of the address in rs1 is the number of the bit. Returns
// false if the chip has no such bit.
bool bit_of(Machine& m, const Tasklet& t, const Operation& o, u64& mask) {
  const u32 bit = t.x[o.rs1] & 255;
  mask = bit < m.chip.atomic_bits ? u64{1} << bit : 0;
  return mask != 0;
}

Outcome refuse_bit(Machine& m, const Tasklet& t, const Operation& o) {
  return raise(m, t, FaultCode::atomic_bit,
               "mutex " + std::to_string(t.x[o.rs1] & 255) + " does not exist, because the chip has " +
                   std::to_string(m.chip.atomic_bits) + " atomic bits; declare the mutex with MUTEX_INIT");
}

// Counts a failed acquire. While some tasklets wait for transfers, the acquires of the other tasklets may fail many
// times in a row. But all transfers end before kMostInARow acquires have failed. If more acquires in a row fail, no
// running tasklet is left that could release a bit. Then the program is in deadlock.
Outcome count_failure(Machine& m, const Tasklet& t, const Operation& o) {
  constexpr u64 kMostInARow = 32768;
  m.failed_tries = m.issued == m.last_try + 1 ? m.failed_tries + 1 : 0;
  m.last_try = m.issued;
  if (m.failed_tries < kMostInARow) return Outcome::goes_on;
  return raise(m, t, FaultCode::deadlock,
               "every tasklet that has not ended waits for a mutex, here for " + std::to_string(t.x[o.rs1] & 255) +
                   ", and none can unlock one; compare each mutex_lock with its mutex_unlock");
}

}  // namespace

Outcome thread_number(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = t.id;
  return next(t, o);
}

Outcome acquire(Machine& m, Tasklet& t, const Operation& o) {
  u64 mask;
  if (!bit_of(m, t, o, mask)) return refuse_bit(m, t, o);
  if ((m.atomic_bits & mask) != 0) return count_failure(m, t, o);
  m.atomic_bits |= mask;
  return next(t, o);
}

Outcome try_acquire(Machine& m, Tasklet& t, const Operation& o) {
  u64 mask;
  if (!bit_of(m, t, o, mask)) return refuse_bit(m, t, o);
  t.x[o.rd] = (m.atomic_bits & mask) == 0;
  m.atomic_bits |= mask;
  return next(t, o);
}

Outcome release(Machine& m, Tasklet& t, const Operation& o) {
  u64 mask;
  if (!bit_of(m, t, o, mask)) return refuse_bit(m, t, o);
  m.atomic_bits &= ~mask;
  return next(t, o);
}

Outcome stop(Machine&, Tasklet& t, const Operation& o) {
  t.pc = &o + 1;
  t.state = Tasklet::State::stopped;
  return Outcome::changed;
}

Outcome resume(Machine& m, Tasklet& t, const Operation& o) {
  const u32 id = t.x[o.rs1];
  if (id >= m.tasklets.size())
    return raise(m, t, FaultCode::bad_tasklet,
                 "tasklet " + std::to_string(id) + " cannot be resumed: it does not exist");
  Tasklet& other = m.tasklets[id];
  if (other.state == Tasklet::State::halted)
    return raise(m, t, FaultCode::bad_tasklet, "tasklet " + std::to_string(id) + " cannot be resumed: it has halted");
  if (other.state != Tasklet::State::stopped) return Outcome::goes_on;
  other.state = Tasklet::State::asleep;
  other.wake = m.now + m.timing.issue_interval;
  t.pc = &o + 1;
  return Outcome::changed;
}

Outcome halt(Machine&, Tasklet& t, const Operation&) {
  t.state = Tasklet::State::halted;
  return Outcome::changed;
}

namespace {

Outcome raise_one_counter(Machine& m, const Tasklet& t) {
  return raise(m, t, FaultCode::one_counter,
               "chip " + std::string(m.chip.name) +
                   " has one performance counter; count cycles or instructions, or use chip v1B");
}

Outcome latch(Machine& m, Tasklet& t, const Operation& o, u64 count) {
  m.counter.latch = count;
  t.x[o.rd] = static_cast<u32>(count);
  return next(t, o);
}

}  // namespace

Outcome counter_configure(Machine& m, Tasklet& t, const Operation& o) {
  constexpr u32 kCycles = 1, kInstructions = 2, kBothOff = 4, kBothOn = 5;
  const u32 wanted = t.x[o.rs1];
  if ((wanted == kBothOff || wanted == kBothOn) && m.chip.counters < 2) return raise_one_counter(m, t);
  if (wanted == kCycles || wanted == kInstructions) m.counter.instructions = wanted == kInstructions;
  if (t.x[o.rs2] != 0) m.counter.base_cycles = m.now, m.counter.base_instructions = m.issued;
  return next(t, o);
}

Outcome counter_low(Machine& m, Tasklet& t, const Operation& o) {
  return latch(m, t, o, m.counter.instructions ? m.instructions_counted() : m.cycles_counted());
}

Outcome counter_cycles(Machine& m, Tasklet& t, const Operation& o) {
  return m.chip.counters < 2 ? raise_one_counter(m, t) : latch(m, t, o, m.cycles_counted());
}

Outcome counter_instructions(Machine& m, Tasklet& t, const Operation& o) {
  return m.chip.counters < 2 ? raise_one_counter(m, t) : latch(m, t, o, m.instructions_counted());
}

Outcome counter_high(Machine& m, Tasklet& t, const Operation& o) {
  t.x[o.rd] = static_cast<u32>(m.counter.latch >> 32);
  return next(t, o);
}

Outcome print(Machine& m, Tasklet& t, const Operation& o) {
  m.log += formatted({m.wram.data(), m.wram_limit}, t.x[10], t.x[11]);
  return next(t, o);
}

Outcome soft_fault(Machine& m, Tasklet& t, const Operation&) {
  switch (t.x[10]) {
    case kDpuFaultHeap:
      return raise(
          m, t, FaultCode::heap_overflow,
          "mem_alloc finds no free memory in WRAM; allocate less, use smaller stacks, or call mem_reset at the start "
          "of a launch");
    case kDpuFaultAlignment:
      return raise(m, t, FaultCode::unaligned,
                   "mram_write_unaligned got a WRAM and an MRAM address that differ modulo 8; align the source "
                   "like the target");
    case kDpuFaultBarrier:
      return raise(m, t, FaultCode::barrier,
                   "two tasklets wait for a notification by the same tasklet; let only one call handshake_wait_for");
    default: return raise(m, t, FaultCode::assertion, "an assertion of the program failed");
  }
}

namespace {

struct Transfer {
  u32 wram, mram, bytes;
};

bool in_range(const Machine& m, const Transfer& d) {
  return d.wram <= m.wram_limit - d.bytes && d.mram >= kMramBase && d.mram - kMramBase <= kMramBytes - d.bytes;
}

bool good_size(const Transfer& d) { return d.bytes != 0 && d.bytes <= kLongestDma && d.bytes % 8 == 0; }

bool keeps_dma_rules(const Machine& m, const Transfer& d) {
  return good_size(d) && d.wram % 8 == 0 && d.mram % 8 == 0 && in_range(m, d);
}

// Returns the transfer that the hardware performs for these operands, also if the operands break the rules of the DMA
// engine.
Transfer as_hardware_reads(const Transfer& d) {
  constexpr u32 kMostUnits = kLongestDma / 8;
  return {d.wram & ~7u, kMramBase + (d.mram & (kMramBytes - 8)), ((d.bytes / 8 - 1) % kMostUnits + 1) * 8};
}

Outcome refuse_dma(Machine& m, const Tasklet& t, const Transfer& d) {
  const std::string what = "DMA of " + std::to_string(d.bytes) + " bytes between WRAM " + std::to_string(d.wram) +
                           " and MRAM " + std::to_string(d.mram - kMramBase);
  if (!good_size(d))
    return raise(m, t, FaultCode::dma_size, what + ": a transfer moves 8 to 2048 bytes, a multiple of 8; split it");
  if (d.wram % 8 != 0 || d.mram % 8 != 0)
    return raise(m, t, FaultCode::dma_alignment,
                 what + ": both addresses must be multiples of 8; declare the buffer __dma_aligned");
  return raise(m, t, FaultCode::dma_range,
               what + ": reaches beyond WRAM (" + std::to_string(m.wram_limit) + " bytes) or MRAM (64 MiB)");
}

// Queues the transfer and computes when it ends and when its tasklet wakes.
void occupy(Machine& m, Tasklet& t, u32 bytes) {
  constexpr u64 kCenti = 100;
  const u64 occupancy = m.timing.dma_fixed_centicycles + u64{m.timing.dma_byte_centicycles} * bytes;
  const u64 start = std::max(m.dma.free_at, m.now * kCenti);
  m.dma.free_at = start + occupancy;
  m.dma.busy += occupancy;
  t.wake = (m.dma.free_at + kCenti - 1) / kCenti + m.timing.dma_wake_cycles;
  t.state = Tasklet::State::asleep;
  const u32 slots = m.timing.bytes_per_stolen_slot == 0 ? 0 : bytes / m.timing.bytes_per_stolen_slot;
  m.dma.push({m.dma.free_at, slots});
  m.counters.dma_transfers++;
  m.counters.dma_bytes += bytes;
}

}  // namespace

Outcome dma(Machine& m, Tasklet& t, const Operation& o) {
  constexpr u32 kSizeEncoding = 3;  // number of slots of the instructions that encode a size known only at run time
  const bool is_variable = o.extra == kDpuReadVariable || o.extra == kDpuWriteVariable;
  if (is_variable && !std::exchange(t.prelude_done, true)) {
    charge(t, &o, kSizeEncoding, &kIdleSlot);
    return Outcome::goes_on;
  }
  t.prelude_done = false;
  Transfer d{t.x[o.rs1], t.x[o.rs2], t.x[static_cast<std::size_t>(o.immediate)]};
  if (!m.checks_dma) d = as_hardware_reads(d);
  if (!keeps_dma_rules(m, d)) return refuse_dma(m, t, d);
  const std::span<u8> window(m.wram.data() + d.wram, d.bytes);
  if (o.extra == kDpuReadConstant || o.extra == kDpuReadVariable) {
    m.mram.read(d.mram - kMramBase, window);
  } else {
    m.mram.write(d.mram - kMramBase, window);
  }
  occupy(m, t, d.bytes);
  t.pc = &o + 1;
  return Outcome::changed;
}

}  // namespace ringfort::pim::op
