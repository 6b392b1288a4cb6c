// SPDX-License-Identifier: Apache-2.0
// Layout of two files of an index (io/index.h): the document map and the bodies, which are the texts of the documents.
// The document map is the file documents.rfd. It has a header, a profile, and one record of 596 bytes for each
// document. Appending a record commits its document. The fields of a record are (a number without a type is a length in
// bytes):
//   number of the document u32 | number of its words u32 | words of this and all earlier documents u64 |
//   body offset u64 | body bytes u64 | sealed 560 | crc32c u32
// `sealed` is a sealed box (io/keys.h): anybody with the public keys can write it, and only the owner can open it. The
// box has the message id and the subject; each of them is a u16 length and 250 bytes. The box also has the u64 length
// of the body without padding. This length is 0 if the document has no body, and in old records of bodies without
// padding.
//
// If the owner added the document, its subject has at most 218 bytes. Then the last 32 bytes of the subject's field are
// two keyed hashes (Owner, below): the mark of the content (16 bytes) and the tag of the record (16 bytes). Tags of
// format version 2 do not cover the place of the record. Records with the oldest tags have no mark, and their subject
// may have 234 bytes.
//
// bodies.rfb has a header, a profile, and sealed bodies. A crc32c follows each body that is not empty. documents.rfd
// and bodies.rfb grow. Therefore the length in their headers is 0.
#pragma once

#include <algorithm>

#include "io/file.h"
#include "io/keys.h"

namespace ringfort::io {

inline constexpr std::size_t kTitleBytes = 250;
// If the owner added a document, the field of the subject ends with a mark and a tag of these lengths.
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kMarkBytes = 16;
inline constexpr std::size_t kOwnSubjectBytes = kTitleBytes - kMarkBytes - kTagBytes;
inline constexpr std::size_t kTitlesBytes = 512;
inline constexpr std::size_t kSealedTitlesBytes = kTitlesBytes + kSealBytes;
inline constexpr std::size_t kDocumentRecordBytes = 4 + 4 + 8 + 8 + 8 + kSealedTitlesBytes + 4;
inline constexpr u64 kLogStart = kHeaderBytes + kProfileBytes;
inline constexpr u64 kBodyLimit = u64{64} << 20;
inline constexpr u64 kLeastPaddedBody = 256;
static_assert((kBodyLimit & (kBodyLimit - 1)) == 0);  // so that padded_body() is at most kBodyLimit
[[nodiscard]] inline u64 padded_body(u64 bytes) noexcept { return std::max(kLeastPaddedBody, padme(bytes)); }

struct DocumentRecord {
  u32 number = 0;
  u32 words = 0;
  u64 words_to_here = 0;
  u64 body_offset = 0;
  u64 body_bytes = 0;  // length of the sealed body, without its checksum
  std::array<u8, kSealedTitlesBytes> sealed{};
  Digest before{};  // chained() of the previous record, which covers all earlier records; not stored
};
// Returns the digest of a map that ends with `record`. Later tags of the owner cover this digest.
[[nodiscard]] Digest chained(const DocumentRecord& record);
[[nodiscard]] std::vector<u8> encode_document(const DocumentRecord& record);
[[nodiscard]] Result<DocumentRecord> decode_document(std::span<const u8> bytes);

using ContentMark = std::array<u8, kMarkBytes>;
struct Titles {
  std::string message_id;
  std::string subject;
  u64 body_bytes = 0;               // length without padding; 0 means the whole sealed body
  ContentMark mark{};               // zero if there is none
  std::array<u8, kTagBytes> tag{};  // zero if there is none
  friend bool operator==(const Titles&, const Titles&) = default;
};
// The secret keys that mark and tag the documents of an index. A mark is a keyed hash of the index id and the content.
// A tag is a keyed hash of the index id, all earlier records, and the whole record. Nothing authenticates the index id.
// A server can give the id to another index of the same owner. In that index, a copied tag is valid only after the same
// earlier records.
struct Owner {
  const Keys::State& keys;
  const IndexId& index;
};
// Returns the mark of the content. It is zero if the content is unknown.
[[nodiscard]] ContentMark mark_of(const ContentDigest& content, const Owner& owner);
// Truncates both titles to kTitleBytes. If the owner adds the document (`owned`), truncates the subject to
// kOwnSubjectBytes instead. Cuts between UTF-8 characters.
[[nodiscard]] Titles titles_of(std::string_view message_id, std::string_view subject, bool owned);
// Sets the mark and the tag of an owner's titles. Before the call, all of `record` except `sealed`, and the length of
// the body in `titles`, must have their final values.
void set_tag(Titles& titles, const DocumentRecord& record, const ContentDigest& content, const Owner& owner);
// Tells whether the owner added this record at this place of this index.
[[nodiscard]] bool is_own(const Titles& titles, const DocumentRecord& record, const Owner& owner);
// Tells whether the tag is a valid tag of format version 2. Such a tag does not cover the place. Therefore the record
// may be a copy of another record of the owner.
[[nodiscard]] bool has_version_2_tag(const Titles& titles, const Owner& owner);
// Returns the mark of the record if the owner added the record. If not, returns zero.
[[nodiscard]] ContentMark owner_mark(const Titles& titles, const DocumentRecord& record, const Owner& owner);
// Tells whether `mark` is one of `marks`. The time depends only on the number of marks.
[[nodiscard]] bool is_among(const ContentMark& mark, std::span<const ContentMark> marks) noexcept;
[[nodiscard]] std::vector<u8> encode_titles(const Titles& titles);  // `titles` must come from titles_of()
[[nodiscard]] Result<Titles> decode_titles(std::span<const u8> content);

// These functions encode and decode the header and the profile of a file that only grows.
[[nodiscard]] std::vector<u8> encode_log_start(FileType type, const Profile& profile);
[[nodiscard]] Result<Profile> decode_log_start(std::span<const u8> bytes, FileType type);

// Tells whether `next` can follow `previous`: it has the next number, and it continues the counts of words and of body
// bytes. If `previous` is null, tells whether `next` can be the first record.
[[nodiscard]] bool follows(const DocumentRecord* previous, const DocumentRecord& next) noexcept;
[[nodiscard]] inline u64 body_end(const DocumentRecord& record) noexcept {
  return record.body_offset + record.body_bytes + (record.body_bytes != 0 ? 4 : 0);
}

// Reads the records before the first record that is cut, damaged or out of sequence. Sets `before` of each record, and
// calls `use` for it. Returns the number of these records.
template <class Use>
Result<u64> for_each_document(const File& file, Use use) {
  auto bytes = file.size();
  if (!bytes.ok()) return bytes.failure();
  if (bytes.value() < kLogStart) return Failure{Code::io_truncated, file.path() + " ends before its parameters do", ""};
  const u64 whole = (bytes.value() - kLogStart) / kDocumentRecordBytes;
  constexpr u64 kBatch = 512;
  std::vector<u8> batch(static_cast<std::size_t>(std::min(whole, kBatch)) * kDocumentRecordBytes);
  DocumentRecord previous;
  for (u64 first = 0; first < whole; first += kBatch) {
    const u64 count = std::min(kBatch, whole - first);
    const auto encoded = std::span(batch).first(static_cast<std::size_t>(count) * kDocumentRecordBytes);
    auto done = file.read_at(kLogStart + first * kDocumentRecordBytes, encoded);
    if (!done.ok()) return done.failure();
    for (u64 i = 0; i < count; ++i) {
      auto record =
          decode_document(encoded.subspan(static_cast<std::size_t>(i) * kDocumentRecordBytes, kDocumentRecordBytes));
      if (!record.ok() || !follows(first + i == 0 ? nullptr : &previous, record.value())) return first + i;
      if (first + i != 0) record.value().before = chained(previous);
      previous = record.value();
      use(previous);
    }
  }
  return whole;
}

}  // namespace ringfort::io
