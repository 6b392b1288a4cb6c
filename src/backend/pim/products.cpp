// SPDX-License-Identifier: Apache-2.0
// Coefficient-wise verbs. The kernels' products divide by 2^32 or 2^24; a second one, with the square of that as a scalar, takes the
// division back [Montgomery85]: 121 cycles a plain product of 30 bits instead of 62.
#include <algorithm>

#include "backend/pim/verbs.h"
#include "kernels/elementwise.h"
#include "kernels/inner_product.h"
#include "kernels/tensor.h"

namespace ringfort::pim_host {
namespace {

// Polynomials that all operands have one after the other.
template <class... Operands>
u32 run_of(const Operand& out, const Operands&... others) noexcept {
  return out.is_run() && (others.is_run() && ...) ? out.view.batch : 1;
}

u32 pick(const Limb& limb, u32 wide, u32 narrow) noexcept { return limb.narrow ? narrow : wide; }

// out = a scalar / 2^32, in place of `of` or elsewhere: scalar(limb of the view) in Montgomery form gives a plain product.
template <class Scalar>
Status scale(Verb& verb, const Operand& out, const Operand& a, Scalar scalar) {
  const u32 run = run_of(out, a);
  return verb.launch(Kernel::elementwise, out, run, ElementwiseArguments{}, [&](ElementwiseArguments& x, u32 l, u32 p) {
    const Limb& limb = verb.limb(out, l);
    x = {pick(limb, kMultiplyScalar30, kMultiplyScalar24), limb.q, run * verb.n(), scalar(l), a.offset(p, l), 0, 0, out.offset(p, l), 0, 0};
  });
}

Status correct(Verb& verb, const Operand& out) {
  return scale(verb, out, out, [&](u32 l) { return verb.limb(out, l).form_twice(); });
}

}  // namespace

Status clear(Machine& machine, u32 rank, u32 place, u32 words, const std::vector<u8>& used) {
  std::vector<ElementwiseArguments> arguments(machine.system.dpus());
  for (std::size_t dpu = 0; dpu < used.size(); ++dpu) {
    if (used[dpu] != 0) arguments[dpu] = {kSub, 1u << 30, words, 0, place, place, 0, place, 0, 0};      // a - a
  }
  if (const Status status = machine.system.launch(rank, Kernel::elementwise, arguments); status != Status::ok) return status;
  return machine.system.settle(rank);
}

Status Scratch::take(u32 bytes) {
  if (const Status taken = machine_.memory.arena(rank_).take(bytes, place_); taken != Status::ok) return taken;
  bytes_ = bytes;
  return Status::ok;
}

Scratch::~Scratch() {
  if (bytes_ == 0) return;
  try {
    if (clear(machine_, rank_, place_, bytes_ / 4, std::vector<u8>(machine_.system.dpus(), 1)) == Status::ok) machine_.memory.arena(rank_).give(place_, bytes_);
  } catch (const std::bad_alloc&) {                          // what could not be zeroed is not used again
  }
}

Status sum(Stream s, const View& out, const View& a, const View& b, Sum what) {
  Verb verb(s, out);
  Operand to, x, y;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.reads(b, y); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const u32 run = run_of(to, x, y), kind = what == Sum::add ? kAdd : what == Sum::sub ? kSub : kNegate;
  return verb.done(to, verb.launch(Kernel::elementwise, to, run, ElementwiseArguments{}, [&](ElementwiseArguments& e, u32 l, u32 p) {
    e = {kind, verb.limb(to, l).q, run * verb.n(), 0, x.offset(p, l), y.offset(p, l), 0, to.offset(p, l), 0, 0};
  }));
}

Status multiply(Stream s, const View& out, const View& a, const View& b) {
  Verb verb(s, out);
  Operand to, x, y;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.reads(b, y); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const bool single = b.batch == 1 && a.batch != 1;
  const u32 run = single ? 1 : run_of(to, x, y);
  const Status product = verb.launch(Kernel::elementwise, to, run, ElementwiseArguments{}, [&](ElementwiseArguments& e, u32 l, u32 p) {
    const Limb& limb = verb.limb(to, l);
    e = {pick(limb, kMultiply30, kMultiply24), limb.q, run * verb.n(), 0, x.offset(p, l), y.offset(single ? 0 : p, l), 0, to.offset(p, l), 0, 0};
  });
  return verb.done(to, product != Status::ok ? product : correct(verb, to));
}

// b is multiplied first, into memory of its own; then out += a b is one product.
Status multiply_add(Stream s, const View& out, const View& a, const View& b) {
  Verb verb(s, out);
  Operand to, x, y;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.reads(b, y); status != Status::ok) return status;
  if (const Status status = verb.reads(out, to); status != Status::ok) return status;
  const u32 n = verb.n(), polynomial = n * 4, dpus = verb.machine().system.dpus();
  const u32 layer = b.batch * polynomial, layers = (b.limbs + dpus - 1) / dpus;
  Scratch scratch(verb.machine(), verb.rank());
  if (const Status status = scratch.take(layer * layers); status != Status::ok) return status;
  const auto form = [&](u32 l, u32 p) { return scratch.place() + l / dpus * layer + p * polynomial; };
  const u32 forms = y.is_run() ? b.batch : 1;
  Status status = verb.launch(Kernel::elementwise, y, forms, ElementwiseArguments{}, [&](ElementwiseArguments& e, u32 l, u32 p) {
    const Limb& limb = verb.limb(y, l);
    e = {pick(limb, kMultiplyScalar30, kMultiplyScalar24), limb.q, forms * n, limb.form_twice(), y.offset(p, l), 0, 0, form(l, p), 0, 0};
  });
  if (status != Status::ok) return status;
  const bool single = b.batch == 1 && a.batch != 1;
  const u32 run = single ? 1 : run_of(to, x);
  status = verb.launch(Kernel::elementwise, to, run, ElementwiseArguments{}, [&](ElementwiseArguments& e, u32 l, u32 p) {
    const Limb& limb = verb.limb(to, l);
    e = {pick(limb, kMultiplyAdd30, kMultiplyAdd24), limb.q, run * n, 0, x.offset(p, l), form(l, single ? 0 : p), to.offset(p, l), to.offset(p, l), 0, 0};
  });
  return verb.done(to, status);
}

Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) {
  Verb verb(s, out);
  Operand to, x;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  return verb.done(to, scale(verb, to, x, [&](u32 l) {
    const Limb& limb = verb.limb(to, l);
    return limb.form(static_cast<u64>(per_limb[l] % limb.q));
  }));
}

// What is accumulated to is divided first, so that one product takes the division back from the sum.
Status inner_product(Stream s, const InnerProduct& product) {
  Verb verb(s, product.out);
  Operand to, x, y;
  if (const Status status = verb.reads(product.a, x); status != Status::ok) return status;
  if (const Status status = verb.reads(product.b, y); status != Status::ok) return status;
  if (const Status status = product.accumulate ? verb.reads(product.out, to) : verb.writes(product.out, to); status != Status::ok) return status;
  if (run_of(to, x, y) != product.out.batch || !x.is_run() || !y.is_run()) return Status::declined;
  if (product.accumulate) {
    if (const Status status = scale(verb, to, to, [](u32) { return 1u; }); status != Status::ok) return status;
  }
  const Status summed = verb.launch(Kernel::inner_product, to, product.out.batch, InnerProductArguments{}, [&](InnerProductArguments& i, u32 l, u32) {
    const Limb& limb = verb.limb(to, l);
    i = {limb.q, limb.narrow, verb.n(), product.rows, product.inner, product.columns, product.accumulate, x.offset(0, l), y.offset(0, l), to.offset(0, l)};
  });
  return verb.done(to, summed != Status::ok ? summed : correct(verb, to));
}

Status tensor(Stream s, const View& out, const View& a, const View& b) {
  Verb verb(s, out);
  Operand to, x, y;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.reads(b, y); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const Status product = verb.launch(Kernel::tensor, to, 3, TensorArguments{}, [&](TensorArguments& t, u32 l, u32 p) {
    const Limb& limb = verb.limb(to, l);
    const u32 pair = p / 3 * 2;
    t = {limb.q,          limb.narrow,     verb.n(),         x.offset(pair, l),   x.offset(pair + 1, l), y.offset(pair, l), y.offset(pair + 1, l),
         to.offset(p, l), to.offset(p + 1, l), to.offset(p + 2, l)};
  });
  return verb.done(to, product != Status::ok ? product : correct(verb, to));
}

}  // namespace ringfort::pim_host
