// SPDX-License-Identifier: Apache-2.0
// The index folder in memory. The writer writes the words of a document, then its record, which commits the document.
// When the open segment is large enough, the writer writes its footer and header, syncs and renames it. A crash of the
// process loses only the words of a document that was not committed. A crash of the machine can also lose the tail of
// the open segment, because a commit syncs nothing.
#pragma once

#include <unistd.h>

#include <optional>

#include "io/documents.h"
#include "io/segment.h"

namespace ringfort::io {

struct SealedSegment {
  std::string path;
  Mapping mapping;
  SegmentFrame frame;
  u64 first_word = 0;
  std::size_t record_bytes = 0;
};

// State of an index that is open for appending. `committed` covers the open segment up to the last committed document,
// `tally` also the words after it.
struct Appender {
  pid_t process = ::getpid();  // a forked child shares the locks, and must not write
  File lock;
  File documents;
  File bodies;
  std::optional<File> open;
  rgsw::Mode open_mode = rgsw::Mode::secret_key;
  SegmentTally committed;
  SegmentTally tally;
  std::optional<DocumentRecord> last_document;
};

struct Index::State {
  std::string folder;
  IndexFacts facts;
  std::vector<SealedSegment> segments;
  u64 sealed_words = 0;
  u64 committed_words = 0;
  u32 documents = 0;
  u32 most_words = 0;
  Report recovered;
  std::optional<Appender> appender;

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
};

inline constexpr const char* kFactsName = "parameters.rfp";
inline constexpr const char* kDocumentsName = "documents.rfd";
inline constexpr const char* kBodiesName = "bodies.rfb";
inline constexpr const char* kLockName = "lock";
[[nodiscard]] std::string segment_name(u64 number, bool open);  // numbers begin at 1

// In index_files.cpp: functions that read the folder.
// Returns the number of documents up to the last one in a sealed segment.
[[nodiscard]] u64 named_documents(const Index::State& state) noexcept;
[[nodiscard]] Failure short_map(u64 present, u64 named);
[[nodiscard]] Result<Done> load_facts(Index::State& state);
[[nodiscard]] Result<Done> load_sealed(Index::State& state);
[[nodiscard]] Result<File> open_log(const Index::State& state, const char* name, FileType type, bool writable);
// Result of a scan of the open segment. The scan counts whole, valid words in order, up to `most`, and updates `tally`
// with them. It reads the file without a mapping, because a writer may shorten the file. Fails only if the file cannot
// be read.
struct OpenScan {
  bool present = false;
  bool readable = false;  // header and profile are right
  rgsw::Mode mode = rgsw::Mode::secret_key;
  u64 whole_records = 0;
};
[[nodiscard]] Result<OpenScan> scan_open(const Index::State& state, u64 most, SegmentTally& tally);
// Completes an interrupted sealing: renames a segment whose header says sealed, but whose name still says open.
[[nodiscard]] Result<Done> finish_sealing(Index::State& state);

// In index_recover.cpp. Opens the index for appending. With may_drop, damaged committed documents are cut off, after
// their files are copied to *.damaged, *.damaged-2 and so on. Without may_drop they cause io_checksum, and nothing
// changes.
[[nodiscard]] Result<Done> start_appending(Index::State& state, bool may_drop);

}  // namespace ringfort::io
