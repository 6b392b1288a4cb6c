// SPDX-License-Identifier: Apache-2.0
// A Ring-GSW encryption of m consists of 2 l encryptions of zero plus m times the gadget values g_j (state.h). Under
// the secret key t, an upper row is (a t + e + m g_j, a), and a lower row is (a t + e - m g_j t, a). Adding m g_j to c1
// of a lower row would give the same phase. But then c1 would not be the uniform polynomial that the public seed
// expands to.
#include <utility>

#include "ringfort/declassified.h"
#include "scheme/rgsw/keys.h"

namespace ringfort::rgsw {

namespace {

constexpr std::size_t kMostBits = std::size_t{1} << 20;

void check_bits(std::span<const u8> bits) {
  u8 seen = 0;
  for (const u8 bit : bits) seen |= bit;  // no branch depends on a bit
  if (declassified(seen > 1))
    throw Error(Code::invalid_argument, "encrypt was given a byte other than 0 and 1",
                "pass one byte, 0 or 1, for each bit");
  if (bits.size() > kMostBits) {
    throw Error(Code::invalid_argument, "encrypt was given " + std::to_string(bits.size()) + " bits at once",
                "pass at most 2^20 bits in one call");
  }
}

void write_under_secret(EncryptedBits::State& out, const SecretKey::State& key, std::span<const u8> bits,
                        const SampleSeeds& seeds) {
  const Context::State& c = *key.context;
  const auto work = c.workspace();
  const Sampler sampler(c.ring, *work);
  for (u32 i = 0; i < bits.size(); ++i) {
    out.marks.push_back(mark_of(seeds.open, i));
    const u64 mask = u64{0} - bits[i];
    for (u32 r = 0; r < c.rows; ++r) {
      const bool upper = r < c.p.digits;
      const u32 j = upper ? r : r - c.p.digits;
      Message message;
      if (upper) message.c0_constant = mask & c.gadget_values[j];
      else message.c0_addend = key.negated_multiples.data() + std::size_t{j} * c.p.n;
      message.c0_mask = mask;
      sampler.under_secret(out.row(i, r), key.secret, seeds, {i, static_cast<u16>(r)}, message);
    }
  }
}

void write_under_public(EncryptedBits::State& out, const PublicKey::State& key, std::span<const u8> bits,
                        const SampleSeeds& seeds) {
  const Context::State& c = *key.context;
  const auto work = c.workspace();
  const Sampler sampler(c.ring, *work);
  std::vector<u64> c1(c.p.n);
  for (u32 i = 0; i < bits.size(); ++i) {
    const u64 mask = u64{0} - bits[i];
    for (u32 r = 0; r < c.rows; ++r) {
      Message message;
      (r < c.p.digits ? message.c0_constant : message.c1_constant) = mask & c.gadget_values[r % c.p.digits];
      sampler.under_public(out.row(i, r), key.key, seeds, {i, static_cast<u16>(r)}, message);
    }
    c.ring.download(work->stream, out.row(i, 0).polynomials(1, 1), std::span<u64>(c1), work->staging);
    out.marks.push_back(mark_of(c1));
  }
}

}  // namespace

void Encryptor::encrypt_into(EncryptedBits& out, std::span<const u8> bits) const {
  EncryptedBits::State state = std::exchange(out.state(), {});  // `out` is empty until the end
  const SharedContext& context = context_.state();
  require_same(context, secret_ ? secret_->context : public_->context, "encrypt");
  check_bits(bits);
  if (!secret_) require_public_mode(context->p);
  const SampleSeeds seeds{secret_ ? fresh_public_seed() : PublicSeed{}, fresh_secret_seed()};
  state.resize(context, static_cast<u32>(bits.size()));
  state.describe_as_fresh(secret_ ? Mode::secret_key : Mode::public_key, seeds.open);
  state.marks.clear();
  if (secret_) write_under_secret(state, *secret_, bits, seeds);
  else write_under_public(state, *public_, bits, seeds);
  out.state() = std::move(state);
}

EncryptedBits Encryptor::encrypt(std::span<const u8> bits) const {
  EncryptedBits out;
  encrypt_into(out, bits);
  return out;
}

}  // namespace ringfort::rgsw
