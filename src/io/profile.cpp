// SPDX-License-Identifier: Apache-2.0
// Encodes, decodes and checks the profile in files of the word search (profile.h).
#include "io/profile.h"

#include <algorithm>

#include "io/text.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kProfileNameBytes = 24;
constexpr std::size_t kProfileReasonBytes = 48;  // fills the block: 24 + 36 + 16 + 48 + 4 = 128
constexpr u32 kConstantWeightPlanes = 64;

}  // namespace

Digest digest(const Profile& profile) {
  std::vector<u8> bytes;
  ByteWriter out(bytes);
  out.put_bytes(rgsw::digest(profile.parameters));
  out.put_u32(profile.hash_bits);
  out.put_u8(profile.constant_weight ? 1 : 0);
  out.put_bytes(profile.key_id);
  return blake2b_256(bytes);
}

bool is_same(const Profile& a, const Profile& b) {
  std::vector<u8> first;
  std::vector<u8> second;
  ByteWriter in_first(first);
  ByteWriter in_second(second);
  encode_profile(a, in_first);
  encode_profile(b, in_second);
  return first == second;
}

std::array<u8, 16> identity_of(std::span<const u8, 32> box_public, const Digest& others) noexcept {
  // The hash has an input of 16 + 64 bytes. The hash of version 2 has the sealing key alone as input, 32 bytes.
  // Therefore the two inputs never agree.
  constexpr std::string_view kPurpose = "ringfort keys 3 ";
  std::array<u8, kPurpose.size() + 64> all{};
  std::copy(others.begin(), others.end(),
            std::copy(box_public.begin(), box_public.end(), std::copy(kPurpose.begin(), kPurpose.end(), all.begin())));
  const Digest whole = others == Digest{} ? blake2b_256(box_public) : blake2b_256(all);
  std::array<u8, 16> identity{};
  std::copy_n(whole.begin(), identity.size(), identity.begin());
  return identity;
}

void encode_profile(const Profile& profile, ByteWriter& file) {
  std::vector<u8> fields;
  ByteWriter out(fields);
  const auto& p = profile.parameters;
  out.put_text(p.name, kProfileNameBytes);
  out.put_u32(p.n);
  out.put_u64(p.q);
  out.put_u32(p.base_bits);
  out.put_u32(p.digits);
  out.put_u32(p.shift);
  out.put_u8(p.centred ? 1 : 0);
  out.put_u8(p.public_key_allowed ? 1 : 0);
  out.put_u8(p.literal_allowed ? 1 : 0);
  out.put_u8(profile.constant_weight ? 1 : 0);
  out.put_u32(p.failure_bits);
  out.put_u32(profile.hash_bits);
  out.put_bytes(profile.key_id);
  out.put_text(p.insecure_reason, kProfileReasonBytes);
  out.put_u32(crc32c(fields));
  file.put_bytes(fields);
}

Result<Done> check_profile(const Profile& profile) {
  if (!is_text(profile.parameters.name) || !is_text(profile.parameters.insecure_reason)) {
    return Failure{Code::invalid_argument, "the name or the insecure_reason of the parameters is not printable UTF-8",
                   "give both as text without control characters"};
  }
  auto valid = caught([&] {
    rgsw::validate(profile.parameters);
    return Done{};
  });
  if (!valid.ok()) return valid;
  const u32 least = profile.constant_weight ? kConstantWeightPlanes : 8;
  if (profile.hash_bits < least || profile.hash_bits > 64) {
    return Failure{Code::invalid_argument, "hash_bits is " + std::to_string(profile.hash_bits),
                   profile.constant_weight ? "the constant-weight code has 64 bits" : "choose 8 .. 64"};
  }
  const u64 words = rgsw::exported_words(profile.parameters, rgsw::Mode::public_key);
  const u64 bytes = words * rgsw::exported_bits(profile.parameters) / 8 * planes(profile);
  if (bytes > kCiphertextLimit) {
    return Failure{Code::io_limit,
                   "one encrypted word has " + std::to_string(bytes) + " bytes, but the limit is 64 MiB",
                   "use fewer hash bits or a preset with fewer digits"};
  }
  return Done{};
}

Result<Done> check_allowed(const Profile& profile, bool allow_insecure, const std::string& where) {
  const auto& p = profile.parameters;
  if (allow_insecure || p.insecure_reason.empty()) return Done{};
  const u32 bits = rgsw::security(p).bits;
  const std::string about = bits == 0 ? "less than 128" : "about " + std::to_string(bits);
  return Failure{
      Code::insecure_parameters,
      where + " is under '" + p.name + "', " + about + " bits of security (" + p.insecure_reason + ")",
      "make keys under gsw128 for secrets; to compare, allow insecure parameters explicitly (--allow-insecure)"};
}

Result<Profile> decode_profile(const Header& header, ByteReader& file) {
  const auto fields = file.view(kProfileBytes);
  if (!file.ok())
    return Failure{Code::io_truncated, "the file ends before its parameters do", "copy the whole file again"};
  ByteReader in(fields);
  Profile profile;
  auto& p = profile.parameters;
  p.name = in.take_text(kProfileNameBytes);
  p.n = in.take_u32();
  p.q = in.take_u64();
  p.base_bits = in.take_u32();
  p.digits = in.take_u32();
  p.shift = in.take_u32();
  const std::array<u8, 4> switches = {in.take_u8(), in.take_u8(), in.take_u8(), in.take_u8()};
  p.centred = switches[0] == 1;
  p.public_key_allowed = switches[1] == 1;
  p.literal_allowed = switches[2] == 1;
  profile.constant_weight = switches[3] == 1;
  p.failure_bits = in.take_u32();
  profile.hash_bits = in.take_u32();
  in.take_bytes(profile.key_id);
  p.insecure_reason = in.take_text(kProfileReasonBytes);
  if (in.take_u32() != crc32c(fields.first(kProfileBytes - 4))) {
    return Failure{Code::io_checksum, "the parameters in the file do not match their checksum",
                   "the file is damaged: copy it again"};
  }
  bool in_range = in.at_end();
  for (const u8 value : switches) in_range = in_range && value <= 1;
  if (!in_range)
    return Failure{Code::io_range, "the parameters in the file are outside their ranges", "the file is damaged"};
  auto checked = check_profile(profile);
  if (!checked.ok()) {
    const auto& why = checked.failure();
    return Failure{why.code == Code::invalid_argument ? Code::io_range : why.code,
                   "parameters in the file: " + why.problem, why.fix};
  }
  if (digest(profile) != header.parameters) {
    return Failure{Code::io_digest, "the parameters in the header are not those in the file", "the file is damaged"};
  }
  if (insecure_flag(profile) != (header.flags & kFlagInsecure)) {
    return Failure{Code::io_flags, "the header's mark for parameters below 128 bits is wrong", "the file is damaged"};
  }
  return profile;
}

}  // namespace ringfort::io
