// SPDX-License-Identifier: Apache-2.0
// Base conversion, the one verb whose limbs must meet. The sources go to the host, come back in slices, a few coefficients of all
// sources for every DPU of the rank, and what these compute for all targets goes the same way to where it belongs. Four small copies
// cost less than a tenth of what a DPU would take for all coefficients of its target. All are data, and are counted as such.
#include <algorithm>
#include <cstring>

#include "backend/pim/verbs.h"
#include "base/secret.h"
#include "kernels/convert.h"

namespace ringfort::pim_host {
namespace {

// Words that wipe themselves.
struct Words : std::vector<u32> {
  using std::vector<u32>::vector;
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() { wipe(data(), size() * sizeof(u32)); }
};

// From a run of limbs to another.
struct Passage {
  const Prepared& plan;
  Limbs from, to;
  [[nodiscard]] bool is_narrow() const noexcept {
    const auto narrow = [&](Limbs limbs) { return std::all_of(plan.limbs.begin() + limbs.first, plan.limbs.begin() + limbs.end(), [](const Limb& limb) { return limb.narrow; }); };
    return narrow(from) && narrow(to);
  }
  [[nodiscard]] u64 radix() const noexcept { return u64{1} << (is_narrow() ? 24 : 32); }
};

// What the kernel reads before it begins: sources, targets, rows of weights.
struct Tables {
  std::vector<u32> words;
  u32 targets = 0, weights = 0;           // places of the words
  template <class T>
  void add(const T& value) {
    const std::size_t at = words.size();
    words.resize(at + sizeof value / sizeof(u32));
    std::memcpy(words.data() + at, &value, sizeof value);
  }
};

Tables tables_of(const Passage& passage) {
  const RnsBasis& basis = passage.plan.basis;
  const u64 radix = passage.radix();
  Tables tables;
  for (u32 limb = passage.from.first; limb < passage.from.end(); ++limb) {
    const Modulus<u64>& q = basis[limb];
    const u64 inverse = q.multiply(basis.punctured_inverse(passage.from, limb), radix % q.value()), reciprocal = basis.fraction(limb);
    tables.add(ConvertSource{static_cast<u32>(q.value()), static_cast<u32>(inverse), static_cast<u32>(reciprocal), static_cast<u32>(reciprocal >> 32), 30 - q.bits(), 0});
  }
  tables.targets = static_cast<u32>(tables.words.size());
  for (u32 limb = passage.to.first; limb < passage.to.end(); ++limb) tables.add(ConvertTarget{static_cast<u32>(basis[limb].value()), 0});
  tables.weights = static_cast<u32>(tables.words.size());
  std::vector<u64> products(passage.from.count);
  for (u32 limb = passage.to.first; limb < passage.to.end(); ++limb) {
    const u64 p = basis[limb].value();
    basis.punctured_products(passage.from, limb, products);
    const std::size_t row = tables.words.size();
    tables.words.resize(row + convert_row(passage.from.count));
    for (u32 i = 0; i < passage.from.count; ++i) tables.words[row + i] = static_cast<u32>(products[i] * (radix % p) % p);
    tables.words[row + passage.from.count] = static_cast<u32>((p - basis.product(passage.from, limb) * (radix % p) % p) % p);
  }
  return tables;
}

// `vectors` vectors of `total` words, cut for the DPUs: slice s of all of them is one DPU's.
struct Slices {
  std::size_t vectors, total, length;
  Words words;
  Slices(std::size_t vectors, std::size_t total, u32 dpus) : vectors(vectors), total(total), length((total + 2 * dpus - 1) / (2 * dpus) * 2), words(count() * vectors * length) {}
  [[nodiscard]] std::size_t count() const noexcept { return (total + length - 1) / length; }
  [[nodiscard]] std::size_t bytes() const noexcept { return vectors * length * sizeof(u32); }
  [[nodiscard]] std::vector<Piece> pieces() {
    std::vector<Piece> all;
    for (std::size_t s = 0; s < count(); ++s) all.push_back({static_cast<u32>(s), words.data() + s * vectors * length});
    return all;
  }
  // move(words of a slice, place in the vector, number): every run of words that is one in both.
  template <class Move>
  void each(std::size_t vector, Move move) {
    for (std::size_t s = 0; s < count(); ++s) move(words.data() + (s * vectors + vector) * length, s * length, std::min(length, total - s * length));
  }
};

// Between vectors of a limb's polynomials and the order [polynomial][limb] of a view.
Status read_slices(Verb& verb, const Operand& from, Slices& slices) {
  const std::size_t limbs = from.view.limbs, n = verb.n();
  Words rows(slices.vectors * slices.total), vector(slices.total);
  if (const Status status = verb.machine().memory.read(from, rows.data()); status != Status::ok) return status;
  for (std::size_t l = 0; l < limbs; ++l) {
    for (std::size_t p = 0; p < from.view.batch; ++p) std::copy_n(rows.data() + (p * limbs + l) * n, n, vector.data() + p * n);
    slices.each(l, [&](u32* slice, std::size_t at, std::size_t count) { std::copy_n(vector.data() + at, count, slice); });
  }
  return Status::ok;
}

Status write_slices(Verb& verb, const Operand& to, Slices& slices) {
  const std::size_t limbs = to.view.limbs, n = verb.n();
  Words rows(slices.vectors * slices.total), vector(slices.total);
  for (std::size_t l = 0; l < limbs; ++l) {
    slices.each(l, [&](const u32* slice, std::size_t at, std::size_t count) { std::copy_n(slice, count, vector.data() + at); });
    for (std::size_t p = 0; p < to.view.batch; ++p) std::copy_n(vector.data() + p * n, n, rows.data() + (p * limbs + l) * n);
  }
  return verb.machine().memory.write(to, rows.data());
}

View limbs_of(const View& view, u32 first, u32 count, u32 n) noexcept {
  View part = view;
  part.pitch = static_cast<u32>(view.step());
  part.offset += std::size_t{first} * n;
  part.first_limb += first;
  part.limbs = count;
  return part;
}

// Sources are in `slices`; as many targets as the kernel takes at once.
Status convert_to(Verb& verb, Stream s, const View& out, Limbs from, Slices& slices, Conversion kind) {
  Machine& machine = verb.machine();
  Operand to;
  if (const Status status = verb.writes(out, to); status != Status::ok) return status;
  const Passage passage{verb.plan(), from, {out.first_limb, out.limbs}};
  const Tables tables = tables_of(passage);
  Slices results(out.limbs, slices.total, machine.system.dpus());
  const u32 x = 0, y = static_cast<u32>(slices.bytes()), t = y + static_cast<u32>(results.bytes());
  Scratch scratch(machine, verb.rank());
  if (const Status status = scratch.take(t + static_cast<u32>(tables.words.size() * 4)); status != Status::ok) return status;
  const u32 place = scratch.place(), words = static_cast<u32>(slices.length);
  if (const Status status = machine.system.broadcast(verb.rank(), place + t, tables.words, Load::tables); status != Status::ok) return status;
  if (const Status status = machine.system.push(verb.rank(), place + x, slices.bytes(), slices.pieces()); status != Status::ok) return status;
  std::vector<ConvertArguments> arguments(machine.system.dpus());
  for (std::size_t dpu = 0; dpu < slices.count(); ++dpu) {
    arguments[dpu] = {kConvert, static_cast<u32>(kind), passage.is_narrow(), words, from.count, out.limbs, place + x, 0, place + y, place + t, place + t + tables.targets * 4, place + t + tables.weights * 4};
  }
  if (const Status status = machine.system.launch(verb.rank(), Kernel::convert, arguments); status != Status::ok) return status;
  if (const Status status = machine.system.pull(verb.rank(), place + y, results.bytes(), results.pieces()); status != Status::ok) return status;
  if (const Status status = write_slices(verb, to, results); status != Status::ok) return status;
  machine.memory.wrote(s, to);
  return Status::ok;
}

}  // namespace

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) {
  Verb verb(s, out);
  Operand x;
  if (const Status status = verb.reads(a, x); status != Status::ok) return status;
  Slices slices(a.limbs, std::size_t{a.batch} * verb.n(), verb.machine().system.dpus());
  if (const Status status = read_slices(verb, x, slices); status != Status::ok) return status;
  const u32 most = std::min<u32>(kMostTargets, kMostWeights / convert_row(a.limbs));
  for (u32 first = 0; first < out.limbs; first += most) {
    const View targets = limbs_of(out, first, std::min(most, out.limbs - first), verb.n());
    if (const Status status = convert_to(verb, s, targets, {a.first_limb, a.limbs}, slices, kind); status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace ringfort::pim_host
