// SPDX-License-Identifier: Apache-2.0
// The part of class Processor that works as the controller (processor.h). It records loads, stores and runs of programs
// in the job, and adds up time and energy. execute.cpp runs the recorded steps.
#include "backend/rpu/processor.h"

#include "sim/job/execute.h"

namespace ringfort::rpu_host {
namespace {

constexpr u64 kWordBytes = 16;
constexpr u64 kStreamBlock = 64;               // bytes of a block of ChaCha20
constexpr std::size_t kMostSteps = 1u << 14;   // most steps that are ordered together
constexpr std::size_t kMostValues = 1u << 16;  // most values of one job

// Returns the cycles for the transfer of `bytes` at a rate of `gigabytes` * 10^9 bytes per second.
u64 cycles_at(const rpu::Machine& machine, u64 bytes, u64 gigabytes) noexcept {
  const u64 rate = gigabytes * 1000;  // bytes per microsecond
  return (bytes * machine.clock_mhz() + rate - 1) / rate;
}

// The simulators of programs use the memories of the processor. Therefore their machine needs no memories of its own.
rpu::Machine without_memories(rpu::Machine machine) noexcept {
  machine.vdm_words = machine.sdm_words = 0;
  return machine;
}

}  // namespace

Program::Program(std::shared_ptr<const Kernel> k, const rpu::Machine& machine)
    : kernel(std::move(k)),
      simulator(without_memories(machine), kernel->image) {
  simulator.state().v = {};
}

Processor::Processor(std::shared_ptr<Library> library)
    : library_(std::move(library)),
      state_(library_->machine()),
      timeline_(library_->machine().vdm_words),
      vector_memory_(library_->machine()) {}

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

void Processor::begin(std::size_t verbs) {
  ++jobs_;
  abandon();
  shares_.assign(verbs, {});
}

void Processor::abandon() noexcept {
  timeline_.begin();
  vector_memory_.clear();
  forget_values();
  launch_records_.clear();
  charged_ = instructions_ = 0;
  at_ = 0;
  trapped_ = dry_run_ = false;
}

void Processor::verb(u32 index) {
  job_.registers.clear();
  job_.verb = index;
  ++job_.groups;
  if (job_.values.size() > kMostValues) renew();
}

// Continues the job with an empty vector memory and no values.
void Processor::renew() {
  flush();
  store_all();
  vector_memory_.clear();
  const u32 verb = job_.verb, groups = job_.groups;
  forget_values();
  job_.verb = verb;
  job_.groups = groups;
}

void Processor::forget_values() noexcept {
  job_ = Job();
  for (auto& [value, words] : spills_) wipe(words.data(), words.size() * sizeof(u128));
  spills_.clear();
}

void Processor::finish(Stream s, std::span<Ticket> ends) {
  job_.registers.clear();
  job_.ends = true;
  flush();
  store_all();
  timeline_.drain();
  charge();
  Ticket& clock = clocks_[std::min(s.index, kStreams - 1)];
  const Ticket before = clock;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    clock.us += microseconds(shares_[i].cycles);
    clock.compute_us += microseconds(shares_[i].compute_cycles);
    clock.transform_us += microseconds(shares_[i].transform_cycles);
    clock.energy_uj += shares_[i].energy_uj;
    if (!ends.empty()) ends[i] = clock;
  }
  report_launches(s, before);
  const bool trapped = trapped_;
  abandon();
  trapped_ = trapped;
}

// Reports each transfer and each program run of the job as a launch. The first ticket of a launch includes the energy
// and the computation time of all earlier launches.
void Processor::report_launches(Stream s, Ticket now) {
  if (listener_ == nullptr) return;
  for (const Timeline::Span& span : timeline_.stores()) launch_records_.push_back({"store", span, {}});
  std::stable_sort(launch_records_.begin(), launch_records_.end(),
                   [](const LaunchRecord& a, const LaunchRecord& b) { return a.span.begin < b.span.begin; });
  const double start = now.us;
  for (const LaunchRecord& record : launch_records_) {
    now.us = start + microseconds(record.span.begin);
    Launch launch{record.name, s.index, now, now};
    now.energy_uj += record.spent.energy_uj;
    now.compute_us += microseconds(record.spent.compute_cycles);
    now.transform_us += microseconds(record.spent.transform_cycles);
    launch.end = now;
    launch.end.us = start + microseconds(record.span.end);
    listener_->launched(launch);
  }
}

Rows Processor::rows_of(const View& view, std::span<const LimbTile> tiles) const {
  Rows rows;
  rows.word = view.plan->plan.word;
  const std::size_t n = view.plan->n(), bytes = word_bytes(rows.word);
  for (const auto& [limb, tile, single] : tiles) {
    for (u32 row = 0; row < tile.rows; ++row) {
      const std::size_t polynomial = single ? 0 : tile.polynomial + row;
      const std::size_t begin = view.offset + (polynomial * view.limb_stride() + limb) * n + tile.offset;
      rows.ranges.push_back({view.buffer, begin * bytes, (begin + tile.length) * bytes});
    }
    rows.words += tile.words();
    rows.moved += single ? tile.length : tile.words();
  }
  rows.words = std::max(rows.words, kLeastWords);
  return rows;
}

void Processor::load(u32 name, const View& from, std::span<const LimbTile> tiles) {
  Rows rows = rows_of(from, tiles);
  bool mixed = false;
  u32 value = job_.find(rows, mixed);
  if (mixed) settle(rows);
  if (value == kNone) {
    value = job_.add_value(rows.words);
    (void)job_.add_home(value, std::move(rows), true);
  }
  job_.registers[name] = value;
}

void Processor::store(u32 name, const View& to, std::span<const LimbTile> tiles) {
  const u32 value = job_.registers.at(name);
  Rows rows = rows_of(to, tiles);
  bool mixed = false;
  if (job_.find(rows, mixed) == value) return;
  if (mixed) settle(rows);
  std::vector<u32> older;
  for (const u32 home : job_.meeting(rows)) {
    older = job_.homes[home].older;
    if (job_.homes[home].written) older.push_back(home);
    job_.leave(home);
  }
  const u32 home = job_.add_home(value, std::move(rows), false);
  job_.homes[home].older = std::move(older);
}

void Processor::table(u32 name, std::pair<const void*, u32> key, u32 words, u32 roots,
                      std::function<void(std::span<u128>)> fill) {
  if (const auto known = job_.known_tables.find(key); key.first != nullptr && known != job_.known_tables.end()) {
    job_.registers[name] = known->second;
    return;
  }
  const u32 value = job_.add_value(words);
  job_.values[value].fill = static_cast<u32>(job_.tables.size());
  job_.tables.push_back({std::move(fill), word_cycles(roots)});
  if (key.first != nullptr) job_.known_tables[key] = value;
  job_.registers[name] = value;
}

void Processor::arrive(u32 name, u32 words, u64 word_bytes, std::function<void(std::span<u128>)> fill) {
  const u32 value = job_.add_value(std::max(words, kLeastWords));
  job_.values[value].fill = static_cast<u32>(job_.tables.size());
  job_.tables.push_back({std::move(fill), link_cycles(words, word_bytes)});
  job_.registers[name] = value;
}

void Processor::run_program(Program& program, std::span<const u32> names, std::span<const rpu::Modulus> moduli,
                            std::span<const u128> scalars, u32 tiles) {
  const Kernel& kernel = *program.kernel;
  const auto index = static_cast<u32>(job_.steps.size());
  if (!job_.grouped) ++job_.groups;
  Step step{&program,
            static_cast<u32>(job_.operands.size()),
            static_cast<u32>(names.size()),
            static_cast<u32>(job_.words.size()),
            0,
            tiles,
            job_.verb,
            job_.groups};
  for (const rpu::Modulus& modulus : moduli)
    job_.words.insert(job_.words.end(), {modulus.value(), modulus.reduction_constant()});
  job_.words.insert(job_.words.end(), scalars.begin(), scalars.end());
  step.scalars = static_cast<u32>(job_.words.size()) - step.words;
  for (u32 r = 0; r < names.size(); ++r) {
    const Region& region = kernel.regions[r];
    const bool is_table = kernel.transforms && !kernel.table.empty() && r + 1 == names.size();
    const auto found = job_.registers.find(names[r]);
    Operand operand{kNone, kNone, names[r], kNever};
    if (region.read && found != job_.registers.end()) operand.in = found->second;
    if (operand.in == kNone || (region.written && !is_table)) {
      operand.out = job_.add_value(operand.in == kNone ? region.words * tiles : job_.values[operand.in].words);
      job_.values[operand.out].step = index;
    }
    job_.operands.push_back(operand);
  }
  for (u32 r = 0; r < names.size(); ++r) {
    if (const u32 out = job_.operands[step.operands + r].out; out != kNone) job_.registers[names[r]] = out;
  }
  job_.steps.push_back(step);
  if (job_.steps.size() >= kMostSteps && !job_.grouped) flush();
}

// Stores all results in off-chip memory. After this, values have no homes that overlap the rows.
void Processor::settle(const Rows& rows) {
  flush();
  store_all();
  for (const u32 home : job_.meeting(rows)) detach(home);
}

void Processor::settle(const View* to) {
  flush();
  store_all();
  timeline_.drain();
  charge();
  at_ = job_.verb;
  for (u32 b = 0; to != nullptr && b < to->batch; ++b) {
    for (u32 limb = 0; limb < to->limbs.count; ++limb) {
      const LimbTile whole{.limb = limb, .tile = {.polynomial = b, .length = to->plan->n()}};
      for (const u32 home : job_.meeting(rows_of(*to, std::span(&whole, 1)))) detach(home);
    }
  }
}

u64 Processor::word_cycles(u64 words) const noexcept {
  return rpu::job::transfer_cycles(machine(), words * kWordBytes);
}

// Returns the cycles of the transfer. The slower of the host's link and the off-chip memory determines them.
u64 Processor::link_cycles(u64 words, u64 word_bytes) const noexcept {
  return std::max(word_cycles(words), cycles_at(machine(), words * word_bytes, machine().host_gigabytes));
}

void Processor::stream(std::string_view name, u64 cycles) {
  tell(name, timeline_.stream(cycles));
  charge();
}

void Processor::host_words(u64 words, u64 word_bytes) { stream("host", link_cycles(words, word_bytes)); }

// Adds the time of words that are read in order and written to scattered addresses. Each write takes at least the time
// of the shortest access to off-chip memory (hbm_access).
void Processor::permuted_words(u64 words) {
  stream("permute", word_cycles(words) +
                        rpu::job::transfer_cycles(machine(), words * std::max<u64>(kWordBytes, machine().hbm_access)));
}

void Processor::zeroed_words(u64 words) { stream("zero", word_cycles(words)); }

void Processor::expanded_words(u64 words, u64 stream_bytes) {
  const u64 blocks = (stream_bytes + kStreamBlock - 1) / kStreamBlock;
  stream("expand", std::max(word_cycles(words), blocks * machine().expand_cycles));
}

void Processor::charge() noexcept {
  const u64 now = timeline_.end();
  if (now <= charged_ || shares_.empty()) return;
  shares_[at_].cycles += now - charged_;
  charged_ = now;
}

void Processor::tell(std::string_view name, Timeline::Span span, const Share& spent) {
  if (listener_ != nullptr && !dry_run_) launch_records_.push_back({name, span, spent});
}

}  // namespace ringfort::rpu_host
