// SPDX-License-Identifier: Apache-2.0
// Index: words for a search, titles and bodies for the owner, and the check of everything.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "io/index.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

std::span<const u8> record_of(const Index::State& state, u64 word, const SealedSegment*& segment) {
  if (word >= state.sealed_words) {
    throw Error(Code::invalid_argument,
                "word " + std::to_string(word) + " of " + std::to_string(state.sealed_words) + " sealed ones", "");
  }
  const auto after = std::upper_bound(state.segments.begin(), state.segments.end(), word,
                                      [](u64 w, const SealedSegment& s) { return w < s.first_word; });
  segment = &*(after - 1);
  const u64 at = kRecordsAt + (word - segment->first_word) * segment->record_bytes;
  return segment->mapping.bytes().subspan(static_cast<std::size_t>(at), segment->record_bytes);
}

void require_number(const Index::State& state, u32 number) {
  if (number < state.documents) return;
  throw Error(Code::invalid_argument, "document " + std::to_string(number) + " of " + std::to_string(state.documents),
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

// All of the map is read before the first of them is opened, so that neither places nor times of the reads depend on
// them.
std::map<u32, DocumentRecord> records_of(const Index::State& state, std::span<const u32> numbers) {
  const std::set<u32> wanted(numbers.begin(), numbers.end());
  for (const u32 number : wanted) require_number(state, number);
  std::map<u32, DocumentRecord> found;
  const auto file = open_log(state, kDocumentsName, FileType::documents, false).take();
  const u64 whole = for_each_document(file, [&](const DocumentRecord& record) {
                      if (wanted.contains(record.number)) found.emplace(record.number, record);
                    }).take();
  if (found.size() < wanted.size()) {
    throw Error(Code::io_checksum,
                "the document map has " + std::to_string(whole) + " whole records, the index named " +
                    std::to_string(state.documents) + " documents",
                "run ringfort search verify");
  }
  return found;
}

const std::string kTail = "open ";  // begins the problems that a repair removes

// What the checks of a whole folder collect.
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
  // Documents take time, too, and are no words.
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
        return note(sealed.path, {Code::io_range, "document numbers fall", ""});
      tally.count(record, head.value().document);
      step();
    }
    const auto& footer = sealed.frame.footer;
    if (tally.digest() != footer.digest || tally.most_words != footer.most_words ||
        tally.first_document != footer.first_document || tally.last_document != footer.last_document) {
      note(sealed.path, {Code::io_checksum, "the words are not those its footer names", ""});
    }
  }
  void body(const File& bodies, const DocumentRecord& record) {
    if (record.body_bytes == 0) return;
    if (body_end(record) > body_file_bytes) {  // before its length is used for memory
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
    u64 whole = 0;
    auto seen = for_each_document(file.value(), [&](const DocumentRecord& record) {
      if (record.words_to_here > words_present) return;
      words = record.words_to_here;
      ++whole;
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
  }
};

}  // namespace

std::uint32_t Index::document_of(std::uint64_t word) const {
  const SealedSegment* segment = nullptr;
  const auto head = decode_record_head(record_of(*state_, word, segment)).take();
  const auto& footer = segment->frame.footer;
  if (head.document < footer.first_document || head.document > footer.last_document) {
    throw Error(Code::io_range, segment->path + ": a word of a document outside the segment",
                "run ringfort search verify");
  }
  return head.document;
}

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
                  "encrypted bit " + std::to_string(planes[i]) + " of " + std::to_string(shape.planes), "");
    decode_plane(shape, record.subspan(kRecordHeadBytes + planes[i] * shape.plane_bytes, shape.plane_bytes),
                 std::span(scratch.residues).subspan(i * shape.plane_words, shape.plane_words))
        .take();
  }
  rgsw::import_bits(out, context, {shape.mode, head.seed, planes, scratch.residues}).take();
}

std::vector<Index::Document> Index::read_documents(std::span<const std::uint32_t> numbers, const Keys& keys) const {
  const auto records = records_of(*state_, numbers);
  std::vector<Document> documents;
  for (const u32 number : numbers) {
    const DocumentRecord& record = records.at(number);
    const auto titles = decode_titles(open_sealed(keys.state(), record.sealed).take()).take();
    documents.push_back({record.number, record.words, titles.message_id, titles.subject, record.body_bytes,
                         is_own(titles, {keys.state(), state_->facts.id})});
  }
  return documents;
}

Index::Document Index::document(std::uint32_t number, const Keys& keys) const {
  return read_documents(std::span(&number, 1), keys).front();
}

std::vector<bool> Index::held(std::span<const ContentDigest> contents, const Keys& keys) const {
  if (keys.state().box_secret.size() == 0) {
    throw Error(Code::key_missing, "names of documents are sealed to the owner", "give the secret keys");
  }
  const Owner owner{keys.state(), state_->facts.id};
  std::vector<u32> all(state_->documents);
  std::iota(all.begin(), all.end(), 0U);
  // the owner's alone: nobody else puts one here to be compared
  std::set<ContentMark> marks;
  for (const auto& [number, record] : records_of(*state_, all)) {
    const auto titles = decode_titles(open_sealed(keys.state(), record.sealed).take()).take();
    if (has_own_mark(titles, owner)) marks.insert(titles.mark);
  }
  std::vector<bool> found;
  for (const ContentDigest& content : contents)
    found.push_back(content != ContentDigest{} && marks.contains(mark_of(content, owner)));
  return found;
}

std::string Index::body(std::uint32_t number, const Keys& keys) const {
  const auto record = document_record(*state_, number);
  if (record.body_bytes == 0) return {};
  const auto file = open_log(*state_, kBodiesName, FileType::bodies, false).take();
  if (body_end(record) > file.size().take()) {  // before its length is used for memory
    throw Error(Code::io_truncated, "the body of document " + std::to_string(number) + " is cut off",
                "restore bodies.rfb from a copy");
  }
  std::vector<u8> sealed(static_cast<std::size_t>(record.body_bytes));
  file.read_at(record.body_offset, sealed).take();
  auto content = open_sealed(keys.state(), sealed).take();
  const u64 kept = decode_titles(open_sealed(keys.state(), record.sealed).take()).take().body_bytes;
  if (kept > content.size())
    throw Error(Code::io_range, "the body of document " + std::to_string(number) + " is shorter than its record says",
                "restore the folder from a copy");
  if (kept != 0) content.resize(static_cast<std::size_t>(kept));
  return {content.begin(), content.end()};
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
  // Damage anywhere else is not repaired by shortening the tail.
  const bool tail_only = std::all_of(report.problems.begin(), report.problems.end(),
                                     [](const auto& problem) { return problem.starts_with(kTail); });
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
