// SPDX-License-Identifier: Apache-2.0
#include "backend/pim/exchange.h"

#include <bit>
#include <cstring>

#include "kernels/convert.h"

namespace ringfort::pim_host {
namespace {

bool is_narrow(const Prepared& plan, const Passage& passage) {
  const auto narrow = [](const Limb& limb) { return limb.narrow; };
  const auto first = plan.limbs.begin() + passage.from.first;
  return std::all_of(first, first + passage.from.count, narrow) && std::all_of(passage.to.begin(), passage.to.end(), [&](u32 limb) { return plan.limbs[limb].narrow; });
}

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

void add_sources(const RnsBasis& basis, const Passage& passage, u64 radix, Tables& tables) {
  for (u32 limb = passage.from.first; limb < passage.from.end(); ++limb) {
    const Modulus<u64>& q = basis[limb];
    const u64 weight = q.multiply(basis.punctured_inverse(passage.from, limb), q.inverse(q.reduce(passage.plain))), reciprocal = basis.fraction(limb);
    tables.add(ConvertSource{static_cast<u32>(q.value()), static_cast<u32>(q.multiply(weight, q.reduce(radix))), static_cast<u32>(reciprocal),
                             static_cast<u32>(reciprocal >> 32), 30 - q.bits(), 0});
  }
}

Tables tables_of(const RnsBasis& basis, const Passage& passage, u64 radix) {
  Tables tables;
  add_sources(basis, passage, radix, tables);
  tables.targets = static_cast<u32>(tables.words.size());
  for (const u32 limb : passage.to) tables.add(ConvertTarget{static_cast<u32>(basis[limb].value()), 0});
  tables.weights = static_cast<u32>(tables.words.size());
  std::vector<u64> products(passage.from.count);
  for (const u32 limb : passage.to) {
    const Modulus<u64>& p = basis[limb];
    const u64 factor = p.multiply(p.reduce(radix), p.reduce(passage.plain));
    basis.punctured_products(passage.from, limb, products);
    const std::size_t row = tables.words.size();
    tables.words.resize(row + convert_row(passage.from.count));
    for (u32 i = 0; i < passage.from.count; ++i) tables.words[row + i] = static_cast<u32>(p.multiply(products[i], factor));
    tables.words[row + passage.from.count] = static_cast<u32>(p.negate(p.multiply(basis.product(passage.from, limb), factor)));
  }
  return tables;
}

u32 most_targets(u32 from) noexcept { return std::min<u32>(kMostTargets, kMostWeights / convert_row(from)); }

// As many targets as the kernel takes at once.
Status convert_some(Verb& verb, u32 place, const Passage& passage, Slices& x, Slices& y) {
  System& system = verb.machine().system;
  const bool narrow = is_narrow(verb.plan(), passage);
  const Tables tables = tables_of(verb.plan().basis, passage, u64{1} << (narrow ? 24 : 32));
  const u32 out = place + static_cast<u32>(x.bytes()), table = out + static_cast<u32>(y.bytes());
  if (const Status status = system.broadcast(verb.rank(), table, tables.words, Load::tables); status != Status::ok) return status;
  std::vector<ConvertArguments> arguments(system.dpus());
  for (std::size_t dpu = 0; dpu < x.count(); ++dpu) {
    arguments[dpu] = {kConvert, static_cast<u32>(passage.kind), narrow, static_cast<u32>(x.length), passage.from.count, static_cast<u32>(passage.to.size()),
                      place, 0, out, table, table + tables.targets * 4, table + tables.weights * 4};
  }
  if (const Status status = system.launch(verb.rank(), Kernel::convert, arguments); status != Status::ok) return status;
  return system.pull(verb.rank(), out, y.bytes(), y.pieces());
}

}  // namespace

std::vector<Piece> Slices::pieces() {
  std::vector<Piece> all;
  for (std::size_t s = 0; s < count(); ++s) all.push_back({static_cast<u32>(s), words.data() + s * vectors * length});
  return all;
}

// Words first .. first + count of a vector: every run of them that lies in one slice.
template <class Move>
void Slices::each(std::size_t vector, std::size_t first, std::size_t count, Move move) noexcept {
  for (std::size_t at = first; at < first + count;) {
    const std::size_t s = at / length, in = at % length, run = std::min(length - in, first + count - at);
    move(words.data() + (s * vectors + vector) * length + in, at - first, run);
    at += run;
  }
}

void Slices::put(std::size_t vector, std::size_t p, const u32* polynomial, std::size_t n) noexcept {
  each(vector, p * n, n, [&](u32* slice, std::size_t at, std::size_t run) { std::copy_n(polynomial + at, run, slice); });
}

void Slices::get(std::size_t vector, std::size_t p, u32* polynomial, std::size_t n) noexcept {
  each(vector, p * n, n, [&](const u32* slice, std::size_t at, std::size_t run) { std::copy_n(slice, run, polynomial + at); });
}

u32 room_to_convert(u32 from, u32 to, std::size_t total, u32 dpus) noexcept {
  const u32 targets = std::min(to, most_targets(from));
  const std::size_t slice = (total + 2 * dpus - 1) / (2 * dpus) * 2 * sizeof(u32);
  return static_cast<u32>((from + targets) * slice + from * sizeof(ConvertSource) + targets * (sizeof(ConvertTarget) + convert_row(from) * sizeof(u32)));
}

Status convert(Verb& verb, u32 place, const Passage& passage, Slices& x, Slices& y) {
  const u32 most = most_targets(passage.from.count);
  if (const Status status = verb.machine().system.push(verb.rank(), place, x.bytes(), x.pieces()); status != Status::ok) return status;
  if (passage.to.size() <= most) return convert_some(verb, place, passage, x, y);
  for (std::size_t first = 0; first < passage.to.size(); first += most) {
    const std::size_t count = std::min<std::size_t>(most, passage.to.size() - first);
    Passage some = passage;
    some.to.assign(passage.to.begin() + static_cast<i64>(first), passage.to.begin() + static_cast<i64>(first + count));
    Slices part(count, x.total, verb.machine().system.dpus());
    if (const Status status = convert_some(verb, place, some, x, part); status != Status::ok) return status;
    Words vector(x.total);
    for (std::size_t i = 0; i < count; ++i) {
      part.get(i, 0, vector.data(), x.total);
      y.put(first + i, 0, vector.data(), x.total);
    }
  }
  return Status::ok;
}

// A tower and the twiddles of its limb to every DPU.
Status transform(Verb& verb, u32 place, std::span<const Tower> towers, bool inverse) {
  System& system = verb.machine().system;
  const u32 n = verb.n();
  for (std::size_t first = 0; first < towers.size(); first += system.dpus()) {
    const std::span<const Tower> some = towers.subspan(first, std::min<std::size_t>(system.dpus(), towers.size() - first));
    Words words(some.size() * 2 * n);
    std::vector<Piece> there, back;
    std::vector<NttArguments> arguments(system.dpus(), ntt_arguments(verb.plan(), some[0].limb, inverse, {place, place + n * 4, 0}));
    for (std::size_t i = 0; i < some.size(); ++i) {
      u32* const both = words.data() + i * 2 * n;
      const std::vector<u32>& table = verb.plan().twiddles(some[i].limb, inverse);
      std::copy_n(some[i].words, n, both);
      std::copy_n(table.data(), n, both + n);
      there.push_back({static_cast<u32>(i), both});
      back.push_back({static_cast<u32>(i), some[i].words});
      arguments[i] = ntt_arguments(verb.plan(), some[i].limb, inverse, {place, place + n * 4, 1});
    }
    if (const Status status = system.push(verb.rank(), place, std::size_t{n} * 8, there); status != Status::ok) return status;
    if (const Status status = system.launch(verb.rank(), Kernel::ntt, arguments); status != Status::ok) return status;
    if (const Status status = system.pull(verb.rank(), place, std::size_t{n} * 4, back); status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace ringfort::pim_host
