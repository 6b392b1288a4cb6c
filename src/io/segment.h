// SPDX-License-Identifier: Apache-2.0
// Files of segments, which have the words of an index (io/index.h). A segment has a header, a profile, records of equal
// size, and a footer. A record is one encrypted word. Its fields are (a number without a type is a length in bytes):
//   head            document u32 | zero u32 | seed 32 | crc32c u32 of these 40 bytes
//   each bit        packed residues (c0 of each row if seeded, and otherwise c0 and c1) | crc32c u32
// An encrypted bit is a Ring-GSW ciphertext, a matrix whose rows are pairs of polynomials (c0, c1). If the key is the
// owner's secret key, a row has only c0, and the seed gives c1 (kFlagSeeded). A search that compares 8 of 64 bits can
// read and check only these 8 bits. The fields of the footer are:
//   magic 8 | records u64 | first document u32 | last document u32 | most words of one document u32 |
//   BLAKE2b-256 of all record heads | crc32c u32
// An open segment has kFlagOpen, the payload length 0 and no footer. Bytes after its last whole record do not count.
#pragma once

#include <sodium.h>

#include "io/file.h"
#include "io/profile.h"

namespace ringfort::io {

inline constexpr std::size_t kRecordHeadBytes = 44;
inline constexpr std::size_t kFooterBytes = 64;
inline constexpr u64 kRecordsAt = kHeaderBytes + kProfileBytes;

// Sizes that follow from a profile and from the kind of key that encrypts the words (mode).
struct SegmentShape {
  SegmentShape(const Profile& profile, rgsw::Mode mode);
  rgsw::Mode mode;
  u32 width;                // length of a residue in bits
  u32 planes;               // number of encrypted bits of a word
  std::size_t plane_words;  // number of residues of one encrypted bit
  std::size_t plane_bytes;  // length of one packed encrypted bit with its checksum
  std::size_t record_bytes;
  u64 q;
};

struct RecordHead {
  u32 document = 0;
  PublicSeed seed;
};
[[nodiscard]] std::vector<u8> encode_record_head(const RecordHead& head);
[[nodiscard]] Result<RecordHead> decode_record_head(std::span<const u8> record);
// These functions pack and unpack one encrypted bit with its checksum. decode_plane() checks the checksum and every
// residue.
void encode_plane(const SegmentShape& shape, std::span<const u64> residues, std::span<u8> plane);
[[nodiscard]] Result<Done> decode_plane(const SegmentShape& shape, std::span<const u8> plane, std::span<u64> residues);
// Checks the head, the checksum of every encrypted bit, and every residue. `scratch` has plane_words words; its
// contents are lost.
[[nodiscard]] Result<RecordHead> check_record(const SegmentShape& shape, std::span<const u8> record,
                                              std::span<u64> scratch);

// A summary of the records of a segment. The writer updates it, and readers compare it with the footer.
struct SegmentTally {
  SegmentTally();
  void count(std::span<const u8> head_bytes, u32 document);
  // Tells whether a record of this document may come next. The numbers of documents must not decrease in a segment.
  [[nodiscard]] bool accepts(u32 document) const noexcept { return records == 0 || document >= last_document; }
  [[nodiscard]] Digest digest() const;
  u64 records = 0;
  u32 first_document = 0;
  u32 last_document = 0;
  u32 most_words = 0;
  u32 words_of_last = 0;

 private:
  crypto_generichash_state state_;
};

struct Footer {
  u64 records = 0;
  u32 first_document = 0;
  u32 last_document = 0;
  u32 most_words = 0;
  Digest digest{};
};
[[nodiscard]] std::vector<u8> encode_footer(const SegmentTally& tally);
[[nodiscard]] Result<Footer> decode_footer(std::span<const u8> bytes);

// The facts of a segment without its records. The records are checked when they are used. The footer of an open segment
// is empty.
struct SegmentFrame {
  Profile profile;
  rgsw::Mode mode = rgsw::Mode::secret_key;
  Footer footer;
};
// Decodes a finished segment. `bytes` is the whole file. Its length is checked.
[[nodiscard]] Result<SegmentFrame> decode_segment(std::span<const u8> bytes);
// Decodes the header and the profile of an open segment.
[[nodiscard]] Result<SegmentFrame> decode_open_segment(std::span<const u8> first_bytes);
[[nodiscard]] std::vector<u8> encode_segment_start(const Profile& profile, rgsw::Mode mode, bool open, u64 records);

}  // namespace ringfort::io
