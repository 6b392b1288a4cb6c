// SPDX-License-Identifier: Apache-2.0
// Runs transforms in the vector memory, and gives their tables a name (transformer.h).
#include "backend/rpu/transformer.h"

namespace ringfort::rpu_host {
// The regions of the kernel of a transform are the polynomials, an optional second buffer, the tables, and optional
// memory for values that do not fit into the registers.
u32 Transformer::scratch_words(u32 count) const noexcept {
  return kernel(count).scratch ? kernel(count).regions[1].words : 0;
}

u32 Transformer::table_words(u32 count) const noexcept {
  const Kernel& k = kernel(count);
  return k.regions.size() > (k.scratch ? 2u : 1u) ? k.regions.back().words : 0;
}

void Transformer::tables(const TransformBatch& batch, u32 table) {
  const Kernel& k = kernel(batch.count);
  if (k.table.empty()) return;
  const auto fill = [&p = p_, &k, batch](std::span<u128> words) {
    std::transform(k.table.begin(), k.table.end(), words.begin(),
                   [&](const Root& root) { return p.root(batch.first_limb + root.limb % batch.limbs, root); });
  };
  const u32 primes = batch.first_limb << 16 | batch.limbs;
  p_.processor->table(table, {&programs_[static_cast<u32>(std::countr_zero(batch.count))], primes},
                      table_words(batch.count), static_cast<u32>(k.table.size()), fill);
}

u32 Transformer::transform(const TransformBatch& batch, u32 x, u32 scratch, u32 table) {
  const Kernel& k = kernel(batch.count);
  std::array<rpu::Modulus, rpu::kRegisters> moduli;
  for (u32 t = 0; t < k.moduli; ++t) moduli[t] = p_.fields[batch.first_limb + t % batch.limbs].q;
  std::array<u128, rpu::kRegisters> scalars;
  std::transform(k.root_scalars.begin(), k.root_scalars.end(), scalars.begin(),
                 [&](const Root& root) { return p_.root(batch.first_limb + root.limb % batch.limbs, root); });
  std::array<u32, 3> names = {x, table, table};
  if (k.scratch) {
    names[1] = scratch;
    p_.processor->clear(scratch);
  }
  p_.processor->run_program(program(batch.count), std::span(names).first(k.regions.size()),
                            std::span(moduli).first(k.moduli), std::span(scalars).first(k.scalars));
  return names[k.result];
}

}  // namespace ringfort::rpu_host
