// SPDX-License-Identifier: Apache-2.0
#include "io/documents.h"

#include <sodium.h>

#include <bit>

namespace ringfort::io {

namespace {

// The longest prefix of at most `most` bytes that does not end inside a character of UTF-8.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<u8>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// Keyed by the key that opens titles, which no sender has; of the index too: a record that somebody copies to another one tells nothing there.
std::array<u8, kTagBytes> tag_of(const Titles& titles, const Keys::State& keys, const IndexId& index) {
  std::vector<u8> named;
  ByteWriter out(named);
  out.put_text("ringfort title 1", 16);
  out.put_bytes(index);
  for (const auto* text : {&titles.message_id, &titles.subject}) {
    out.put_u16(static_cast<u16>(text->size()));
    out.put_text(*text, text->size());
  }
  std::array<u8, kTagBytes> tag{};
  crypto_generichash(tag.data(), tag.size(), named.data(), named.size(), keys.box_secret.data(), keys.box_secret.size());
  return tag;
}

}  // namespace

u64 padme(u64 length) noexcept {
  if (length < 2) return length;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(length)) - 1;      // floor(log2 length)
  const u64 low = (u64{1} << (exponent - static_cast<unsigned>(std::bit_width(exponent)))) - 1;
  return length > ~low ? length : (length + low) & ~low;
}

std::vector<u8> encode_document(const DocumentRecord& record) {
  std::vector<u8> bytes;
  bytes.reserve(kDocumentRecordBytes);
  ByteWriter out(bytes);
  out.put_u32(record.number);
  out.put_u32(record.words);
  out.put_u64(record.words_to_here);
  out.put_u64(record.body_offset);
  out.put_u64(record.body_bytes);
  out.put_bytes(record.sealed);
  out.put_u32(crc32c(bytes));
  return bytes;
}

Result<DocumentRecord> decode_document(std::span<const u8> bytes) {
  if (bytes.size() != kDocumentRecordBytes) return Failure{Code::io_truncated, "document map: a record is cut off", "run ringfort search verify"};
  ByteReader in(bytes);
  DocumentRecord record;
  record.number = in.take_u32();
  record.words = in.take_u32();
  record.words_to_here = in.take_u64();
  record.body_offset = in.take_u64();
  record.body_bytes = in.take_u64();
  in.take_bytes(record.sealed);
  if (in.take_u32() != crc32c(bytes.first(kDocumentRecordBytes - 4))) {
    return Failure{Code::io_checksum, "document map: a record does not match its checksum", "run ringfort search verify"};
  }
  const bool has_body = record.body_bytes != 0;
  if (record.body_bytes > kBodyLimit + kSealBytes || (has_body && record.body_bytes < kSealBytes) || record.body_offset < kLogStart ||
      record.body_offset > (u64{1} << 62) || record.words > record.words_to_here) {
    return Failure{Code::io_range, "document map: a field outside its range", "run ringfort search verify"};
  }
  return record;
}

Titles titles_of(std::string_view message_id, std::string_view subject, const Keys::State* owner, const IndexId& index) {
  Titles titles;
  titles.message_id = cut(message_id, kTitleBytes);
  titles.subject = cut(subject, owner == nullptr ? kTitleBytes : kTitleBytes - kTagBytes);
  if (owner != nullptr) titles.tag = tag_of(titles, *owner, index);
  return titles;
}

// In a time that does not tell how much of a tag that somebody made up is right.
bool is_own(const Titles& titles, const Keys::State& keys, const IndexId& index) {
  return sodium_memcmp(titles.tag.data(), tag_of(titles, keys, index).data(), kTagBytes) == 0;
}

std::vector<u8> encode_titles(const Titles& titles) {
  std::vector<u8> content;
  content.reserve(kTitlesBytes);
  ByteWriter out(content);
  for (const auto* text : {&titles.message_id, &titles.subject}) {
    out.put_u16(static_cast<u16>(text->size()));
    out.put_text(*text, kTitleBytes);
  }
  if (titles.subject.size() <= kTitleBytes - kTagBytes) std::copy(titles.tag.begin(), titles.tag.end(), content.end() - kTagBytes);
  out.put_u64(titles.body_bytes);
  return content;
}

Result<Titles> decode_titles(std::span<const u8> content) {
  ByteReader in(content);
  Titles titles;
  for (auto* text : {&titles.message_id, &titles.subject}) {
    const u16 length = in.take_u16();
    const auto field = in.view(kTitleBytes);
    if (!in.ok() || length > kTitleBytes) return Failure{Code::io_range, "document map: a title longer than its field", "the record was not made by this library"};
    text->assign(field.begin(), field.begin() + length);
    if (length <= kTitleBytes - kTagBytes) std::copy(field.end() - kTagBytes, field.end(), titles.tag.begin());   // the subject's stays
  }
  if (titles.subject.size() > kTitleBytes - kTagBytes) titles.tag = {};
  titles.body_bytes = in.take_u64();
  if (!in.at_end() || titles.body_bytes > kBodyLimit) {
    return Failure{Code::io_range, "document map: titles of a wrong size, or a body that is longer than any", "the record was not made by this library"};
  }
  return titles;
}

std::vector<u8> encode_log_start(FileType type, const Profile& profile) {
  const auto header = encode_header({type, insecure_flag(profile), digest(profile), 0});
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
    return Failure{Code::io_type, "the file is of type " + std::string(type_name(header.value().type)) + ", wanted is " + std::string(type_name(type)), ""};
  }
  if (header.value().payload_bytes != 0) return Failure{Code::io_length, "a file that grows claims a length", "the file is damaged"};
  if (bytes.size() < kLogStart) return Failure{Code::io_truncated, "the file ends before its parameters do", "copy the whole file again"};
  ByteReader in(bytes.subspan(kHeaderBytes, kProfileBytes));
  return decode_profile(header.value(), in);
}

bool follows(const DocumentRecord* previous, const DocumentRecord& next) noexcept {
  if (previous == nullptr) return next.number == 0 && next.words_to_here == next.words && next.body_offset == kLogStart;
  return next.number == previous->number + 1 && next.words_to_here == previous->words_to_here + next.words &&
         next.body_offset == body_end(*previous);
}

}  // namespace ringfort::io
