// SPDX-License-Identifier: Apache-2.0
// Files of CKKS, BFV and BGV. Such a file has a header, fields, and the BLAKE2b-256 digest of all bytes before it. The
// header of keys and ciphertexts has the digest of the parameters (Scope in ringfort/files.h). These files contain no
// parameters, because the receiver has a context. scheme/*/wire.h defines the meaning of a scheme's numbers, such as
// scales and noise bounds. The functions here only pack and unpack them. The decoders return failures. The functions of
// ringfort/files.h throw these failures.
#pragma once

#include "io/object.h"
#include "ringfort/files.h"
#include "rlwe/wire.h"

namespace ringfort::io {

inline constexpr std::size_t kSeedBytes = 32;

// Returns the version of public keys under which encryptions have this origin, and of ciphertexts of this origin.
[[nodiscard]] constexpr u16 version_of(Origin origin) noexcept {
  return origin == Origin::fresh_public_divided ? 3 : kFirstVersion;
}

struct Scope::State {
  State(const KeyContext& context, const wire::ParameterFacts& of_scheme);
  SharedKeyContext context;
  wire::ParameterFacts facts;
  Digest digest{};
  [[nodiscard]] u32 insecure() const noexcept {
    return facts.chain.insecure_reason.empty() ? 0U : static_cast<u32>(kFlagInsecure);
  }
};

// Decodes the header. It must have the wanted type and the digest of this scope. Fails with the codes of
// decode_header(), and with io_type, secret_refused, io_digest and io_flags.
[[nodiscard]] Result<Header> open_header(const Scope& scope, std::span<const u8> bytes, FileType type);
// Returns a reader of the fields, which must have `computed` bytes. Fails with the codes of check_frame().
[[nodiscard]] Result<ByteReader> open_fields(std::span<const u8> bytes, const Header& header, u64 computed);

// Returns the size of one packed polynomial over `limbs` in bytes.
[[nodiscard]] u64 polynomial_bytes(const KeyContext::State& context, Limbs limbs);
[[nodiscard]] wire::LimbSink pack_into(Bytes& out);
[[nodiscard]] wire::LimbSource unpack_from(ByteReader& in);

[[nodiscard]] Result<wire::ParameterFacts> open_facts(std::span<const u8> bytes, const Limits& limits = {});
[[nodiscard]] Result<AnyParameters> open_parameters(std::span<const u8> bytes, bool allow_insecure,
                                                    const Limits& limits = {});
[[nodiscard]] Result<SecretKey> open_secret_key(const Scope& scope, std::span<const u8> bytes,
                                                std::string_view passphrase, const Limits& limits = {},
                                                const Progress& progress = {});
[[nodiscard]] Result<PublicKey> open_public_key(const Scope& scope, std::span<const u8> bytes);
[[nodiscard]] Result<RelinearizationKey> open_relinearization_key(const Scope& scope, std::span<const u8> bytes);
[[nodiscard]] Result<GaloisKeys> open_galois_keys(const Scope& scope, std::span<const u8> bytes);
[[nodiscard]] Result<ckks::Ciphertext> open_ciphertext(const ckks::Context& context, std::span<const u8> bytes,
                                                       bool trust_bound);
[[nodiscard]] Result<bfv::Ciphertext> open_ciphertext(const bfv::Context& context, std::span<const u8> bytes,
                                                      bool trust_bound);
[[nodiscard]] Result<bgv::Ciphertext> open_ciphertext(const bgv::Context& context, std::span<const u8> bytes,
                                                      bool trust_bound);
[[nodiscard]] Result<ArrayRecord> open_array(std::span<const u8> bytes);
[[nodiscard]] Result<std::vector<NamedObject>> open_container(std::span<const u8> bytes);

// The content of a ledger. planned >= 1, and taken <= planned.
struct LedgerFacts {
  u64 key_id = 0, planned = 0, taken = 0;
};
[[nodiscard]] Bytes encode_ledger(const Scope& scope, const LedgerFacts& ledger);
[[nodiscard]] Result<LedgerFacts> open_ledger(const Scope& scope, std::span<const u8> bytes);

}  // namespace ringfort::io
