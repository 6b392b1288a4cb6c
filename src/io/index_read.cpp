// SPDX-License-Identifier: Apache-2.0
// Class Index: reads encrypted words for searches, and verifies an index. A *plane* is one encrypted bit of a word.
#include <algorithm>
#include <tuple>

#include "io/index.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

std::span<const u8> record_of(const Index::State& state, u64 word, const SealedSegment*& segment) {
  if (word >= state.sealed_words) {
    throw Error(
        Code::invalid_argument,
        "there is no word " + std::to_string(word) + " among " + std::to_string(state.sealed_words) + " sealed words",
        "numbers of words begin at 0");
  }
  const auto after = std::upper_bound(state.segments.begin(), state.segments.end(), word,
                                      [](u64 w, const SealedSegment& s) { return w < s.first_word; });
  segment = &*(after - 1);
  const u64 at = kRecordsAt + (word - segment->first_word) * segment->record_bytes;
  return segment->mapping.bytes().subspan(static_cast<std::size_t>(at), segment->record_bytes);
}

using CopiedWords = std::optional<std::pair<u64, u64>>;

CopiedWords find_copies(const Index::State& state) {
  constexpr std::size_t kSeedAt = 8;
  struct Start {
    std::array<u8, sizeof(PublicSeed::bytes)> bytes;
    u64 word;
    bool operator<(const Start& other) const { return std::tie(bytes, word) < std::tie(other.bytes, other.word); }
  };
  std::vector<Start> starts;
  starts.reserve(static_cast<std::size_t>(state.sealed_words));
  for (u64 word = 0; word < state.sealed_words; ++word) {
    const SealedSegment* segment = nullptr;
    const auto record = record_of(state, word, segment);
    const bool seeded = segment->frame.mode == rgsw::Mode::secret_key;
    Start& start = starts.emplace_back(Start{{}, word});
    std::copy_n(record.begin() + (seeded ? kSeedAt : kRecordHeadBytes), start.bytes.size(), start.bytes.begin());
  }
  std::sort(starts.begin(), starts.end());
  const auto copied = std::adjacent_find(starts.begin(), starts.end(),
                                         [](const Start& a, const Start& b) { return a.bytes == b.bytes; });
  if (copied == starts.end()) return std::nullopt;
  return std::pair(copied->word, std::next(copied)->word);
}

const std::string kTail = "open ";  // the text of problems that a repair removes begins with this

// Checks a whole folder, and collects the problems that it finds.
struct Checker {
  Index::State& state;
  Index::Report& report;
  const Progress& progress;
  u64 done = 0;
  u64 body_file_bytes = 0;

  void step() {
    ++done;
    ask();
  }
  // Calls the progress function after each word and after each document. `done` counts only words.
  void ask() {
    if (progress && !progress(done, state.sealed_words))
      throw Error(Code::stopped,
                  "stopped after " + std::to_string(done) + " of " + std::to_string(state.sealed_words) + " words", "");
  }

  void note(const std::string& where, const Failure& why) {
    report.problems.push_back(where + ": " + std::string(code_name(why.code)) + ": " + why.problem);
  }
  void segment(const SealedSegment& sealed) {
    const SegmentShape shape(sealed.frame.profile, sealed.frame.mode);
    std::vector<u64> scratch(shape.plane_words);
    SegmentTally tally;
    for (u64 i = 0; i < sealed.frame.footer.records; ++i) {
      const auto record = sealed.mapping.bytes().subspan(static_cast<std::size_t>(kRecordsAt + i * shape.record_bytes),
                                                         shape.record_bytes);
      auto head = check_record(shape, record, scratch);
      if (!head.ok()) return note(sealed.path + ", word " + std::to_string(i), head.failure());
      if (!tally.accepts(head.value().document))
        return note(sealed.path, {Code::io_range, "document numbers decrease", ""});
      tally.count(record, head.value().document);
      step();
    }
    const auto& footer = sealed.frame.footer;
    if (tally.digest() != footer.digest || tally.most_words != footer.most_words ||
        tally.first_document != footer.first_document || tally.last_document != footer.last_document) {
      note(sealed.path, {Code::io_checksum, "the words do not match the footer", ""});
    }
  }
  void body(const File& bodies, const DocumentRecord& record) {
    if (record.body_bytes == 0) return;
    if (body_end(record) > body_file_bytes) {  // checked before memory of this length is allocated
      return note("body of document " + std::to_string(record.number), {Code::io_truncated, "it is cut off", ""});
    }
    std::vector<u8> sealed(static_cast<std::size_t>(record.body_bytes) + 4);
    auto done = bodies.read_at(record.body_offset, sealed);
    if (!done.ok()) return note("body of document " + std::to_string(record.number), done.failure());
    const auto content = std::span(sealed).first(sealed.size() - 4);
    if (ByteReader(std::span(sealed).last(4)).take_u32() != crc32c(content)) {
      note("body of document " + std::to_string(record.number),
           {Code::io_checksum, "it does not match its checksum", ""});
    }
  }
  void documents() {
    auto file = open_log(state, kDocumentsName, FileType::documents, false);
    auto bodies = open_log(state, kBodiesName, FileType::bodies, false);
    if (!file.ok()) return note(kDocumentsName, file.failure());
    if (!bodies.ok()) return note(kBodiesName, bodies.failure());
    auto size = bodies.value().size();
    if (!size.ok()) return note(kBodiesName, size.failure());
    body_file_bytes = size.value();
    u64 words = 0;
    const u64 words_present = report.words;
    u64 whole = 0, sealed = 0;
    auto seen = for_each_document(file.value(), [&](const DocumentRecord& record) {
      if (record.words_to_here > words_present) return;
      words = record.words_to_here;
      ++whole;
      sealed += record.words_to_here <= state.sealed_words ? 1 : 0;
      body(bodies.value(), record);
      ask();
    });
    if (!seen.ok()) return note(kDocumentsName, seen.failure());
    report.documents = whole;
    const u64 bytes = file.value().size().take();
    report.dropped_documents = (bytes - kLogStart) / kDocumentRecordBytes - whole;
    report.dropped_words = words_present - words;
    report.words = words;
    if (report.dropped_words != 0 || report.dropped_documents != 0 ||
        bytes != kLogStart + whole * kDocumentRecordBytes) {
      note(kTail + "tail", {report.dropped_documents != 0 ? Code::io_checksum : Code::io_truncated,
                            std::to_string(report.dropped_words) + " words were not committed, " +
                                std::to_string(report.dropped_documents) + " committed documents are damaged",
                            ""});
    }
    if (words < state.sealed_words)
      note(kDocumentsName, {Code::io_truncated, "it ends before the sealed segments do", ""});
    else if (const u64 named = named_documents(state); named > sealed) note(kDocumentsName, short_map(sealed, named));
  }
};

}  // namespace

std::uint32_t Index::document_of(std::uint64_t word) const {
  const SealedSegment* segment = nullptr;
  const auto head = decode_record_head(record_of(*state_, word, segment)).take();
  const auto& footer = segment->frame.footer;
  if (head.document < footer.first_document || head.document > footer.last_document) {
    throw Error(Code::io_range, segment->path + ": a word belongs to a document outside the segment",
                "run ringfort search verify");
  }
  return head.document;
}

CopiedWords Index::copied_words() const { return find_copies(*state_); }

void Index::read_word(std::uint64_t word, std::span<const std::uint32_t> planes, const rgsw::Context& context,
                      rgsw::EncryptedBits& out, Scratch& scratch) const {
  const SealedSegment* segment = nullptr;
  const auto record = record_of(*state_, word, segment);
  const SegmentShape shape(segment->frame.profile, segment->frame.mode);
  const auto head = decode_record_head(record).take();
  scratch.residues.resize(planes.size() * shape.plane_words);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (planes[i] >= shape.planes)
      throw Error(Code::invalid_argument,
                  "there is no encrypted bit " + std::to_string(planes[i]) + " among " + std::to_string(shape.planes),
                  "numbers of bits begin at 0");
    decode_plane(shape, record.subspan(kRecordHeadBytes + planes[i] * shape.plane_bytes, shape.plane_bytes),
                 std::span(scratch.residues).subspan(i * shape.plane_words, shape.plane_words))
        .take();
  }
  rgsw::import_bits(out, context, {shape.mode, head.seed, planes, scratch.residues}).take();
}

Index::Report Index::verify(const std::string& folder, bool repair, const Progress& progress) {
  Report report;
  State state;
  state.folder = folder;
  Checker checker{state, report, progress};
  load_facts(state).take();
  auto sealed = load_sealed(state);
  if (!sealed.ok()) checker.note(folder, sealed.failure());
  for (const auto& segment : state.segments) {
    checker.segment(segment);
    report.bytes += segment.mapping.bytes().size();
  }
  report.segments = state.segments.size();
  SegmentTally tally;
  const auto open = scan_open(state, ~u64{0}, tally).take();
  report.words = state.sealed_words + open.whole_records;
  checker.documents();
  if (open.present) {
    const std::string words = std::to_string(open.whole_records);
    checker.note(
        kTail + "segment",
        {Code::io_truncated, "it holds " + words + " whole words and is not sealed; searches do not see them", ""});
  }
  // A repair shortens only the open segment, the document map and the bodies. It does not repair other damage.
  const bool tail_only = std::all_of(report.problems.begin(), report.problems.end(),
                                     [](const auto& problem) { return problem.starts_with(kTail); });
  if (const auto copied = find_copies(state)) {
    checker.note(folder, {Code::noise_bound_exceeded,
                          "word " + std::to_string(copied->second) + " is a copy of word " +
                              std::to_string(copied->first) + ": searches of the index are refused",
                          ""});
  }
  if (!repair || !tail_only) return report;
  auto appending = std::make_unique<State>();
  appending->folder = folder;
  load_facts(*appending).take();
  start_appending(*appending, true).take();
  Index index(std::move(appending));
  report.dropped_words = index.recovered().dropped_words;
  report.dropped_documents = index.recovered().dropped_documents;
  index.seal();
  report.words = index.words();
  report.documents = index.documents();
  report.segments = index.state_->segments.size();
  report.repaired = true;
  return report;
}

}  // namespace ringfort::io
