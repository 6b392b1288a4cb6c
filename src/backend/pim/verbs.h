// SPDX-License-Identifier: Apache-2.0
// The verbs (operations of backend/verbs.h) of device `pim`. Their operands are in MRAM, the memory of the DPUs
// (processors in memory banks). Callers hold the mutex of the machine. Verbs may throw std::bad_alloc.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "backend/pim/plan.h"

namespace ringfort::pim_host {

// The weight of a verb. A light verb runs in the groups (memory.h) that have its operands. A heavy verb takes longer
// than a copy of its operands. If few groups have these operands, they are first copied to more groups.
enum class Weight : u8 { light, heavy };

// A verb on a stream. Its work consists of independent units. A unit is a polynomial, a pair of polynomials, or a row
// of a product of matrices (InnerProduct). The task chooses a group for each unit, and launches kernels over the units.
class VerbTask {
 public:
  VerbTask(Stream s, const View& view)
      : plan_(plan_of(view)),
        machine_(*plan_.machine),
        stream_(s),
        rank_(s.index % machine_.system.ranks()),
        grid_(plan_.grid()) {}

  // Chooses the group of each unit. An operand is suitable if it has an allocation in which each unit is in one group.
  // A light verb runs in the groups of the first suitable operand. If there is none, it runs in the groups that the
  // first operand would get. A heavy verb also runs in the groups of the first suitable operand, with two exceptions.
  // Its units are spread evenly if there is no suitable operand. They are also spread evenly if this at least halves
  // the number of units of the fullest group. A unit has batch / units polynomials of each operand. Returns
  // Status::unsupported if the offset of an operand is not a multiple of n.
  [[nodiscard]] Status spread(u32 units, Weight weight, std::initializer_list<const View*> operands);
  [[nodiscard]] Status reads(const View& view, Operand& out) {
    return machine_.memory.bring(view, wanted(view), Use::read, out);
  }
  [[nodiscard]] Status updates(const View& view, Operand& out) {
    return machine_.memory.bring(view, wanted(view), Use::update, out);
  }
  [[nodiscard]] Status writes(const View& view, Operand& out) {
    return machine_.memory.bring(view, wanted(view), Use::write, out);
  }
  // Brings a view to every group that has a unit.
  [[nodiscard]] Status reads_everywhere(const View& view, Operand& out) {
    return machine_.memory.bring(
        view, {.stream = stream_, .grid = grid_, .groups = groups_, .everywhere = true, .each = view.batch}, Use::read,
        out);
  }
  [[nodiscard]] Status done(const Operand& out, Status status) noexcept {
    if (status == Status::ok) machine_.memory.wrote(stream_, out);
    return status;
  }

  // Queues launches over all units. make(arguments, limb, first unit, number of units) sets the arguments of one
  // launch. Neighbouring units of a group share a launch if they are contiguous in every operand of `following`. If
  // `following` is empty, each unit has its own launch. DPUs without work get `idle`.
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
  [[nodiscard]] u32 turn(u32 unit) const noexcept { return turns_[unit]; }  // number of earlier units in its group
  [[nodiscard]] u32 turns() const noexcept { return *std::max_element(turns_.begin(), turns_.end()) + 1; }

 private:
  [[nodiscard]] PlacementRequest wanted(const View& view) const;
  [[nodiscard]] bool follow(u32 unit, std::initializer_list<const Operand*> operands) const noexcept;
  const PimPlan& plan_;
  Machine& machine_;
  Stream stream_;
  u32 rank_;
  Grid grid_;
  std::vector<u32> groups_, turns_;  // for each unit
};

// Calls launch(kernel, arguments). The kernel and the type of the arguments are for the words of the plan: 32 or 64
// bits.
template <class Arguments, class Arguments64, class Launch>
[[nodiscard]] Status by_width(const VerbTask& task, Kernel kernel, Launch launch) {
  if (task.plan().is_wide()) return launch(on_64_bits(kernel), Arguments64{});
  return launch(kernel, Arguments{});
}

// A region of MRAM, with words of 4 or 8 bytes.
struct Region {
  u32 offset = 0, bytes = 0, word_bytes = 4;
};

// MRAM on every DPU of a rank for the duration of a verb. The destructor zeroes it, because it may contain secrets.
class Scratch {
 public:
  explicit Scratch(const VerbTask& task)
      : machine_(task.machine()),
        rank_(task.rank()),
        region_{.word_bytes = task.plan().extent().word_bytes} {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] Status allocate(u32 bytes);
  [[nodiscard]] u32 offset() const noexcept { return region_.offset; }

 private:
  Machine& machine_;
  u32 rank_;
  Region region_;
};

// Transforms the polynomials of the operand on the DPUs that have them. The polynomials of a unit must be contiguous.
[[nodiscard]] Status transform_at_home(VerbTask& task, const Operand& data, bool inverse);
[[nodiscard]] Status copy_within(Stream s, const View& out, const View& a);  // copies within the DPUs

// Zeroes the region on each DPU d of the rank with used[d] = 1.
[[nodiscard]] Status clear(Machine& machine, u32 rank, const Region& region, const std::vector<u8>& used);

[[nodiscard]] Status execute(Stream s, const verb::Upload& v);
[[nodiscard]] Status execute(Stream s, const verb::Download& v);
[[nodiscard]] Status execute(Stream s, const verb::Lift& v);
[[nodiscard]] Status execute(Stream s, const verb::Copy& v);
// Runs copies within a plan. No copy may use words that another copy writes.
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

// Not called: Backend::fuses() is false for these optional verbs. Therefore the dispatcher replaces them by required
// verbs.
template <Optional V>
[[nodiscard]] Status execute(Stream, const V&) {
  return Status::internal;
}

}  // namespace ringfort::pim_host
