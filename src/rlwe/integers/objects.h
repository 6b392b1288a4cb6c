// SPDX-License-Identifier: Apache-2.0
// Templates of ringfort/integers.h: contexts, plaintexts, ciphertexts, encoding, encryption and decryption. Only the
// sources that instantiate these templates for BFV and BGV include this file. Some of them include it through other
// headers of this folder.
#pragma once

#include <algorithm>

#include "math/compose.h"
#include "ringfort/declassified.h"
#include "rlwe/encryption.h"
#include "rlwe/integers/ring.h"
#include "rlwe/operands.h"

namespace ringfort::integers {

template <class S>
Context<S>::State::State(const Parameters& parameters, std::string_view device)
    : p((check_plain_modulus(parameters.chain, parameters.plain_modulus), parameters)),
      ring(make_ring(p.chain, p.plain_modulus, Policy<S>::needs(p.chain, p.plain_modulus), device)) {
  ring.extensions = Policy<S>::extensions(ring.base(), ring.t);
}

template <class S>
Context<S>::Context(const Parameters& parameters, std::string_view device)
    : state_(std::make_shared<const State>(parameters, device)) {}
template <class S>
const typename S::Parameters& Context<S>::parameters() const noexcept {
  return state_->p;
}
template <class S>
std::string Context<S>::device() const {
  return state_->ring.keys.device();
}
template <class S>
std::uint64_t Context<S>::plain_modulus() const noexcept {
  return state_->ring.t;
}
template <class S>
bool Context<S>::has_slots() const noexcept {
  return state_->ring.slots.has_value();
}
template <class S>
std::uint32_t Context<S>::top_level() const noexcept {
  return state_->ring.keys.top_level();
}
template <class S>
const KeyContext& Context<S>::keys() const noexcept {
  return state_->ring.keys;
}

template <class S>
Plaintext<S>::Plaintext() : state_(std::make_unique<State>()) {}
template <class S>
Plaintext<S>::Plaintext(Plaintext&&) noexcept = default;
template <class S>
Plaintext<S>& Plaintext<S>::operator=(Plaintext&&) noexcept = default;
template <class S>
Plaintext<S>::~Plaintext() = default;
template <class S>
typename Plaintext<S>::State& Plaintext<S>::state() {
  return contents(state_);
}
template <class S>
const typename Plaintext<S>::State& Plaintext<S>::state() const noexcept {
  return contents(state_);
}

template <class S>
Plaintext<S> Plaintext<S>::clone() const {
  Plaintext copy;
  *copy.state_ = {state().context, Secret<i64>(state().coefficients.size())};
  std::copy_n(state().coefficients.data(), state().coefficients.size(), copy.state_->coefficients.data());
  if (state().transform.batch() != 0) copy.state_->transform = state().transform.share();
  return copy;
}

template <class S>
std::string Plaintext<S>::device() const {
  return state().context == nullptr ? std::string() : state().context->ring.device().name();
}

template <class S>
Plaintext<S> Plaintext<S>::to(const Context<S>& target) const {
  if (!state().context)
    throw Error(Code::invalid_argument, "to was given an empty plaintext", "encode something first");
  require_equal_parameters(*state().context, target.state()->ring.base());
  Plaintext moved = clone();
  moved.state_->context = target.keys().state();
  if (state().transform.batch() != 0) moved.state_->transform = target.keys().state()->ring.receive(state().transform);
  return moved;
}

template <class S>
Ciphertext<S>::Ciphertext() : state_(std::make_unique<State>()) {}
template <class S>
Ciphertext<S>::Ciphertext(Ciphertext&&) noexcept = default;
template <class S>
Ciphertext<S>& Ciphertext<S>::operator=(Ciphertext&&) noexcept = default;
template <class S>
Ciphertext<S>::~Ciphertext() = default;
template <class S>
typename Ciphertext<S>::State& Ciphertext<S>::state() {
  return contents(state_);
}
template <class S>
const typename Ciphertext<S>::State& Ciphertext<S>::state() const noexcept {
  return contents(state_);
}
template <class S>
std::string Ciphertext<S>::device() const {
  return device_of(state().rlwe);
}
template <class S>
std::uint32_t Ciphertext<S>::size() const noexcept {
  return state().rlwe.components;
}
template <class S>
std::uint32_t Ciphertext<S>::level() const noexcept {
  return state().rlwe.level;
}
template <class S>
double Ciphertext<S>::budget_bits() const noexcept {
  return state().budget_bits;
}
template <class S>
bool Ciphertext<S>::bound_is_untrusted() const noexcept {
  return state().rlwe.untrusted;
}
template <class S>
std::uint64_t Ciphertext<S>::key_id() const noexcept {
  return state().rlwe.key_id;
}
template <class S>
std::size_t Ciphertext<S>::bytes() const noexcept {
  return ciphertext_bytes(state().rlwe);
}

template <class S>
Ciphertext<S> Ciphertext<S>::clone() const {
  Ciphertext copied;
  *copied.state_ = {ringfort::clone(state().rlwe), state().bound, state().budget_bits};
  return copied;
}

template <class S>
Ciphertext<S> Ciphertext<S>::to(const Context<S>& target) const {
  Ciphertext moved;
  *moved.state_ = {ringfort::to(target.keys().state(), state().rlwe), state().bound, state().budget_bits};
  return moved;
}

// Takes the memory of `out` for the result. If `out` is an operand, the function takes nothing, and `out` keeps its
// contents. Otherwise `out` is empty until the call of store().
template <class S>
[[nodiscard]] RlweCiphertext take_memory(Ciphertext<S>& out, const Ciphertext<S>& a) {
  return &out == &a ? RlweCiphertext{} : std::exchange(out.state().rlwe, {});
}
template <class S>
[[nodiscard]] RlweCiphertext take_memory(Ciphertext<S>& out, const Ciphertext<S>& a, const Ciphertext<S>& b) {
  return &out == &b ? RlweCiphertext{} : take_memory(out, a);
}

template <class S>
[[nodiscard]] NoiseBound admitted(const IntegerRing& ring, u32 level, const NoiseBound& bound, std::string_view what) {
  if (ring.base().unguarded()) return {Bound::unknown(), bound.factor};
  require_budget(bound.error, Policy<S>::limit(ring, level), what);
  return bound;
}

template <class S>
void store(Ciphertext<S>& out, const IntegerRing& ring, const NoiseBound& bound, RlweCiphertext&& ciphertext) {
  const double budget = Policy<S>::limit(ring, ciphertext.level).log2 - bound.error.log2;
  out.state() = {std::move(ciphertext), bound, budget};
}

template <class S>
void require_plain(const IntegerRing& ring, const Plaintext<S>& plaintext, std::string_view what) {
  if (!plaintext.state().context)
    throw Error(Code::invalid_argument, std::string(what) + " was given an empty plaintext", "encode something first");
  require_same(plaintext.state().context, ring.keys.state(), what);
}

template <class S>
[[nodiscard]] Plaintext<S> make_plaintext(const IntegerRing& ring, Secret<i64>&& coefficients) {
  Plaintext<S> out;
  out.state() = {ring.keys.state(), std::move(coefficients)};
  return out;
}

[[nodiscard]] inline const BatchEncoder& slots_of(const IntegerRing& ring) {
  if (ring.slots) return *ring.slots;
  throw Error(Code::unsupported, "the plain modulus " + std::to_string(ring.t) + " has no slots in this ring",
              "choose t = 1 mod 2n, or encode_coefficients");
}

template <class S>
void Encoder<S>::encode_into(Plaintext<S>& out, std::span<const std::int64_t> values) const {
  const IntegerRing& ring = context_.state()->ring;
  const BatchEncoder& slots = slots_of(ring);
  Secret<i64> coefficients = std::exchange(out.state(), {}).coefficients;  // out is empty until the end
  if (coefficients.size() != ring.base().p.n) coefficients = Secret<i64>(ring.base().p.n);
  slots.encode(values, coefficients.span());
  out.state() = {ring.keys.state(), std::move(coefficients)};
}

template <class S>
Plaintext<S> Encoder<S>::encode_coefficients(std::span<const std::int64_t> values) const {
  const IntegerRing& ring = context_.state()->ring;
  const i64 half = static_cast<i64>(ring.t / 2);
  const u64 period = ring.t % 2 == 0 ? ring.t : 0;  // only if t is even, -t/2 has another representative: t/2
  bool inside = values.size() <= ring.base().p.n;
  for (const i64 value : values) inside &= (value >= -half) & (value <= half);
  if (!declassified(inside)) {
    throw Error(
        Code::invalid_argument,
        "more than n coefficients were given, or one outside -" + std::to_string(half) + " .. " + std::to_string(half),
        "reduce them modulo t, or choose a larger plain modulus");
  }
  Secret<i64> coefficients(ring.base().p.n);
  std::transform(values.begin(), values.end(), coefficients.data(),
                 [&](i64 value) { return value + static_cast<i64>(period & mask_if<u64>(value == -half)); });
  return make_plaintext<S>(ring, std::move(coefficients));
}

template <class S>
void Encoder<S>::decode(const Plaintext<S>& plaintext, std::span<std::int64_t> out) const {
  const IntegerRing& ring = context_.state()->ring;
  require_plain(ring, plaintext, "decode");
  const BatchEncoder& slots = slots_of(ring);
  slots.decode(plaintext.state().coefficients.span(), out);
}

template <class S>
void Encoder<S>::decode_coefficients(const Plaintext<S>& plaintext, std::span<std::int64_t> out) const {
  const IntegerRing& ring = context_.state()->ring;
  require_plain(ring, plaintext, "decode_coefficients");
  if (out.size() > ring.base().p.n)
    throw Error(Code::invalid_argument, "more than n coefficients were requested",
                "request at most n = " + std::to_string(ring.base().p.n));
  std::copy_n(plaintext.state().coefficients.data(), out.size(), out.begin());
}

template <class S>
void Encryptor<S>::encrypt_into(Ciphertext<S>& out, const Plaintext<S>& plaintext) const {
  const IntegerRing& ring = context_.state()->ring;
  const SharedKeyContext& k = ring.keys.state();
  require_plain(ring, plaintext, "encrypt");
  require_same(k, secret_ ? secret_->context : public_->context, "encrypt");
  const u32 top = k->chain.top_level();
  const Origin origin = secret_ ? Origin::fresh_secret : public_->origin();
  const NoiseBound bound = admitted<S>(ring, top, {Policy<S>::fresh(ring, top, origin), 1}, "encrypt");
  const auto work = k->workspace();
  const Cleared cleared(*work);
  const Poly<Eval> lifted = Policy<S>::lift_for_sum(ring, plaintext.state().coefficients.span(), top, 1, *work);
  RlweCiphertext reuse = std::exchange(out.state().rlwe, {});
  RlweCiphertext zero = secret_ ? encrypt_zero(*secret_, top, *work, std::move(reuse))
                                : encrypt_zero(*public_, top, *work, std::move(reuse));
  k->ring.add(work->stream, zero.slice(0, 1), zero.slice(0, 1), lifted.all());
  store(out, ring, bound, std::move(zero));
}

template <class S>
Ciphertext<S> Encryptor<S>::encrypt(const Plaintext<S>& plaintext) const {
  Ciphertext<S> out;
  encrypt_into(out, plaintext);
  return out;
}

inline void require_decryptable(const RlweCiphertext& c, const SecretKey::State& key, const IntegerRing& ring,
                                std::string_view what) {
  require_filled(c, what);
  require_same(c.context, ring.keys.state(), what);
  require_same(key.context, ring.keys.state(), what);
  require_same_key(c.key_id, key.id, what);
}

template <class S>
double Decryptor<S>::measured_budget_bits(const Ciphertext<S>& ciphertext) const {
  const RlweCiphertext& c = ciphertext.state().rlwe;
  const IntegerRing& ring = context_.state()->ring;
  require_decryptable(c, *key_, ring, "measured_budget_bits");
  const RnsBasis& basis = ring.base().ring.basis();
  const Limbs limbs = ring.base().chain.data(c.level);
  std::vector<u64> factors;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
    factors.push_back(basis[limb].reduce(Policy<S>::noise_factor(ring)));
  const auto work = c.context->workspace();
  const Cleared cleared(*work);
  const Secret<u64> residues = phase_residues(ring, phase(c, *key_, c.level, *work).all(), factors, *work);
  return ring.log2_modulus(limbs) - 1 - log2_largest_centred(basis, limbs, residues.span());
}

template <class S>
Plaintext<S> Decryptor<S>::decrypt(const Ciphertext<S>& ciphertext) const {
  const auto& c = ciphertext.state();
  const IntegerRing& ring = context_.state()->ring;
  require_decryptable(c.rlwe, *key_, ring, "decrypt");
  (void)admitted<S>(ring, c.rlwe.level, c.bound, "decrypt");
  const auto work = c.rlwe.context->workspace();
  const Cleared cleared(*work);
  Secret<u64> residues(ring.base().p.n);
  Policy<S>::read(ring, phase(c.rlwe, *key_, c.rlwe.level, *work).all(), c.bound.factor, *work, residues.span());
  Secret<i64> coefficients(residues.size());
  std::transform(residues.data(), residues.data() + residues.size(), coefficients.data(),
                 [t = ring.t](u64 r) { return centred(r, t); });
  return make_plaintext<S>(ring, std::move(coefficients));
}

}  // namespace ringfort::integers
