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

// 1 / galois mod 2n, both odd: every step doubles the bits that are right (Newton).
u32 inverse_mod_power(u32 galois, u32 n) noexcept {
  u32 x = galois;
  for (int i = 0; i < 5; ++i) x *= 2 - galois * x;
  return x & (2 * n - 1);
}

}  // namespace

Status transform(Stream s, const View& inout, bool inverse) {
  Verb verb(s, inout);
  Operand data;
  if (const Status status = verb.reads(inout, data); status != Status::ok) return status;
  if (const Status status = verb.plan().need_tables(verb.rank()); status != Status::ok) return status;
  const u32 run = data.is_run() ? inout.batch : 1;
  const auto arguments = [&](u32 l, u32 polynomials, u32 p) {
    const u32 limb = inout.first_limb + l, table = verb.plan().table_place(verb.rank(), limb, inverse);
    return ntt_arguments(verb.plan(), limb, inverse, {data.offset(p, l), table, polynomials});
  };
  return verb.done(data, verb.launch(Kernel::ntt, data, run, arguments(0, 0, 0), [&](NttArguments& a, u32 l, u32 p) { a = arguments(l, run, p); }));
}

Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) {
  Verb verb(s, out);
  Operand to, x;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const u32 run = to.is_run() && x.is_run() ? out.batch : 1;
  const bool values = domain == Domain::evaluation;
  const u32 step = values ? galois : inverse_mod_power(galois, verb.n());
  const auto arguments = [&](u32 l, u32 polynomials, u32 p) {
    return AutomorphismArguments{values ? u32{kValues} : u32{kCoefficients}, verb.limb(to, l).q, log2_of(verb.n()), step, polynomials, x.offset(p, l), to.offset(p, l)};
  };
  return verb.done(to, verb.launch(Kernel::automorphism, to, run, arguments(0, 0, 0), [&](AutomorphismArguments& e, u32 l, u32 p) { e = arguments(l, run, p); }));
}

// Residues have 30 bits: what a wider base or a longer shift would see of them is what 31 and 32 bits see.
Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) {
  Verb verb(s, out);
  Operand to, x;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const u32 run = to.is_run() && x.is_run() ? a.batch : 1, bits = std::min(gadget.base_bits, 31u), shift = std::min(gadget.shift, 32u);
  return verb.done(to, verb.launch(Kernel::decompose, x, run, DecomposeArguments{}, [&](DecomposeArguments& d, u32 l, u32 p) {
    d = {verb.limb(x, l).q, verb.n(), run, bits, gadget.digits, shift, gadget.centred, x.offset(p, l), to.offset(std::size_t{p} * gadget.digits, l)};
  }));
}

// Evaluations are in the canonical order here, too.
Status expand_uniform(Stream s, const View& out, const Expansion& from) {
  Verb verb(s, out);
  Operand to;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const u32 run = to.is_run() ? out.batch : 1;
  return verb.done(to, verb.launch(Kernel::expand, to, run, ExpandArguments{}, [&](ExpandArguments& e, u32 l, u32 p) {
    const Limb& limb = verb.limb(to, l);
    const u32 digit = static_cast<u16>(from.first_digit + p);
    e = {{}, {}, limb.q, 1, verb.n(), run, to.offset(p, l)};
    std::memcpy(e.key, from.seed.bytes.data(), sizeof e.key);
    e.nonce[0] = static_cast<u32>(Purpose::uniform_a) | static_cast<u32>(from.object << 16);
    e.nonce[1] = static_cast<u32>(from.object >> 16);
    e.nonce[2] = (out.first_limb + l) | digit << 16;
    for (int bit = 0; bit < 144; ++bit) e.radix = limb.times(e.radix, 2);      // 2^144 mod q
  }));
}

}  // namespace ringfort::pim_host
