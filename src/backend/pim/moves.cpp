// SPDX-License-Identifier: Apache-2.0
// The verbs of device `pim` that copy words between the host and the DPUs (processors in memory banks), or from one
// polynomial to another.
#include <cstring>

#include "backend/pim/exchange.h"
#include "base/locked.h"

namespace ringfort::pim_host {
namespace {

// Reads an integer. No branch and no index depends on its value.
i128 integer_at(const void* integers, std::size_t index, u32 bytes) noexcept {
  const auto read = [&](auto value) {
    std::memcpy(&value, static_cast<const u8*>(integers) + index * sizeof value, sizeof value);
    return i128{value};
  };
  return bytes == 1 ? read(i8{}) : bytes == 8 ? read(i64{}) : read(i128{});
}

Status write(Stream s, const View& to, const void* words) {
  VerbTask task(s, to);
  Operand operand;
  if (const Status status = task.spread(to.batch, Weight::light, {&to}); status != Status::ok) return status;
  if (const Status status = task.writes(to, operand); status != Status::ok) return status;
  return task.done(operand, task.machine().memory.write(operand, static_cast<const u32*>(words)));
}

// Tells whether a copy writes one small object into a larger buffer: behind its beginning, or as its first object.
bool is_gathered(const verb::Copy& v) noexcept {
  const Buffer& buffer = *buffer_of(v.out.buffer);
  return v.out.batch <= 3 && buffer.bytes / plan_of(v.out).extent().host_word_bytes > v.out.words() &&
         (v.out.offset != 0 || buffer.allocations.empty());
}

}  // namespace

Status execute(Stream s, const verb::Upload& v) {
  const Extent extent = plan_of(v.to).extent();
  if (extent.word_bytes == extent.host_word_bytes) return write(s, v.to, v.words);
  Words words(2 * v.to.words());
  extent.widen(static_cast<const u32*>(v.words), words.data(), v.to.words() / extent.n);
  return write(s, v.to, words.data());
}

Status execute(Stream s, const verb::Download& v) {
  VerbTask task(s, v.from);
  Operand operand;
  if (const Status status = task.spread(v.from.batch, Weight::light, {&v.from}); status != Status::ok) return status;
  if (const Status status = task.reads(v.from, operand); status != Status::ok) return status;
  const Extent extent = task.plan().extent();
  auto* const out = static_cast<u32*>(v.words);
  if (extent.word_bytes == extent.host_word_bytes) return task.machine().memory.read(operand, out);
  Words words(2 * v.from.words());
  const Status status = task.machine().memory.read(operand, words.data());
  if (status == Status::ok) extent.narrow(words.data(), out, v.from.words() / extent.n);
  return status;
}

// Runs copies together. Each position of a batch belongs to a group of DPUs (memory.h). A ciphertext that is copied
// into the batch must be in the group of its position. If it is in another group, the host copies it. The host reads
// all such ciphertexts before it writes the first.
Status execute(Stream s, std::span<const verb::Copy* const> copies) {
  std::vector<Move> out, in;
  std::vector<Operand> written;
  std::vector<Words> words;
  words.reserve(copies.size());
  for (const verb::Copy* v : copies) {
    if (same_memory(v->out, v->a)) continue;
    VerbTask from(s, v->a), to(s, v->out);
    Memory& memory = from.machine().memory;
    if (const Status status = from.spread(v->a.batch, Weight::light, {&v->a}); status != Status::ok) return status;
    if (!is_gathered(*v) || memory.groups_for(s, v->out, to.grid()) == memory.groups_for(s, v->a, from.grid())) {
      if (const Status status = copy_within(s, v->out, v->a); status != Status::ok) return status;
      continue;
    }
    Operand source, target;
    if (const Status status = from.reads(v->a, source); status != Status::ok) return status;
    if (const Status status = to.spread(v->out.batch, Weight::light, {&v->out}); status != Status::ok) return status;
    if (const Status status = to.writes(v->out, target); status != Status::ok) return status;
    words.emplace_back(v->a.words() * (plan_of(v->a).extent().word_bytes / sizeof(u32)));
    memory.add_moves(source, words.back().data(), out);
    memory.add_moves(target, words.back().data(), in);
    written.push_back(std::move(target));
  }
  if (written.empty()) return Status::ok;
  const PimPlan& plan = plan_of(copies.front()->out);
  Memory& memory = plan.machine->memory;
  const u32 rank = s.index % plan.machine->system.ranks();
  if (const Status status = memory.move(rank, plan.extent(), Memory::Direction::out, std::move(out));
      status != Status::ok)
    return status;
  if (const Status status = memory.move(rank, plan.extent(), Memory::Direction::in, std::move(in));
      status != Status::ok)
    return status;
  for (const Operand& operand : written) memory.wrote(s, operand);
  return Status::ok;
}

Status execute(Stream s, const verb::Copy& v) {
  const verb::Copy* const one = &v;
  return execute(s, std::span(&one, 1));
}

// Computes the residues on the host. Then a DPU gets only the residues of its limbs. Otherwise every DPU would need all
// integers.
template <class Residue>
Status lift(Stream s, const verb::Lift& v) {
  const std::size_t n = v.to.plan->n(), limbs = v.to.limbs.count;
  const LockedBytes memory(v.to.words() * sizeof(Residue));  // the integers may be secret: keys, noise of encryptions
  auto* const words = static_cast<Residue*>(memory.data());
  for (std::size_t p = 0; p < v.to.batch; ++p) {
    for (std::size_t l = 0; l < limbs; ++l) {
      const Modulus<u64>& q = v.to.plan->basis[v.to.limbs.first + static_cast<u32>(l)];
      for (std::size_t i = 0; i < n; ++i)
        words[(p * limbs + l) * n + i] =
            static_cast<Residue>(q.reduce_signed(integer_at(v.integers, p * n + i, v.integer_bytes)));
    }
  }
  return write(s, v.to, memory.data());
}

Status execute(Stream s, const verb::Lift& v) { return plan_of(v.to).is_wide() ? lift<u64>(s, v) : lift<u32>(s, v); }

}  // namespace ringfort::pim_host
