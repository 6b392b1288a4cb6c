// SPDX-License-Identifier: Apache-2.0
// Opens an index for appending. A document is complete if its record is in the document map, and all its words are in
// the segments. The code finds the last complete document. Then it shortens three files to the end of this document:
// the open segment, the document map and the file of bodies. Sealed segments never change.
//
// An interrupted program leaves uncommitted words, and at most one incomplete record at the end. A whole record without
// its words is damage. A record with a wrong checksum is also damage. Only a repair removes damage.
#include "io/index.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ringfort::io {

namespace {

struct Extent {  // everything up to the last complete document
  u64 documents = 0;
  u64 sealed_documents = 0;   // documents with all their words in sealed segments
  u64 documents_present = 0;  // records of full length
  std::optional<DocumentRecord> last;
};

Result<Extent> find_extent(const File& documents, u64 sealed_words, u64 words_present) {
  Extent extent;
  auto present = for_each_document(documents, [&](const DocumentRecord& record) {
    if (record.words_to_here > words_present) return;
    extent.last = record;
    ++extent.documents;
    extent.sealed_documents += record.words_to_here <= sealed_words ? 1 : 0;
  });
  if (!present.ok()) return present.failure();
  auto bytes = documents.size();
  if (!bytes.ok()) return bytes.failure();
  extent.documents_present = (bytes.value() - kLogStart) / kDocumentRecordBytes;
  return extent;
}

// Copies the files that a repair shortens. All copies get one suffix, which no file of the folder has.
Result<Done> keep_damaged(const Index::State& state) {
  constexpr unsigned kMostRepairs = 100000;
  auto present = list_directory(state.folder);
  if (!present.ok()) return present.failure();
  std::set<std::string> taken;
  for (const std::string& name : present.value()) {
    if (const std::size_t at = name.rfind(".damaged"); at != std::string::npos) taken.insert(name.substr(at));
  }
  std::string ending = ".damaged";
  for (unsigned i = 2; taken.contains(ending); ++i) {
    if (i > kMostRepairs)
      return Failure{Code::io_write, "copies of " + std::to_string(kMostRepairs) + " repairs are in " + state.folder,
                     "move them elsewhere"};
    ending = ".damaged-" + std::to_string(i);
  }
  for (const std::string& name :
       {segment_name(state.segments.size() + 1, true), std::string(kDocumentsName), std::string(kBodiesName)}) {
    if (!file_exists(state.path(name))) continue;
    auto kept = copy_file(state.path(name), state.path(name + ending));
    if (!kept.ok()) return kept;
  }
  return Done{};
}

// Fails if the open segment has another hard link. The file may then belong to another user, and must not be renamed,
// read or copied.
Result<Done> require_own_open(const Index::State& state) {
  const std::string path = state.path(segment_name(state.segments.size() + 1, true));
  if (!file_exists(path)) return Done{};
  auto file = File::open_existing(path, false);
  if (!file.ok()) return file.failure();
  return file.value().require_one_name();
}

Result<Done> shorten(File& file, u64 bytes) {
  auto present = file.size();
  if (!present.ok()) return present.failure();
  if (present.value() == bytes) return Done{};
  if (present.value() < bytes) {
    return Failure{Code::io_truncated, file.path() + " has lost bytes that its document map names",
                   "restore it from a copy"};
  }
  return file.truncate(bytes);
}

Result<Done> recover_open(Index::State& state, Appender& appender, const OpenScan& scan, const Extent& extent) {
  const u64 kept = extent.last ? extent.last->words_to_here - state.sealed_words : 0;
  const std::string path = state.path(segment_name(state.segments.size() + 1, true));
  if (!scan.present) return Done{};
  if (!scan.readable && kept != 0) return Failure{Code::internal, "words were counted in an unreadable segment", ""};
  if (kept == 0) return remove_file(path);  // the segment has no committed word
  auto file = File::hold(path, LockMode::now);
  if (!file.ok()) return file.failure();
  appender.committed = SegmentTally();
  auto again = scan_open(state, kept, appender.committed);
  if (!again.ok()) return again.failure();
  const auto& words = appender.committed;
  // Refuses words of documents that are in sealed segments or not in the document map. A segment with such words could
  // not be sealed, or readers would refuse the index.
  if (words.first_document < named_documents(state) || words.last_document >= extent.documents) {
    return Failure{Code::io_range, "words in the open segment have numbers of documents that are not in this segment",
                   "restore the folder from a copy"};
  }
  const SegmentShape shape(state.facts.profile, scan.mode);
  auto done = file.value().truncate(kRecordsAt + kept * shape.record_bytes);
  if (!done.ok()) return done;
  appender.tally = appender.committed;
  appender.open_mode = scan.mode;
  appender.open.emplace(std::move(file.value()));
  return Done{};
}

}  // namespace

Result<Done> start_appending(Index::State& state, bool may_drop) {
  auto lock = File::hold_lock(state.path(kLockName), LockMode::now);
  if (!lock.ok()) return lock.failure();
  // The document map is locked, too. Without this lock, a second process could write if somebody removed or replaced
  // the lock file.
  auto documents = open_log(state, kDocumentsName, FileType::documents, true);
  if (!documents.ok()) return documents.failure();
  auto done = remove_leftovers(state.folder);
  if (!done.ok()) return done;
  done = load_sealed(state);  // the lock is held, so that no other process can seal
  if (!done.ok()) return done;
  done = require_own_open(state);
  if (!done.ok()) return done;
  done = finish_sealing(state);
  if (!done.ok()) return done;
  auto bodies = open_log(state, kBodiesName, FileType::bodies, true);
  if (!bodies.ok()) return bodies.failure();

  Appender appender;
  SegmentTally present;
  auto scan = scan_open(state, std::numeric_limits<u64>::max(), present);
  if (!scan.ok()) return scan.failure();
  const u64 words = state.sealed_words + scan.value().whole_records;
  auto extent = find_extent(documents.value(), state.sealed_words, words);
  if (!extent.ok()) return extent.failure();
  const u64 kept_words = extent.value().last ? extent.value().last->words_to_here : 0;
  if (kept_words < state.sealed_words) {
    return Failure{Code::io_checksum,
                   "the document map ends before the sealed segments do: " +
                       std::to_string(state.sealed_words - kept_words) + " words have no document",
                   "restore documents.rfd from a copy"};
  }
  if (const u64 named = named_documents(state); named > extent.value().sealed_documents)
    return short_map(extent.value().sealed_documents, named);  // readers also refuse such an index
  const u64 damaged = extent.value().documents_present - extent.value().documents;
  if (damaged != 0 && !may_drop) {
    return Failure{Code::io_checksum,
                   std::to_string(damaged) + " committed documents are damaged in the open segment or the document map",
                   "restore a copy, or let ringfort search verify --repair drop them"};
  }
  if (damaged != 0) {
    done = keep_damaged(state);
    if (!done.ok()) return done;
  }
  done = recover_open(state, appender, scan.value(), extent.value());
  if (!done.ok()) return done;
  done = shorten(documents.value(), kLogStart + extent.value().documents * kDocumentRecordBytes);
  if (!done.ok()) return done;
  done = shorten(bodies.value(), extent.value().last ? body_end(*extent.value().last) : kLogStart);
  if (!done.ok()) return done;

  state.documents = static_cast<u32>(extent.value().documents);
  state.committed_words = kept_words;
  state.most_words = std::max(state.most_words, appender.committed.most_words);
  state.recovered.words = kept_words;
  state.recovered.documents = extent.value().documents;
  state.recovered.segments = state.segments.size();
  state.recovered.dropped_words = words - kept_words;
  state.recovered.dropped_documents = damaged;
  appender.last_document = extent.value().last;
  appender.lock = std::move(lock.value());
  appender.documents = std::move(documents.value());
  appender.bodies = std::move(bodies.value());
  state.appender.emplace(std::move(appender));
  return Done{};
}

}  // namespace ringfort::io
