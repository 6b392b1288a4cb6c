// SPDX-License-Identifier: Apache-2.0
// The state, in memory, of an index folder of the word search (docs/search.md). For each document, the writer first
// writes the encrypted words to a segment (segment.h), and then a record to the document map (documents.h). The record
// commits the document. When the open segment is large enough, the writer seals the segment: it writes the footer and
// the header, syncs the file, and renames it.
//
// A crash of the process loses only the words of a document that was not committed. A crash of the machine can also
// lose documents that were committed after the last sealing, because a commit syncs nothing.
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

// State of an index that is open for appending. The words of the open segment are encrypted under the kind of key that
// `open_mode` names. `committed` is the summary of this segment up to the last committed document. `tally` also
// includes the words after this document.
struct Appender {
  pid_t process = ::getpid();  // a forked child shares the locks, but must not write
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

// The functions below read the folder. They are in index_files.cpp.

// Returns the number of documents up to the last document in a sealed segment.
[[nodiscard]] u64 named_documents(const Index::State& state) noexcept;
[[nodiscard]] Failure short_map(u64 present, u64 named);
[[nodiscard]] Result<Done> load_facts(Index::State& state);
[[nodiscard]] Result<Done> load_sealed(Index::State& state);
[[nodiscard]] Result<File> open_log(const Index::State& state, const char* name, FileType type, bool writable);
// The result of a scan of the open segment. The scan counts whole, valid words in order, up to `most`, and updates
// `tally` with them. It reads the file without a mapping, because a writer may shorten the file. It fails only if the
// file cannot be read.
struct OpenScan {
  bool present = false;
  bool readable = false;  // the header and the profile are right
  rgsw::Mode mode = rgsw::Mode::secret_key;
  u64 whole_records = 0;
};
[[nodiscard]] Result<OpenScan> scan_open(const Index::State& state, u64 most, SegmentTally& tally);
// Completes an interrupted sealing. It renames a segment whose header says sealed, but whose name still says open.
[[nodiscard]] Result<Done> finish_sealing(Index::State& state);

// In index_recover.cpp. Opens the index for appending. If may_drop is true, damaged committed documents are cut off.
// Before this, the three files that become shorter are copied to *.damaged, *.damaged-2 and so on. If may_drop is
// false, damaged documents cause io_checksum, and no file is shortened.
[[nodiscard]] Result<Done> start_appending(Index::State& state, bool may_drop);

}  // namespace ringfort::io
