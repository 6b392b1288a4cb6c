// SPDX-License-Identifier: Apache-2.0
// Prepares a plan for device `pim` (plan.h). The code computes constants, and twiddles in the order of the kernels. It
// copies them to a rank when the rank first needs them.
#include "backend/pim/plan.h"

#include <algorithm>
#include <bit>
#include <new>

#include "math/prime.h"

namespace ringfort::pim_host {
namespace {

u32 reversed(u32 index, u32 n) noexcept {
  u32 result = 0;
  for (u32 bit = 1; bit < n; bit *= 2, index >>= 1) result = result << 1 | (index & 1);
  return result;
}

u64 base_of(const Limb& limb, bool inverse) noexcept { return inverse ? limb.modulus.inverse(limb.root) : limb.root; }

// Returns log2 of the number of rows into which a kernel divides a polynomial.
u32 log_rows_of(const PimPlan& plan) noexcept {
  const u32 log_n = static_cast<u32>(std::countr_zero(plan.n())), most = plan.is_wide() ? kMostLog64 : kMostLog;
  return log_n > most ? log_n - most : 0;
}

std::vector<u32> as_words(const std::vector<u64>& values, bool is_wide) {
  if (!is_wide) return {values.begin(), values.end()};
  std::vector<u32> pairs;
  for (const u64 value : values) pairs.insert(pairs.end(), {static_cast<u32>(value), static_cast<u32>(value >> 32)});
  return pairs;
}

// Returns the twiddles in the order of hw/pim/kernels/ntt.h. A polynomial of several rows has one table for each row.
std::vector<u64> twiddle_table(const PimPlan& plan, const Limb& limb, bool inverse) {
  const u32 n = plan.n(), log_rows = log_rows_of(plan), rows = 1u << log_rows, length = n >> log_rows;
  std::vector<u64> table(n);
  const u64 base = base_of(limb, inverse);
  u64 value = limb.form(1);
  for (u32 i = 0; i < n; ++i, value = limb.modulus.multiply(value, base)) table[reversed(i, n)] = value;
  if (log_rows == 0) return table;
  std::vector<u64> by_rows(n);
  for (u32 g = 0; g < rows; ++g) {
    for (u32 half = 1; half < length; half *= 2)
      std::copy_n(table.begin() + (rows + g) * half, half, by_rows.begin() + g * length + half);
  }
  return by_rows;
}

// Tells whether the kernels on words of 32 bits can use the prime.
bool is_short(u128 q) noexcept { return q < (1u << 30) && q % (1u << 16) == 1; }

bool takes(u128 q, Word word) noexcept { return q >> (word == Word::u32 ? 31 : 62) == 0; }

Limb limb_of(u64 q, u64 root, bool wide) noexcept {
  const bool narrow = q >> (wide ? 54 : 24) == 0;
  Limb limb{.modulus = Modulus<u64>(q), .root = root, .narrow = narrow};
  limb.radix = limb.power_of_two((wide ? 64 : 32) - (narrow ? 8 : 0));
  const u32 bits = narrow ? 54 : 62;
  limb.shift = bits - limb.modulus.bits();
  limb.shifted = q << limb.shift;
  limb.quotient = static_cast<u64>((u128{1} << (2 * bits)) / limb.shifted);
  return limb;
}

}  // namespace

template <class Arguments>
Arguments ntt_arguments(const PimPlan& plan, u32 number, bool inverse, const NttOperands& operands) noexcept {
  using Residue = decltype(Arguments::q);
  const Limb& limb = plan.limbs[number];
  const u32 n = plan.n(), log_rows = log_rows_of(plan);
  Arguments a{};
  a.verb = inverse ? u32{kInverse} : u32{kForward};
  a.narrow = limb.narrow;
  a.q = static_cast<Residue>(limb.q());
  a.log_n = static_cast<u32>(std::countr_zero(n)) - log_rows;
  a.log_rows = log_rows;
  a.polynomials = operands.polynomials;
  a.data = operands.data;
  a.twiddles = operands.twiddles;
  a.scale = static_cast<Residue>(limb.form(limb.q() - (limb.q() - 1) / n));  // 1/n: n (q - (q - 1) / n) = 1 mod q
  for (u32 row = 0; row < 1u << log_rows; ++row)
    a.columns[row] = static_cast<Residue>(limb.form(limb.modulus.power(base_of(limb, inverse), reversed(row, n))));
  return a;
}
template NttArguments ntt_arguments(const PimPlan&, u32, bool, const NttOperands&) noexcept;
template Ntt64Arguments ntt_arguments(const PimPlan&, u32, bool, const NttOperands&) noexcept;

const std::vector<u32>& PimPlan::twiddles(u32 limb, bool inverse) const {
  std::vector<u32>& table = twiddle_tables[2 * limb + (inverse ? 1 : 0)];
  if (table.empty()) table = as_words(twiddle_table(*this, limbs[limb], inverse), is_wide());
  return table;
}

PimPlan::~PimPlan() {
  const std::lock_guard lock(machine->mutex);
  for (std::size_t rank = 0; rank < tables.size(); ++rank) {
    if (tables[rank] >= 0)
      machine->memory.arena(static_cast<u32>(rank)).release(static_cast<u32>(tables[rank]), table_bytes());
  }
}

Status PimPlan::need_tables(u32 rank) const {
  if (tables[rank] >= 0) return Status::ok;
  u32 offset = 0;
  if (const Status taken = machine->memory.arena(rank).allocate(table_bytes(), offset); taken != Status::ok)
    return taken;
  Status pushed = Status::out_of_memory;
  try {
    pushed = push_tables(rank, offset);
  } catch (const std::bad_alloc&) {  // then `pushed` is out_of_memory
  }
  if (pushed == Status::ok) tables[rank] = offset;
  else machine->memory.arena(rank).release(offset, table_bytes());
  return pushed;
}

Status PimPlan::push_tables(u32 rank, u32 offset) const {
  for (u32 first = 0; first < limbs.size(); first += machine->system.dpus()) {
    const u32 count = std::min(machine->system.dpus(), static_cast<u32>(limbs.size()) - first);
    std::vector<std::vector<u32>> words;
    std::vector<TransferBuffer> buffers;
    for (u32 i = 0; i < count; ++i) {
      words.push_back(twiddles(first + i, false));
      const std::vector<u32>& inverse = twiddles(first + i, true);
      words.back().insert(words.back().end(), inverse.begin(), inverse.end());
    }
    for (u32 i = 0; i < count; ++i) {
      for (u32 g = 0; g < grid().groups; ++g) buffers.push_back({grid().dpu(g, first + i), words[i].data()});
    }
    if (const Status pushed = machine->system.push(rank, offset + first / machine->system.dpus() * 2 * extent().bytes(),
                                                   std::size_t{2} * extent().bytes(), buffers, Load::tables);
        pushed != Status::ok)
      return pushed;
  }
  return Status::ok;
}

Status prepare(const Plan& plan, std::shared_ptr<Machine> machine, std::shared_ptr<const PreparedPlan>& out) {
  if ((plan.word != Word::u32 && plan.word != Word::u64) || !std::has_single_bit(plan.n) || plan.n < kLeastDegree ||
      plan.n > kMostDegree || plan.moduli.empty())
    return Status::unsupported;
  const bool wide = plan.word == Word::u64 || !std::all_of(plan.moduli.begin(), plan.moduli.end(), is_short);
  std::vector<Limb> limbs;
  for (const u128 q : plan.moduli) {
    if (!takes(q, plan.word) || q % (2 * plan.n) != 1) return Status::unsupported;
    const Result<u128> root = minimal_root(q, plan.n);
    if (!root.ok()) return Status::unsupported;
    limbs.push_back(limb_of(static_cast<u64>(q), static_cast<u64>(root.value()), wide));
  }
  auto p = std::make_shared<PimPlan>(plan, std::move(machine));
  p->limbs = std::move(limbs);
  p->wide = wide;
  p->twiddle_tables.resize(2 * plan.moduli.size());
  p->tables.assign(p->machine->system.ranks(), -1);
  out = std::move(p);
  return Status::ok;
}

}  // namespace ringfort::pim_host
