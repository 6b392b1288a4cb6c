// SPDX-License-Identifier: Apache-2.0
// Class Index: titles and bodies for the owner. If a record or a body does not open, the owner loses only the document
// of this record or body. Others may write to the folder, and must not be able to block the index.
#include <map>
#include <numeric>
#include <set>

#include "io/index.h"

namespace ringfort::io {

namespace {

// Fails unless the titles and the bodies of the index are sealed to these keys. After this check, a record that does
// not open was not added by the owner.
void require_owner(const Index::State& state, const Keys& keys) {
  if (keys.state().box_secret.size() == 0) {
    throw Error(Code::key_missing, "names of documents are sealed to the owner", "give the secret keys");
  }
  if (keys.state().box_public != state.facts.box_public) {
    throw Error(Code::parameters_mismatch, "the index was made with other keys",
                "use the keys that the index was made with");
  }
}

void require_number(const Index::State& state, u32 number) {
  if (number < state.documents) return;
  throw Error(Code::invalid_argument,
              "there is no document " + std::to_string(number) + " among " + std::to_string(state.documents),
              "numbers begin at 0");
}

DocumentRecord document_record(const Index::State& state, u32 number) {
  require_number(state, number);
  const auto file = open_log(state, kDocumentsName, FileType::documents, false).take();
  std::array<u8, kDocumentRecordBytes> bytes{};
  file.read_at(kLogStart + u64{number} * kDocumentRecordBytes, bytes).take();
  auto record = decode_document(bytes).take();
  if (record.number != number)
    throw Error(Code::io_range, "the document map is out of order", "restore documents.rfd from a copy");
  return record;
}

constexpr u64 kAskEvery = 64;  // number of documents between two calls of a progress function: some milliseconds

void ask(const Progress& progress, u64 done, u64 total) {
  if (progress && done % kAskEvery == 0 && !progress(done, total)) {
    throw Error(Code::stopped, "stopped after " + std::to_string(done) + " of " + std::to_string(total) + " documents",
                "");
  }
}

// Returns the records of these documents. It reads the whole map before the caller opens the first record. Therefore
// neither the positions nor the times of the reads depend on the contents of records. The function calls `progress`,
// whose total is `total`.
std::map<u32, DocumentRecord> records_of(const Index::State& state, std::span<const u32> numbers,
                                         const Progress& progress, u64 total) {
  const std::set<u32> wanted(numbers.begin(), numbers.end());
  for (const u32 number : wanted) require_number(state, number);
  std::map<u32, DocumentRecord> found;
  const auto file = open_log(state, kDocumentsName, FileType::documents, false).take();
  const u64 whole = for_each_document(file, [&](const DocumentRecord& record) {
                      if (wanted.contains(record.number)) found.emplace(record.number, record);
                      if (record.number < state.documents) ask(progress, u64{record.number} + 1, total);
                    }).take();
  if (found.size() < wanted.size()) {
    throw Error(Code::io_checksum,
                "the document map has " + std::to_string(whole) + " whole records, but the index named " +
                    std::to_string(state.documents) + " documents",
                "run ringfort search verify");
  }
  return found;
}

Result<Titles> titles_in(const DocumentRecord& record, const Keys& keys) {
  auto content = open_sealed(keys.state(), record.sealed);
  return content.ok() ? decode_titles(content.value()) : Result<Titles>(content.failure());
}

}  // namespace

std::vector<Index::Document> Index::read_documents(std::span<const std::uint32_t> numbers, const Keys& keys,
                                                   const Progress& progress) const {
  require_owner(*state_, keys);
  const u64 total = u64{state_->documents} + numbers.size();
  const auto records = records_of(*state_, numbers, progress, total);
  const Owner owner{keys.state(), state_->facts.id};
  std::vector<Document> documents;
  for (const u32 number : numbers) {
    const DocumentRecord& record = records.at(number);
    Document& document = documents.emplace_back();
    document.number = record.number;
    document.words = record.words;
    document.body_bytes = record.body_bytes;
    const auto titles = titles_in(record, keys);
    document.readable = titles.ok();
    if (titles.ok()) {
      document.message_id = titles.value().message_id;
      document.subject = titles.value().subject;
      document.added_by_owner = is_own(titles.value(), record, owner);
      document.has_unplaced_tag = has_version_2_tag(titles.value(), owner);
    }
    ask(progress, state_->documents + documents.size(), total);
  }
  return documents;
}

Index::Document Index::document(std::uint32_t number, const Keys& keys) const {
  return read_documents(std::span(&number, 1), keys).front();
}

std::vector<bool> Index::contains(std::span<const ContentDigest> contents, const Keys& keys,
                                  const Progress& progress) const {
  require_owner(*state_, keys);
  const Owner owner{keys.state(), state_->facts.id};
  std::vector<u32> all(state_->documents);
  std::iota(all.begin(), all.end(), 0U);
  const u64 total = 2 * all.size() + contents.size();
  std::vector<ContentMark> marks;  // one mark for each document
  marks.reserve(all.size());
  for (const auto& [number, record] : records_of(*state_, all, progress, total)) {
    const auto titles = titles_in(record, keys);
    marks.push_back(titles.ok() ? owner_mark(titles.value(), record, owner) : ContentMark{});
    ask(progress, all.size() + marks.size(), total);
  }
  std::vector<bool> found;
  for (const ContentDigest& content : contents) {
    found.push_back(content != ContentDigest{} && is_among(mark_of(content, owner), marks));
    ask(progress, 2 * all.size() + found.size(), total);
  }
  return found;
}

std::string Index::body(std::uint32_t number, const Keys& keys) const {
  require_owner(*state_, keys);
  const auto record = document_record(*state_, number);
  if (record.body_bytes == 0) return {};
  const auto file = open_log(*state_, kBodiesName, FileType::bodies, false).take();
  if (body_end(record) > file.size().take()) {  // checked before memory of this length is allocated
    throw Error(Code::io_truncated, "the body of document " + std::to_string(number) + " is cut off",
                "restore bodies.rfb from a copy");
  }
  std::vector<u8> sealed(static_cast<std::size_t>(record.body_bytes));
  file.read_at(record.body_offset, sealed).take();
  auto content = open_sealed(keys.state(), sealed);
  const auto titles = titles_in(record, keys);
  if (!content.ok() || !titles.ok()) {
    throw Error(Code::io_checksum, "the body of document " + std::to_string(number) + " does not open",
                "its writer sealed something else, or the folder was changed: restore a copy");
  }
  const u64 kept = titles.value().body_bytes;
  if (kept > content.value().size())
    throw Error(Code::io_range, "the body of document " + std::to_string(number) + " is shorter than its record says",
                "restore the folder from a copy");
  if (kept != 0) content.value().resize(static_cast<std::size_t>(kept));
  return {content.value().begin(), content.value().end()};
}

}  // namespace ringfort::io
