// SPDX-License-Identifier: Apache-2.0
// The part of class Processor that runs the recorded steps of a job (job.h). It loads operands into the vector memory
// (on the chip), finds addresses for results, and runs the programs. Sometimes a value must leave the vector memory,
// although a later step needs it. Then the processor stores it in off-chip memory. The value goes to its own location
// (its home) if no later step needs the words that are there now. If a later step needs them, the value goes to the
// scratch memory of the job.
#include <algorithm>

#include "backend/rpu/kernel_run.h"
#include "backend/rpu/processor.h"
#include "sim/isa_tables.h"
#include "sim/job/execute.h"

namespace ringfort::rpu_host {
namespace {

template <class W>
void gather_words(const Rows& rows, std::span<u128> to) {
  auto at = to.begin();
  for (const ByteRange& s : rows.ranges) {
    const u8* bytes = host::buffer_of(s.buffer)->data();
    at = std::copy(reinterpret_cast<const W*>(bytes + s.begin), reinterpret_cast<const W*>(bytes + s.end), at);
  }
  std::fill(at, to.end(), 0);
}

template <class W>
void scatter_words(const Rows& rows, std::span<const u128> from) {
  auto at = from.begin();
  for (const ByteRange& s : rows.ranges) {
    W* words = reinterpret_cast<W*>(host::buffer_of(s.buffer)->data() + s.begin);
    for (std::size_t i = 0; i < (s.end - s.begin) / sizeof(W); ++i) words[i] = static_cast<W>(*at++);
  }
}

}  // namespace

void Processor::flush() {
  if (job_.steps.empty()) return;
  const std::vector<std::vector<u32>> orders = job_.orders();
  follow(orders.size() == 1 ? orders[0] : orders[quickest(orders)]);
  job_.end_steps();
}

void Processor::follow(const std::vector<u32>& order) {
  note_uses(order);
  for (job_.now = 0; job_.now < order.size(); ++job_.now) execute(job_.steps[order[job_.now]]);
}

// Returns the index of the fastest of several orders of the steps. It makes a dry run of each order and of the stores
// at the end of the job. Times do not depend on values. Therefore a dry run gives the exact time.
std::size_t Processor::quickest(const std::vector<std::vector<u32>>& orders) {
  const Job job = job_;
  const VectorMemory before = vector_memory_;
  const Timeline timeline = timeline_;
  const std::vector<Share> shares = shares_;
  const bool trapped = trapped_;
  const u64 charged = charged_, instructions = instructions_;
  std::size_t best = 0;
  u64 least = ~u64{0};
  dry_run_ = true;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    ++jobs_;
    follow(orders[i]);
    store_all();
    timeline_.drain();
    const u64 end = trapped_ ? ~u64{0} - 1 : timeline_.end();
    if (end < least) best = i;
    least = std::min(least, end);
    trapped_ = trapped;
    job_ = job;
    vector_memory_ = before;
    timeline_ = timeline;
    shares_ = shares;
    charged_ = charged;
    instructions_ = instructions;
  }
  dry_run_ = false;
  ++jobs_;
  return best;
}

void Processor::note_uses(const std::vector<u32>& order) {
  for (Value& value : job_.values) value.next = kNever, value.named = false;
  for (const auto& [name, value] : job_.registers) job_.values[value].next = kLater, job_.values[value].named = true;
  for (u32 at = static_cast<u32>(order.size()); at-- > 0;) {
    const Step& step = job_.steps[order[at]];
    const std::span<Operand> operands = std::span(job_.operands).subspan(step.operands, step.regions);
    for (Operand& o : operands) {
      if (o.in != kNone) o.after = job_.values[o.in].next;
    }
    for (const Operand& o : operands) {
      if (o.in != kNone) job_.values[o.in].next = at;
    }
  }
}

// Runs a step. If the vector memory has no space for its operands and results, all values leave the vector memory, and
// a second try follows. Then each result is stored in its homes, except in a home whose old words a later step needs.
void Processor::execute(const Step& step) {
  at_ = step.verb;
  if (!assign_addresses(step)) {
    for (u32 r = 0; r < step.regions; ++r) {
      const u32 out = job_.operands[step.operands + r].out;
      if (out != kNone && job_.values[out].address != kNone) leave(out);
    }
    empty();
    if (!assign_addresses(step)) {
      trapped_ = true;
      return;
    }
  }
  compute(step);
  end_values(step);
  for (u32 r = 0; r < step.regions; ++r) {
    const u32 out = job_.operands[step.operands + r].out;
    if (out == kNone) continue;
    for (const u32 home : job_.values[out].homes) {
      if (job_.is_owed(home) && may_store(home)) store_home(home);
    }
  }
  charge();
}

// Finds addresses in this order: for operands, for results that need new addresses, and for results that replace an
// operand.
bool Processor::assign_addresses(const Step& step) {
  pinned_.clear();
  const std::span<const Operand> operands = std::span(job_.operands).subspan(step.operands, step.regions);
  for (u32 r = 0; r < step.regions; ++r) {
    const u32 in = operands[r].in;
    if (in == kNone) continue;
    if (!bring(in)) return false;
    pinned_.push_back(in);
    bases_[r] = job_.values[in].address;
  }
  for (u32 r = 0; r < step.regions; ++r) {
    const auto [in, out, name, after] = operands[r];
    if (out == kNone || in != kNone || dying(step, r) != kNone) continue;
    if (!make_room(out, VectorMemory::For::result)) return false;
    pinned_.push_back(out);
    bases_[r] = job_.values[out].address;
  }
  for (u32 r = 0; r < step.regions; ++r) {
    const auto [in, out, name, after] = operands[r];
    const u32 before = in != kNone ? in : dying(step, r);
    if (out == kNone || before == kNone || job_.values[out].address != kNone) continue;
    job_.values[before].next = after;
    bases_[r] = job_.values[before].address;
    if (in != kNone) save(before);
    leave(before);
    job_.values[out].address = bases_[r];
    vector_memory_.assign(out, bases_[r]);
  }
  return true;
}

// Returns an operand whose address the result may take, or kNone. This operand has the name and the size of the result,
// and no later step needs it.
u32 Processor::dying(const Step& step, u32 region) const {
  const std::span<const Operand> operands = std::span(job_.operands).subspan(step.operands, step.regions);
  for (const Operand& o : operands) {
    if (o.in == kNone || o.out != kNone || o.name != operands[region].name || o.after != kNever) continue;
    const Value &value = job_.values[o.in], &result = job_.values[operands[region].out];
    const bool stored = std::none_of(value.homes.begin(), value.homes.end(), [this](u32 h) { return job_.is_owed(h); });
    if (value.words == result.words && stored && timeline_.free_at(region_of(o.in)) <= timeline_.processor_free())
      return o.in;
  }
  return kNone;
}

void Processor::end_values(const Step& step) {
  for (u32 r = 0; r < step.regions; ++r) {
    const Operand& o = job_.operands[step.operands + r];
    if (o.in != kNone) job_.values[o.in].next = o.after;
  }
}

void Processor::fetch(Program& program) {
  const u64 count = program.kernel->image.code.size();
  if (program.job == jobs_) return;
  instructions_ += count;
  if (instructions_ > rpu::kInstructionMemory) {  // the instruction memory is full: all programs are fetched again
    ++jobs_;
    instructions_ = count;
  }
  const Timeline::Span span = timeline_.fetch(rpu::job::transfer_cycles(machine(), program.kernel->code_bytes()));
  tell("program", span);
  program.job = jobs_;
  program.ready = span.end;
}

void Processor::compute(const Step& step) {
  Program& program = *step.program;
  const Kernel& kernel = *program.kernel;
  fetch(program);
  std::array<Timeline::Use, rpu::kRegisters> uses;
  for (u32 r = 0; r < step.regions; ++r) {
    const Operand& o = job_.operands[step.operands + r];
    const u32 words = job_.values[o.out != kNone ? o.out : o.in].words;
    uses[r] = {{bases_[r], words}, o.out != kNone};
    used_words_ = std::max(used_words_, bases_[r] + words);
  }
  used_scalars_ = std::max(used_scalars_, kernel.scalar_words());
  for (u32 tile = 0; tile < step.tiles && !dry_run_; ++tile) {
    u128* word = state_.sdm.data();
    for (u32 r = 0; r < step.regions; ++r) *word++ = bases_[r] + tile * kernel.regions[r].words;
    std::copy_n(job_.words.begin() + step.words, step.scalars, word);
    state_.written = {};
    before_kernel_run(kernel, state_);
    std::swap(program.simulator.state(), state_);
    trapped_ |= program.simulator.run(kernel.image.kernels[0]).trap != rpu::Trap::none;
    std::swap(program.simulator.state(), state_);
  }
  Share spent{.compute_cycles = step.tiles * (kernel.cycles + kernel.scalar_words()),
              .energy_uj = step.tiles * kernel.energy_uj};
  if (kernel.transforms) spent.transform_cycles = spent.compute_cycles;
  tell(kernel.name, timeline_.run_kernel(std::span(uses).first(step.regions), spent.compute_cycles, program.ready),
       spent);
  Share& share = shares_[step.verb];
  share.compute_cycles += spent.compute_cycles;
  share.transform_cycles += spent.transform_cycles;
  share.energy_uj += spent.energy_uj;
}

std::span<u128> Processor::words_of(u32 value) {
  const auto [first, count] = region_of(value);
  used_words_ = std::max(used_words_, first + count);
  return std::span(state_.vdm).subspan(first, count);
}

bool Processor::make_room(u32 value, VectorMemory::For what) {
  const u32 words = job_.values[value].words, address = vector_memory_.find(words, what, job_, pinned_, timeline_);
  if (address == kNone) return false;
  for (const u32 other : vector_memory_.values_in(address, words, job_)) {
    save(other);
    leave(other);
  }
  job_.values[value].address = address;
  vector_memory_.assign(value, address);
  return true;
}

// Brings a value into the vector memory, unless it is there. The value is a table, or comes from one of its homes, or
// from the scratch memory. Returns false if there is no space.
bool Processor::bring(u32 v) {
  if (job_.values[v].address != kNone) return true;
  if (!make_room(v, job_.values[v].fill != kNone ? VectorMemory::For::table : VectorMemory::For::load)) return false;
  Value& value = job_.values[v];
  const std::span<u128> words = words_of(v);
  u64 cycles = 0;
  u32 store = kNone;
  const auto home =
      std::find_if(value.homes.begin(), value.homes.end(), [this](u32 h) { return job_.homes[h].written; });
  if (value.fill != kNone) {
    if (!dry_run_) job_.tables[value.fill].fill(words);
    cycles = job_.tables[value.fill].cycles;
  } else if (home != value.homes.end()) {
    const Rows& rows = job_.homes[*home].rows;
    if (!dry_run_) host::with_word(rows.word, [&]<class W>(W) { gather_words<W>(rows, words); });
    cycles = word_cycles(rows.moved);
    store = job_.homes[*home].store;
  } else {
    if (!dry_run_) std::copy(spills_[v].begin(), spills_[v].end(), words.begin());
    cycles = word_cycles(value.words);
    store = value.spill_store;
  }
  const Timeline::Span span = timeline_.load(region_of(v), cycles, store == kNone ? 0 : timeline_.stored(store));
  if (value.fill == kNone && home != value.homes.end()) job_.homes[*home].read = span.end;
  tell(value.fill != kNone ? "table" : "load", span);
  return true;
}

void Processor::leave(u32 v) {
  vector_memory_.remove(job_.values[v].address);
  job_.values[v].address = kNone;
}

void Processor::save(u32 v) {
  bool needed = job_.values[v].next != kNever;
  for (const u32 home : job_.values[v].homes) {
    if (!job_.is_owed(home)) continue;
    if (may_store(home)) store_home(home);
    else needed = true;
  }
  if (needed && !job_.is_saved(v)) spill(v);
}

void Processor::spill(u32 v) {
  Value& value = job_.values[v];
  const std::span<const u128> words = words_of(v);
  if (!dry_run_) spills_[v].assign(words.begin(), words.end());
  value.spilled = true;
  value.spill_store = timeline_.store(region_of(v), word_cycles(value.words));
}

void Processor::empty() {
  for (const u32 value : vector_memory_.values_in(0, machine().vdm_words, job_)) {
    save(value);
    leave(value);
  }
}

// Tells whether a home may be written. It may not if it has the only copy of a value that is still needed.
bool Processor::may_store(u32 h) const {
  const Home& home = job_.homes[h];
  if (home.written) return false;
  return std::none_of(home.older.begin(), home.older.end(), [this](u32 o) {
    const Home& older = job_.homes[o];
    const Value& value = job_.values[older.value];
    if (!older.written || !job_.is_needed(older.value) || value.address != kNone || value.spilled) return false;
    return std::none_of(value.homes.begin(), value.homes.end(),
                        [&](u32 other) { return other != o && job_.homes[other].written; });
  });
}

void Processor::store_home(u32 h) {
  Home& home = job_.homes[h];
  u64 read = 0;
  for (const u32 older : home.older) {
    job_.homes[older].written = false;
    read = std::max(read, job_.homes[older].read);
    if (const u32 store = job_.homes[older].store; store != kNone) read = std::max(read, timeline_.stored(store));
  }
  if (!dry_run_)
    host::with_word(home.rows.word, [&]<class W>(W) { scatter_words<W>(home.rows, words_of(home.value)); });
  home.store = timeline_.store(region_of(home.value), word_cycles(home.rows.moved), read);
  home.written = true;
}

void Processor::store_all() {
  for (u32 h = 0; h < job_.homes.size(); ++h) {
    if (!job_.is_owed(h)) continue;
    pinned_.clear();
    for (const u32 older : job_.homes[h].older) {
      if (!may_store(h) && job_.homes[older].written && bring(job_.homes[older].value))
        pinned_.push_back(job_.homes[older].value);
    }
    if (bring(job_.homes[h].value) && may_store(h)) store_home(h);
    else trapped_ = true;
  }
}

void Processor::detach(u32 h) {
  const u32 value = job_.homes[h].value;
  if (job_.values[value].named && !bring(value)) trapped_ = true;
  job_.homes[h].written = false;
  job_.leave(h);
}

}  // namespace ringfort::rpu_host
