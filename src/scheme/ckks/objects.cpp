// SPDX-License-Identifier: Apache-2.0
// Member functions of Plaintext and Ciphertext that do not compute: properties, copies, transfers between devices.
#include <cmath>

#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Plaintext::Plaintext() : state_(std::make_unique<State>()) {}
Plaintext::Plaintext(Plaintext&&) noexcept = default;
Plaintext& Plaintext::operator=(Plaintext&&) noexcept = default;
Plaintext::~Plaintext() = default;
Plaintext::State& Plaintext::state() { return contents(state_); }
const Plaintext::State& Plaintext::state() const noexcept { return contents(state_); }
std::uint32_t Plaintext::level() const noexcept { return state().rlwe.level; }
std::string Plaintext::device() const { return device_of(state().rlwe); }
double Plaintext::scale() const noexcept { return state().bound.scale.high; }
double Plaintext::magnitude() const noexcept { return state().bound.magnitude; }
double Plaintext::precision_bits() const noexcept {
  const Accuracy& bound = state().bound;
  return -1 - std::log2(bound.error / bound.scale.high + step_error(state().step));
}

Plaintext Plaintext::clone() const {
  Plaintext copy;
  *copy.state_ = {ringfort::clone(state().rlwe), state().bound, state().of_the_public, state().decrypted, state().step};
  return copy;
}

Plaintext Plaintext::to(const Context& target) const {
  Plaintext moved;
  *moved.state_ = {ringfort::to(target.keys().state(), state().rlwe), state().bound, state().of_the_public,
                   state().decrypted, state().step};
  return moved;
}

Ciphertext::Ciphertext() : state_(std::make_unique<State>()) {}
Ciphertext::Ciphertext(Ciphertext&&) noexcept = default;
Ciphertext& Ciphertext::operator=(Ciphertext&&) noexcept = default;
Ciphertext::~Ciphertext() = default;
Ciphertext::State& Ciphertext::state() { return contents(state_); }
const Ciphertext::State& Ciphertext::state() const noexcept { return contents(state_); }
std::string Ciphertext::device() const { return device_of(state().rlwe); }
std::uint32_t Ciphertext::size() const noexcept { return state().rlwe.components; }
std::uint32_t Ciphertext::level() const noexcept { return state().rlwe.level; }
double Ciphertext::scale() const noexcept { return state().bound.scale.high; }
double Ciphertext::magnitude() const noexcept { return state().bound.magnitude; }
double Ciphertext::precision_bits() const noexcept { return state().bound.precision_bits(); }
bool Ciphertext::bound_is_untrusted() const noexcept { return state().rlwe.untrusted; }
std::uint64_t Ciphertext::key_id() const noexcept { return state().rlwe.key_id; }
std::size_t Ciphertext::bytes() const noexcept { return ciphertext_bytes(state().rlwe); }

Ciphertext Ciphertext::clone() const {
  Ciphertext copy;
  *copy.state_ = {ringfort::clone(state().rlwe), state().bound};
  return copy;
}

Ciphertext Ciphertext::to(const Context& target) const {
  Ciphertext moved;
  *moved.state_ = {ringfort::to(target.keys().state(), state().rlwe), state().bound};
  return moved;
}

RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a) {
  return &out == &a ? RlweCiphertext{} : std::exchange(out.state().rlwe, {});
}

RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) {
  return &out == &b ? RlweCiphertext{} : take_memory(out, a);
}

void store(Ciphertext& out, const Accuracy& bound, RlweCiphertext&& ciphertext) {
  out.state().rlwe = std::move(ciphertext);
  out.state().bound = bound;
}

}  // namespace ringfort::ckks
