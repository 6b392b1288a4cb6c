// SPDX-License-Identifier: Apache-2.0
// Converts keys and ciphertexts to and from numbers, and checks numbers from outside (wire.h).
#include "rlwe/wire.h"

#include <bit>
#include <set>

#include "math/prime.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "rlwe/key_plan.h"
#include "rlwe/parameters.h"

namespace ringfort::wire {

namespace {

// Reads `count` polynomials, every `step`-th one, from the device that has them, and passes their limbs to the sink.
void write_limbs(const Ring& ring, const Poly<Eval>& polynomials, u32 count, u32 step, const LimbSink& sink) {
  Staging staging(ring.n());
  AlignedBuffer<u64> words(ring.n());
  const Limbs limbs = polynomials.limbs();
  for (u32 i = 0; i < count; ++i) {
    for (u32 limb = limbs.first; limb < limbs.end(); ++limb) {
      ring.read(polynomials, i * step, {limb, 1}, words.span(), staging);
      sink(ring.basis()[limb].value(), words.span());
    }
  }
}

bool read_limbs(const Ring& ring, Slice<Eval> polynomials, const LimbSource& source) {
  Staging staging(ring.n());
  AlignedBuffer<u64> words(ring.n());
  const Limbs limbs = polynomials.limbs();
  for (u32 i = 0; i < polynomials.batch(); ++i) {
    for (u32 limb = limbs.first; limb < limbs.end(); ++limb) {
      if (!source(ring.basis()[limb].value(), words.span())) return false;
      ring.upload(Stream{}, polynomials.polynomials(i, 1).limbs({limb, 1}), std::span<const u64>(words.span()),
                  staging);
    }
  }
  return true;
}

Failure residue_above() {
  return damaged(Code::io_range, "a residue is not below its modulus, or a padding bit is set");
}

bool is_chain_prime(u64 q, u32 n) { return q >> 62 == 0 && q % (2 * u64{n}) == 1 && is_prime(q); }

bool known_goal(const SecurityGoal& goal) {
  return (goal.bits == 128 || goal.bits == 192 || goal.bits == 256) && (goal.standard == 2018 || goal.standard == 2024);
}

}  // namespace

Failure damaged(Code code, const std::string& problem) {
  return {code, problem, "the file is damaged, or no file of this library; copy it again"};
}

Result<Done> check_chain(const ChainParameters& p) {
  const auto refused = [](const std::string& what) { return damaged(Code::io_range, "parameters: " + what); };
  if (!std::has_single_bit(p.n) || p.n < 8 || p.n > kLargestDegree)
    return refused("n = " + std::to_string(p.n) + " is not the degree of a ring");
  const std::size_t primes = p.data.size() + p.special.size();
  if (p.data.empty() || primes > kMostLimbs) return refused(std::to_string(primes) + " primes are too few or too many");
  if (p.limbs_per_level == 0 || p.data.size() % p.limbs_per_level != 0)
    return refused(std::to_string(p.data.size()) + " data primes do not make levels of " +
                   std::to_string(p.limbs_per_level));
  if (p.digit_limbs == 0 || p.digit_limbs > kMostLimbs)
    return refused("digits of " + std::to_string(p.digit_limbs) + " primes are not possible");
  if (!known_goal(p.security)) return refused("no table has the security goal");
  std::set<u64> seen;
  for (const std::vector<u64>* moduli : {&p.data, &p.special}) {
    for (const u64 q : *moduli) {
      if (!is_chain_prime(q, p.n) || !seen.insert(q).second)
        return refused(std::to_string(q) + " is not a prime below 2^62 that is 1 mod 2n, or occurs twice");
    }
  }
  return caught([&] {
    check_samples(p);
    return Done{};
  });
}

std::vector<u64> moduli(const KeyContext::State& context, Limbs limbs) {
  std::vector<u64> values;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) values.push_back(context.ring.basis()[limb].value());
  return values;
}

Result<SecretKey> import_secret_key(const SharedKeyContext& context, u64 key_id, std::span<const i8> coefficients) {
  unsigned outside = coefficients.size() == context->p.n ? 0 : 1;
  for (const i8 c : coefficients) outside |= static_cast<unsigned>(static_cast<unsigned>(c + 1) > 2);
  if (declassified(outside != 0)) return damaged(Code::io_range, "a coefficient of the secret key is not -1, 0 or 1");
  Secret<i8> copied(coefficients.size());
  std::copy(coefficients.begin(), coefficients.end(), copied.data());
  return caught([&] { return make_secret_key(context, std::move(copied), identity_in(*context, key_id)); });
}

Limbs limbs_of_public_key(const Chain& chain, Origin origin) noexcept {
  return origin == Origin::fresh_public_divided ? chain.under_public(chain.top_level()) : chain.data();
}

void export_public_key(const PublicKey& key, const LimbSink& sink) {
  write_limbs(key.state()->context->ring, key.state()->pair, 1, 1, sink);
}

Result<PublicKey> import_public_key(const SharedKeyContext& context, const Seeded& of, Origin origin,
                                    const LimbSource& source) {
  const Ring& ring = context->ring;
  auto state = std::make_shared<PublicKey::State>();
  state->context = context;
  state->id = identity_in(*context, of.key_id);
  state->seed = of.seed;
  state->pair = ring.make_key<Eval>(2, limbs_of_public_key(context->chain, origin));
  if (!read_limbs(ring, state->pair.polynomials(0, 1), source)) return residue_above();
  ring.expand_uniform(Stream{}, state->pair.polynomials(1, 1), of.seed, 0, 0);
  state->pair.keep_contents();
  return PublicKey(std::move(state));
}

void export_key_switching_key(const KeyContext::State& context, const KeySwitchingKey& key, const LimbSink& sink) {
  write_limbs(context.ring, key.rows, key.rows.batch() / 2, 2, sink);
}

Result<KeySwitchingKey> import_key_switching_key(const KeyContext::State& c, const PublicSeed& seed,
                                                 const LimbSource& source) {
  const u32 top = c.chain.top_level(), digits = c.chain.digits(top);
  KeySwitchingKey key{seed, c.ring.make_key<Eval>(2 * digits, c.chain.extended(top))};
  for (u32 d = 0; d < digits; ++d) {
    if (!read_limbs(c.ring, key.rows.polynomials(2 * d, 1), source)) return residue_above();
    c.ring.expand_uniform(Stream{}, key.rows.polynomials(2 * d + 1, 1), seed, 0, static_cast<u16>(d));
  }
  key.rows.keep_contents();
  return key;
}

Result<RelinearizationKey> import_relinearization_key(const SharedKeyContext& context, const Seeded& of,
                                                      const LimbSource& source) {
  auto key = import_key_switching_key(*context, of.seed, source);
  if (!key.ok()) return key.failure();
  return RelinearizationKey(std::make_shared<RelinearizationKey::State>(
      RelinearizationKey::State{context, identity_in(*context, of.key_id), std::move(key).take()}));
}

GaloisFacts facts(const GaloisKeys& keys) {
  GaloisFacts facts{.steps = keys.plan().steps, .rotations = {}, .conjugation = keys.plan().conjugation};
  for (const RotationPath& path : keys.plan().paths) facts.rotations.push_back(path.step);
  return facts;
}

Result<KeyPlan> import_plan(const SharedKeyContext& context, const GaloisFacts& facts) {
  const std::int32_t circle = static_cast<std::int32_t>(context->p.n / 2);
  const std::set<std::int32_t> available(facts.steps.begin(), facts.steps.end()),
      asked(facts.rotations.begin(), facts.rotations.end());
  if (available.size() != facts.steps.size() || asked.size() != facts.rotations.size())
    return damaged(Code::io_range, "rotation keys: a step occurs twice");
  for (const auto* steps : {&available, &asked}) {
    for (const std::int32_t step : *steps) {
      if (step == 0 || normal_step(step, circle) != step)
        return damaged(Code::io_range, "rotation keys: a step is " + std::to_string(step));
    }
  }
  auto plan =
      caught([&] { return plan_keys(KeyContext(context), {.rotations = {}, .conjugation = facts.conjugation}); });
  if (!plan.ok()) return plan.failure();
  KeyPlan& p = plan.value();
  p.steps = facts.steps;
  p.galois_bytes += p.steps.size() * p.bytes_per_key;
  for (const std::int32_t step : facts.rotations) {
    p.paths.push_back({step, available.contains(step) ? std::vector<std::int32_t>{step} : signed_powers(step, circle)});
    for (const std::int32_t needed : p.paths.back().keys) {
      if (!available.contains(needed))
        return damaged(Code::io_range, "rotation keys: there is none for step " + std::to_string(needed) +
                                           ", which a planned rotation needs");
    }
  }
  return plan;
}

std::vector<u32> elements(const KeyPlan& plan, u32 n) {
  std::vector<u32> elements;
  for (const std::int32_t step : plan.steps) elements.push_back(rotation_element(n, step));
  if (plan.conjugation) elements.push_back(swap_rows_element(n));
  return elements;
}

RlweFacts facts(const RlweCiphertext& ciphertext) {
  return {ciphertext.key_id, ciphertext.level, ciphertext.components, ciphertext.origin, ciphertext.seed};
}

Result<Done> check_rlwe(const KeyContext::State& context, const RlweFacts& facts) {
  if (facts.level > context.chain.top_level())
    return damaged(Code::io_range, "ciphertext: level " + std::to_string(facts.level) + " is above the top level, " +
                                       std::to_string(context.chain.top_level()));
  if (facts.components < 2 || facts.components > kMostComponents)
    return damaged(Code::io_range, "ciphertext: it has " + std::to_string(facts.components) + " components");
  if (facts.origin > context.noise.of_public_keys() || (facts.origin != Origin::evaluated && facts.components != 2) ||
      facts.seed.has_value() != (facts.origin == Origin::fresh_secret)) {
    return damaged(Code::io_range, "ciphertext: its origin contradicts its components");
  }
  return Done{};
}

void export_rlwe(const RlweCiphertext& ciphertext, const LimbSink& sink) {
  write_limbs(ciphertext.context->ring, ciphertext.polynomials, ciphertext.seed ? 1 : ciphertext.components, 1, sink);
}

Result<RlweCiphertext> import_rlwe(const SharedKeyContext& context, const RlweFacts& facts, const LimbSource& source) {
  auto checked = check_rlwe(*context, facts);
  if (!checked.ok()) return checked.failure();
  RlweCiphertext ciphertext =
      make_ciphertext(context, identity_in(*context, facts.key_id), facts.level, facts.components);
  if (!read_limbs(context->ring, ciphertext.slice(0, facts.seed ? 1 : facts.components), source))
    return residue_above();
  if (facts.seed) context->ring.expand_uniform(Stream{}, ciphertext.slice(1, 1), *facts.seed, 0, 0);
  ciphertext.origin = facts.origin;
  ciphertext.seed = facts.seed;
  return ciphertext;
}

}  // namespace ringfort::wire
