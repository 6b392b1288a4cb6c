// SPDX-License-Identifier: Apache-2.0
// Base conversion, the one verb whose limbs must meet. The sources go to the host in one pull and to every DPU of the rank in
// one broadcast; each DPU then computes the target that it holds. All copies are data, and are counted as such.
#include <algorithm>

#include "backend/pim/verbs.h"
#include "base/secret.h"
#include "kernels/convert.h"

namespace ringfort::pim_host {
namespace {

constexpr u32 kRow = kMostSources + 2;

// One DPU's tables, as the kernel reads them.
struct Tables {
  ConvertSource sources[kMostSources];
  ConvertTarget target;
  u32 weights[kRow];
};
static_assert(sizeof(Tables) % 8 == 0);

struct Conversion32 {
  const Prepared& plan;
  Limbs from;
  bool narrow;
  [[nodiscard]] u64 radix() const noexcept { return u64{1} << (narrow ? 24 : 32); }
};

void fill(const Conversion32& c, u32 target, Tables& tables) {
  const RnsBasis& basis = c.plan.basis;
  const u64 p = basis[target].value();
  std::vector<u64> weights(c.from.count);
  basis.punctured_products(c.from, target, weights);
  for (u32 i = 0; i < c.from.count; ++i) {
    const u32 limb = c.from.first + i;
    const Modulus<u64>& q = basis[limb];
    const u64 reciprocal = basis.fraction(limb);
    tables.sources[i] = {static_cast<u32>(q.value()), static_cast<u32>(q.multiply(basis.punctured_inverse(c.from, limb), c.radix() % q.value())),
                         static_cast<u32>(reciprocal), static_cast<u32>(reciprocal >> 32), 30 - q.bits(), 0};
    tables.weights[i] = static_cast<u32>(weights[i] * (c.radix() % p) % p);
  }
  tables.target = {static_cast<u32>(p), 0};
  tables.weights[c.from.count] = static_cast<u32>((p - basis.product(c.from, target) * (c.radix() % p) % p) % p);
}

bool all_narrow(const Prepared& plan, Limbs limbs) {
  return std::all_of(plan.limbs.begin() + limbs.first, plan.limbs.begin() + limbs.end(), [](const Limb& limb) { return limb.narrow; });
}

// Words that wipe themselves.
struct Words : std::vector<u32> {
  using std::vector<u32>::vector;
  ~Words() { wipe(data(), size() * sizeof(u32)); }
};

// The limbs of `a`, each polynomial after polynomial.
Status gather(Verb& verb, const Operand& a, Words& words) {
  const std::size_t n = verb.n();
  Words rows(std::size_t{a.view.batch} * a.view.limbs * n);
  if (const Status status = verb.machine().memory.read(a, rows.data()); status != Status::ok) return status;
  for (std::size_t p = 0; p < a.view.batch; ++p) {
    for (std::size_t l = 0; l < a.view.limbs; ++l) std::copy_n(rows.begin() + static_cast<i64>((p * a.view.limbs + l) * n), n, words.begin() + static_cast<i64>((l * a.view.batch + p) * n));
  }
  return Status::ok;
}

// Polynomials of `out` that do not follow one another.
Status one_by_one(Stream s, View out, View a, Conversion kind, u32 n) {
  const std::size_t batch = out.batch, out_row = out.step() * n, row = a.step() * n;
  out.pitch = static_cast<u32>(out.step());
  a.pitch = static_cast<u32>(a.step());
  out.batch = a.batch = 1;
  for (std::size_t p = 0; p < batch; ++p, out.offset += out_row, a.offset += row) {
    if (const Status status = base_convert(s, out, a, kind); status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) {
  if (a.limbs > kMostSources) return Status::unsupported;
  Verb verb(s, out);
  Operand to, x;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  if (!to.is_run()) return one_by_one(s, out, a, kind, verb.n());
  Words words(std::size_t{a.batch} * a.limbs * verb.n());
  if (const Status status = gather(verb, x, words); status != Status::ok) return status;

  const u32 bytes = static_cast<u32>(words.size() * 4), layers = (out.limbs - 1) / verb.machine().system.dpus() + 1;
  Scratch scratch(verb.machine(), verb.rank());
  if (const Status status = scratch.take(bytes + layers * static_cast<u32>(sizeof(Tables))); status != Status::ok) return status;
  if (const Status status = verb.machine().system.broadcast(verb.rank(), scratch.place(), words); status != Status::ok) return status;

  const Conversion32 conversion{verb.plan(), {a.first_limb, a.limbs}, all_narrow(verb.plan(), {a.first_limb, a.limbs}) && all_narrow(verb.plan(), {out.first_limb, out.limbs})};
  const auto table_place = [&](u32 l) { return scratch.place() + bytes + l / verb.machine().system.dpus() * static_cast<u32>(sizeof(Tables)); };
  std::vector<Tables> tables(out.limbs);
  for (u32 first = 0; first < out.limbs; first += verb.machine().system.dpus()) {
    std::vector<Piece> pieces;
    for (u32 l = first; l < out.limbs && l < first + verb.machine().system.dpus(); ++l) {
      fill(conversion, out.first_limb + l, tables[l]);
      pieces.push_back({to.dpu(l), &tables[l]});
    }
    if (const Status status = verb.machine().system.push(verb.rank(), table_place(first), sizeof(Tables), pieces, Load::tables); status != Status::ok) return status;
  }
  return verb.done(to, verb.launch(Kernel::convert, to, out.batch, ConvertArguments{}, [&](ConvertArguments& c, u32 l, u32 p) {
    const u32 at = table_place(l), sources = at, target = at + offsetof(Tables, target), weights = at + offsetof(Tables, weights);
    c = {kConvert, static_cast<u32>(kind), conversion.narrow, out.batch * verb.n(), a.limbs, 1, scratch.place(), 0, to.offset(p, l), sources, target, weights};
  }));
}

}  // namespace ringfort::pim_host
