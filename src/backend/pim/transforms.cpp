// SPDX-License-Identifier: Apache-2.0
// Verbs on whole polynomials: transforms, automorphisms, digits, expansion of seeds.
#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/pim/verbs.h"
#include "kernels/automorphism.h"
#include "kernels/decompose.h"
#include "kernels/expand.h"

namespace ringfort::pim_host {
namespace {

u32 log2_of(u32 n) noexcept { return static_cast<u32>(std::countr_zero(n)); }

// Returns 1 / galois mod 2n for odd galois: every Newton step doubles the number of correct bits.
u32 inverse_mod_power(u32 galois, u32 n) noexcept {
  u32 x = galois;
  for (int i = 0; i < 5; ++i) x *= 2 - galois * x;
  return x & (2 * n - 1);
}

Status transform(Stream s, const View& inout, bool inverse) {
  VerbTask task(s, inout);
  Operand data;
  if (const Status status = task.spread(inout.batch, Weight::heavy, {&inout}); status != Status::ok) return status;
  if (const Status status = task.updates(inout, data); status != Status::ok) return status;
  return task.done(data, transform_at_home(task, data, inverse));
}

}  // namespace

Status execute(Stream s, const verb::Ntt& v) { return transform(s, v.inout, false); }
Status execute(Stream s, const verb::Intt& v) { return transform(s, v.inout, true); }

Status transform_at_home(VerbTask& task, const Operand& data, bool inverse) {
  if (const Status status = task.plan().need_tables(task.rank()); status != Status::ok) return status;
  const u32 each = data.view.batch / task.units(), first = data.view.limbs.first;
  const auto arguments = [&](u32 l, u32 u, u32 polynomials) {
    const u32 table = task.plan().table_place(task.rank(), first + l, inverse);
    return ntt_arguments(task.plan(), first + l, inverse, {data.offset(u * each, l), table, polynomials});
  };
  return task.launch(Kernel::ntt, data.view.limbs, {&data}, arguments(0, 0, 0),
                     [&](NttArguments& a, u32 l, u32 u, u32 count) { a = arguments(l, u, count * each); });
}

Status execute(Stream s, const verb::Automorphism& v) {
  VerbTask task(s, v.out);
  Operand to, x;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const bool values = v.domain == Domain::evaluation;
  const u32 step = values ? v.galois : inverse_mod_power(v.galois, task.n());
  const auto arguments = [&](u32 l, u32 p, u32 polynomials) {
    return AutomorphismArguments{values ? u32{kValues} : u32{kCoefficients},
                                 task.limb(to, l).q,
                                 log2_of(task.n()),
                                 step,
                                 polynomials,
                                 x.offset(p, l),
                                 to.offset(p, l)};
  };
  return task.done(to,
                   task.launch(Kernel::automorphism, v.out.limbs, {&to, &x}, arguments(0, 0, 0),
                               [&](AutomorphismArguments& e, u32 l, u32 p, u32 count) { e = arguments(l, p, count); }));
}

// Residues have 30 bits. So a base of more than 31 bits gives the same digits as a base of 31 bits, and a shift of more
// than 32 bits the same as a shift of 32 bits.
Status execute(Stream s, const verb::Decompose& v) {
  VerbTask task(s, v.out);
  Operand to, x;
  if (const Status status = task.spread(v.a.batch, Weight::light, {&v.a, &v.out}); status != Status::ok) return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const u32 bits = std::min(v.gadget.base_bits, 31u), shift = std::min(v.gadget.shift, 32u);
  return task.done(to, task.launch(Kernel::decompose, v.a.limbs, {&x, &to}, DecomposeArguments{},
                                   [&](DecomposeArguments& d, u32 l, u32 p, u32 count) {
                                     d = {task.limb(x, l).q,
                                          task.n(),
                                          count,
                                          bits,
                                          v.gadget.digits,
                                          shift,
                                          v.gadget.centred,
                                          x.offset(p, l),
                                          to.offset(std::size_t{p} * v.gadget.digits, l)};
                                   }));
}

// Ignores the domain, because the evaluation order is the canonical one.
Status execute(Stream s, const verb::ExpandUniform& v) {
  VerbTask task(s, v.out);
  Operand to;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.out}); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  return task.done(to, task.launch(Kernel::expand, v.out.limbs, {&to}, ExpandArguments{},
                                   [&](ExpandArguments& e, u32 l, u32 p, u32 count) {
                                     const Limb& limb = task.limb(to, l);
                                     const u32 digit = static_cast<u16>(v.first_digit + p);
                                     e = {.key = {},
                                          .nonce = {},
                                          .q = limb.q,
                                          .radix = 1,
                                          .words = task.n(),
                                          .polynomials = count,
                                          .out = to.offset(p, l)};
                                     std::memcpy(e.key, v.seed.bytes.data(), sizeof e.key);
                                     e.nonce[0] =
                                         static_cast<u32>(Purpose::uniform_a) | static_cast<u32>(v.object << 16);
                                     e.nonce[1] = static_cast<u32>(v.object >> 16);
                                     e.nonce[2] = (v.out.limbs.first + l) | digit << 16;
                                     for (int bit = 0; bit < 144; ++bit)
                                       e.radix = limb.times(e.radix, 2);  // 2^144 mod q
                                   }));
}

}  // namespace ringfort::pim_host
