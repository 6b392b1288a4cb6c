// SPDX-License-Identifier: Apache-2.0
// RGSW(m): 2 l encryptions of zero plus m times the gadget. A secret-key row is (a t + e + m g_j, a), and for the lower half
// (a t + e - m g_j t, a): the same phase as adding m g_j to c1, but c1 stays the uniform polynomial of the public seed.
#include <cmath>

#include "ringfort/declassified.h"
#include "scheme/rgsw/keys.h"

namespace ringfort::rgsw {

namespace {

constexpr std::size_t kMostBits = std::size_t{1} << 20;

// Empties `out` and checks; what follows may still fail for want of memory or randomness.
void begin(Bits& out, const SharedContext& key, std::span<const u8> bits, const Worker::State& worker) {
  Bits::State& state = out.state();
  require_same(state.context, key, "encrypt");
  require_same(state.context, worker.context, "encrypt");
  state.resize(0);
  u8 seen = 0;
  for (const u8 bit : bits) seen |= bit;                             // no branch on a single bit
  if (declassified(seen > 1)) throw Error(Code::invalid_argument, "encrypt was given a byte other than 0 and 1", "pass one byte, 0 or 1, for each bit");
  if (bits.size() > kMostBits) {
    throw Error(Code::invalid_argument, "encrypt was given " + std::to_string(bits.size()) + " bits at once", "pass at most 2^20 a call");
  }
}

void describe(Bits::State& state, Mode mode, const PublicSeed& seed) {
  state.mode = mode;
  state.fresh = true;
  state.seed = seed;
  state.low = 0;
  state.high = 1;
  state.deviation = std::sqrt(noise_bound(state.context->p, mode).fresh);
}

}  // namespace

void encrypt_into(Bits& out, const SecretKey& key, std::span<const u8> bits, Worker& worker) {
  begin(out, key.state().context, bits, worker.state());
  const Context::State& c = *key.state().context;
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  Bits::State& state = out.state();
  state.resize(static_cast<u32>(bits.size()));
  describe(state, Mode::secret_key, seeds.open);
  const Sampler sampler = worker.state().sampler();
  for (u32 i = 0; i < bits.size(); ++i) {
    const u64 mask = u64{0} - bits[i];
    for (u32 r = 0; r < c.rows; ++r) {
      const bool upper = r < c.p.digits;
      const u32 j = upper ? r : r - c.p.digits;
      Message message;
      if (upper) message.c0_constant = mask & c.gadget_values[j];
      else message.c0_addend = key.state().negated_multiples.data() + std::size_t{j} * c.p.n;
      message.c0_mask = mask;
      sampler.under_secret(state.row(i, r), key.state().secret, seeds, {i, static_cast<u16>(r)}, message);
    }
  }
}

void encrypt_into(Bits& out, const PublicKey& key, std::span<const u8> bits, Worker& worker) {
  begin(out, key.state().context, bits, worker.state());
  const Context::State& c = *key.state().context;
  require_public_mode(c.p);
  const SampleSeeds seeds{{}, fresh_secret_seed()};
  Bits::State& state = out.state();
  state.resize(static_cast<u32>(bits.size()));
  describe(state, Mode::public_key, seeds.open);
  const Sampler sampler = worker.state().sampler();
  for (u32 i = 0; i < bits.size(); ++i) {
    const u64 mask = u64{0} - bits[i];
    for (u32 r = 0; r < c.rows; ++r) {
      Message message;
      (r < c.p.digits ? message.c0_constant : message.c1_constant) = mask & c.gadget_values[r % c.p.digits];
      sampler.under_public(state.row(i, r), key.state().key, seeds, {i, static_cast<u16>(r)}, message);
    }
  }
}

Bits encrypt(const Context& context, const SecretKey& key, std::span<const u8> bits, Worker& worker) {
  Bits out(context);
  encrypt_into(out, key, bits, worker);
  return out;
}

Bits encrypt(const Context& context, const PublicKey& key, std::span<const u8> bits, Worker& worker) {
  Bits out(context);
  encrypt_into(out, key, bits, worker);
  return out;
}

}  // namespace ringfort::rgsw
