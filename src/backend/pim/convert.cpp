// SPDX-License-Identifier: Apache-2.0
// The verbs of device `pim` that combine several limbs (backend/verbs.h): base conversion, division by dropped primes,
// and the digits of a key switch. For these verbs, the host reads the operands from the DPUs (processors in memory
// banks), once for all polynomials of a call. Then the DPUs of the rank compute with them (exchange.h).
#include "backend/pim/exchange.h"

namespace ringfort::pim_host {
namespace {

std::vector<u32> numbers(Limbs limbs) {
  std::vector<u32> all;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) all.push_back(limb);
  return all;
}

// The words of a view on the host, as [polynomial][limb][coefficient]. A limb has n words of 32 bits. A word of 64 bits
// is two words of 32 bits.
struct Rows {
  std::size_t batch, limbs, n;
  Words words;
  explicit Rows(const View& view)
      : batch(view.batch),
        limbs(view.limbs.count),
        n(plan_of(view).extent().words()),
        words(batch * limbs * n) {}
  [[nodiscard]] u32* limb_words(std::size_t p, std::size_t l) noexcept { return words.data() + (p * limbs + l) * n; }
};

// Reads the words of a view. The view may be in any rank and in any group.
Status read_rows(Stream s, const View& view, Rows& rows) {
  VerbTask task(s, view);
  Operand operand;
  if (const Status status = task.spread(view.batch, Weight::light, {&view}); status != Status::ok) return status;
  if (const Status status = task.reads(view, operand); status != Status::ok) return status;
  return task.machine().memory.read(operand, rows.words.data());
}

Slices slices_of(Rows& rows, u32 dpus) {
  Slices x(rows.limbs, rows.batch * rows.n, dpus);
  for (std::size_t p = 0; p < rows.batch; ++p) {
    for (std::size_t l = 0; l < rows.limbs; ++l) x.put_polynomial(l, p, rows.limb_words(p, l), rows.n);
  }
  return x;
}

std::vector<HostLimb> host_limbs(Rows& rows, u32 first_limb) {
  std::vector<HostLimb> limbs;
  for (std::size_t p = 0; p < rows.batch; ++p) {
    for (u32 l = 0; l < rows.limbs; ++l) limbs.push_back({first_limb + l, rows.limb_words(p, l)});
  }
  return limbs;
}

// Writes words to their DPUs, and transforms them there. If many DPUs would be idle during the transforms, it
// transforms the words on all DPUs, in scratch memory at `offset`, before the write. The additional copies take a
// quarter of the time of the transforms (for n = 4096, 1.2 ms for a transform of 5.0 ms). Therefore this is done if the
// number of transforms of a DPU falls by more than a fifth.
Status write_transformed(VerbTask& task, u32 offset, const Operand& to, Rows& rows) {
  const std::size_t dpus = task.machine().system.dpus();
  const std::size_t at_home = std::size_t{task.turns()} * (to.view.batch / task.units()) * task.grid().layers();
  const std::size_t anywhere = (rows.batch * rows.limbs + dpus - 1) / dpus;
  Memory& memory = task.machine().memory;
  if (5 * anywhere >= 4 * at_home) {
    const Status written = memory.write(to, rows.words.data());
    return written == Status::ok ? transform_at_home(task, to, false) : written;
  }
  const std::vector<HostLimb> limbs = host_limbs(rows, to.view.limbs.first);
  const Status transformed = transform_anywhere(task, offset, limbs, false);
  return transformed == Status::ok ? memory.write(to, rows.words.data()) : transformed;
}

}  // namespace

Status execute(Stream s, const verb::BaseConvert& v) {
  VerbTask task(s, v.out);
  Operand to;
  if (const Status status = task.spread(v.out.batch, Weight::light, {&v.a, &v.out}); status != Status::ok)
    return status;
  if (const Status status = task.writes(v.out, to); status != Status::ok) return status;
  Rows rows(v.a), targets(v.out);
  if (const Status status = read_rows(s, v.a, rows); status != Status::ok) return status;
  {
    const Passage passage{0, v.a.limbs, numbers(v.out.limbs), v.kind};
    const Conversions conversions(task.plan(), {&passage, 1});
    Slices x = slices_of(rows, task.machine().system.dpus()),
           y(conversions.targets(), x.total, task.machine().system.dpus());
    Scratch scratch(task);
    if (const Status status = scratch.allocate(conversions.mram_bytes(x, y)); status != Status::ok) return status;
    if (const Status status = conversions.convert_slices(task, scratch.offset(), x, y); status != Status::ok)
      return status;
    for (std::size_t p = 0; p < targets.batch; ++p) {
      for (std::size_t l = 0; l < targets.limbs; ++l) y.get_polynomial(l, p, targets.limb_words(p, l), targets.n);
    }
  }
  return task.done(to, task.machine().memory.write(to, targets.words.data()));
}

Status execute(Stream s, const verb::ModDown& m) {
  VerbTask task(s, m.out);
  const Limbs dropped = m.dropped(), kept = m.out.limbs;
  const View low = m.a.in(dropped), high = m.a.in(kept);
  const bool evaluation = m.domain == Domain::evaluation;
  Operand to;
  if (const Status status = task.spread(m.out.batch, Weight::heavy, {&high, &m.out}); status != Status::ok)
    return status;
  if (const Status status = task.writes(m.out, to); status != Status::ok) return status;
  Rows rows(low), targets(m.out);
  if (const Status status = read_rows(s, low, rows); status != Status::ok) return status;
  if (const Status status = evaluation ? task.plan().need_tables(task.rank()) : Status::ok; status != Status::ok)
    return status;
  {
    const Passage passage{0, dropped, numbers(kept), Conversion::centred, m.plain};
    const Conversions conversions(task.plan(), {&passage, 1});
    const u32 dpus = task.machine().system.dpus();
    Slices y(conversions.targets(), rows.batch * rows.n, dpus);
    Scratch scratch(task);
    if (const Status status = scratch.allocate(
            std::max(conversions.mram_bytes(Slices(rows.limbs, y.total, dpus), y), transform_bytes(task.plan())));
        status != Status::ok)
      return status;
    const std::vector<HostLimb> limbs = host_limbs(rows, dropped.first);
    if (const Status status = evaluation ? transform_anywhere(task, scratch.offset(), limbs, true) : Status::ok;
        status != Status::ok)
      return status;
    Slices x = slices_of(rows, dpus);
    if (const Status status = conversions.convert_slices(task, scratch.offset(), x, y); status != Status::ok)
      return status;
    for (std::size_t p = 0; p < targets.batch; ++p) {
      for (std::size_t l = 0; l < targets.limbs; ++l) y.get_polynomial(l, p, targets.limb_words(p, l), targets.n);
    }
    const Status written = evaluation ? write_transformed(task, scratch.offset(), to, targets)
                                      : task.machine().memory.write(to, targets.words.data());
    if (const Status status = task.done(to, written); status != Status::ok) return status;
  }
  if (const Status status = execute(s, verb::Subtract{m.out, high, m.out}); status != Status::ok) return status;
  std::vector<u128> inverses;
  for (u32 limb = kept.first; limb < kept.end(); ++limb)
    inverses.push_back(task.plan().basis.product_inverse(dropped, limb));
  const View quotient = m.quotient(), sums = quotient.polynomials(0, m.addend.batch);
  if (const Status status = execute(s, verb::MultiplyScalar{quotient, m.out, inverses}); status != Status::ok)
    return status;
  if (const Status status = m.adds() ? execute(s, verb::Add{sums, sums, m.addend}) : Status::ok; status != Status::ok)
    return status;
  return m.galois == 1 ? Status::ok : execute(s, verb::Automorphism{m.out, quotient, m.galois, m.domain});
}

// Transforms all limbs of a digit, including its own limbs. `a` already has the evaluations of the own limbs. To use
// them, the host would have to move their words to the group of the digit.
Status execute(Stream s, const verb::ModUp& k) {
  VerbTask task(s, k.digits);
  Operand to;
  if (const Status status = task.spread(k.a.batch, Weight::heavy, {&k.a, &k.digits}); status != Status::ok)
    return status;
  if (const Status status = task.writes(k.digits, to); status != Status::ok) return status;
  Rows source(k.coefficients), rows(k.digits);
  if (const Status status = read_rows(s, k.coefficients, source); status != Status::ok) return status;
  const Limbs all = k.digits.limbs;
  std::vector<Passage> passages;
  for (u32 d = 0; d < k.count(); ++d) {
    const Limbs digit_limbs = k.digit(d);
    passages.push_back({digit_limbs.first - k.a.limbs.first, digit_limbs,
                        numbers({all.first, digit_limbs.first - all.first}), Conversion::centred});
    for (u32 limb = digit_limbs.end(); limb < all.end(); ++limb) passages.back().to.push_back(limb);
    for (std::size_t p = 0; p < source.batch; ++p) {
      for (u32 limb = digit_limbs.first; limb < digit_limbs.end(); ++limb)
        std::copy_n(source.limb_words(p, limb - k.a.limbs.first), source.n,
                    rows.limb_words(p * k.count() + d, limb - all.first));
    }
  }
  const Conversions conversions(task.plan(), passages);
  const u32 dpus = task.machine().system.dpus();
  Slices x = slices_of(source, dpus), y(conversions.targets(), x.total, dpus);
  Scratch scratch(task);
  if (const Status status = scratch.allocate(std::max(conversions.mram_bytes(x, y), transform_bytes(task.plan())));
      status != Status::ok)
    return status;
  if (conversions.targets() != 0) {
    if (const Status status = conversions.convert_slices(task, scratch.offset(), x, y); status != Status::ok)
      return status;
  }
  std::size_t vector = 0;
  for (u32 d = 0; d < k.count(); ++d) {
    for (const u32 limb : passages[d].to) {
      for (std::size_t p = 0; p < source.batch; ++p)
        y.get_polynomial(vector, p, rows.limb_words(p * k.count() + d, limb - all.first), source.n);
      ++vector;
    }
  }
  return task.done(to, write_transformed(task, scratch.offset(), to, rows));
}

Status execute(Stream s, const verb::KeySwitch& k) {
  const Status converted = execute(s, k.mod_up());
  return converted == Status::ok ? execute(s, k.inner_product()) : converted;
}

}  // namespace ringfort::pim_host
