// SPDX-License-Identifier: Apache-2.0
// The verbs on placed operands. Callers hold the machine's lock; std::bad_alloc may pass.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "backend/pim/plan.h"

namespace ringfort::pim_host {

// What a verb asks of the placement: light ones follow their operands, heavy ones are worth a copy of those that share
// few groups.
enum class Weight : u8 { light, heavy };

// A verb on a stream: units that do not need one another (polynomials, pairs, rows), the group of each, and launches
// over them.
class Task {
 public:
  Task(Stream s, const View& view)
      : plan_(plan_of(view)),
        machine_(*plan_.machine),
        stream_(s),
        rank_(s.index % machine_.system.ranks()),
        grid_(plan_.grid()) {}

  // Where the first of the operands has its words, or else where the first would have them by itself; none of them may
  // begin on anything but a multiple of n. An operand has as many polynomials a unit as go into its batch.
  [[nodiscard]] Status spread(u32 units, Weight weight, std::initializer_list<const View*> operands);
  [[nodiscard]] Status reads(const View& view, Operand& out) {
    return machine_.memory.place(view, wanted(view), Use::read, out);
  }
  [[nodiscard]] Status updates(const View& view, Operand& out) {
    return machine_.memory.place(view, wanted(view), Use::update, out);
  }
  [[nodiscard]] Status writes(const View& view, Operand& out) {
    return machine_.memory.place(view, wanted(view), Use::write, out);
  }
  // In every group that has a unit.
  [[nodiscard]] Status reads_everywhere(const View& view, Operand& out) {
    return machine_.memory.place(view, {stream_, grid_, groups_, true, view.batch}, Use::read, out);
  }
  [[nodiscard]] Status done(const Operand& out, Status status) noexcept {
    if (status == Status::ok) machine_.memory.wrote(stream_, out);
    return status;
  }

  // Every DPU with units takes neighbours at once where the operands' follow one another (without operands: never), and
  // the others in further launches: make(arguments, limb of `limbs`, first unit, how many). DPUs without work have
  // `idle`.
  template <class Arguments, class Make>
  [[nodiscard]] Status launch(Kernel kernel, Limbs limbs, std::initializer_list<const Operand*> following,
                              const Arguments& idle, Make make) {
    std::vector<u32> all(groups_.size());
    for (u32 u = 0; u < all.size(); ++u) all[u] = u;
    return launch_some(kernel, all, limbs, following, idle, make);
  }
  template <class Arguments, class Make>
  [[nodiscard]] Status launch_some(Kernel kernel, const std::vector<u32>& units, Limbs limbs,
                                   std::initializer_list<const Operand*> following, const Arguments& idle, Make make) {
    for (u32 l = 0; l < limbs.count; ++l) {
      for (std::size_t i = 0, next = 0; i < units.size(); i = next) {
        for (next = i + 1; next < units.size() && units[next] == units[next - 1] + 1 &&
                           groups_[units[next]] == groups_[units[i]] && follow(units[next], following);)
          ++next;
        Arguments arguments = idle;
        make(arguments, l, units[i], static_cast<u32>(next - i));
        const Status asked =
            machine_.system.ask(rank_, kernel, idle, grid_.dpu(groups_[units[i]], limbs.first + l), arguments);
        if (asked != Status::ok) return asked;
      }
    }
    return Status::ok;
  }

  [[nodiscard]] const Limb& limb(const Operand& of, u32 l) const noexcept {
    return plan_.limbs[of.view.limbs.first + l];
  }
  [[nodiscard]] const PimPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] Stream stream() const noexcept { return stream_; }
  [[nodiscard]] u32 rank() const noexcept { return rank_; }
  [[nodiscard]] u32 n() const noexcept { return plan_.n(); }
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] u32 units() const noexcept { return static_cast<u32>(groups_.size()); }
  [[nodiscard]] u32 turn(u32 unit) const noexcept { return turns_[unit]; }  // how many units before it its group has
  [[nodiscard]] u32 turns() const noexcept { return *std::max_element(turns_.begin(), turns_.end()) + 1; }

 private:
  [[nodiscard]] PlacementRequest wanted(const View& view) const;
  [[nodiscard]] bool follow(u32 unit, std::initializer_list<const Operand*> operands) const noexcept;
  const PimPlan& plan_;
  Machine& machine_;
  Stream stream_;
  u32 rank_;
  Grid grid_;
  std::vector<u32> groups_, turns_;  // by unit
};

// MRAM for the time of a verb, on every DPU of a rank; zeroed at its end, for it may have held secrets.
class Scratch {
 public:
  Scratch(Machine& machine, u32 rank) : machine_(machine), rank_(rank) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] Status allocate(u32 bytes);
  [[nodiscard]] u32 place() const noexcept { return place_; }

 private:
  Machine& machine_;
  u32 rank_, place_ = 0, bytes_ = 0;
};

// The operand's polynomials, where they are; those of a unit follow one another.
[[nodiscard]] Status transform_at_home(Task& task, const Operand& data, bool inverse);
// A copy on the DPUs.
[[nodiscard]] Status negate_twice(Stream s, const View& out, const View& a);

// Zeroes `words` words at `place` on the DPUs of a rank that `used` names.
[[nodiscard]] Status clear(Machine& machine, u32 rank, u32 place, u32 words, const std::vector<u8>& used);

[[nodiscard]] Status execute(Stream s, const verb::Upload& v);
[[nodiscard]] Status execute(Stream s, const verb::Download& v);
[[nodiscard]] Status execute(Stream s, const verb::Lift& v);
[[nodiscard]] Status execute(Stream s, const verb::Copy& v);
// Of one plan; none of them reads or writes what one before it writes.
[[nodiscard]] Status execute(Stream s, std::span<const verb::Copy* const> copies);
[[nodiscard]] Status execute(Stream s, const verb::Zero& v);

[[nodiscard]] Status execute(Stream s, const verb::Add& v);
[[nodiscard]] Status execute(Stream s, const verb::Subtract& v);
[[nodiscard]] Status execute(Stream s, const verb::Negate& v);
[[nodiscard]] Status execute(Stream s, const verb::Multiply& v);
[[nodiscard]] Status execute(Stream s, const verb::MultiplyAdd& v);
[[nodiscard]] Status execute(Stream s, const verb::MultiplyScalar& v);
[[nodiscard]] Status execute(Stream s, const verb::InnerProduct& v);
[[nodiscard]] Status execute(Stream s, const verb::Tensor& v);

[[nodiscard]] Status execute(Stream s, const verb::Ntt& v);
[[nodiscard]] Status execute(Stream s, const verb::Intt& v);
[[nodiscard]] Status execute(Stream s, const verb::Automorphism& v);
[[nodiscard]] Status execute(Stream s, const verb::Decompose& v);
[[nodiscard]] Status execute(Stream s, const verb::ExpandUniform& v);

[[nodiscard]] Status execute(Stream s, const verb::BaseConvert& v);
[[nodiscard]] Status execute(Stream s, const verb::ModDown& v);
[[nodiscard]] Status execute(Stream s, const verb::ModUp& v);
[[nodiscard]] Status execute(Stream s, const verb::KeySwitch& v);

// Left to the dispatcher.
template <Optional V>
[[nodiscard]] Status execute(Stream, const V&) {  // of the rest, fuses() names none
  return Status::internal;
}

}  // namespace ringfort::pim_host
