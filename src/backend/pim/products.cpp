// SPDX-License-Identifier: Apache-2.0
// Coefficient-wise verbs. A product in a kernel also divides by 2^32 or 2^24 [Montgomery85]. A second product, with the
// square of the divisor, cancels the division. So a product without division takes 121 cycles instead of 62 (30 bits).
#include <algorithm>

#include "backend/pim/verbs.h"
#include "kernels/elementwise.h"
#include "kernels/inner_product.h"
#include "kernels/tensor.h"

namespace ringfort::pim_host {
namespace {

u32 pick(const Limb& limb, u32 wide, u32 narrow) noexcept { return limb.narrow ? narrow : wide; }

// Computes out = a scalar(limb) / 2^32 (narrow primes: 2^24); out may be a. If the scalar is in Montgomery form, the
// division cancels. Polynomials of a unit must be contiguous.
template <class Scalar>
Status scale(VerbTask& task, const Operand& out, const Operand& a, Scalar scalar) {
  const u32 each = out.view.batch / task.units();
  return task.launch(Kernel::elementwise, out.view.limbs, {&out, &a}, ElementwiseArguments{},
                     [&](ElementwiseArguments& x, u32 l, u32 u, u32 count) {
                       const Limb& limb = task.limb(out, l);
                       x = {pick(limb, kMultiplyScalar30, kMultiplyScalar24),
                            limb.q,
                            count * each * task.n(),
                            scalar(l),
                            a.offset(u * each, l),
                            0,
                            0,
                            out.offset(u * each, l),
                            0,
                            0};
                     });
}

Status correct(VerbTask& task, const Operand& out) {
  return scale(task, out, out, [&](u32 l) { return task.limb(out, l).form_twice(); });
}

struct Places {  // places of operands in the memory of a DPU
  u32 a = 0, b = 0, c = 0, out = 0;
};

ElementwiseArguments arguments(u32 verb, u32 q, u32 words, const Places& at) noexcept {
  ElementwiseArguments e{};
  e.verb = verb, e.q = q, e.words = words;
  e.a = at.a, e.b = at.b, e.c = at.c, e.out = at.out;
  return e;
}

ElementwiseArguments zero(u32 words, u32 place) noexcept {  // a - a
  return arguments(kSub, 1u << 30, words, {.a = place, .b = place, .out = place});
}

// Computes out = a + b, a - b or -a.
Status sum(Stream s, const View& out, const View& a, const View& b, u32 kind) {
  VerbTask task(s, out);
  Operand to, x, y;
  if (const Status status = task.spread(out.batch, Weight::light, {&a, &b, &out}); status != Status::ok) return status;
  if (const Status status = task.reads(a, x); status != Status::ok) return status;
  if (const Status status = task.reads(b, y); status != Status::ok) return status;
  if (const Status status = task.writes(out, to); status != Status::ok) return status;
  return task.done(to, task.launch(Kernel::elementwise, out.limbs, {&to, &x, &y}, ElementwiseArguments{},
                                   [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
                                     e = arguments(kind, task.limb(to, l).q, count * task.n(),
                                                   {.a = x.offset(p, l), .b = y.offset(p, l), .out = to.offset(p, l)});
                                   }));
}

}  // namespace

Status clear(Machine& machine, u32 rank, u32 place, u32 words, const std::vector<u8>& used) {
  for (u32 dpu = 0; dpu < used.size(); ++dpu) {
    if (used[dpu] == 0) continue;
    const ElementwiseArguments difference = zero(words, place);
    if (const Status status = machine.system.ask(rank, Kernel::elementwise, ElementwiseArguments{}, dpu, difference);
        status != Status::ok)
      return status;
  }
  return machine.system.settle(rank);
}

Status Scratch::allocate(u32 bytes) {
  if (const Status taken = machine_.memory.arena(rank_).allocate(bytes, place_); taken != Status::ok) return taken;
  bytes_ = bytes;
  return Status::ok;
}

Scratch::~Scratch() {
  if (bytes_ == 0) return;
  try {
    if (clear(machine_, rank_, place_, bytes_ / 4, std::vector<u8>(machine_.system.dpus(), 1)) == Status::ok)
      machine_.memory.arena(rank_).release(place_, bytes_);
  } catch (const std::bad_alloc&) {  // memory that is not zeroed is never reused
  }
}

Status execute(Stream s, const verb::Add& v) { return sum(s, v.out, v.a, v.b, kAdd); }
Status execute(Stream s, const verb::Subtract& v) { return sum(s, v.out, v.a, v.b, kSub); }
Status execute(Stream s, const verb::Negate& v) { return sum(s, v.out, v.a, v.a, kNegate); }

// Copies by two negations, which take 10 cycles per word each; a product with 1 takes 62.
Status negate_twice(Stream s, const View& out, const View& a) {
  const Status negated = sum(s, out, a, a, kNegate);
  return negated == Status::ok ? sum(s, out, out, out, kNegate) : negated;
}

Status execute(Stream s, const verb::Zero& v) {
  VerbTask task(s, v.out);
  Operand to;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.out}); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  return task.done(to, task.launch(Kernel::elementwise, v.out.limbs, {&to}, ElementwiseArguments{},
                                   [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
                                     e = zero(count * task.n(), to.offset(p, l));
                                   }));
}

Status execute(Stream s, const verb::Multiply& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  const bool single = v.b.batch == 1 && v.a.batch != 1;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, single ? &v.out : &v.b, &v.out});
      status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = single ? task.reads_everywhere(v.b, y) : task.reads(v.b, y); status != Status::ok)
    return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const auto make = [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
    const Limb& limb = task.limb(to, l);
    e = arguments(pick(limb, kMultiply30, kMultiply24), limb.q, count * task.n(),
                  {.a = x.offset(p, l), .b = y.offset(single ? 0 : p, l), .out = to.offset(p, l)});
  };
  const Status product =
      single ? task.launch(Kernel::elementwise, v.out.limbs, {}, ElementwiseArguments{}, make)
             : task.launch(Kernel::elementwise, v.out.limbs, {&to, &x, &y}, ElementwiseArguments{}, make);
  return task.done(to, product != Status::ok ? product : correct(task, to));
}

// First multiplies b by the square of the divisor, into scratch memory. Then one kernel computes out += a b.
Status execute(Stream s, const verb::MultiplyAdd& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  const bool single = v.b.batch == 1 && v.a.batch != 1;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, single ? &v.out : &v.b, &v.out});
      status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = single ? task.reads_everywhere(v.b, y) : task.reads(v.b, y); status != Status::ok)
    return status;
  if (const Status status = task.updates(v.out, to); status != Status::ok) return status;
  const u32 n = task.n(), polynomial = n * 4, depth = single ? 1 : task.turns();
  Scratch scratch(task.machine(), task.rank());
  if (const Status status = scratch.allocate(polynomial * depth * task.grid().layers()); status != Status::ok)
    return status;
  const auto form = [&](u32 l, u32 u) {
    return scratch.place() +
           (task.grid().layer(v.b.limbs.first + l) * depth + (single ? 0 : task.turn(u))) * polynomial;
  };
  std::vector<u32> units;
  for (u32 u = 0; u < task.units(); ++u) {
    if (!single || task.turn(u) == 0) units.push_back(u);
  }
  Status status = task.launch_some(Kernel::elementwise, units, v.b.limbs, {}, ElementwiseArguments{},
                                   [&](ElementwiseArguments& e, u32 l, u32 u, u32 count) {
                                     const Limb& limb = task.limb(y, l);
                                     e = arguments(pick(limb, kMultiplyScalar30, kMultiplyScalar24), limb.q, count * n,
                                                   {.a = y.offset(single ? 0 : u, l), .out = form(l, u)});
                                     e.scalar = limb.form_twice();
                                   });
  if (status != Status::ok) return status;
  const auto make = [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
    const Limb& limb = task.limb(to, l);
    e = arguments(pick(limb, kMultiplyAdd30, kMultiplyAdd24), limb.q, count * n,
                  {.a = x.offset(p, l), .b = form(l, p), .c = to.offset(p, l), .out = to.offset(p, l)});
  };
  status = single ? task.launch(Kernel::elementwise, v.out.limbs, {}, ElementwiseArguments{}, make)
                  : task.launch(Kernel::elementwise, v.out.limbs, {&to, &x}, ElementwiseArguments{}, make);
  return task.done(to, status);
}

Status execute(Stream s, const verb::MultiplyScalar& v) {
  VerbTask task(s, v.out);
  Operand to, x;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  return task.done(to, scale(task, to, x, [&](u32 l) {
                     const Limb& limb = task.limb(to, l);
                     return limb.form(static_cast<u64>(v.per_limb[l] % limb.q));
                   }));
}

// A unit is a row, and b is in every group. An accumulator is divided first, so that one product at the end cancels the
// division of the whole sum.
Status execute(Stream s, const verb::InnerProduct& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  if (const Status status = task.spread(v.rows, Weight::heavy, {&v.a, &v.out}); status != Status::ok) return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.reads_everywhere(v.b, y); status != Status::ok) return status;
  if (const Status status = v.accumulate ? task.updates(v.out, to) : task.writes(v.out, to); status != Status::ok)
    return status;
  if (v.accumulate) {
    if (const Status status = scale(task, to, to, [](u32) { return 1u; }); status != Status::ok) return status;
  }
  const Status summed = task.launch(Kernel::inner_product, v.out.limbs, {&x, &to}, InnerProductArguments{},
                                    [&](InnerProductArguments& i, u32 l, u32 row, u32 count) {
                                      const Limb& limb = task.limb(to, l);
                                      i = {limb.q,         limb.narrow,
                                           task.n(),       count,
                                           v.inner,        v.columns,
                                           v.accumulate,   x.offset(std::size_t{row} * v.inner, l),
                                           y.offset(0, l), to.offset(std::size_t{row} * v.columns, l)};
                                    });
  return task.done(to, summed != Status::ok ? summed : correct(task, to));
}

// A unit is a pair of polynomials.
Status execute(Stream s, const verb::Tensor& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  if (const Status status = task.spread(v.a.batch / 2, Weight::heavy, {&v.a, &v.b, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.reads(v.b, y); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const Status product =
      task.launch(Kernel::tensor, v.out.limbs, {}, TensorArguments{}, [&](TensorArguments& t, u32 l, u32 pair, u32) {
        const Limb& limb = task.limb(to, l);
        t = {limb.q,
             limb.narrow,
             task.n(),
             x.offset(2 * pair, l),
             x.offset(2 * pair + 1, l),
             y.offset(2 * pair, l),
             y.offset(2 * pair + 1, l),
             to.offset(3 * pair, l),
             to.offset(3 * pair + 1, l),
             to.offset(3 * pair + 2, l)};
      });
  return task.done(to, product != Status::ok ? product : correct(task, to));
}

}  // namespace ringfort::pim_host
