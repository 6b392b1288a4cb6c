// SPDX-License-Identifier: Apache-2.0
// The verbs of device `pim` on whole polynomials: transforms, automorphisms, digits, and expansion of seeds.
#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/pim/verbs.h"
#include "kernels/automorphism.h"
#include "kernels/decompose.h"
#include "kernels/expand.h"
#include "math/prime.h"

namespace ringfort::pim_host {
namespace {

u32 log2_of(u32 n) noexcept { return static_cast<u32>(std::countr_zero(n)); }

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
  return by_width<NttArguments, Ntt64Arguments>(task, Kernel::ntt, [&]<class A>(Kernel kernel, const A&) {
    const auto arguments = [&](u32 l, u32 u, u32 polynomials) {
      const u32 table = task.plan().table_offset(task.rank(), first + l, inverse);
      return ntt_arguments<A>(task.plan(), first + l, inverse, {data.offset(u * each, l), table, polynomials});
    };
    return task.launch(kernel, data.view.limbs, {&data}, arguments(0, 0, 0),
                       [&](A& a, u32 l, u32 u, u32 count) { a = arguments(l, u, count * each); });
  });
}

Status execute(Stream s, const verb::Automorphism& v) {
  VerbTask task(s, v.out);
  Operand to, x;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const bool values = v.domain == Domain::evaluation;
  const u32 step = values ? v.galois : static_cast<u32>(*inverse_mod(v.galois, u64{2} * task.n()));
  const auto launch = [&]<class A>(Kernel kernel, const A&) {
    const auto arguments = [&](u32 l, u32 p, u32 polynomials) {
      A a{};
      a.domain = values ? u32{kValues} : u32{kCoefficients};
      a.q = static_cast<decltype(a.q)>(task.limb(to, l).q());
      a.log_n = log2_of(task.n());
      a.step = step;
      a.polynomials = polynomials;
      a.data = x.offset(p, l);
      a.out = to.offset(p, l);
      return a;
    };
    return task.launch(kernel, v.out.limbs, {&to, &x}, arguments(0, 0, 0),
                       [&](A& a, u32 l, u32 p, u32 count) { a = arguments(l, p, count); });
  };
  return task.done(to, by_width<AutomorphismArguments, Automorphism64Arguments>(task, Kernel::automorphism, launch));
}

// Computes digits. Residues have at most 30 or 62 bits. Therefore a longer base can be replaced by a base of 31 or 63
// bits, and a longer shift by a shift of a whole word. The digits are the same.
Status execute(Stream s, const verb::Decompose& v) {
  VerbTask task(s, v.out);
  Operand to, x;
  if (const Status status = task.spread(v.a.batch, Weight::light, {&v.a, &v.out}); status != Status::ok) return status;
  if (const Status status = task.reads(v.a, x); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const u32 width = 8 * task.plan().extent().word_bytes;
  const u32 bits = std::min(v.gadget.base_bits, width - 1), shift = std::min(v.gadget.shift, width);
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, v.a.limbs, {&x, &to}, idle, [&](A& d, u32 l, u32 p, u32 count) {
      d.q = static_cast<decltype(d.q)>(task.limb(x, l).q());
      d.words = task.n();
      d.polynomials = count;
      d.base_bits = bits;
      d.digits = v.gadget.digits;
      d.shift = shift;
      d.centred = v.gadget.centred;
      d.data = x.offset(p, l);
      d.out = to.offset(std::size_t{p} * v.gadget.digits, l);
    });
  };
  return task.done(to, by_width<DecomposeArguments, Decompose64Arguments>(task, Kernel::decompose, launch));
}

// Expands a seed. The domain does not matter, because evaluations are in the canonical order.
Status execute(Stream s, const verb::ExpandUniform& v) {
  VerbTask task(s, v.out);
  Operand to;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.out}); status != Status::ok) return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  const auto launch = [&]<class A>(Kernel kernel, const A& idle) {
    return task.launch(kernel, v.out.limbs, {&to}, idle, [&](A& e, u32 l, u32 p, u32 count) {
      const Limb& limb = task.limb(to, l);
      const u32 digit = static_cast<u16>(v.first_digit + p);
      e.q = static_cast<decltype(e.q)>(limb.q());
      if constexpr (requires { e.square; }) {
        e.radix = limb.power_of_two(64);
        e.square = limb.power_of_two(128);
      } else {
        e.radix = static_cast<u32>(limb.power_of_two(144));
      }
      e.words = task.n();
      e.polynomials = count;
      e.out = to.offset(p, l);
      std::memcpy(e.key, v.seed.bytes.data(), sizeof e.key);
      e.nonce[0] = static_cast<u32>(Purpose::uniform_a) | static_cast<u32>(v.object << 16);
      e.nonce[1] = static_cast<u32>(v.object >> 16);
      e.nonce[2] = (v.out.limbs.first + l) | digit << 16;
    });
  };
  return task.done(to, by_width<ExpandArguments, Expand64Arguments>(task, Kernel::expand, launch));
}

}  // namespace ringfort::pim_host
