// SPDX-License-Identifier: Apache-2.0
// The coefficient-wise verbs of device `pim`. On words of 32 bits, a product in a kernel also divides by 2^32 or 2^24
// [Montgomery85]. A second product, by the square of the divisor, cancels this division. For a 30-bit prime, one
// product takes 62 cycles, and the two products together take 121 cycles. On words of 64 bits, only InnerProduct and
// products with constants divide, and a constant cancels the division.
#include <algorithm>

#include "backend/pim/verbs.h"
#include "kernels/elementwise.h"
#include "kernels/elementwise64.h"
#include "kernels/inner_product.h"
#include "kernels/tensor.h"

namespace ringfort::pim_host {
namespace {

// Returns the number of the kernel's verb for the smaller (`narrow`) or the larger radix of the limb (plan.h).
u32 pick(const Limb& limb, u32 wide, u32 narrow) noexcept { return limb.narrow ? narrow : wide; }

struct Offsets {  // offsets of the operands in the MRAM of a DPU
  u32 a = 0, b = 0, c = 0, out = 0;
};

template <class A>
void set_divisor(A& e, const Limb& limb) noexcept {
  e.shifted = limb.shifted, e.quotient = limb.quotient, e.shift = limb.shift;
}

// Fills the arguments of the kernel elementwise or elementwise64.
template <class A>
void fill(A& e, u32 verb, const Limb& limb, u32 words, const Offsets& at) noexcept {
  e.verb = verb, e.words = words;
  e.q = static_cast<decltype(e.q)>(limb.q());
  if constexpr (requires { e.narrow; }) e.narrow = limb.narrow;
  if constexpr (requires { e.shifted; }) set_divisor(e, limb);
  e.a = at.a, e.b = at.b, e.c = at.c, e.out = at.out;
}

// Computes out = a scalar(limb) / divisor, where the divisor is 2^32 or 2^24. `out` may be `a`. A scalar in Montgomery
// form cancels the division. The polynomials of a unit (pim/verbs.h) must be contiguous.
template <class Scalar>
Status scale(VerbTask& task, const Operand& out, const Operand& a, Scalar scalar) {
  const u32 each = out.view.batch / task.units();
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, out.view.limbs, {&out, &a}, idle, [&](A& e, u32 l, u32 u, u32 count) {
      const Limb& limb = task.limb(out, l);
      const u32 verb =
          task.plan().is_wide() ? u32{kMultiplyScalar64} : pick(limb, kMultiplyScalar30, kMultiplyScalar24);
      fill(e, verb, limb, count * each * task.n(), {.a = a.offset(u * each, l), .out = out.offset(u * each, l)});
      e.scalar = static_cast<decltype(e.scalar)>(scalar(l));
    });
  };
  return by_width<ElementwiseArguments, Elementwise64Arguments>(task, Kernel::elementwise, launch);
}

// Multiplies by a constant that cancels the division of an earlier product.
Status correct(VerbTask& task, const Operand& out) {
  return scale(task, out, out, [&](u32 l) { return task.limb(out, l).form_twice(); });
}

// Returns the arguments of a launch that zeroes a region. The launch computes a - a.
template <class A>
A zero(const Region& region) noexcept {
  A e{};
  fill(e, kSub, Limb{.modulus = Modulus<u64>((1u << 30) - 1)}, region.bytes / region.word_bytes,
       {.a = region.offset, .b = region.offset, .out = region.offset});
  return e;
}

// Computes out = a + b, a - b or -a. For words of 64 bits, it can also compute out = a.
Status sum(Stream s, const View& out, const View& a, const View& b, u32 kind) {
  VerbTask task(s, out);
  Operand to, x, y;
  if (const Status status = task.spread(out.batch, Weight::light, {&a, &b, &out}); status != Status::ok) return status;
  if (const Status status = task.reads(a, x); status != Status::ok) return status;
  if (const Status status = task.reads(b, y); status != Status::ok) return status;
  if (const Status status = task.writes(out, to); status != Status::ok) return status;
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, out.limbs, {&to, &x, &y}, idle, [&](A& e, u32 l, u32 p, u32 count) {
      fill(e, kind, task.limb(to, l), count * task.n(),
           {.a = x.offset(p, l), .b = y.offset(p, l), .out = to.offset(p, l)});
    });
  };
  return task.done(to, by_width<ElementwiseArguments, Elementwise64Arguments>(task, Kernel::elementwise, launch));
}

static_assert(u32{kAdd} == kAdd64 && u32{kSub} == kSub64 && u32{kNegate} == kNegate64);

// Operands of a product.
struct Factors {
  Operand to, x, y;
  bool single;  // y is one polynomial, with a copy in every group that has a unit
};

// Brings the operands to the groups. `use` tells whether the product is written to `to` or added to it.
Status bring(VerbTask& task, const View& out, const View& a, const View& b, Use use, Factors& f) {
  f.single = b.batch == 1 && a.batch != 1;
  if (const Status status = task.spread(out.batch, Weight::light, {&a, f.single ? &out : &b, &out});
      status != Status::ok)
    return status;
  if (const Status status = task.reads(a, f.x); status != Status::ok) return status;
  if (const Status status = f.single ? task.reads_everywhere(b, f.y) : task.reads(b, f.y); status != Status::ok)
    return status;
  return use == Use::update ? task.updates(out, f.to) : task.writes(out, f.to);
}

// Queues the launches for all units of a product. If y is one polynomial, each unit has a launch of its own.
template <class A, class Make>
Status launch_product(VerbTask& task, Kernel kernel, const Factors& f, bool follows_y, const A& idle, Make make) {
  const Limbs limbs = f.to.view.limbs;
  if (f.single) return task.launch(kernel, limbs, {}, idle, make);
  return follows_y ? task.launch(kernel, limbs, {&f.to, &f.x, &f.y}, idle, make)
                   : task.launch(kernel, limbs, {&f.to, &f.x}, idle, make);
}

// Computes to = x y or to += x y in words of 64 bits.
Status product_64(VerbTask& task, const Factors& f, u32 verb) {
  return launch_product(task, Kernel::elementwise64, f, true, Elementwise64Arguments{},
                        [&](Elementwise64Arguments& e, u32 l, u32 p, u32 count) {
                          const Limb& limb = task.limb(f.to, l);
                          const u32 out = f.to.offset(p, l);
                          fill(e, verb, limb, count * task.n(),
                               {.a = f.x.offset(p, l), .b = f.y.offset(f.single ? 0 : p, l), .c = out, .out = out});
                        });
}

// Computes to += x y in words of 32 bits. First multiplies y by the square of the divisor. This product is in scratch
// memory.
Status multiply_add_32(VerbTask& task, const Factors& f) {
  const u32 n = task.n(), polynomial = n * 4, depth = f.single ? 1 : task.turns();
  Scratch scratch(task);
  if (const Status status = scratch.allocate(polynomial * depth * task.grid().layers()); status != Status::ok)
    return status;
  const Limbs limbs = f.y.view.limbs;
  const auto form = [&](u32 l, u32 u) {
    return scratch.offset() + (task.grid().layer(limbs.first + l) * depth + (f.single ? 0 : task.turn(u))) * polynomial;
  };
  std::vector<u32> units;
  for (u32 u = 0; u < task.units(); ++u) {
    if (!f.single || task.turn(u) == 0) units.push_back(u);
  }
  const Status status = task.launch_some(Kernel::elementwise, units, limbs, {}, ElementwiseArguments{},
                                         [&](ElementwiseArguments& e, u32 l, u32 u, u32 count) {
                                           const Limb& limb = task.limb(f.y, l);
                                           fill(e, pick(limb, kMultiplyScalar30, kMultiplyScalar24), limb, count * n,
                                                {.a = f.y.offset(f.single ? 0 : u, l), .out = form(l, u)});
                                           e.scalar = static_cast<u32>(limb.form_twice());
                                         });
  if (status != Status::ok) return status;
  return launch_product(task, Kernel::elementwise, f, false, ElementwiseArguments{},
                        [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
                          const Limb& limb = task.limb(f.to, l);
                          const u32 out = f.to.offset(p, l);
                          fill(e, pick(limb, kMultiplyAdd30, kMultiplyAdd24), limb, count * n,
                               {.a = f.x.offset(p, l), .b = form(l, p), .c = out, .out = out});
                        });
}

}  // namespace

Status clear(Machine& machine, u32 rank, const Region& region, const std::vector<u8>& used) {
  const auto ask = [&]<class A>(Kernel kernel, u32 dpu, const A& difference) {
    return machine.system.ask(rank, kernel, A{}, dpu, difference);
  };
  for (u32 dpu = 0; dpu < used.size(); ++dpu) {
    if (used[dpu] == 0) continue;
    const Status status = region.word_bytes == 8 ? ask(Kernel::elementwise64, dpu, zero<Elementwise64Arguments>(region))
                                                 : ask(Kernel::elementwise, dpu, zero<ElementwiseArguments>(region));
    if (status != Status::ok) return status;
  }
  return machine.system.settle(rank);
}

Status Scratch::allocate(u32 bytes) {
  if (const Status taken = machine_.memory.arena(rank_).allocate(bytes, region_.offset); taken != Status::ok)
    return taken;
  region_.bytes = bytes;
  return Status::ok;
}

Scratch::~Scratch() {
  if (region_.bytes == 0) return;
  try {
    if (clear(machine_, rank_, region_, std::vector<u8>(machine_.system.dpus(), 1)) == Status::ok)
      machine_.memory.arena(rank_).release(region_.offset, region_.bytes);
  } catch (const std::bad_alloc&) {  // memory that is not zeroed is never used again
  }
}

Status execute(Stream s, const verb::Add& v) { return sum(s, v.out, v.a, v.b, kAdd); }
Status execute(Stream s, const verb::Subtract& v) { return sum(s, v.out, v.a, v.b, kSub); }
Status execute(Stream s, const verb::Negate& v) { return sum(s, v.out, v.a, v.a, kNegate); }

// Copies words of 32 bits by two negations, which take 10 cycles each for a word. A product with 1 would take 62
// cycles.
Status copy_within(Stream s, const View& out, const View& a) {
  if (plan_of(out).is_wide()) return sum(s, out, a, a, kCopy64);
  const Status negated = sum(s, out, a, a, kNegate);
  return negated == Status::ok ? sum(s, out, out, out, kNegate) : negated;
}

Status execute(Stream s, const verb::Zero& v) {
  VerbTask task(s, v.out);
  Operand to;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.out}); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const Extent extent = task.plan().extent();
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, v.out.limbs, {&to}, idle, [&](A& e, u32 l, u32 p, u32 count) {
      e = zero<A>({to.offset(p, l), count * extent.bytes(), extent.word_bytes});
    });
  };
  return task.done(to, by_width<ElementwiseArguments, Elementwise64Arguments>(task, Kernel::elementwise, launch));
}

Status execute(Stream s, const verb::Multiply& v) {
  VerbTask task(s, v.out);
  Factors f;
  if (const Status status = bring(task, v.out, v.a, v.b, Use::write, f); status != Status::ok) return status;
  if (task.plan().is_wide()) return task.done(f.to, product_64(task, f, kMultiply64));
  const Status product =
      launch_product(task, Kernel::elementwise, f, true, ElementwiseArguments{},
                     [&](ElementwiseArguments& e, u32 l, u32 p, u32 count) {
                       const Limb& limb = task.limb(f.to, l);
                       fill(e, pick(limb, kMultiply30, kMultiply24), limb, count * task.n(),
                            {.a = f.x.offset(p, l), .b = f.y.offset(f.single ? 0 : p, l), .out = f.to.offset(p, l)});
                     });
  return task.done(f.to, product != Status::ok ? product : correct(task, f.to));
}

Status execute(Stream s, const verb::MultiplyAdd& v) {
  VerbTask task(s, v.out);
  Factors f;
  if (const Status status = bring(task, v.out, v.a, v.b, Use::update, f); status != Status::ok) return status;
  return task.done(f.to, task.plan().is_wide() ? product_64(task, f, kMultiplyAdd64) : multiply_add_32(task, f));
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
                     return limb.form(static_cast<u64>(v.per_limb[l] % limb.q()));
                   }));
}

// A unit is a row of `out`, and every group that has a row gets a copy of b. For words of 32 bits, an old sum in `out`
// is first divided by the divisor. Then one product at the end cancels the division of the whole sum.
Status execute(Stream s, const verb::InnerProduct& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  if (const Status status = task.spread(v.rows, Weight::heavy, {&v.a, &v.out}); status != Status::ok) return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.reads_everywhere(v.b, y); status != Status::ok) return status;
  if (const Status status = v.accumulate ? task.updates(v.out, to) : task.writes(v.out, to); status != Status::ok)
    return status;
  const bool wide = task.plan().is_wide();
  if (v.accumulate && !wide) {
    if (const Status status = scale(task, to, to, [](u32) { return 1u; }); status != Status::ok) return status;
  }
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, v.out.limbs, {&x, &to}, idle, [&](A& i, u32 l, u32 row, u32 count) {
      const Limb& limb = task.limb(to, l);
      i.q = static_cast<decltype(i.q)>(limb.q());
      if constexpr (requires { i.square; }) i.square = limb.power_of_two(128);
      else i.narrow = limb.narrow;
      i.words = task.n(), i.rows = count, i.inner = v.inner, i.columns = v.columns, i.accumulate = v.accumulate;
      i.a = x.offset(std::size_t{row} * v.inner, l), i.b = y.offset(0, l);
      i.out = to.offset(std::size_t{row} * v.columns, l);
    });
  };
  const Status summed = by_width<InnerProductArguments, InnerProduct64Arguments>(task, Kernel::inner_product, launch);
  return task.done(to, summed != Status::ok || wide ? summed : correct(task, to));
}

// A unit is a pair of polynomials of a and of b, with the three polynomials of its product.
Status execute(Stream s, const verb::Tensor& v) {
  VerbTask task(s, v.out);
  Operand to, x, y;
  if (const Status status = task.spread(v.a.batch / 2, Weight::heavy, {&v.a, &v.b, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.reads(v.b, y); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, v.out.limbs, {}, idle, [&](A& t, u32 l, u32 pair, u32) {
      const Limb& limb = task.limb(to, l);
      t.q = static_cast<decltype(t.q)>(limb.q());
      if constexpr (requires { t.shifted; }) set_divisor(t, limb);
      t.narrow = limb.narrow;
      t.words = task.n();
      t.a0 = x.offset(2 * pair, l), t.a1 = x.offset(2 * pair + 1, l);
      t.b0 = y.offset(2 * pair, l), t.b1 = y.offset(2 * pair + 1, l);
      t.out0 = to.offset(3 * pair, l), t.out1 = to.offset(3 * pair + 1, l), t.out2 = to.offset(3 * pair + 2, l);
    });
  };
  const Status product = by_width<TensorArguments, Tensor64Arguments>(task, Kernel::tensor, launch);
  return task.done(to, product != Status::ok || task.plan().is_wide() ? product : correct(task, to));
}

}  // namespace ringfort::pim_host
