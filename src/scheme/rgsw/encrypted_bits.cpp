// SPDX-License-Identifier: Apache-2.0
// Member functions of EncryptedBits that do not compute: properties, memory, copies.
#include <sodium.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

BitMark mark_of(const PublicSeed& seed, u32 index) noexcept {
  std::array<u8, sizeof seed.bytes + sizeof index> source{};
  std::memcpy(source.data(), seed.bytes.data(), sizeof seed.bytes);
  std::memcpy(source.data() + sizeof seed.bytes, &index, sizeof index);
  std::array<u64, 2> digest{};
  crypto_generichash(reinterpret_cast<u8*>(digest.data()), sizeof digest, source.data(), source.size(), nullptr, 0);
  return {digest[0], digest[1]};
}

// Rotates two of the words before it combines them: a residue may have only 31 bits, and each part of a mark has 64.
BitMark mark_of(std::span<const u64> c1) noexcept {
  return {c1[0] ^ std::rotl(c1[1], 32), c1[2] ^ std::rotl(c1[3], 32)};
}

EncryptedBits::EncryptedBits() : state_(std::make_unique<State>()) {}
EncryptedBits::EncryptedBits(EncryptedBits&&) noexcept = default;
EncryptedBits& EncryptedBits::operator=(EncryptedBits&&) noexcept = default;
EncryptedBits::~EncryptedBits() = default;
std::uint32_t EncryptedBits::size() const noexcept { return state().count; }
Mode EncryptedBits::mode() const noexcept { return state().mode; }

double EncryptedBits::noise_bits() const noexcept {
  if (state().context == nullptr) return -std::numeric_limits<double>::infinity();
  return std::log2(state().context->bound_factor * state().deviation);
}

// A moved-from object acts as an empty one. The first write creates a new state.
EncryptedBits::State& EncryptedBits::state() {
  if (!state_) state_ = std::make_unique<State>();
  return *state_;
}

const EncryptedBits::State& EncryptedBits::state() const noexcept {
  static const State empty;
  return state_ ? *state_ : empty;
}

EncryptedBits EncryptedBits::clone() const {
  EncryptedBits copy;
  const SharedContext& context = state().context;
  if (context == nullptr) return copy;
  State& to = copy.state();
  to.resize(context, state().count);
  to.describe_as(state());
  to.marks = state().marks;
  if (to.count != 0) context->ring.copy(context->workspace()->stream, to.filled(), state().filled());
  return copy;
}

void EncryptedBits::State::describe_as(const State& other) noexcept {
  mode = other.mode;
  fresh = other.fresh;
  seed = other.seed;
  shared_errors = other.shared_errors;
  deviation = other.deviation;
  low = other.low;
  high = other.high;
}

void EncryptedBits::State::describe_as_fresh(Mode of, const PublicSeed& of_seed) {
  mode = of;
  fresh = true;
  seed = of_seed;
  shared_errors = false;
  deviation = std::sqrt(noise_bound(context->p, of).fresh);
  low = 0;
  high = 1;
}

void EncryptedBits::State::resize(const SharedContext& of, u32 bits) {
  count = 0;
  if (bits > capacity || context != of) {
    rows = Poly<Eval>();
    capacity = 0;
    context = of;
    if (bits == 0) return;
    const Ring& ring = context->ring;
    rows = ring.make<Eval>(bits * bit_polynomials(), ring.limbs(), Privacy::open, Contents::undefined);
    rows.keep_contents();
    capacity = bits;
  }
  count = bits;
}

void require_filled(const EncryptedBits::State& bits, std::string_view what) {
  if (bits.context != nullptr) return;
  throw Error(Code::invalid_argument, std::string(what) + " was given an empty batch of bits",
              "encrypt something first; a moved-from object is empty");
}

}  // namespace ringfort::rgsw
