// SPDX-License-Identifier: Apache-2.0
// Decryption computes the phase (c0 + c1 s for the secret s) modulo as few primes as the bound allows. There are two
// kinds of decryption. Decryption for the owner rejects a value only if its bound guarantees neither a significant bit
// nor a bit after the binary point. Decryption for others requires a guaranteed significant bit. After decryption for
// the owner, the plaintext still contains the error. Decoding rounds the error away. The owner must not show values
// that were decoded without rounding [LiMicciancio21].
#include <cmath>

#include "rlwe/encryption.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

void check(const Ciphertext::State& c, const SecretKey::State& key, const SharedKeyContext& k) {
  require_filled(c.rlwe, "decrypt");
  require_same(c.rlwe.context, k, "decrypt");
  require_same(key.context, k, "decrypt");
  require_same_key(c.rlwe.key_id, key.id, "decrypt");
  if (c.bound.precision_bits() < 1) require_certain(c.bound, "decrypt");
}

void check_planned(const Release& asked, const Release& planned, bool counted) {
  const std::string wanted = "a decryption for others with bits = " + std::to_string(asked.bits) +
                             " and queries = " + std::to_string(asked.queries);
  if (asked.bits == 0 || asked.queries == 0 || asked.bits > planned.bits || asked.queries > planned.queries) {
    throw Error(Code::release_refused,
                wanted + " was requested, but the parameters plan for " + std::to_string(planned.bits) + " bits and " +
                    std::to_string(planned.bits == 0 ? 0 : planned.queries) + " decryptions",
                "choose parameters with Requirements::release");
  }
  if (!counted)
    throw Error(Code::release_refused, wanted + " was requested without a function that counts it",
                "give a CountRelease that keeps a ledger beside the secret key");
}

// Returns the planned error of a phase at this level. It assumes one product for each level that was dropped.
double planned_error(const Context::State& c, const Ciphertext::State& x) noexcept {
  const std::size_t products = std::min<std::size_t>(c.keys.top_level() - x.rlwe.level, c.planned_errors.size() - 1);
  return c.planned_errors[products] * std::max(x.bound.scale.high, c.scales[x.rlwe.level].high);
}

// Returns the error that noise must hide from others. It is at least the planned error. The ciphertext's own error,
// scale and origin are not sufficient, because they may come from an untrusted file.
double hidden_from_others(const Context::State& c, const Ciphertext::State& x) {
  if (c.planned_errors.empty())
    throw Error(Code::release_refused,
                "a decryption for others was requested, but the parameters plan for no error to hide",
                "choose parameters with Requirements::release");
  return std::max(x.bound.error, planned_error(c, x));
}

// Returns the width w of the noise. A noise coefficient is the sum of 16 uniform integers below w, minus the sum of 16
// others. Its standard deviation must be sqrt(12 queries) 2^(bits / 2) E, where E is a bound on the Euclidean norm of
// the error. The error's bound in the canonical embedding serves as E. This is valid because the Euclidean norm is the
// root mean square of the values in the embedding.
u128 flood_width(const Release& release, double error) {
  const double deviation =
      std::sqrt(12 * static_cast<double>(release.queries)) * std::exp2(release.bits / 2.0) * error * (1 + 0x1p-40);
  const double width = std::ceil(deviation * std::sqrt(12.0 / kWideTerms)) + 2;
  if (width < 0x1p112) return static_cast<u128>(width);
  throw Error(Code::unsupported,
              "the noise that would hide this error has " + std::to_string(std::log2(width)) +
                  " bits, more than the 112 that are supported",
              "release values with smaller errors, or fewer bits");
}

double flood_error(const KeyContext::State& k, u128 width) {
  const double w = static_cast<double>(width);
  return k.noise.embedding().random(w * w * kWideTerms / 12).value();
}

}  // namespace

// Returns the error that rounding must hide. If the bound is untrusted, the returned error is at least the planned
// error, and at least the error of a fresh encryption under any public key, also one of an older file.
double hidden_from_owner(const Context::State& c, const Ciphertext::State& x) noexcept {
  if (!x.rlwe.untrusted) return x.bound.error;
  const double planned = c.planned_errors.empty() ? 0 : planned_error(c, x);
  return std::max({x.bound.error, planned, c.keys.state()->noise.fresh(Origin::fresh_public).value()});
}

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext, const Release& release, const CountRelease& count) const {
  const Ciphertext::State& c = ciphertext.state();
  const SharedKeyContext& k = context_.keys().state();
  check(c, *key_, k);
  const Release& planned = context_.parameters().release;
  check_planned(release, planned, static_cast<bool>(count));
  const u128 width = flood_width(planned, hidden_from_others(*context_.state(), c));
  const Accuracy bound = admitted(with_error(c.bound, flood_error(*k, width)), *k, c.rlwe.level, "decrypt for others");
  require_certain(bound, "decrypt for others");
  const u32 level = composition(*k, bound.log2_phase(), c.rlwe.level).level;
  const SecretSeed seed = fresh_secret_seed();
  count(key_->id, planned);
  const auto work = k->workspace();
  const Cleared cleared(*work);
  Secret<i128> flood(k->p.n);
  sample_wide(seed, {.purpose = Purpose::flood}, width, flood.span());
  Plaintext out = lifted(k, flood.span(), level, bound);
  const Slice<Eval> all = out.state().rlwe.all();
  k->ring.add(work->stream, all, all, phase(c.rlwe, *key_, level, *work).all());
  out.state().decrypted = true;  // `step` stays 0: the noise hides the error, so decoding does not round
  return out;
}

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext) const {
  const Ciphertext::State& c = ciphertext.state();
  const SharedKeyContext& k = context_.keys().state();
  check(c, *key_, k);
  const Accuracy bound = admitted(c.bound, *k, c.rlwe.level, "decrypt");
  const u32 level = k->unguarded() ? c.rlwe.level : composition(*k, bound.log2_phase(), c.rlwe.level).level;
  const auto work = k->workspace();
  const Cleared cleared(*work);
  const Scratch<Eval> sum = phase(c.rlwe, *key_, level, *work);
  Plaintext out;
  RlweCiphertext rlwe{
      .context = k, .level = level, .components = 1, .polynomials = k->ring.make_secret<Eval>(1, k->chain.data(level))};
  k->ring.copy(work->stream, rlwe.all(), sum.all());
  const Context::State& state = *context_.state();
  out.state() = {.rlwe = std::move(rlwe),
                 .bound = c.bound,
                 .decrypted = true,
                 .step = k->unguarded() ? 0 : shown(state, c.bound, hidden_from_owner(state, c)).step};
  return out;
}

}  // namespace ringfort::ckks
