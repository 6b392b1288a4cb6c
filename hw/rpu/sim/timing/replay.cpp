// SPDX-License-Identifier: Apache-2.0
// Executes a program in the order of the simulated times. An instruction has up to three moments: it is dispatched and
// takes its scalars; it reads its operands; its results become visible. The replay sorts the moments of all
// instructions by cycle. Record (timing.h) has the cycles.
#include "sim/timing/replay.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ringfort::rpu {
namespace {

enum class Moment : u8 { visible = 0, read = 1, dispatched = 2 };  // the value is the order of moments within one cycle

struct Step {
  u64 cycle;
  Moment moment;
  std::size_t record;
};

// The scalar operands that an instruction takes when it is dispatched.
struct Scalars {
  u128 s = 0;
  u32 a = 0;
  Modulus m;
};

class Replay {
 public:
  Replay(const Machine& machine, const Image& image, const State& before, const std::vector<Record>& records)
      : simulator_(machine, image),
        records_(records),
        scalars_(records.size()) {
    simulator_.state() = before;
  }

  State replay_records() {
    for (const Step& step : steps()) {
      const Record& record = records_[step.record];
      if (step.moment == Moment::dispatched) dispatch(step.record, record);
      if (step.moment == Moment::read) read(step.record, record);
      if (step.moment == Moment::visible) make_visible(step.record);
    }
    return std::move(simulator_.state());
  }

 private:
  [[nodiscard]] std::vector<Step> steps() const {
    std::vector<Step> all;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const bool scalar = records_[i].instruction.info().pipe == Pipe::front_end;
      all.push_back({records_[i].dispatch, Moment::dispatched, i});
      if (scalar) continue;
      all.push_back({records_[i].start, Moment::read, i});
      all.push_back({records_[i].finish(), Moment::visible, i});
    }
    std::stable_sort(all.begin(), all.end(), [](const Step& x, const Step& y) {
      return std::tie(x.cycle, x.moment) < std::tie(y.cycle, y.moment);
    });
    return all;
  }

  void dispatch(std::size_t index, const Record& record) {
    const Instruction& in = record.instruction;
    Event event;
    if (in.info().pipe == Pipe::front_end) static_cast<void>(simulator_.execute(record.pc, event));
    State& state = simulator_.state();
    scalars_[index] = {state.s[in.vt], state.a[in.rm], state.m[in.rm]};
  }

  // Runs the instruction with the scalars that it has taken. Then hides its results until they become visible.
  void read(std::size_t index, const Record& record) {
    State& state = simulator_.state();
    const Instruction& in = record.instruction;
    const Scalars now{state.s[in.vt], state.a[in.rm], state.m[in.rm]};
    const u64 writes = vector_use(in).writes, written = state.written.vector;
    auto& hidden = hidden_[index];
    for (u64 rest = writes; rest != 0; rest &= rest - 1)
      hidden.emplace_back(std::countr_zero(rest), state.v[std::countr_zero(rest)]);
    set_scalars(in, scalars_[index]);
    Event event;
    static_cast<void>(simulator_.execute(record.pc, event));
    set_scalars(in, now);
    for (auto& [number, value] : hidden) std::swap(value, state.v[number]);
    state.written.vector = written;
  }

  void make_visible(std::size_t index) {
    for (auto& [number, value] : hidden_[index]) {
      simulator_.state().v[number] = value;
      simulator_.state().written.vector |= u64{1} << number;
    }
    hidden_.erase(index);
  }

  void set_scalars(const Instruction& in, const Scalars& scalars) {
    State& state = simulator_.state();
    state.s[in.vt] = scalars.s;
    state.a[in.rm] = scalars.a;
    state.m[in.rm] = scalars.m;
  }

  Functional simulator_;
  const std::vector<Record>& records_;
  std::vector<Scalars> scalars_;
  std::map<std::size_t, std::vector<std::pair<int, Vector>>> hidden_;
};

}  // namespace

State replay_in_time(const Machine& machine, const Image& image, const State& before,
                     const std::vector<Record>& records) {
  return Replay(machine, image, before, records).replay_records();
}

bool same_values(const State& a, const State& b) {
  const auto same_vector = [](const Vector& x, const Vector& y) { return x.element == y.element; };
  const auto same_modulus = [](const Modulus& x, const Modulus& y) { return x.value() == y.value(); };
  return std::equal(a.v.begin(), a.v.end(), b.v.begin(), same_vector) && a.s == b.s && a.a == b.a &&
         std::equal(a.m.begin(), a.m.end(), b.m.begin(), same_modulus) && a.vdm == b.vdm && a.sdm == b.sdm;
}

}  // namespace ringfort::rpu
