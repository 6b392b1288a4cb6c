// SPDX-License-Identifier: Apache-2.0
// The residues of keys, and keys of residues (ringfort/key_residues.h). The key of the Galois element g in that header
// has s(x^g) under s. Here it has s under s(x^(1/g)) (rotation.h): x -> x^(1/g) turns the one into the other.
#include "ringfort/key_residues.h"

#include <algorithm>

#include "math/word.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "rlwe/key_plan.h"
#include "io/residue_limbs.h"
#include "rlwe/rotation.h"
#include "rlwe/sample.h"

namespace ringfort {

namespace {

void require_count(std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw Error(Code::invalid_argument, std::to_string(found) + " residues of a key were given or requested",
              "the key has " + std::to_string(expected) + " residues");
}

const KeyContext::State& unguarded(const KeyContext& context, std::string_view what) {
  require_unguarded(*context.state(), what);
  return *context.state();
}

std::vector<u64> key_residues(const KeyContext::State& c, Slice<Eval> polynomials) {
  std::vector<u64> words(polynomials.batch() * key_words(c, polynomials.limbs()));
  const auto work = c.workspace();
  download_key(c, polynomials, words, *work);
  return words;
}

// Downloads one polynomial, at x^element.
void download_polynomial(const KeyContext::State& c, Slice<Eval> polynomials, std::size_t index, u32 element,
                         std::span<u64> out) {
  if (index >= polynomials.batch())
    throw Error(Code::invalid_argument, "polynomial " + std::to_string(index) + " of a key was requested",
                "the key has " + std::to_string(polynomials.batch()) + " polynomials");
  require_count(out.size(), key_words(c, polynomials.limbs()));
  const auto work = c.workspace();
  const Slice<Eval> wanted = polynomials.polynomials(index, 1);
  if (element == 1) return download_key(c, wanted, out, *work);
  const Scratch<Eval> moved = work->allocate<Eval>(1, wanted.limbs());
  c.ring.automorphism(work->stream, moved.all(), wanted, element);
  download_key(c, moved.all(), out, *work);
}

// Returns the key with these pairs at x^element. Memory for the key is allocated after the first pair was read.
KeySwitchingKey switching_key_of(const KeyContext::State& c, const PairSource& next, u32 element) {
  require_special_primes(c, "an evaluation key");
  const Limbs limbs = c.chain.extended();
  const u32 digits = c.chain.digits(c.chain.top_level());
  std::span<const u64> pair = next();
  KeySwitchingKey key{std::nullopt,
                      c.ring.make<Eval>(2 * digits, limbs, Privacy::open, Contents::undefined, MemoryUser::key)};
  const auto work = c.workspace();
  const Scratch<Eval> given = work->allocate<Eval>(2, limbs);
  for (u32 d = 0; d < digits; ++d) {
    if (d != 0) pair = next();
    require_count(pair.size(), 2 * key_words(c, limbs));
    const Slice<Eval> out = key.rows.polynomials(2 * d, 2);
    upload_key(c, element == 1 ? out : given.all(), pair, *work);
    if (element != 1) c.ring.automorphism(work->stream, out, given.all(), element);
  }
  key.rows.keep_contents();
  return key;
}

// Returns the pairs of a whole key, one at each call.
PairSource pairs_of(const KeyContext::State& c, std::span<const u64> words) {
  require_special_primes(c, "an evaluation key");
  const std::size_t pair = 2 * key_words(c, c.chain.extended());
  require_count(words.size(), c.chain.digits(c.chain.top_level()) * pair);
  return [left = words, pair]() mutable {
    const std::span<const u64> first = left.first(pair);
    left = left.subspan(pair);
    return first;
  };
}

// Returns the coefficients of a secret. Throws invalid_argument unless they are -1, 0 or 1, the same modulo all primes.
// No branch depends on a coefficient.
Secret<i8> ternary_of(const KeyContext::State& c, Slice<Eval> secret) {
  const Limbs limbs = secret.limbs();
  const auto work = c.workspace();
  const Cleared cleared(*work);
  const Scratch<Eval> copied = work->allocate_secret<Eval>(1, limbs);
  c.ring.copy(work->stream, copied.all(), secret);
  Secret<u64> residues(key_words(c, limbs));
  c.ring.download(work->stream, c.ring.inverse(work->stream, copied.all()), residues.span(), work->staging);
  Secret<i8> coefficients(c.p.n);
  u64 wrong = 0;
  for (u32 i = 0; i < c.p.n; ++i) {
    u64 first = 0;
    for (u32 k = 0; k < limbs.count; ++k) {
      const u64 q = c.ring.basis()[limbs.first + k].value();
      const u64 shifted = subtract_if_not_below<u64>(residues.span()[std::size_t{k} * c.p.n + i] + 1, q);  // s + 1
      if (k == 0) first = shifted;
      wrong |= mask_if<u64>(shifted > 2) | (shifted ^ first);
    }
    coefficients.span()[i] = static_cast<i8>(static_cast<i8>(first & 3) - 1);
  }
  if (declassified(wrong != 0))
    throw Error(Code::invalid_argument, "the residues of a secret are not those of coefficients -1, 0 and 1",
                "give the residues of a ternary secret modulo all primes");
  return coefficients;
}

std::shared_ptr<GaloisKeys::State> empty_set(const KeyContext& context) {
  auto state = std::make_shared<GaloisKeys::State>();
  state->context = context.state();
  state->id = kNoIdentity;
  state->plan = plan_keys(context, {});
  return state;
}

void put(GaloisKeys::State& set, u32 element, KeySwitchingKey&& key) {
  set.keys.emplace(element, std::move(key));
  set.plan.elements.push_back(element);
  set.plan.galois_bytes += set.plan.bytes_per_key;
}

}  // namespace

void residues(const SecretKey& key, std::span<std::uint64_t> out) {
  const KeyContext::State& c = *key.state()->context;
  require_count(out.size(), key_words(c, c.chain.extended()));
  const auto work = c.workspace();
  const Cleared cleared(*work);
  download_key(c, key.state()->ntt_form.all(), out, *work);
}

std::vector<std::uint64_t> residues(const PublicKey& key) {
  return key_residues(*key.state()->context, key.state()->pair.all());
}

std::vector<std::uint64_t> residues(const RelinearizationKey& key) {
  return key_residues(*key.state()->context, key.state()->key.rows.all());
}

std::vector<std::uint64_t> residues(const GaloisKeys& keys, std::uint32_t element) {
  const KeyContext::State& c = *keys.state()->context;
  require_element(element, c.p.n);
  const Slice<Eval> polynomials = element_key(*keys.state(), element).rows.all();
  const std::size_t each = key_words(c, polynomials.limbs());
  std::vector<u64> words(polynomials.batch() * each);
  for (u32 i = 0; i < polynomials.batch(); ++i)
    download_polynomial(c, polynomials, i, element, std::span(words).subspan(i * each, each));
  return words;
}

void residues(const PublicKey& key, std::size_t polynomial, std::span<std::uint64_t> out) {
  download_polynomial(*key.state()->context, key.state()->pair.all(), polynomial, 1, out);
}

void residues(const RelinearizationKey& key, std::size_t polynomial, std::span<std::uint64_t> out) {
  download_polynomial(*key.state()->context, key.state()->key.rows.all(), polynomial, 1, out);
}

void residues(const GaloisKeys& keys, std::uint32_t element, std::size_t polynomial, std::span<std::uint64_t> out) {
  const KeyContext::State& c = *keys.state()->context;
  require_element(element, c.p.n);
  download_polynomial(c, element_key(*keys.state(), element).rows.all(), polynomial, element, out);
}

std::vector<std::uint32_t> elements(const GaloisKeys& keys) {
  std::vector<std::uint32_t> all;
  for (const auto& [element, key] : keys.state()->keys) all.push_back(element);
  return all;
}

SecretKey secret_key_of(const KeyContext& context, std::span<const std::uint64_t> residues) {
  const KeyContext::State& c = unguarded(context, "a secret key of residues");
  require_count(residues.size(), key_words(c, c.chain.extended()));
  const Poly<Eval> secret = c.ring.make_secret<Eval>(1, c.chain.extended());
  {
    const auto work = c.workspace();
    const Cleared cleared(*work);
    upload_key(c, secret.all(), residues, *work);
  }
  return make_secret_key(context.state(), ternary_of(c, secret.all()), kNoIdentity);
}

void replace_uniform(const SecretKey& key, std::span<std::uint64_t> pair, std::span<const std::uint64_t> uniform) {
  const KeyContext::State& c = *key.state()->context;
  const Limbs data = c.chain.data();
  const std::size_t count = uniform.size() / c.p.n, most = c.chain.extended().count;
  if (count == 0 || count > most || uniform.size() % c.p.n != 0)
    require_count(uniform.size(), key_words(c, c.chain.extended()));
  require_count(pair.size(), 2 * uniform.size());
  const u32 special = static_cast<u32>(count) - std::min(static_cast<u32>(count), data.count);
  const Limbs limbs{data.first - special, static_cast<u32>(count)};
  const auto work = c.workspace();
  const Cleared cleared(*work);
  const Slice<Eval> s = key.state()->ntt_form.all().limbs(limbs);
  const Scratch<Eval> words = work->allocate_secret<Eval>(3, limbs);  // b, a, uniform
  const Scratch<Eval> zero = work->allocate_secret<Eval>(2, limbs);   // has the fresh error
  const Slice<Eval> b = words.polynomials(0, 1), a = words.polynomials(1, 1), u = words.polynomials(2, 1);
  upload_key(c, words.polynomials(0, 2), pair, *work);
  upload_key(c, u, uniform, *work);
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  ZeroSampler(c.ring, c.needs.error_factor, *work).under_secret(zero.all(), s, seeds, 0);
  c.ring.add(work->stream, words.polynomials(0, 2), words.polynomials(0, 2), zero.all());
  c.ring.subtract(work->stream, a, a, u);
  c.ring.multiply_add(work->stream, b, a, s);
  download_key(c, b, pair.first(uniform.size()), *work);
  std::copy(uniform.begin(), uniform.end(), pair.begin() + static_cast<std::ptrdiff_t>(uniform.size()));
}

PublicKey public_key_of(const KeyContext& context, std::span<const std::uint64_t> residues) {
  const KeyContext::State& c = unguarded(context, "a public key of residues");
  const Limbs data = c.chain.data(), all = c.chain.under_public(c.chain.top_level());
  const Limbs limbs = residues.size() == 2 * key_words(c, data) ? data : all;
  require_count(residues.size(), 2 * key_words(c, limbs));
  auto state = std::make_shared<PublicKey::State>();
  state->context = context.state();
  state->id = kNoIdentity;
  state->pair = c.ring.make_key<Eval>(2, limbs);
  const auto work = c.workspace();
  upload_key(c, state->pair.all(), residues, *work);
  state->pair.keep_contents();
  return PublicKey(std::move(state));
}

RelinearizationKey relinearization_key_of(const KeyContext& context, const PairSource& next) {
  const KeyContext::State& c = unguarded(context, "a relinearization key of residues");
  return RelinearizationKey(std::make_shared<RelinearizationKey::State>(
      RelinearizationKey::State{context.state(), kNoIdentity, switching_key_of(c, next, 1)}));
}

RelinearizationKey relinearization_key_of(const KeyContext& context, std::span<const std::uint64_t> residues) {
  return relinearization_key_of(context, pairs_of(unguarded(context, "a relinearization key of residues"), residues));
}

GaloisKeys galois_key_of(const KeyContext& context, std::uint32_t element, const PairSource& next) {
  const KeyContext::State& c = unguarded(context, "a Galois key of residues");
  require_element(element, c.p.n);
  auto set = empty_set(context);
  put(*set, element, switching_key_of(c, next, inverse_element(element, c.p.n)));
  return GaloisKeys(std::move(set));
}

GaloisKeys galois_key_of(const KeyContext& context, std::uint32_t element, std::span<const std::uint64_t> residues) {
  const KeyContext::State& c = unguarded(context, "a Galois key of residues");
  require_element(element, c.p.n);
  return galois_key_of(context, element, pairs_of(c, residues));
}

GaloisKeys create_element_keys(const KeyContext& context, const SecretKey& secret,
                               std::span<const std::uint32_t> elements) {
  const KeyContext::State& c = unguarded(context, "keys of Galois elements");
  require_same(context.state(), secret.state()->context, "create_element_keys");
  auto set = empty_set(context);
  const auto work = c.workspace();
  const Slice<Eval> s = secret.state()->ntt_form.all();
  const Poly<Eval> rotated = c.ring.make_secret<Eval>(1, s.limbs());
  for (const std::uint32_t element : elements) {
    require_element(element, c.p.n);
    if (set->keys.contains(element)) continue;
    c.ring.automorphism(work->stream, rotated.all(), s, inverse_element(element, c.p.n));
    put(*set, element, make_key_switching_key(c, rotated.all(), s, *work));
  }
  return GaloisKeys(std::move(set));
}

}  // namespace ringfort
