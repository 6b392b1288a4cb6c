// SPDX-License-Identifier: Apache-2.0
// The verbs whose limbs must meet: base conversion, division by dropped primes, the sum of a key switch. Their words pass through the host,
// which spreads what they need over all DPUs of the rank (exchange.h): with one DPU a limb, a conversion took three times as long,
// and a key switch of four digits twice.
#include "backend/pim/exchange.h"

namespace ringfort::pim_host {
namespace {

std::vector<u32> numbers(Limbs limbs) {
  std::vector<u32> all;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) all.push_back(limb);
  return all;
}

View part_of(const View& view, Limbs limbs, u32 n) noexcept {
  View part = view;
  part.pitch = static_cast<u32>(view.step());
  part.offset += std::size_t{limbs.first - view.first_limb} * n;
  part.first_limb = limbs.first;
  part.limbs = limbs.count;
  return part;
}

// Words of a view as [polynomial][limb][coefficient].
struct Rows {
  std::size_t batch, limbs, n;
  Words words;
  Rows(const View& view, std::size_t n) : batch(view.batch), limbs(view.limbs), n(n), words(batch * limbs * n) {}
  [[nodiscard]] u32* at(std::size_t p, std::size_t l) noexcept { return words.data() + (p * limbs + l) * n; }
};

// The polynomials of `from` in the limbs of `to`.
Status convert_rows(Verb& verb, u32 place, const Passage& passage, Rows& from, Rows& to) {
  const u32 dpus = verb.machine().system.dpus();
  Slices x(from.limbs, from.batch * from.n, dpus), y(to.limbs, to.batch * to.n, dpus);
  for (std::size_t p = 0; p < from.batch; ++p) {
    for (std::size_t l = 0; l < from.limbs; ++l) x.put(l, p, from.at(p, l), from.n);
  }
  if (const Status status = convert(verb, place, passage, x, y); status != Status::ok) return status;
  for (std::size_t p = 0; p < to.batch; ++p) {
    for (std::size_t l = 0; l < to.limbs; ++l) y.get(l, p, to.at(p, l), to.n);
  }
  return Status::ok;
}

std::vector<Tower> towers_of(Rows& rows, u32 first_limb) {
  std::vector<Tower> towers;
  for (std::size_t p = 0; p < rows.batch; ++p) {
    for (u32 l = 0; l < rows.limbs; ++l) towers.push_back({first_limb + l, rows.at(p, l)});
  }
  return towers;
}

Status take_room(Verb& verb, Scratch& scratch, u32 from, u32 to, std::size_t total) {
  return scratch.take(std::max(room_to_convert(from, to, total, verb.machine().system.dpus()), room_to_transform(verb.n())));
}

// Room for every digit: the last may be shorter than the others, and have more targets.
Status take_room(Verb& verb, Scratch& scratch, const KeySwitch& k) {
  u32 bytes = room_to_transform(verb.n());
  for (u32 d = 0; d < k.digits.batch; ++d) {
    const u32 from = k.digit(d).count;
    bytes = std::max(bytes, room_to_convert(from, k.digits.limbs - from, verb.n(), verb.machine().system.dpus()));
  }
  return scratch.take(bytes);
}

// Digit d of a key switch over all limbs: its own are those of a, the others converted.
Status make_digit(Verb& verb, u32 place, const KeySwitch& k, u32 d, Rows& coefficients, Rows& digits) {
  const Limbs own = k.digit(d);
  Passage passage{own, {}};
  for (u32 limb = k.digits.first_limb; limb < k.digits.first_limb + k.digits.limbs; ++limb) {
    if (limb < own.first || limb >= own.end()) passage.to.push_back(limb);
  }
  if (passage.to.empty()) return Status::ok;
  const u32 n = verb.n(), dpus = verb.machine().system.dpus();
  Slices x(own.count, n, dpus), y(passage.to.size(), n, dpus);
  for (u32 i = 0; i < own.count; ++i) x.put(i, 0, coefficients.at(0, own.first + i - k.coefficients.first_limb), n);
  if (const Status status = convert(verb, place, passage, x, y); status != Status::ok) return status;
  for (std::size_t i = 0; i < passage.to.size(); ++i) y.get(i, 0, digits.at(d, passage.to[i] - k.digits.first_limb), n);
  return Status::ok;
}

// Transforms of all converted towers at once; the digits' own limbs are a's.
Status transform_digits(Verb& verb, u32 place, const KeySwitch& k, Rows& a, Rows& digits) {
  std::vector<Tower> towers;
  for (u32 d = 0; d < k.digits.batch; ++d) {
    const Limbs own = k.digit(d);
    for (u32 l = 0; l < k.digits.limbs; ++l) {
      const u32 limb = k.digits.first_limb + l;
      if (limb < own.first || limb >= own.end()) towers.push_back({limb, digits.at(d, l)});
      else std::copy_n(a.at(0, limb - k.a.first_limb), verb.n(), digits.at(d, l));
    }
  }
  return transform(verb, place, towers, false);
}

}  // namespace

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) {
  Verb verb(s, out);
  Operand x, to;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  Rows sources(a, verb.n()), targets(out, verb.n());
  if (const Status status = verb.machine().memory.read(x, sources.words.data()); status != Status::ok) return status;
  Scratch scratch(verb.machine(), verb.rank());
  if (const Status status = take_room(verb, scratch, a.limbs, out.limbs, std::size_t{a.batch} * verb.n()); status != Status::ok) return status;
  const Passage passage{{a.first_limb, a.limbs}, numbers({out.first_limb, out.limbs}), kind};
  if (const Status status = convert_rows(verb, scratch.place(), passage, sources, targets); status != Status::ok) return status;
  return verb.done(to, verb.machine().memory.write(to, targets.words.data()));
}

Status mod_down(Stream s, const ModDown& m) {
  Verb verb(s, m.out);
  const Limbs dropped = m.dropped(), kept{m.out.first_limb, m.out.limbs};
  const View low = part_of(m.a, dropped, verb.n());
  Operand x, to;
  if (const Status status = verb.reads(low, x); status != Status::ok) return status;
  if (const Status status = verb.writes(m.out, to); status != Status::ok) return status;
  Rows sources(low, verb.n()), targets(m.out, verb.n());
  if (const Status status = verb.machine().memory.read(x, sources.words.data()); status != Status::ok) return status;
  {
    Scratch scratch(verb.machine(), verb.rank());
    if (const Status status = take_room(verb, scratch, dropped.count, kept.count, std::size_t{low.batch} * verb.n()); status != Status::ok) return status;
    const bool evaluation = m.domain == Domain::evaluation;
    const Status inverse = evaluation ? transform(verb, scratch.place(), towers_of(sources, dropped.first), true) : Status::ok;
    if (inverse != Status::ok) return inverse;
    const Passage passage{dropped, numbers(kept), Conversion::centred, m.plain};
    if (const Status status = convert_rows(verb, scratch.place(), passage, sources, targets); status != Status::ok) return status;
    const Status forward = evaluation ? transform(verb, scratch.place(), towers_of(targets, kept.first), false) : Status::ok;
    if (forward != Status::ok) return forward;
  }
  if (const Status status = verb.done(to, verb.machine().memory.write(to, targets.words.data())); status != Status::ok) return status;
  if (const Status status = sum(s, m.out, part_of(m.a, kept, verb.n()), m.out, Sum::sub); status != Status::ok) return status;
  std::vector<u128> inverses;
  for (u32 limb = kept.first; limb < kept.end(); ++limb) inverses.push_back(verb.plan().basis.product_inverse(dropped, limb));
  return multiply_scalar(s, m.out, m.out, inverses);
}

Status key_switch(Stream s, const KeySwitch& k) {
  Verb verb(s, k.out);
  Operand coefficients, a, digits, key, to;
  if (const Status status = verb.reads(k.key, key); status != Status::ok) return status;
  if (const Status status = verb.reads(k.coefficients, coefficients); status != Status::ok) return status;
  if (const Status status = verb.reads(k.a, a); status != Status::ok) return status;
  if (const Status status = verb.writes(k.digits, digits); status != Status::ok) return status;
  if (const Status status = verb.writes(k.out, to); status != Status::ok) return status;
  if (!key.is_run() || !digits.is_run() || !to.is_run()) return Status::declined;
  Rows source(k.coefficients, verb.n()), own(k.a, verb.n()), rows(k.digits, verb.n());
  if (const Status status = verb.machine().memory.read(coefficients, source.words.data()); status != Status::ok) return status;
  if (const Status status = verb.machine().memory.read(a, own.words.data()); status != Status::ok) return status;
  {
    Scratch scratch(verb.machine(), verb.rank());
    if (const Status status = take_room(verb, scratch, k); status != Status::ok) return status;
    for (u32 d = 0; d < k.digits.batch; ++d) {
      if (const Status status = make_digit(verb, scratch.place(), k, d, source, rows); status != Status::ok) return status;
    }
    if (const Status status = transform_digits(verb, scratch.place(), k, own, rows); status != Status::ok) return status;
  }
  if (const Status status = verb.done(digits, verb.machine().memory.write(digits, rows.words.data())); status != Status::ok) return status;
  return inner_product(s, k.rest());
}

}  // namespace ringfort::pim_host
