// SPDX-License-Identifier: Apache-2.0
// Encodes, decodes and checks segments and their records (segment.h).
#include "io/segment.h"

#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

constexpr std::array<u8, 8> kFooterMagic = {'R', 'F', 'S', 'E', 'G', 'E', 'N', 'D'};
constexpr std::size_t kChecksumBytes = 4;

Failure damaged(Code code, const std::string& what) {
  return {code, "segment: " + what, "run ringfort search verify; index the affected documents again"};
}

void put_u32_at(u8* p, u32 value) {
  for (unsigned i = 0; i < 4; ++i) p[i] = static_cast<u8>(value >> (8 * i));
}

u32 u32_at(std::span<const u8> bytes) { return ByteReader(bytes).take_u32(); }

Result<SegmentFrame> decode_start(std::span<const u8> bytes, bool open) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header.failure();
  if (header.value().type != FileType::segment) {
    return Failure{Code::io_type,
                   "the file is of type " + std::string(type_name(header.value().type)) + ", not segment", ""};
  }
  if (((header.value().flags & kFlagOpen) != 0) != open) {
    return damaged(Code::io_flags,
                   open ? "it is sealed, but its name says open" : "it is open, but its name says sealed");
  }
  if (bytes.size() < kRecordsAt) return damaged(Code::io_truncated, "it ends before its parameters do");
  ByteReader in(bytes.subspan(kHeaderBytes, kProfileBytes));
  auto profile = decode_profile(header.value(), in);
  if (!profile.ok()) return profile.failure();
  SegmentFrame frame;
  frame.profile = std::move(profile.value());
  frame.mode = (header.value().flags & kFlagSeeded) != 0 ? rgsw::Mode::secret_key : rgsw::Mode::public_key;
  if (frame.mode == rgsw::Mode::public_key && !frame.profile.parameters.public_key_allowed) {
    return damaged(Code::mode_forbidden, "it holds words of a sender, which these parameters forbid");
  }
  frame.footer.records = header.value().payload_bytes;  // bytes of the payload, until the caller has read the footer
  return frame;
}

}  // namespace

SegmentShape::SegmentShape(const Profile& profile, rgsw::Mode m)
    : mode(m),
      width(static_cast<u32>(rgsw::exported_bits(profile.parameters))),
      planes(io::planes(profile)),
      plane_words(rgsw::exported_words(profile.parameters, m)),
      plane_bytes(packed_bytes(plane_words, width) + kChecksumBytes),
      record_bytes(kRecordHeadBytes + planes * plane_bytes),
      q(profile.parameters.q) {}

std::vector<u8> encode_record_head(const RecordHead& head) {
  std::vector<u8> bytes;
  bytes.reserve(kRecordHeadBytes);
  ByteWriter out(bytes);
  out.put_u32(head.document);
  out.put_u32(0);
  out.put_bytes(head.seed.bytes);
  out.put_u32(crc32c(bytes));
  return bytes;
}

Result<RecordHead> decode_record_head(std::span<const u8> record) {
  if (record.size() < kRecordHeadBytes) return damaged(Code::io_truncated, "it ends inside the head of a word");
  ByteReader in(record.first(kRecordHeadBytes));
  RecordHead head;
  head.document = in.take_u32();
  const u32 zero = in.take_u32();
  in.take_bytes(head.seed.bytes);
  if (in.take_u32() != crc32c(record.first(kRecordHeadBytes - kChecksumBytes))) {
    return damaged(Code::io_checksum, "the head of a word does not match its checksum");
  }
  if (zero != 0) return damaged(Code::io_range, "a reserved field is not zero");
  return head;
}

void encode_plane(const SegmentShape& shape, std::span<const u64> residues, std::span<u8> plane) {
  const auto packed = plane.first(plane.size() - kChecksumBytes);
  pack_residues(residues, shape.width, packed);
  put_u32_at(plane.data() + packed.size(), crc32c(packed));
}

Result<Done> decode_plane(const SegmentShape& shape, std::span<const u8> plane, std::span<u64> residues) {
  if (plane.size() != shape.plane_bytes) return damaged(Code::io_truncated, "it ends inside a word");
  const auto packed = plane.first(plane.size() - kChecksumBytes);
  if (u32_at(plane.last(kChecksumBytes)) != crc32c(packed))
    return damaged(Code::io_checksum, "an encrypted bit does not match its checksum");
  if (!unpack_residues(packed, shape.width, shape.q, residues)) {
    return damaged(Code::io_range, "an encrypted bit has a residue that is not below the modulus");
  }
  return Done{};
}

Result<RecordHead> check_record(const SegmentShape& shape, std::span<const u8> record, std::span<u64> scratch) {
  if (record.size() != shape.record_bytes) return damaged(Code::io_truncated, "it ends inside a word");
  auto head = decode_record_head(record);
  if (!head.ok()) return head;
  for (u32 i = 0; i < shape.planes; ++i) {
    auto plane =
        decode_plane(shape, record.subspan(kRecordHeadBytes + i * shape.plane_bytes, shape.plane_bytes), scratch);
    if (!plane.ok()) return plane.failure();
  }
  return head;
}

SegmentTally::SegmentTally() { crypto_generichash_init(&state_, nullptr, 0, 32); }

void SegmentTally::count(std::span<const u8> head_bytes, u32 document) {
  crypto_generichash_update(&state_, head_bytes.data(), kRecordHeadBytes);
  if (records == 0) first_document = document;
  words_of_last = records != 0 && document == last_document ? words_of_last + 1 : 1;
  last_document = document;
  most_words = std::max(most_words, words_of_last);
  ++records;
}

Digest SegmentTally::digest() const {
  crypto_generichash_state copy = state_;
  Digest digest{};
  crypto_generichash_final(&copy, digest.data(), digest.size());
  return digest;
}

std::vector<u8> encode_footer(const SegmentTally& tally) {
  std::vector<u8> bytes;
  ByteWriter out(bytes);
  out.put_bytes(kFooterMagic);
  out.put_u64(tally.records);
  out.put_u32(tally.first_document);
  out.put_u32(tally.last_document);
  out.put_u32(tally.most_words);
  out.put_bytes(tally.digest());
  out.put_u32(crc32c(bytes));
  return bytes;
}

Result<Footer> decode_footer(std::span<const u8> bytes) {
  if (bytes.size() != kFooterBytes) return damaged(Code::io_truncated, "it ends before its footer");
  ByteReader in(bytes);
  std::array<u8, 8> magic{};
  in.take_bytes(magic);
  Footer footer;
  footer.records = in.take_u64();
  footer.first_document = in.take_u32();
  footer.last_document = in.take_u32();
  footer.most_words = in.take_u32();
  in.take_bytes(footer.digest);
  if (in.take_u32() != crc32c(bytes.first(kFooterBytes - kChecksumBytes)) || magic != kFooterMagic) {
    return damaged(Code::io_checksum, "its footer does not match its checksum");
  }
  const u64 span = u64{footer.last_document} - footer.first_document + 1;
  if (footer.records == 0 || footer.last_document < footer.first_document || footer.most_words == 0 ||
      footer.most_words > footer.records || footer.records / footer.most_words > span) {
    return damaged(Code::io_range, "its footer contradicts itself");
  }
  return footer;
}

Result<SegmentFrame> decode_segment(std::span<const u8> bytes) {
  auto frame = decode_start(bytes, false);
  if (!frame.ok()) return frame;
  const u64 claimed = frame.value().footer.records;
  if (bytes.size() < kRecordsAt + kFooterBytes) return damaged(Code::io_truncated, "it ends before its footer");
  auto footer = decode_footer(bytes.last(kFooterBytes));
  if (!footer.ok()) return footer.failure();
  const SegmentShape shape(frame.value().profile, frame.value().mode);
  const u64 present = bytes.size() - kRecordsAt - kFooterBytes;
  const u64 records = present / shape.record_bytes;
  if (present % shape.record_bytes != 0 || footer.value().records != records ||
      claimed != bytes.size() - kHeaderBytes) {
    return damaged(Code::io_length, "its length does not fit the " + std::to_string(footer.value().records) +
                                        " words that its footer names");
  }
  frame.value().footer = footer.value();
  return frame;
}

Result<SegmentFrame> decode_open_segment(std::span<const u8> first_bytes) {
  auto frame = decode_start(first_bytes, true);
  if (!frame.ok()) return frame;
  if (frame.value().footer.records != 0) return damaged(Code::io_length, "an open segment claims a length");
  return frame;
}

std::vector<u8> encode_segment_start(const Profile& profile, rgsw::Mode mode, bool open, u64 records) {
  const SegmentShape shape(profile, mode);
  const u32 flags =
      insecure_flag(profile) | (open ? kFlagOpen : 0U) | (mode == rgsw::Mode::secret_key ? kFlagSeeded : 0U);
  const u64 payload = open ? 0 : kProfileBytes + records * shape.record_bytes + kFooterBytes;
  const auto header = encode_header({FileType::segment, flags, digest(profile), payload});
  std::vector<u8> bytes;
  bytes.reserve(kRecordsAt);
  ByteWriter out(bytes);
  out.put_bytes(header);
  encode_profile(profile, out);
  return bytes;
}

}  // namespace ringfort::io
