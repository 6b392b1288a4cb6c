// SPDX-License-Identifier: Apache-2.0
#include "backend/pim/plan.h"

#include <algorithm>
#include <bit>
#include <new>

#include "math/prime.h"

namespace ringfort::pim_host {
namespace {

u32 power(const Limb& limb, u64 base, u64 exponent) noexcept {
  u64 result = 1;
  for (base %= limb.q; exponent != 0; exponent >>= 1, base = base * base % limb.q) {
    if (exponent & 1) result = result * base % limb.q;
  }
  return static_cast<u32>(result);
}

u32 reversed(u32 index, u32 n) noexcept {
  u32 result = 0;
  for (u32 bit = 1; bit < n; bit *= 2, index >>= 1) result = result << 1 | (index & 1);
  return result;
}

u32 base_of(const Limb& limb, bool inverse) noexcept {
  return inverse ? power(limb, limb.root, limb.q - 2) : limb.root;
}

// Returns the twiddles in the order of hw/pim/kernels/ntt.h: polynomials of more than 2^13 words have one table per
// row.
std::vector<u32> twiddle_table(const Limb& limb, u32 n, bool inverse) {
  std::vector<u32> table(n);
  const u64 base = base_of(limb, inverse);
  u64 value = 1;
  for (u32 i = 0; i < n; ++i, value = value * base % limb.q) table[reversed(i, n)] = limb.form(value);
  const u32 log_n = static_cast<u32>(std::countr_zero(n)), log_rows = log_n > kMostLog ? log_n - kMostLog : 0;
  if (log_rows == 0) return table;
  const u32 rows = 1u << log_rows, length = n >> log_rows;
  std::vector<u32> by_rows(n);
  for (u32 g = 0; g < rows; ++g) {
    for (u32 half = 1; half < length; half *= 2)
      std::copy_n(table.begin() + (rows + g) * half, half, by_rows.begin() + g * length + half);
  }
  return by_rows;
}

bool takes(u128 q) noexcept { return q < (1u << 30) && q % (1u << 16) == 1; }

}  // namespace

NttArguments ntt_arguments(const PimPlan& plan, u32 number, bool inverse, const NttPlace& place) noexcept {
  const Limb& limb = plan.limbs[number];
  const u32 n = plan.plan.n, log_n = static_cast<u32>(std::countr_zero(n)),
            log_rows = log_n > kMostLog ? log_n - kMostLog : 0, q = limb.q;
  NttArguments a{.verb = inverse ? u32{kInverse} : u32{kForward},
                 .narrow = limb.narrow,
                 .q = q,
                 .log_n = log_n - log_rows,
                 .log_rows = log_rows,
                 .polynomials = place.polynomials,
                 .data = place.data,
                 .twiddles = place.twiddles,
                 .scale = limb.form(q - (q - 1) / n),
                 .columns = {}};
  for (u32 row = 0; row < 1u << log_rows; ++row)
    a.columns[row] = limb.form(power(limb, base_of(limb, inverse), reversed(row, n)));
  return a;
}

const std::vector<u32>& PimPlan::twiddles(u32 limb, bool inverse) const {
  std::vector<u32>& table = twiddle_tables[2 * limb + (inverse ? 1 : 0)];
  if (table.empty()) table = twiddle_table(limbs[limb], plan.n, inverse);
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
  u32 place = 0;
  if (const Status taken = machine->memory.arena(rank).allocate(table_bytes(), place); taken != Status::ok)
    return taken;
  Status pushed = Status::out_of_memory;
  try {
    pushed = push_tables(rank, place);
  } catch (const std::bad_alloc&) {  // the status reports it
  }
  if (pushed == Status::ok) tables[rank] = place;
  else machine->memory.arena(rank).release(place, table_bytes());
  return pushed;
}

Status PimPlan::push_tables(u32 rank, u32 place) const {
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
    if (const Status pushed = machine->system.push(rank, place + first / machine->system.dpus() * 2 * plan.n * 4,
                                                   std::size_t{plan.n} * 8, buffers, Load::tables);
        pushed != Status::ok)
      return pushed;
  }
  return Status::ok;
}

Status prepare(const Plan& plan, std::shared_ptr<Machine> machine, std::shared_ptr<const PreparedPlan>& out) {
  if (plan.word != Word::u32 || !std::has_single_bit(plan.n) || plan.n < kLeastDegree || plan.n > kMostDegree ||
      plan.moduli.empty())
    return Status::unsupported;
  std::vector<Limb> limbs;
  for (const u128 q : plan.moduli) {
    if (!takes(q) || q % (2 * plan.n) != 1) return Status::unsupported;
    const Result<u128> root = minimal_root(q, plan.n);
    if (!root.ok()) return Status::unsupported;
    limbs.push_back({static_cast<u32>(q), static_cast<u32>(root.value()), q < (1u << 24)});
  }
  auto p = std::make_shared<PimPlan>(plan, std::move(machine));
  p->limbs = std::move(limbs);
  p->twiddle_tables.resize(2 * plan.moduli.size());
  p->tables.assign(p->machine->system.ranks(), -1);
  out = std::move(p);
  return Status::ok;
}

}  // namespace ringfort::pim_host
