// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a base conversion on the ring processor (converter.h). Each step is a run of a routine
// (routines.h).
#include "backend/rpu/converter.h"

#include <bit>

namespace ringfort::rpu_host {
namespace {

constexpr u32 kFractionBits = 56;

const rpu::Modulus kLowFraction(u128{1} << kFractionShift);
const rpu::Modulus kWhole(u128{1} << kFractionBits);

}  // namespace

void Converter::run_program(Program& program, std::span<const u32> names, std::span<const rpu::Modulus> moduli,
                            std::span<const u128> scalars) {
  run_tiles(p_, program, names, words_, moduli, scalars);
}

// Lifts v to the centred representative v - k q. k = 1 if v 2^(64 - bits) floor(2^(63 + bits) / q) >= 2^126. This holds
// if v >= half (Routine::lift).
void Converter::lift(u32 limb) {
  const Field& field = p_.fields[limb];
  const u128 reciprocal = u128{p_.basis.fraction(limb)} << (64 - field.bits),
             half = ((u128{1} << 126) - 1) / reciprocal + 1;
  const rpu::Modulus power(u128{1} << field.bits);
  const u128 less = kWideModulus.multiply(kWide - field.q.value(), inverse_power(field.bits));
  run_program(p_.routine(Routine::lift), std::array{source(0), source(0)}, std::array{power, kWideModulus},
              std::array<u128, 4>{power.value() - half, 1, less, kOffset});
}

void Converter::scale(u32 i) {
  if (is_word()) return lift(from_.first);
  const u32 limb = from_.first + i, v = source(i);
  const rpu::Modulus& q = p_.fields[limb].q;
  const u128 factor = p_.basis.punctured_inverse(from_, limb);
  if (!exact())
    return run_program(p_.routine(Routine::scale), std::array{v, v}, std::span(&q, 1), std::span(&factor, 1));
  const u128 start = kind_ == Conversion::centred ? u128{1} << (kFractionBits - 1) : 0;
  const u128 reciprocal = u128{p_.basis.fraction(limb)} << (64 - p_.fields[limb].bits);
  const std::array<u128, 5> scalars = {factor, reciprocal, 1, inverse_power(kFractionShift), start};
  const std::array<rpu::Modulus, 3> moduli = {q, kWideModulus, kLowFraction};
  Program& program = p_.routine(i == 0 ? Routine::first_fraction : Routine::fraction);
  run_program(program, std::array{v, fractions(), v}, moduli, std::span(scalars).first(program.kernel->scalars));
}

void Converter::round() {
  if (!exact() || is_word()) return;
  run_program(p_.routine(Routine::shift), std::array{fractions(), fractions()}, std::array{kWhole, kWideModulus},
              std::array<u128, 2>{1, inverse_power(kFractionBits)});
}

void Converter::sum(u32 to, u32 limb, u64 factor) {
  const rpu::Modulus& q = p_.fields[limb].q;
  if (is_word())
    return run_program(p_.routine(Routine::last_digit), std::array{to, source(0)}, std::span(&q, 1),
                       std::array<u128, 2>{factor, q.multiply(factor, kOffset % q.value())});
  std::array<u64, kMostLimbs> weights;
  p_.basis.punctured_products(from_, limb, std::span(weights).first(from_.count));
  for (u32 i = 0; i < from_.count; ++i) weights[i] = p_.basis[limb].multiply(weights[i], factor);
  const u128 first = exact() ? q.multiply(factor, q.subtract(0, p_.basis.product(from_, limb))) : weights[0];
  run_program(p_.routine(Routine::scale), std::array{to, exact() ? fractions() : source(0)}, std::span(&q, 1),
              std::span(&first, 1));
  const std::vector<Program*>& sums = p_.sum(Routine::scaled_sum);
  const u32 most = std::min(1u << (sums.size() - 1), p_.processor->machine().vdm_words / words_ - 1);
  for (u32 next = exact() ? 0 : 1, terms = 0; next < from_.count; next += terms) {
    terms = std::bit_floor(std::min(from_.count - next, most));
    std::array<u32, rpu::kRegisters> names = {to};
    std::array<u128, rpu::kRegisters> scalars;
    for (u32 i = 0; i < terms; ++i) {
      names[1 + i] = source(next + i);
      scalars[i] = weights[next + i];
    }
    run_program(*sums[static_cast<u32>(std::countr_zero(terms))], std::span(names).first(1 + terms), std::span(&q, 1),
                std::span(scalars).first(terms));
  }
}

}  // namespace ringfort::rpu_host
