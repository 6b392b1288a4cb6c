// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes the records of the document map, with their marks and tags (documents.h).
#include "io/documents.h"

#include <sodium.h>

#include <bit>

#include "io/text.h"

namespace ringfort::io {

namespace {

// Writes the fields of a record that come before the sealed field.
void put_open_fields(ByteWriter& out, const DocumentRecord& record) {
  out.put_u32(record.number);
  out.put_u32(record.words);
  out.put_u64(record.words_to_here);
  out.put_u64(record.body_offset);
  out.put_u64(record.body_bytes);
}

// Returns a keyed hash. The key of the hash is the key that opens titles. No sender has this key. The hash covers the
// id of the index. Therefore a record that is copied to an index with another id is invalid there.
std::array<u8, 16> keyed_hash(std::string_view purpose, std::span<const u8> content, const Owner& owner) {
  std::vector<u8> named;
  ByteWriter out(named);
  out.put_text(purpose, 16);
  out.put_bytes(owner.index);
  out.put_bytes(content);
  std::array<u8, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), named.data(), named.size(), owner.keys.box_secret.data(),
                     owner.keys.box_secret.size());
  return hash;
}

// Returns the tag. It covers the bytes `before`, the message id and the subject.
std::array<u8, kTagBytes> tag_of(const Titles& titles, std::span<const u8> before, std::string_view purpose,
                                 const Owner& owner) {
  std::vector<u8> named;
  ByteWriter out(named);
  out.put_bytes(before);
  for (const auto* text : {&titles.message_id, &titles.subject}) {
    out.put_u16(static_cast<u16>(text->size()));
    out.put_text(*text, text->size());
  }
  return keyed_hash(purpose, named, owner);
}

std::array<u8, kTagBytes> position_tag(const Titles& titles, const DocumentRecord& record, const Owner& owner) {
  std::vector<u8> covered;
  ByteWriter out(covered);
  out.put_bytes(record.before);
  put_open_fields(out, record);
  out.put_u64(titles.body_bytes);
  out.put_bytes(titles.mark);
  return tag_of(titles, covered, "ringfort title 3", owner);
}

// Compares the tags in constant time, so that a forger does not learn how much of a tag is right.
bool has_tag(const Titles& titles, const std::array<u8, kTagBytes>& tag) {
  return sodium_memcmp(titles.tag.data(), tag.data(), kTagBytes) == 0;
}

}  // namespace

ContentMark mark_of(const ContentDigest& content, const Owner& owner) {
  return content == ContentDigest{} ? ContentMark{} : keyed_hash("ringfort letter1", content, owner);
}

u64 padme(u64 length) noexcept {
  if (length < 2) return length;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(length)) - 1;  // floor(log2 length)
  const u64 low = (u64{1} << (exponent - static_cast<unsigned>(std::bit_width(exponent)))) - 1;
  return length > ~low ? length : (length + low) & ~low;
}

Digest chained(const DocumentRecord& record) {
  std::vector<u8> bytes;
  ByteWriter out(bytes);
  out.put_text("ringfort map 1", 16);
  out.put_bytes(record.before);
  put_open_fields(out, record);
  out.put_bytes(record.sealed);
  return blake2b_256(bytes);
}

std::vector<u8> encode_document(const DocumentRecord& record) {
  std::vector<u8> bytes;
  bytes.reserve(kDocumentRecordBytes);
  ByteWriter out(bytes);
  put_open_fields(out, record);
  out.put_bytes(record.sealed);
  out.put_u32(crc32c(bytes));
  return bytes;
}

Result<DocumentRecord> decode_document(std::span<const u8> bytes) {
  if (bytes.size() != kDocumentRecordBytes)
    return Failure{Code::io_truncated, "document map: a record is cut off", "run ringfort search verify"};
  ByteReader in(bytes);
  DocumentRecord record;
  record.number = in.take_u32();
  record.words = in.take_u32();
  record.words_to_here = in.take_u64();
  record.body_offset = in.take_u64();
  record.body_bytes = in.take_u64();
  in.take_bytes(record.sealed);
  if (in.take_u32() != crc32c(bytes.first(kDocumentRecordBytes - 4))) {
    return Failure{Code::io_checksum, "document map: a record does not match its checksum",
                   "run ringfort search verify"};
  }
  const bool has_body = record.body_bytes != 0;
  if (record.body_bytes > kBodyLimit + kSealBytes || (has_body && record.body_bytes < kSealBytes) ||
      record.body_offset < kLogStart || record.body_offset > (u64{1} << 62) || record.words > record.words_to_here) {
    return Failure{Code::io_range, "document map: a field is outside its range", "run ringfort search verify"};
  }
  return record;
}

Titles titles_of(std::string_view message_id, std::string_view subject, bool owned) {
  Titles titles;
  titles.message_id = whole_characters(message_id, kTitleBytes);
  titles.subject = whole_characters(subject, owned ? kOwnSubjectBytes : kTitleBytes);
  return titles;
}

void set_tag(Titles& titles, const DocumentRecord& record, const ContentDigest& content, const Owner& owner) {
  titles.mark = mark_of(content, owner);
  titles.tag = position_tag(titles, record, owner);
}

bool is_own(const Titles& titles, const DocumentRecord& record, const Owner& owner) {
  return has_tag(titles, position_tag(titles, record, owner));
}

bool has_version_2_tag(const Titles& titles, const Owner& owner) {
  const bool marked = has_tag(titles, tag_of(titles, titles.mark, "ringfort title 2", owner));
  const bool before_marks = has_tag(titles, tag_of(titles, {}, "ringfort title 1", owner));
  return (unsigned{marked} | unsigned{before_marks}) != 0;  // without a branch on either value
}

ContentMark owner_mark(const Titles& titles, const DocumentRecord& record, const Owner& owner) {
  const u8 kept = static_cast<u8>(0 - unsigned{is_own(titles, record, owner)});  // 0xFF or 0, without a branch
  ContentMark mark = titles.mark;
  for (u8& byte : mark) byte &= kept;
  return mark;
}

bool is_among(const ContentMark& mark, std::span<const ContentMark> marks) noexcept {
  using Halves = std::array<u64, 2>;
  static_assert(sizeof(Halves) == sizeof(ContentMark));
  const auto wanted = std::bit_cast<Halves>(mark);
  u64 found = 0;
  for (const ContentMark& one : marks) {
    const auto halves = std::bit_cast<Halves>(one);
    const u64 difference = (halves[0] ^ wanted[0]) | (halves[1] ^ wanted[1]);
    found |= ((difference | (0 - difference)) >> 63) ^ 1;  // becomes 1 if both halves are equal
  }
  return found != 0;
}

std::vector<u8> encode_titles(const Titles& titles) {
  std::vector<u8> content;
  content.reserve(kTitlesBytes);
  ByteWriter out(content);
  for (const auto* text : {&titles.message_id, &titles.subject}) {
    out.put_u16(static_cast<u16>(text->size()));
    out.put_text(*text, kTitleBytes);
  }
  if (titles.subject.size() <= kOwnSubjectBytes)
    std::copy(titles.mark.begin(), titles.mark.end(), content.end() - kTagBytes - kMarkBytes);
  if (titles.subject.size() <= kTitleBytes - kTagBytes)
    std::copy(titles.tag.begin(), titles.tag.end(), content.end() - kTagBytes);
  out.put_u64(titles.body_bytes);
  return content;
}

Result<Titles> decode_titles(std::span<const u8> content) {
  ByteReader in(content);
  Titles titles;
  std::span<const u8> field;
  for (auto* text : {&titles.message_id, &titles.subject}) {
    const u16 length = in.take_u16();
    field = in.view(kTitleBytes);
    if (!in.ok() || length > kTitleBytes)
      return Failure{Code::io_range, "document map: a title is longer than its field",
                     "the record was not made by this library"};
    text->assign(field.begin(), field.begin() + length);
  }
  const auto behind = field.last(kMarkBytes + kTagBytes);  // the bytes after a subject that is short enough
  if (titles.subject.size() <= kOwnSubjectBytes) std::copy_n(behind.begin(), kMarkBytes, titles.mark.begin());
  if (titles.subject.size() <= kTitleBytes - kTagBytes)
    std::copy_n(behind.end() - kTagBytes, kTagBytes, titles.tag.begin());
  titles.body_bytes = in.take_u64();
  if (!in.at_end() || titles.body_bytes > kBodyLimit) {
    return Failure{Code::io_range, "document map: its titles have a wrong size, or a body is above the limit",
                   "the record was not made by this library"};
  }
  return titles;
}

std::vector<u8> encode_log_start(FileType type, const Profile& profile) {
  const auto header = encode_header({type, insecure_flag(profile), digest(profile), 0, newest_version(type)});
  std::vector<u8> bytes;
  bytes.reserve(kLogStart);
  ByteWriter out(bytes);
  out.put_bytes(header);
  encode_profile(profile, out);
  return bytes;
}

Result<Profile> decode_log_start(std::span<const u8> bytes, FileType type) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header.failure();
  if (header.value().type != type) {
    return Failure{
        Code::io_type,
        "the file is of type " + std::string(type_name(header.value().type)) + ", not " + std::string(type_name(type)),
        ""};
  }
  if (header.value().payload_bytes != 0)
    return Failure{Code::io_length, "a file that grows claims a length", "the file is damaged"};
  if (bytes.size() < kLogStart)
    return Failure{Code::io_truncated, "the file ends before its parameters do", "copy the whole file again"};
  ByteReader in(bytes.subspan(kHeaderBytes, kProfileBytes));
  return decode_profile(header.value(), in);
}

bool follows(const DocumentRecord* previous, const DocumentRecord& next) noexcept {
  if (previous == nullptr) return next.number == 0 && next.words_to_here == next.words && next.body_offset == kLogStart;
  return next.number == previous->number + 1 && next.words_to_here == previous->words_to_here + next.words &&
         next.body_offset == body_end(*previous);
}

}  // namespace ringfort::io
