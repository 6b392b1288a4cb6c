// SPDX-License-Identifier: Apache-2.0
// The verbs on placed operands. Callers hold the machine's lock and have checked the shapes; std::bad_alloc may pass.
#pragma once

#include "backend/pim/plan.h"

namespace ringfort::pim_host {

// A verb on a stream: where its operands are, and how it is launched.
class Verb {
 public:
  Verb(Stream s, const View& view) : plan_(prepared(view)), machine_(*plan_.machine), stream_(s), rank_(s.index % machine_.system.ranks()) {}

  [[nodiscard]] Status reads(const View& view, Operand& out) { return machine_.memory.place(stream_, view, plan_.plan.n, true, out); }
  [[nodiscard]] Status writes(const View& view, Operand& out) { return machine_.memory.place(stream_, view, plan_.plan.n, false, out); }
  [[nodiscard]] Status done(const Operand& out, Status status) noexcept {
    if (status == Status::ok) machine_.memory.wrote(stream_, out);
    return status;
  }

  // One launch for as many limbs as there are DPUs, and `run` of the `batch` polynomials: make(arguments, limb of the view,
  // polynomial) for every DPU with work, the others have `idle`.
  template <class Arguments, class Make>
  [[nodiscard]] Status launch(Kernel kernel, const Operand& shape, u32 run, const Arguments& idle, Make make) {
    const u32 dpus = machine_.system.dpus(), limbs = shape.view.limbs;
    for (u32 first = 0; first < limbs; first += dpus) {
      for (u32 p = 0; p < shape.view.batch; p += run) {
        std::vector<Arguments> arguments(dpus, idle);
        for (u32 l = first; l < limbs && l < first + dpus; ++l) make(arguments[shape.dpu(l)], l, p);
        if (const Status status = machine_.system.launch(rank_, kernel, arguments); status != Status::ok) return status;
      }
    }
    return Status::ok;
  }
  [[nodiscard]] const Limb& limb(const Operand& of, u32 l) const noexcept { return plan_.limbs[of.view.first_limb + l]; }
  [[nodiscard]] Prepared& plan() const noexcept { return plan_; }
  [[nodiscard]] Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] u32 rank() const noexcept { return rank_; }
  [[nodiscard]] u32 n() const noexcept { return plan_.plan.n; }

 private:
  Prepared& plan_;
  Machine& machine_;
  Stream stream_;
  u32 rank_;
};

// MRAM for the time of a verb, on every DPU of a rank; zeroed at its end, for it may have held secrets.
class Scratch {
 public:
  Scratch(Machine& machine, u32 rank) : machine_(machine), rank_(rank) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] Status take(u32 bytes);
  [[nodiscard]] u32 place() const noexcept { return place_; }

 private:
  Machine& machine_;
  u32 rank_, place_ = 0, bytes_ = 0;
};

// Zeroes `words` words at `place` on the DPUs of a rank that `used` names.
[[nodiscard]] Status clear(Machine& machine, u32 rank, u32 place, u32 words, const std::vector<u8>& used);

enum class Sum : u8 { add, sub, negate };
[[nodiscard]] Status sum(Stream s, const View& out, const View& a, const View& b, Sum verb);
[[nodiscard]] Status multiply(Stream s, const View& out, const View& a, const View& b);
[[nodiscard]] Status multiply_add(Stream s, const View& out, const View& a, const View& b);
[[nodiscard]] Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb);
[[nodiscard]] Status inner_product(Stream s, const InnerProduct& product);
[[nodiscard]] Status tensor(Stream s, const View& out, const View& a, const View& b);

[[nodiscard]] Status transform(Stream s, const View& inout, bool inverse);
[[nodiscard]] Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain);
[[nodiscard]] Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget);
[[nodiscard]] Status expand_uniform(Stream s, const View& out, const Expansion& from);
[[nodiscard]] Status base_convert(Stream s, const View& out, const View& a, Conversion kind);

}  // namespace ringfort::pim_host
