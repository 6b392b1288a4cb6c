// SPDX-License-Identifier: Apache-2.0
// Loads and boots programs of a simulated DPU, and gives the host access to the memories of the DPU. A boot sets the
// registers of every tasklet to zero, and gives every tasklet its own stack. hw/pim/README.md explains the terms.
#include "dpu.h"

#include <algorithm>
#include <utility>

#include "decode.h"
#include "doubles.h"
#include "scheduler.h"
#include "words.h"

namespace ringfort::pim {
namespace {

constexpr unsigned kStackRegister = 2;

void boot(Machine& m, const Program& program) {
  for (unsigned id = 0; id < kMostTasklets; ++id) {
    Tasklet& tasklet = m.tasklets[id];
    tasklet = {};
    tasklet.id = static_cast<u8>(id);
    tasklet.pc = m.text.data();
    tasklet.state = id < program.tasklets ? Tasklet::State::ready : Tasklet::State::halted;
    tasklet.stack_low = program.stacks[id];
    tasklet.x[kStackRegister] = program.stacks[id + 1];
  }
  m.now = m.issued = 0;
  m.failed_tries = m.last_try = 0;
  m.dma = {};
  m.counters = {};
  m.counter = {};
  m.fault = {};
}

// Returns the timing for this program. A program with the symbol __ringfort_pairs works on 64-bit words. In the timing
// of such a program, two accesses to neighbouring words always cost one slot.
Timing timing_of(Timing timing, const Program& program) {
  timing.fuse_pairs = timing.fuse_pairs || program.symbols.contains("__ringfort_pairs");
  return timing;
}

// Adds the tasklet and the source line to the text of a fault.
void explain(Fault& fault, const Program& program) {
  if (fault.pc == 0) return;
  std::string line = program.lines.at(fault.pc);
  if (line.empty()) line = "an unknown line";
  fault.text = "tasklet " + std::to_string(fault.tasklet) + " at " + line + ": " + fault.text;
}

}  // namespace

Dpu::Dpu(const Chip& chip, const Timing& timing) : machine_(std::make_unique<Machine>()) {
  machine_->chip = chip;
  machine_->timing = timing;
  machine_->wram_limit = chip.wram_bytes;
}
Dpu::~Dpu() = default;
Dpu::Dpu(Dpu&&) noexcept = default;
Dpu& Dpu::operator=(Dpu&&) noexcept = default;

void Dpu::load(std::shared_ptr<const Program> program) {
  program_ = std::move(program);
  machine_->wram.assign(machine_->chip.wram_bytes, 0);
  machine_->atomic_bits = 0;
  machine_->log.clear();
  machine_->text.clear();
  for (const auto& piece : program_->memory) write(piece.address, piece.bytes);
}

RunReport Dpu::run(u64 cycle_limit) {
  if (!loaded() || program_->instructions.empty()) return {};
  Machine& m = *machine_;
  if (m.text.empty()) {  // decodes at the first run, because many DPUs of a large system never run on the simulator
    m.text = decode(program_->instructions, timing_of(m.timing, *program_), in_functions_of_64_bit_words(*program_));
    m.is_private = private_operations(program_->instructions, m.text);
  }
  boot(m, *program_);
  Scheduler(m, cycle_limit).issue_all();
  constexpr u64 kCenti = 100;
  m.counters.instructions = m.issued;
  m.counters.dma_cycles = m.dma.busy / kCenti;
  explain(m.fault, *program_);
  return {m.counters, m.fault};
}

bool Dpu::write(u32 address, std::span<const u8> bytes) {
  Machine& m = *machine_;
  if (address >= kMramBase) {
    if (address - kMramBase > kMramBytes || bytes.size() > kMramBytes - (address - kMramBase)) return false;
    m.mram.write(address - kMramBase, bytes);
    return true;
  }
  if (address > m.wram.size() || bytes.size() > m.wram.size() - address) return false;
  std::copy(bytes.begin(), bytes.end(), m.wram.begin() + address);
  return true;
}

bool Dpu::read(u32 address, std::span<u8> bytes) const {
  const Machine& m = *machine_;
  if (address >= kMramBase) {
    if (address - kMramBase > kMramBytes || bytes.size() > kMramBytes - (address - kMramBase)) return false;
    m.mram.read(address - kMramBase, bytes);
    return true;
  }
  if (address > m.wram.size() || bytes.size() > m.wram.size() - address) return false;
  std::copy_n(m.wram.begin() + address, bytes.size(), bytes.begin());
  return true;
}

void Dpu::check_dma(bool on) { machine_->checks_dma = on; }

Mram& Dpu::mram() { return machine_->mram; }

std::string Dpu::take_log() { return std::exchange(machine_->log, {}); }

}  // namespace ringfort::pim
