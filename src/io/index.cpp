// SPDX-License-Identifier: Apache-2.0
// Class Index: creation, opening, appending and sealing of an index (index.h).
#include "io/index.h"

#include "base/checked.h"
#include "math/random.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

Appender& appender_of(Index::State& state) {
  if (!state.appender) throw Error(Code::mode_forbidden, "this index was opened for reading", "open it with append");
  if (state.appender->process != ::getpid()) {
    throw Error(Code::io_locked, "this index was opened for appending before the process was forked",
                "append in the process that opened it");
  }
  return *state.appender;
}

// Forgets the words of a document that was not committed. The next document overwrites the bytes of these words.
void roll_back(Appender& appender) { appender.tally = appender.committed; }

u64 open_end(const Index::State& state, const Appender& appender) {
  return kRecordsAt + appender.tally.records * SegmentShape(state.facts.profile, appender.open_mode).record_bytes;
}

void begin_segment(Index::State& state, Appender& appender, rgsw::Mode mode) {
  auto file = File::create(state.path(segment_name(state.segments.size() + 1, true))).take();
  auto begun = file.write_at(0, encode_segment_start(state.facts.profile, mode, true, 0));
  if (!begun.ok()) {
    // The next attempt creates the file again. It would fail if the file existed.
    static_cast<void>(remove_file(file.path()));
    begun.failure().raise();
  }
  appender.committed = SegmentTally();
  appender.tally = SegmentTally();
  appender.open_mode = mode;
  appender.open.emplace(std::move(file));
}

void seal_open(Index::State& state, Appender& appender) {
  appender.bodies.sync().take();
  appender.documents.sync().take();
  auto& file = *appender.open;
  const u64 end = open_end(state, appender);
  file.truncate(end).take();
  file.write_at(end, encode_footer(appender.committed)).take();
  file.sync().take();
  file.write_at(0, encode_segment_start(state.facts.profile, appender.open_mode, false, appender.committed.records))
      .take();
  file.sync().take();
  const std::size_t before = state.segments.size();
  finish_sealing(state).take();
  if (state.segments.size() == before)
    throw Error(Code::io_write, "the sealed segment does not read back",
                "check the disk, then run ringfort search verify --repair");
  appender.open.reset();
  appender.committed = SegmentTally();
  appender.tally = SegmentTally();
}

// Throws if the folder has data of an index that lost its parameters. Files of an interrupted creation have no data.
void require_nothing_there(const std::string& folder) {
  const auto refuse = [&](const std::string& name) {
    throw Error(Code::io_write, folder + " holds " + name + " of an index without its " + kFactsName,
                "restore " + std::string(kFactsName) + " from a copy, or choose another folder");
  };
  for (const char* name : {kDocumentsName, kBodiesName}) {
    const std::string path = folder + "/" + name;
    if (file_exists(path) && File::open_existing(path, false).take().size().take() > kLogStart) refuse(name);
  }
  for (const auto& name : list_directory(folder).take()) {
    if (name.starts_with("segment-")) refuse(name);
  }
}

}  // namespace

std::uint64_t word_bytes(const Profile& profile, rgsw::Mode mode) { return SegmentShape(profile, mode).record_bytes; }

std::uint64_t index_bytes(const Profile& profile, rgsw::Mode mode, std::uint64_t words, std::uint64_t documents) {
  const u64 facts = encode_index_facts({.profile = profile, .others = {1}, .options = {}}).size();
  const Checked bytes = Checked(words) * word_bytes(profile, mode) + Checked(documents) * kDocumentRecordBytes +
                        (facts + kRecordsAt + kFooterBytes + 2 * kLogStart);
  if (!bytes.ok())
    throw Error(Code::io_limit,
                "an index of " + std::to_string(words) + " words of " + std::to_string(word_bytes(profile, mode)) +
                    " bytes each exceeds 2^64 bytes",
                "estimate for fewer words");
  return bytes.value();
}

Index::Index(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

void Index::create(const std::string& folder, const Keys& keys, const Options& options) {
  const Profile& profile = keys.profile();
  check_profile(profile).take();
  IndexFacts facts{profile, {}, keys.state().box_public, keys.state().others, options};
  std::copy_n(fresh_public_seed().bytes.begin(), facts.id.size(), facts.id.begin());
  const auto bytes = encode_index_facts(facts);
  decode_index_facts(bytes).take();  // written parameters must pass the checks of readers
  make_directory(folder).take();
  // Without this lock, a second creation could replace the files of an index that already has documents.
  const File lock = File::hold_lock(folder + "/" + kLockName, LockMode::now).take();
  const std::string name = folder + "/" + kFactsName;
  if (file_exists(name))
    throw Error(Code::io_write, folder + " already holds an index", "append to it, or choose another folder");
  require_nothing_there(folder);
  write_file(folder + "/" + kDocumentsName, encode_log_start(FileType::documents, profile)).take();
  write_file(folder + "/" + kBodiesName, encode_log_start(FileType::bodies, profile)).take();
  write_file(name, bytes).take();  // written last: a folder with this file is complete
}

Index::Index(const std::string& folder, const OpenOptions& options) : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.folder = folder;
  load_facts(state).take();
  check_allowed(profile(), options.allow_insecure, folder).take();
  if (options.append) {
    start_appending(state, false).take();
    return;
  }
  load_sealed(state).take();
  const auto documents = open_log(state, kDocumentsName, FileType::documents, false).take();
  // Omits documents of the open segment. A search does not see their words, and would wrongly give them the count zero.
  u64 searched = 0;
  const u64 whole = for_each_document(documents, [&](const DocumentRecord& record) {
                      searched += record.words_to_here <= state.sealed_words ? 1 : 0;
                    }).take();
  const u64 named = named_documents(state);
  if (searched < named) short_map(whole, named).raise();
  state.documents = static_cast<u32>(std::min<u64>(searched, 0xFFFFFFFFU));
  state.committed_words = state.sealed_words;
}

const Profile& Index::profile() const noexcept { return state_->facts.profile; }
const IndexId& Index::id() const noexcept { return state_->facts.id; }
std::span<const std::uint8_t, 32> Index::box_public() const noexcept { return state_->facts.box_public; }

void Index::require(const AnswerFile& answer) const {
  if (answer.index_id != id()) {
    throw Error(Code::parameters_mismatch,
                "the answer counts documents of index " + hex(answer.index_id) + ", but this is index " + hex(id()),
                "name the index that was searched, or a copy of it (ringfort search inspect shows the id)");
  }
  if (answer.documents > documents()) {
    throw Error(Code::parameters_mismatch,
                "the answer counts " + std::to_string(answer.documents) +
                    " documents, but this copy of the index has " + std::to_string(documents()),
                "name a copy that is not older than the answer");
  }
}

const Index::Report& Index::recovered() const noexcept { return state_->recovered; }
std::uint64_t Index::words() const noexcept { return state_->committed_words; }
std::uint32_t Index::documents() const noexcept { return state_->documents; }
std::uint32_t Index::most_words_of_a_document() const noexcept { return state_->most_words; }

std::uint32_t Index::most_repeats() const noexcept { return state_->facts.options.most_repeats; }

rgsw::Mode Index::mode() const noexcept {
  for (const auto& segment : state_->segments) {
    if (segment.frame.mode == rgsw::Mode::public_key) return rgsw::Mode::public_key;
  }
  return rgsw::Mode::secret_key;
}

std::uint64_t Index::word_bytes(rgsw::Mode mode) const noexcept { return io::word_bytes(state_->facts.profile, mode); }

void Index::encode_word(std::uint32_t document, const rgsw::EncryptedBits& bits, Scratch& scratch,
                        std::vector<std::uint8_t>& record) const {
  const SegmentShape shape(state_->facts.profile, bits.mode());
  if (bits.size() != shape.planes) {
    throw Error(Code::invalid_argument,
                "a word has " + std::to_string(bits.size()) + " encrypted bits, but words of this index have " +
                    std::to_string(shape.planes),
                "");
  }
  scratch.residues.resize(shape.plane_words);
  const auto head = encode_record_head({document, rgsw::public_seed(bits)});
  record.resize(shape.record_bytes);  // reuses the memory of the record
  std::copy(head.begin(), head.end(), record.begin());
  for (u32 i = 0; i < shape.planes; ++i) {
    rgsw::export_bit(bits, i, scratch.residues);
    encode_plane(shape, scratch.residues,
                 std::span(record).subspan(kRecordHeadBytes + i * shape.plane_bytes, shape.plane_bytes));
  }
}

void Index::append_word(rgsw::Mode mode, std::span<const std::uint8_t> record) {
  auto& state = *state_;
  auto& appender = appender_of(state);
  const SegmentShape shape(state.facts.profile, mode);
  const auto head = decode_record_head(record).take();
  if (record.size() != shape.record_bytes || head.document != state.documents) {
    throw Error(Code::invalid_argument,
                "a record of " + std::to_string(record.size()) + " bytes for document " +
                    std::to_string(head.document) + " does not fit here",
                "give records of " + std::to_string(shape.record_bytes) + " bytes, document by document; document " +
                    std::to_string(state.documents) + " is next");
  }
  try {
    const bool between_documents = appender.tally.records == appender.committed.records;
    if (appender.open && appender.open_mode != mode && !between_documents) {
      throw Error(Code::mode_forbidden, "a document has words under the secret key and words under the public key",
                  "encrypt all words of a document under one of these keys");
    }
    if (appender.open && between_documents &&
        (appender.open_mode != mode || open_end(state, appender) >= state.facts.options.segment_bytes))
      seal();
    if (!appender.open) begin_segment(state, appender, mode);
    const u64 at = open_end(state, appender);
    appender.open->write_at(at, record).take();
    appender.open->write_behind(at + record.size());
  } catch (...) {
    discard();
    throw;
  }
  appender.tally.count(record, head.document);
}

std::uint32_t Index::commit_document(std::string_view message_id, std::string_view subject, std::string_view body,
                                     const CommitOptions& options) {
  auto& state = *state_;
  auto& appender = appender_of(state);
  try {
    if (body.size() > kBodyLimit)
      throw Error(Code::io_limit, "a body has " + std::to_string(body.size()) + " bytes", "use at most 64 MiB");
    if (state.documents == 0xFFFFFFFFU)
      throw Error(Code::io_limit, "the index is full: 2^32 - 1 documents", "start another index");
    DocumentRecord record;
    record.number = state.documents;
    record.words = static_cast<u32>(appender.tally.records - appender.committed.records);
    record.words_to_here = state.committed_words + record.words;
    record.body_offset = appender.last_document ? body_end(*appender.last_document) : kLogStart;
    if (appender.last_document) record.before = chained(*appender.last_document);
    if (!body.empty()) {
      std::vector<u8> plain(body.begin(), body.end());
      plain.resize(options.padded ? padded_body(plain.size()) : plain.size());
      auto sealed = seal_to(state.facts.box_public, plain);
      record.body_bytes = sealed.size();
      ByteWriter(sealed).put_u32(crc32c(sealed));
      appender.bodies.write_at(record.body_offset, sealed).take();
    }
    const bool owned = options.owner != nullptr && options.owner->state().box_secret.size() != 0;
    Titles titles = titles_of(message_id, subject, owned);
    titles.body_bytes = body.size();
    if (owned) set_tag(titles, record, options.content, {options.owner->state(), state.facts.id});
    const auto sealed = seal_to(state.facts.box_public, encode_titles(titles));
    std::copy(sealed.begin(), sealed.end(), record.sealed.begin());
    appender.documents.write_at(kLogStart + u64{record.number} * kDocumentRecordBytes, encode_document(record)).take();
    appender.last_document = record;
    state.committed_words = record.words_to_here;
  } catch (...) {
    discard();
    throw;
  }
  appender.committed = appender.tally;
  state.most_words = std::max(state.most_words, appender.committed.most_words);
  return state.documents++;
}

void Index::discard() noexcept {
  if (state_->appender) roll_back(*state_->appender);
}

void Index::seal() {
  auto& appender = appender_of(*state_);
  roll_back(appender);
  if (!appender.open || appender.committed.records == 0) return;
  try {
    seal_open(*state_, appender);
  } catch (...) {
    state_->appender.reset();  // the segment may already have a sealed header, and then nothing can be appended to it
    throw;
  }
}

}  // namespace ringfort::io
