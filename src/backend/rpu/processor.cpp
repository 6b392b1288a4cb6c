// SPDX-License-Identifier: Apache-2.0
#include "backend/rpu/processor.h"

#include "sim/job/execute.h"

namespace ringfort::rpu_host {
namespace {

constexpr u64 kWordBytes = 16;
constexpr u64 kStreamBlock = 64;                  // bytes of a block of ChaCha20

// Cycles of `bytes` at 10^9 bytes a second.
u64 cycles_at(const rpu::Machine& machine, u64 bytes, u64 gigabytes) noexcept {
  const u64 rate = gigabytes * 1000;              // bytes a microsecond
  return (bytes * machine.clock_mhz() + rate - 1) / rate;
}

// Programs run on the processor's memories and need none of their own.
rpu::Machine without_memories(rpu::Machine machine) noexcept {
  machine.vdm_words = machine.sdm_words = 0;
  return machine;
}

}  // namespace

Program::Program(std::shared_ptr<const Kernel> k, const rpu::Machine& machine) : kernel(std::move(k)), simulator(without_memories(machine), kernel->image) {
  simulator.state().v = {};
}

Processor::Processor(std::shared_ptr<Library> library)
    : library_(std::move(library)), state_(library_->machine()), timeline_(library_->machine().vdm_words) {}

Processor::~Processor() { forget(); }

void Processor::forget() noexcept {
  const std::lock_guard lock(mutex_);
  if (used_words_ == 0) return;
  wipe(state_.vdm.data(), used_words_ * sizeof(u128));
  wipe(state_.sdm.data(), used_scalars_ * sizeof(u128));
  wipe(state_.v.data(), state_.v.size() * sizeof(rpu::Vector));
  wipe(state_.s.data(), state_.s.size() * sizeof(u128));
  used_words_ = used_scalars_ = 0;
}

Program* Processor::program(Routine routine, u32 words, u32 count) {
  std::shared_ptr<const Kernel> kernel = library_->kernel(routine, words, count);
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Program>& found = programs_[kernel];
  if (found == nullptr) found = std::make_unique<Program>(kernel, machine());
  return found.get();
}

void Processor::begin() noexcept {
  ++verb_;
  timeline_.begin();
  energy_uj_ = 0;
  compute_cycles_ = transform_cycles_ = 0;
  trapped_ = false;
}

void Processor::finish(Stream s) noexcept {
  ModelClock& clock = clocks_[std::min(s.index, kStreams - 1)];
  const auto microseconds = [this](u64 cycles) { return static_cast<double>(cycles) / machine().clock_mhz(); };
  clock.us += microseconds(timeline_.end());
  clock.compute_us += microseconds(compute_cycles_);
  clock.transform_us += microseconds(transform_cycles_);
  clock.energy_uj += energy_uj_;
}

ModelClock Processor::clock(Stream s) const noexcept {
  const std::lock_guard lock(mutex_);
  return clocks_[std::min(s.index, kStreams - 1)];
}

void Processor::run(Program& program, std::span<const u32> places, std::span<const rpu::Modulus> moduli, std::span<const u128> scalars, u32 offset) noexcept {
  const Kernel& kernel = *program.kernel;
  u128* word = std::transform(places.begin(), places.end(), state_.sdm.data(), [offset](u32 place) { return place + offset; });
  for (const rpu::Modulus& modulus : moduli) {
    *word++ = modulus.value();
    *word++ = modulus.reduction_constant();
  }
  std::copy(scalars.begin(), scalars.end(), word);
  state_.written = {};
  std::swap(program.simulator.state(), state_);
  trapped_ |= program.simulator.run(kernel.image.kernels[0]).trap != rpu::Trap::none;
  std::swap(program.simulator.state(), state_);
  if (program.verb != verb_) {
    program.verb = verb_;
    program.ready = timeline_.fetch(rpu::job::transfer_cycles(machine(), kernel.code_bytes()));
  }
  std::array<Timeline::Use, rpu::kRegisters> uses;
  for (std::size_t r = 0; r < places.size(); ++r) {
    uses[r] = {places[r], kernel.regions[r].written};
    use(places[r] + offset + kernel.regions[r].words);
  }
  used_scalars_ = std::max(used_scalars_, kernel.scalar_words());
  const u64 cycles = kernel.cycles + kernel.scalar_words();
  timeline_.run(uses.data(), places.size(), cycles, program.ready);
  compute_cycles_ += cycles;
  if (kernel.transforms) transform_cycles_ += cycles;
  energy_uj_ += kernel.energy_uj;
}

u64 Processor::word_cycles(u64 words) const noexcept { return rpu::job::transfer_cycles(machine(), words * kWordBytes); }

// The slower of the host's link and off-chip memory.
void Processor::host_words(u64 words, u64 word_bytes) noexcept {
  timeline_.stream(std::max(word_cycles(words), cycles_at(machine(), words * word_bytes, machine().host_gigabytes)));
}

// Read in order, written where they belong: each written word takes a whole access.
void Processor::permuted_words(u64 words) noexcept {
  timeline_.stream(word_cycles(words) + rpu::job::transfer_cycles(machine(), words * std::max<u64>(kWordBytes, machine().hbm_access)));
}

void Processor::copied_words(u64 words) noexcept { timeline_.stream(2 * word_cycles(words)); }

void Processor::expanded_words(u64 words, u64 stream_bytes) noexcept {
  const u64 blocks = (stream_bytes + kStreamBlock - 1) / kStreamBlock;
  timeline_.stream(std::max(word_cycles(words), blocks * machine().expand_cycles));
}

}  // namespace ringfort::rpu_host
