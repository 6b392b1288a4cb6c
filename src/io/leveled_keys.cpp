// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of keys of CKKS, BFV and BGV. Their fields are, in order (a number without a type is a length
// in bytes):
//   secret key           key id u64 | digest 32 of the public keys saved with it (from version 3 on) | envelope of n
//                        coefficients -1, 0 or 1 (io/envelope.h). With a passphrase, the envelope also authenticates
//                        the bytes before it
//   public key           key id u64 | seed 32 | polynomial over the data primes; in version 3 over the last
//                        special prime and the data primes
//   relinearization key  key id u64 | seed 32 | for each digit a polynomial over special and data primes
//   Galois keys          key id u64 | number of steps u32 | number of rotations u32 | conjugation u32 | zero u32 |
//                        steps i32 each | rotations i32 each | for each key its seed 32 and its polynomials
// A public or evaluation key consists of pairs of polynomials. The file has one polynomial of each pair; the seed gives
// the other polynomial. There is a Galois key for each step. The rotations are those that the user requested; they are
// composed of steps. Keys are in the order of the steps. The key for conjugation is last.
#include <algorithm>
#include <bit>

#include "io/envelope.h"
#include "io/leveled.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kIdBytes = 8;
constexpr u16 kNamesPublicKeys = 3;  // first version of secret keys that has digests of their public keys
constexpr std::size_t kGaloisHead = kIdBytes + 4 * 4;

// Throws parameters_mismatch unless `of` is the context of this scope.
void require_scope(const Scope& scope, const SharedKeyContext& of) {
  require_same(scope.state().context, of, "encoding a key");
}

void put_seeded(Bytes& fields, const wire::Seeded& seeded) {
  ByteWriter out(fields);
  out.put_u64(seeded.key_id);
  out.put_bytes(seeded.seed.bytes);
}

// A file has one polynomial of each pair, and the seed of the other one.
const PublicSeed& seed_of(const std::optional<PublicSeed>& seed) {
  if (seed) return *seed;
  throw Error(Code::unsupported, "a key that was made of residues was to be stored, but files need its seed",
              "store its residues (ringfort/key_residues.h), or create the key with a KeyGenerator");
}

wire::Seeded take_seeded(ByteReader& in) {
  wire::Seeded seeded;
  seeded.key_id = in.take_u64();
  in.take_bytes(seeded.seed.bytes);
  return seeded;
}

Bytes frame(const Scope& scope, FileType type, std::span<const u8> fields, u16 version = kFirstVersion) {
  return make_frame({type, scope.state().insecure(), scope.digest(), 0, version}, fields);
}

u64 public_bytes(const KeyContext::State& c, Origin origin) {
  return kIdBytes + kSeedBytes + polynomial_bytes(c, wire::limbs_of_public_key(c.chain, origin));
}
u64 switch_bytes(const KeyContext::State& c) {
  const u32 top = c.chain.top_level();
  return kSeedBytes + c.chain.digits(top) * polynomial_bytes(c, c.chain.extended(top));
}

// Returns the length of the fields of a secret key before the envelope, in bytes.
constexpr std::size_t head_bytes(u16 version) { return kIdBytes + (version >= kNamesPublicKeys ? kTrailerBytes : 0); }

// Returns a digest of the digests at the ends of the files. It does not check these digests. The reader of each file
// checks its digest.
Digest digest_of(std::span<const ByteView> beside) {
  Bytes all;
  ByteWriter out(all);
  out.put_text("ringfort beside1", 16);
  for (const ByteView file : beside) {
    if (file.size() < kTrailerBytes)
      throw Error(Code::io_truncated, "a public key ends before its digest", "copy the whole file again");
    out.put_bytes(file.last(kTrailerBytes));
  }
  return blake2b_256(all);
}

Failure no_special() {
  return {Code::unsupported, "this key needs a special prime, but this context has none",
          "use the context that they were made with"};
}

}  // namespace

SecretBytes encode_secret_key(const Scope& scope, const SecretKey& key, std::string_view passphrase, unsigned strength,
                              std::span<const ByteView> beside, const Progress& progress) {
  require_scope(scope, key.state()->context);
  const u32 n = scope.state().context->p.n;
  Secret<u8> body(ternary_bytes(n));
  put_ternary(key.state()->coefficients->span(), body.span());
  const std::size_t envelope = body.size() + kEnvelopeBytes;
  const u32 flags = scope.state().insecure() | (passphrase.empty() ? 0U : static_cast<u32>(kFlagPassphrase));
  const u16 version = beside.empty() ? kFirstVersion : kNamesPublicKeys;
  const std::size_t before = head_bytes(version);
  Bytes bytes;
  bytes.reserve(kHeaderBytes + before + envelope + kTrailerBytes);  // one allocation, which is wiped later
  ByteWriter out(bytes);
  out.put_bytes(encode_header({FileType::secret_key, flags, scope.digest(), before + envelope, version}));
  out.put_u64(key.state()->id);
  if (version == kNamesPublicKeys) out.put_bytes(digest_of(beside));
  out.put_zeros(envelope);
  const std::span<u8> all(bytes);
  const std::size_t at = kHeaderBytes + before;
  seal_envelope(all.subspan(at), body.span(), {all.first(at), passphrase, strength, &progress});
  out.put_bytes(blake2b_256(bytes));
  return SecretBytes(std::move(bytes));
}

Result<SecretKey> open_secret_key(const Scope& scope, std::span<const u8> bytes, std::string_view passphrase,
                                  const Limits& limits, const Progress& progress) {
  auto header = open_header(scope, bytes, FileType::secret_key);
  if (!header.ok()) return header.failure();
  const u32 n = scope.state().context->p.n;
  const std::size_t before = head_bytes(header.value().version);
  auto in = open_fields(bytes, header.value(), before + ternary_bytes(n) + kEnvelopeBytes);
  if (!in.ok()) return in.failure();
  const u64 id = in.value().take_u64();
  (void)in.value().view(before - kIdBytes);
  const bool sealed = (header.value().flags & kFlagPassphrase) != 0;
  auto body = open_envelope(in.value().view(ternary_bytes(n) + kEnvelopeBytes),
                            {sealed, bytes.first(kHeaderBytes + before), limits.strength, &progress}, passphrase);
  if (!body.ok()) return body.failure();
  const Secret<i8> coefficients = take_ternary(body.value().span(), n);
  return wire::import_secret_key(scope.state().context, id, coefficients.span());
}

bool require_beside(ByteView secret, std::span<const ByteView> beside) {
  const Header header = decode_header(secret).take();
  if (header.type != FileType::secret_key) wrong_type(header.type, FileType::secret_key).raise();
  if (header.version < kNamesPublicKeys) return false;
  const Digest found = digest_of(beside);
  if (secret.size() >= kHeaderBytes + head_bytes(header.version) &&
      std::equal(found.begin(), found.end(), secret.begin() + kHeaderBytes + kIdBytes))
    return true;
  throw Error(Code::parameters_mismatch, "these public keys are not those that the secret key was saved with",
              "a part was removed or exchanged: restore the file");
}

Bytes encode_key(const Scope& scope, const PublicKey& key) {
  require_scope(scope, key.state()->context);
  Bytes fields;
  const Origin origin = key.state()->origin();
  fields.reserve(public_bytes(*scope.state().context, origin));
  put_seeded(fields, {key.state()->id, seed_of(key.state()->seed)});
  wire::export_public_key(key, pack_into(fields));
  return frame(scope, FileType::public_key, fields, version_of(origin));
}

Result<PublicKey> open_public_key(const Scope& scope, std::span<const u8> bytes) {
  const SharedKeyContext& context = scope.state().context;
  auto header = open_header(scope, bytes, FileType::public_key);
  if (!header.ok()) return header.failure();
  const Origin origin = header.value().version == kFirstVersion ? Origin::fresh_public : Origin::fresh_public_divided;
  if (origin > context->noise.of_public_keys()) return no_special();
  auto in = open_fields(bytes, header.value(), public_bytes(*context, origin));
  if (!in.ok()) return in.failure();
  const wire::Seeded seeded = take_seeded(in.value());
  return wire::import_public_key(context, seeded, origin, unpack_from(in.value()));
}

Bytes encode_key(const Scope& scope, const RelinearizationKey& key) {
  require_scope(scope, key.state()->context);
  const KeyContext::State& context = *scope.state().context;
  Bytes fields;
  fields.reserve(kIdBytes + switch_bytes(context));
  put_seeded(fields, {key.state()->id, seed_of(key.state()->key.seed)});
  wire::export_key_switching_key(context, key.state()->key, pack_into(fields));
  return frame(scope, FileType::relinearization_key, fields);
}

Result<RelinearizationKey> open_relinearization_key(const Scope& scope, std::span<const u8> bytes) {
  const SharedKeyContext& context = scope.state().context;
  auto header = open_header(scope, bytes, FileType::relinearization_key);
  if (!header.ok()) return header.failure();
  if (context->chain.special_limbs == 0) return no_special();
  auto in = open_fields(bytes, header.value(), kIdBytes + switch_bytes(*context));
  if (!in.ok()) return in.failure();
  const wire::Seeded seeded = take_seeded(in.value());
  return wire::import_relinearization_key(context, seeded, unpack_from(in.value()));
}

Bytes encode_key(const Scope& scope, const GaloisKeys& keys) {
  require_scope(scope, keys.state()->context);
  const KeyContext::State& context = *scope.state().context;
  if (!keys.plan().elements.empty())
    throw Error(Code::unsupported, "keys of Galois elements were to be stored, but files have keys of rotations",
                "store their residues (ringfort/key_residues.h)");
  const wire::GaloisFacts facts = wire::facts(keys);
  const std::vector<u32> elements = wire::elements(keys.plan(), context.p.n);
  Bytes fields;
  fields.reserve(kGaloisHead + 4 * (facts.steps.size() + facts.rotations.size()) +
                 elements.size() * switch_bytes(context));
  ByteWriter out(fields);
  out.put_u64(keys.state()->id);
  for (const std::size_t value :
       {facts.steps.size(), facts.rotations.size(), std::size_t{facts.conjugation ? 1U : 0U}, std::size_t{0}})
    out.put_u32(static_cast<u32>(value));
  for (const std::int32_t step : facts.steps) out.put_u32(static_cast<u32>(step));
  for (const std::int32_t step : facts.rotations) out.put_u32(static_cast<u32>(step));
  for (const u32 element : elements) {
    const KeySwitchingKey& key = keys.state()->keys.at(element);
    out.put_bytes(seed_of(key.seed).bytes);
    wire::export_key_switching_key(context, key, pack_into(fields));
  }
  return frame(scope, FileType::galois_keys, fields);
}

namespace {

struct GaloisHead {
  u64 id = 0;
  u32 steps = 0, rotations = 0;
  bool conjugation = false;
};

// Reads the counts. Fails unless they are below n / 2, so that their products with the size of a key do not overflow.
Result<GaloisHead> take_head(std::span<const u8> bytes, u32 n) {
  ByteReader in(bytes.subspan(kHeaderBytes));
  const GaloisHead head{in.take_u64(), in.take_u32(), in.take_u32(), in.take_u32() == 1};
  const bool zero = in.take_u32() == 0;
  if (!in.ok())
    return Failure{Code::io_truncated, "the file ends before its rotation steps", "copy the whole file again"};
  const u32 conjugation = ByteReader(bytes.subspan(kHeaderBytes + kIdBytes + 8)).take_u32();
  if (head.steps >= n / 2 || head.rotations >= n / 2 || conjugation > 1 || !zero)
    return wire::damaged(Code::io_range, "rotation keys: a field before the steps is outside its range");
  return head;
}

std::vector<std::int32_t> take_steps(ByteReader& in, u32 count) {
  std::vector<std::int32_t> steps(count);
  for (std::int32_t& step : steps) step = std::bit_cast<std::int32_t>(in.take_u32());
  return steps;
}

}  // namespace

Result<GaloisKeys> open_galois_keys(const Scope& scope, std::span<const u8> bytes) {
  const SharedKeyContext& context = scope.state().context;
  auto header = open_header(scope, bytes, FileType::galois_keys);
  if (!header.ok()) return header.failure();
  if (context->chain.special_limbs == 0) return no_special();
  auto head = take_head(bytes, context->p.n);
  if (!head.ok()) return head.failure();
  const GaloisHead& h = head.value();
  const u64 keys = u64{h.steps} + (h.conjugation ? 1 : 0);
  auto in = open_fields(bytes, header.value(),
                        kGaloisHead + 4 * (u64{h.steps} + h.rotations) + keys * switch_bytes(*context));
  if (!in.ok()) return in.failure();
  (void)in.value().view(kGaloisHead);
  const auto steps = take_steps(in.value(), h.steps);
  auto plan = wire::import_plan(context, {steps, take_steps(in.value(), h.rotations), h.conjugation});
  if (!plan.ok()) return plan.failure();
  auto state = std::make_shared<GaloisKeys::State>();
  state->context = context;
  state->id = identity_in(*context, h.id);
  state->plan = std::move(plan).take();
  for (const u32 element : wire::elements(state->plan, context->p.n)) {
    PublicSeed seed;
    in.value().take_bytes(seed.bytes);
    auto key = wire::import_key_switching_key(*context, seed, unpack_from(in.value()));
    if (!key.ok()) return key.failure();
    state->keys.emplace(element, std::move(key).take());
  }
  return GaloisKeys(std::move(state));
}

SecretKey decode_secret_key(const Scope& scope, ByteView bytes, std::string_view passphrase, const Limits& limits,
                            const Progress& progress) {
  return open_secret_key(scope, bytes, passphrase, limits, progress).take();
}
PublicKey decode_public_key(const Scope& scope, ByteView bytes) { return open_public_key(scope, bytes).take(); }
RelinearizationKey decode_relinearization_key(const Scope& scope, ByteView bytes) {
  return open_relinearization_key(scope, bytes).take();
}
GaloisKeys decode_galois_keys(const Scope& scope, ByteView bytes) { return open_galois_keys(scope, bytes).take(); }

}  // namespace ringfort::io
