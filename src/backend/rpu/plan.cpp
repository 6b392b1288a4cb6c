// SPDX-License-Identifier: Apache-2.0
// Prepares a plan for the ring processor (plan.h). Chooses the size of tiles, and makes the programs of all verbs.
#include "backend/rpu/plan.h"

#include "sim/job/execute.h"
#include "sim/refusal.h"

namespace ringfort::rpu_host {
namespace {

constexpr u32 kLongestTransforms = 16384;  // most words of a program for several polynomials
// A program is fast enough if it takes at most kSlackPercent of the time of its transfers. If it is slower, a program
// for more polynomials is tried.
constexpr u64 kPercent = 100, kSlackPercent = 115;
// Words of vector memory for each coefficient: the coefficient, a second buffer, and two tables.
constexpr u32 kWordsOfTransform = 4;
constexpr u32 kMostTerms = 2;  // most terms that one run of the routine `dot` adds up
// The vector memory has space for at least this many operands of a fused verb. They include operands that are loaded
// while a program runs.
constexpr u32 kLeastOperands = 16;
constexpr u32 kMostScaledTerms = 8;
constexpr u32 kConversionOperands = 4;  // operands in addition to the limbs: fractions, two results, one spare

Field field_of(const Plan& plan, u128 q, u128 root, u32 length) {
  Field field{.q = rpu::Modulus(q), .powers = std::vector<u128>(plan.n), .inverse_length = 1};
  while ((q >> field.bits) != 0) ++field.bits;
  u128 power = 1;
  for (u128& value : field.powers) {
    value = power;
    power = field.q.multiply(power, root);
  }
  const u128 half = (q + 1) / 2;
  for (u32 m = length; m > 1; m /= 2) field.inverse_length = field.q.multiply(field.inverse_length, half);
  return field;
}

u32 tile_words_of(const Plan& plan, u32 vdm_words) {
  const u32 words = std::max(plan.n, kLeastWords);
  const u32 operands = std::max(
      kLeastOperands, static_cast<u32>(std::min<std::size_t>(plan.moduli.size(), kMostLimbs)) + kConversionOperands);
  const u32 fitting_words = std::bit_floor(vdm_words / operands);
  if (fitting_words < kLeastWords) {
    throw rpu::Refusal("a ring of " + std::to_string(plan.moduli.size()) + " primes needs " +
                           std::to_string(operands * kLeastWords) + " words of vdm, but the machine has " +
                           std::to_string(vdm_words),
                       "set vdm_words=" + std::to_string(operands * kLeastWords));
  }
  return std::min(words, fitting_words);
}

// Returns programs for 1, 2, 4, ... polynomials, up to the first program that is fast enough. A program for more
// polynomials would start later, because it waits for more operands. Throws if there is no space for one polynomial.
std::vector<Program*> transforms_of(const RpuPlan& p, Routine direction) {
  const u32 n = p.plan.n / p.parts;
  const u32 most = n < kLeastWords ? 1 : std::clamp(kLongestTransforms / n, u32{1}, kMostTogether);
  const u64 transfers = rpu::job::transfer_cycles(p.processor->machine(), u64{2} * n * sizeof(u128));
  std::vector<Program*> programs;
  for (u32 count = 1; count <= most; count *= 2) {
    try {
      programs.push_back(p.processor->program(direction, n, count));
    } catch (const rpu::Refusal&) {
      if (count == 1) throw;
      break;
    }
    if (programs.back()->kernel->cycles * kPercent <= count * transfers * kSlackPercent) break;
  }
  return programs;
}

void prepare_routines(RpuPlan& p) {
  for (std::size_t r = static_cast<std::size_t>(Routine::add); r < kRoutines; ++r) {
    const auto routine = static_cast<Routine>(r);
    const bool dots = routine == Routine::dot || routine == Routine::dot_add;
    const u32 most = dots ? kMostTerms : routine == Routine::scaled_sum ? kMostScaledTerms : 1;
    for (u32 count = 1; count <= most; count *= 2) p.sums[r].push_back(p.processor->program(routine, p.tile, count));
    p.routines[r] = p.sums[r][0];
  }
}

}  // namespace

u128 RpuPlan::power(u32 limb, u32 exponent) const noexcept {
  const Field& field = fields[limb];
  return exponent < plan.n ? field.powers[exponent] : field.q.value() - field.powers[exponent - plan.n];
}

u128 RpuPlan::root(u32 limb, const Root& root) const noexcept {
  if (root.none) return 0;
  const u128 value = power(limb, root.exponent * parts);
  return root.over_n ? fields[limb].q.multiply(value, fields[limb].inverse_length) : value;
}

void run_tiles(const RpuPlan& p, Program& program, std::span<const u32> names, u32 words,
               std::span<const rpu::Modulus> moduli, std::span<const u128> scalars) {
  p.processor->run_program(program, names, moduli, scalars, std::max(words / p.tile, 1u));
}

std::shared_ptr<const RpuPlan> prepare(const Plan& plan, std::shared_ptr<Processor> processor) {
  if (!host::degree_is_supported(plan)) return nullptr;
  std::vector<u128> roots;
  for (const u128 q : plan.moduli) {
    roots.push_back(host::root_or_zero(plan, q));
    if (roots.back() == 0) return nullptr;
  }
  auto p = std::make_shared<RpuPlan>(plan);
  p->processor = std::move(processor);
  if (plan.n > kLeastWords && p->processor->machine().vdm_words < kWordsOfTransform * plan.n) p->parts = 2;
  for (std::size_t i = 0; i < roots.size(); ++i)
    p->fields.push_back(field_of(plan, plan.moduli[i], roots[i], plan.n / p->parts));
  p->rows = std::max(kLeastWords / plan.n, u32{1});
  p->tile = tile_words_of(plan, p->processor->machine().vdm_words);
  p->forward = transforms_of(*p, Routine::forward);
  p->inverse = transforms_of(*p, Routine::inverse);
  prepare_routines(*p);
  return p;
}

}  // namespace ringfort::rpu_host
