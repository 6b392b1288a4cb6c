// SPDX-License-Identifier: Apache-2.0
// The document map: header | profile | one record of 596 bytes a document, appended when the document is committed.
//   number u32 | words u32 | words of all documents to here u64 | body offset u64 | body bytes u64 | sealed (560) |
//     crc32c u32
// sealed: 512 bytes, message id and subject as u16 length and 250 bytes each, then u64 length of the body without its
// padding (0: it has none), in a sealed box: whoever holds only the public keys can append. The last 32 bytes of a
// subject of at most 218 are zero, or the owner's mark of the content (16) and her tag (16); before there were marks,
// the last 16 of a subject of at most 234 were a tag. bodies.rfb: header | profile | sealed bodies, each followed by
// its crc32c. Both grow, so their headers claim length 0.
#pragma once

#include <algorithm>

#include "io/file.h"
#include "io/keys.h"

namespace ringfort::io {

inline constexpr std::size_t kTitleBytes = 250;
// of the subject's field, where the owner added the document; so is
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kMarkBytes = 16;  // the mark of its content, before the tag
inline constexpr std::size_t kOwnSubjectBytes = kTitleBytes - kMarkBytes - kTagBytes;
inline constexpr std::size_t kTitlesBytes = 512;
inline constexpr std::size_t kSealedTitlesBytes = kTitlesBytes + kSealBytes;
inline constexpr std::size_t kDocumentRecordBytes = 4 + 4 + 8 + 8 + 8 + kSealedTitlesBytes + 4;
inline constexpr u64 kLogStart = kHeaderBytes + kProfileBytes;
inline constexpr u64 kBodyLimit = u64{64} << 20;
inline constexpr u64 kLeastPaddedBody = 256;
static_assert((kBodyLimit & (kBodyLimit - 1)) == 0);  // so that padme() of a body within it is
[[nodiscard]] inline u64 padded_body(u64 bytes) noexcept { return std::max(kLeastPaddedBody, padme(bytes)); }

struct DocumentRecord {
  u32 number = 0;
  u32 words = 0;
  u64 words_to_here = 0;
  u64 body_offset = 0;
  u64 body_bytes = 0;  // sealed, without checksum
  std::array<u8, kSealedTitlesBytes> sealed{};
};
[[nodiscard]] std::vector<u8> encode_document(const DocumentRecord& record);
[[nodiscard]] Result<DocumentRecord> decode_document(std::span<const u8> bytes);

using ContentMark = std::array<u8, kMarkBytes>;
struct Titles {
  std::string message_id;
  std::string subject;
  u64 body_bytes = 0;               // the first of the sealed body; 0: all of it
  ContentMark mark{};               // zero: none
  std::array<u8, kTagBytes> tag{};  // likewise
  friend bool operator==(const Titles&, const Titles&) = default;
};
// Whose secret keys mark and tag documents, in which index. A mark is of the index and the content; a tag of the index,
// mark, id and subject.
struct Owner {
  const Keys::State& keys;
  const IndexId& index;
};
// Zero for content that is not known.
[[nodiscard]] ContentMark mark_of(const ContentDigest& content, const Owner& owner);
// Cut at characters of UTF-8 to kTitleBytes, the subject beside a tag to kOwnSubjectBytes. owner null: no mark and no
// tag.
[[nodiscard]] Titles titles_of(std::string_view message_id, std::string_view subject, const ContentDigest& content,
                               const Owner* owner);
// Whether the owner added it to this index; a tag from before there were marks says so, too.
[[nodiscard]] bool is_own(const Titles& titles, const Owner& owner);
// Whether she vouches for the mark, if it is zero, too: older tags are of id and subject alone, which strangers can
// guess.
[[nodiscard]] bool has_own_mark(const Titles& titles, const Owner& owner);
[[nodiscard]] std::vector<u8> encode_titles(const Titles& titles);  // as titles_of made them
[[nodiscard]] Result<Titles> decode_titles(std::span<const u8> content);

// Header and profile of a file that only grows.
[[nodiscard]] std::vector<u8> encode_log_start(FileType type, const Profile& profile);
[[nodiscard]] Result<Profile> decode_log_start(std::span<const u8> bytes, FileType type);

// Follows `previous`: the next number, and words and bodies that continue where it ended.
[[nodiscard]] bool follows(const DocumentRecord* previous, const DocumentRecord& next) noexcept;
[[nodiscard]] inline u64 body_end(const DocumentRecord& record) noexcept {
  return record.body_offset + record.body_bytes + (record.body_bytes != 0 ? 4 : 0);
}

// Calls `use` for each record from the first until one is cut off, damaged or does not follow; returns how many were
// whole.
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
    const auto part = std::span(batch).first(static_cast<std::size_t>(count) * kDocumentRecordBytes);
    auto done = file.read_at(kLogStart + first * kDocumentRecordBytes, part);
    if (!done.ok()) return done.failure();
    for (u64 i = 0; i < count; ++i) {
      auto record =
          decode_document(part.subspan(static_cast<std::size_t>(i) * kDocumentRecordBytes, kDocumentRecordBytes));
      if (!record.ok() || !follows(first + i == 0 ? nullptr : &previous, record.value())) return first + i;
      previous = record.value();
      use(previous);
    }
  }
  return whole;
}

}  // namespace ringfort::io
