// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of ciphertexts. Their fields are, in order (a number without a type is a length in bytes):
//   key id u64 | level u32 | components u8 | origin u8 | zero u16 | three numbers of the scheme u64 each |
//   if seeded: seed 32 and component 0, else all components
// The three numbers describe scale and noise bound (scheme/*/wire.h). A reader computes component 1 of a seeded
// ciphertext from the seed. The origin is 0 for a computed ciphertext, 1 for encryption under the secret key, 2 for
// encryption under a public key without a division, and 3 for one with a division by the last special prime
// (rlwe/encryption.h). Files with origin 3 have version 3. Polynomials are over the data primes of the level.
#include "io/leveled.h"
#include "rlwe/operands.h"
#include "scheme/bfv/wire.h"
#include "scheme/bgv/wire.h"
#include "scheme/ckks/wire.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kHeadBytes = 8 + 4 + 1 + 1 + 2 + 8 * wire::kBoundNumbers;

u64 field_bytes(const KeyContext::State& context, const wire::RlweFacts& facts) {
  const u64 each = polynomial_bytes(context, context.chain.data(facts.level));
  return kHeadBytes + (facts.seed ? kSeedBytes + each : facts.components * each);
}

// Only a ciphertext of the context has numbers of a bound: `numbers` returns them after this check.
template <class Numbers>
Bytes encode_rlwe(const Scope& scope, const RlweCiphertext& ciphertext, Numbers numbers) {
  require_filled(ciphertext, "encode_ciphertext");
  require_same(scope.state().context, ciphertext.context, "encode_ciphertext");
  const wire::RlweFacts facts = wire::facts(ciphertext);
  Bytes fields;
  fields.reserve(field_bytes(*ciphertext.context, facts));
  ByteWriter out(fields);
  out.put_u64(facts.key_id);
  out.put_u32(facts.level);
  out.put_u8(static_cast<u8>(facts.components));
  out.put_u8(static_cast<u8>(facts.origin));
  out.put_u16(0);
  for (const u64 number : numbers()) out.put_u64(number);
  if (facts.seed) out.put_bytes(facts.seed->bytes);
  wire::export_rlwe(ciphertext, pack_into(fields));
  const u32 flags = scope.state().insecure() | (facts.seed ? static_cast<u32>(kFlagSeeded) : 0U);
  return make_frame({FileType::ciphertext, flags, scope.digest(), 0, version_of(facts.origin)}, fields);
}

struct CiphertextHead {
  wire::RlweFacts facts;
  wire::BoundNumbers numbers{};
};

Result<CiphertextHead> take_head(const KeyContext::State& context, ByteReader in, bool seeded) {
  CiphertextHead head;
  head.facts.key_id = in.take_u64();
  head.facts.level = in.take_u32();
  head.facts.components = in.take_u8();
  head.facts.origin = static_cast<Origin>(in.take_u8());
  const u16 zero = in.take_u16();
  for (u64& number : head.numbers) number = in.take_u64();
  if (seeded) in.take_bytes(head.facts.seed.emplace().bytes);
  if (!in.ok())
    return Failure{Code::io_truncated, "the file ends before its ciphertext does", "copy the whole file again"};
  if (zero != 0) return wire::damaged(Code::io_range, "ciphertext: a reserved field is not zero");
  auto checked = wire::check_rlwe(context, head.facts);
  if (!checked.ok()) return checked.failure();
  return head;
}

// Argument-dependent lookup finds import_ciphertext() in the namespace of the context's scheme.
template <class Context>
auto open_any(const Context& context, std::span<const u8> bytes, bool trust_bound)
    -> decltype(import_ciphertext(context, RlweCiphertext(), wire::BoundNumbers(), trust_bound)) {
  const Scope scope(context);
  const SharedKeyContext& keys = scope.state().context;
  auto header = open_header(scope, bytes, FileType::ciphertext);
  if (!header.ok()) return header.failure();
  auto head = take_head(*keys, ByteReader(bytes.subspan(kHeaderBytes)), (header.value().flags & kFlagSeeded) != 0);
  if (!head.ok()) return head.failure();
  const wire::RlweFacts& facts = head.value().facts;
  if (header.value().version != version_of(facts.origin))
    return wire::damaged(Code::io_range, "ciphertext: its origin contradicts the version of the file");
  auto in = open_fields(bytes, header.value(), field_bytes(*keys, facts));
  if (!in.ok()) return in.failure();
  (void)in.value().view(kHeadBytes + (facts.seed ? kSeedBytes : 0));
  auto ciphertext = wire::import_rlwe(keys, facts, unpack_from(in.value()));
  if (!ciphertext.ok()) return ciphertext.failure();
  return import_ciphertext(context, std::move(ciphertext).take(), head.value().numbers, trust_bound);
}

}  // namespace

Bytes encode_ciphertext(const ckks::Context& context, const ckks::Ciphertext& c) {
  return encode_rlwe(context, ckks::rlwe(c), [&] { return ckks::bound_numbers(context, c); });
}
Bytes encode_ciphertext(const bfv::Context& context, const bfv::Ciphertext& c) {
  return encode_rlwe(context, bfv::rlwe(c), [&] { return bfv::bound_numbers(c); });
}
Bytes encode_ciphertext(const bgv::Context& context, const bgv::Ciphertext& c) {
  return encode_rlwe(context, bgv::rlwe(c), [&] { return bgv::bound_numbers(c); });
}

Result<ckks::Ciphertext> open_ciphertext(const ckks::Context& context, std::span<const u8> bytes, bool trust) {
  return open_any(context, bytes, trust);
}
Result<bfv::Ciphertext> open_ciphertext(const bfv::Context& context, std::span<const u8> bytes, bool trust) {
  return open_any(context, bytes, trust);
}
Result<bgv::Ciphertext> open_ciphertext(const bgv::Context& context, std::span<const u8> bytes, bool trust) {
  return open_any(context, bytes, trust);
}

ckks::Ciphertext decode_ciphertext(const ckks::Context& context, ByteView bytes, bool trust) {
  return open_any(context, bytes, trust).take();
}
bfv::Ciphertext decode_ciphertext(const bfv::Context& context, ByteView bytes, bool trust) {
  return open_any(context, bytes, trust).take();
}
bgv::Ciphertext decode_ciphertext(const bgv::Context& context, ByteView bytes, bool trust) {
  return open_any(context, bytes, trust).take();
}

}  // namespace ringfort::io
