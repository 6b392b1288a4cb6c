// SPDX-License-Identifier: Apache-2.0
// Reads the files of an index folder, and checks their headers, profiles and footers. It writes only to complete an
// interrupted sealing.
#include "io/index.h"

namespace ringfort::io {

namespace {

Failure foreign(const std::string& name) {
  return {Code::io_digest, name + " was made with other parameters or keys than the index",
          "keep each index in its own folder"};
}

Result<SealedSegment> load_segment(const Index::State& state, const std::string& path, const std::string& name) {
  auto mapping = Mapping::open(path);
  if (!mapping.ok()) return mapping.failure();
  auto frame = decode_segment(mapping.value().bytes());
  if (!frame.ok()) return Failure{frame.failure().code, name + ": " + frame.failure().problem, frame.failure().fix};
  if (digest(frame.value().profile) != digest(state.facts.profile)) return foreign(name);
  SealedSegment segment;
  segment.path = path;
  segment.mapping = std::move(mapping.value());
  segment.frame = std::move(frame.value());
  segment.record_bytes = SegmentShape(segment.frame.profile, segment.frame.mode).record_bytes;
  return segment;
}

}  // namespace

std::string segment_name(u64 number, bool open) {
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return "segment-" + digits + (open ? ".open" : ".rfs");
}

u64 named_documents(const Index::State& state) noexcept {
  return state.segments.empty() ? 0 : u64{state.segments.back().frame.footer.last_document} + 1;
}

Failure short_map(u64 present, u64 named) {
  return {Code::io_truncated,
          "the document map has " + std::to_string(present) + " whole records, but the segments name " +
              std::to_string(named) + " documents",
          "restore documents.rfd from a copy"};
}

Result<Done> load_facts(Index::State& state) {
  auto bytes = read_typed(state.path(kFactsName), FileType::parameters, kSmallFileLimit, Links::refuse);
  if (!bytes.ok()) return bytes.failure();
  auto facts = decode_index_facts(bytes.value());
  if (!facts.ok()) return facts.failure();
  state.facts = std::move(facts.value());
  return Done{};
}

// Fails if a segment is missing. Without this check, later segments would be invisible, and an append would overwrite
// them.
Result<Done> refuse_gaps(const Index::State& state) {
  auto names = list_directory(state.folder);
  if (!names.ok()) return names.failure();
  const std::string next = segment_name(state.segments.size() + 1, true);
  for (const auto& name : names.value()) {
    const bool is_segment = name.starts_with("segment-") && (name.ends_with(".rfs") || name.ends_with(".open"));
    const bool loaded =
        name.ends_with(".rfs") && name < segment_name(state.segments.size() + 1, false) && name.size() <= next.size();
    if (is_segment && !loaded && name != next) {
      return Failure{Code::io_open, segment_name(state.segments.size() + 1, false) + " is missing before " + name,
                     "restore it from a copy"};
    }
  }
  return Done{};
}

Result<Done> load_next_sealed(Index::State& state) {
  for (u64 number = state.segments.size() + 1;; ++number) {
    const std::string name = segment_name(number, false);
    if (!file_exists(state.path(name))) break;
    auto segment = load_segment(state, state.path(name), name);
    if (!segment.ok()) return segment.failure();
    const auto& footer = segment.value().frame.footer;
    const bool ascends =
        state.segments.empty() || footer.first_document > state.segments.back().frame.footer.last_document;
    if (!ascends)
      return Failure{Code::io_range, name + " repeats documents of the segment before it",
                     "restore the folder from a copy"};
    segment.value().first_word = state.sealed_words;
    state.sealed_words += footer.records;
    state.most_words = std::max(state.most_words, footer.most_words);
    state.segments.push_back(std::move(segment.value()));
  }
  return Done{};
}

Result<Done> load_sealed(Index::State& state) {
  for (;;) {
    auto done = load_next_sealed(state);
    if (!done.ok()) return done;
    done = refuse_gaps(state);
    // A writer may have sealed the next segment between the two calls. Then there is no gap.
    if (done.ok() || !file_exists(state.path(segment_name(state.segments.size() + 1, false)))) return done;
  }
}

Result<File> open_log(const Index::State& state, const char* name, FileType type, bool writable) {
  auto file = writable ? File::hold(state.path(name), LockMode::now) : File::open_existing(state.path(name), false);
  if (!file.ok()) return file;
  std::array<u8, kLogStart> start{};
  auto done = file.value().read_at(0, start);
  if (!done.ok()) return done.failure();
  auto profile = decode_log_start(start, type);
  if (!profile.ok())
    return Failure{profile.failure().code, std::string(name) + ": " + profile.failure().problem, profile.failure().fix};
  if (digest(profile.value()) != digest(state.facts.profile)) return foreign(name);
  return file;
}

Result<OpenScan> scan_open(const Index::State& state, u64 most, SegmentTally& tally) {
  OpenScan scan;
  const std::string path = state.path(segment_name(state.segments.size() + 1, true));
  scan.present = file_exists(path);
  if (!scan.present) return scan;
  auto file = File::open_existing(path, false);
  if (!file.ok()) return file.failure();
  std::array<u8, kRecordsAt> start{};
  auto done = file.value().read_at(0, start);
  if (!done.ok()) return done.failure().code == Code::io_truncated ? Result<OpenScan>(scan) : done.failure();
  auto frame = decode_open_segment(start);
  if (!frame.ok() || digest(frame.value().profile) != digest(state.facts.profile)) return scan;
  scan.readable = true;
  scan.mode = frame.value().mode;
  const SegmentShape shape(frame.value().profile, scan.mode);
  std::vector<u64> scratch(shape.plane_words);
  std::vector<u8> record(shape.record_bytes);
  for (u64 at = kRecordsAt; scan.whole_records < most; at += shape.record_bytes) {
    done = file.value().read_at(at, record);
    if (!done.ok() && done.failure().code != Code::io_truncated) return done.failure();
    if (!done.ok()) break;
    auto head = check_record(shape, record, scratch);
    if (!head.ok() || !tally.accepts(head.value().document)) break;
    tally.count(record, head.value().document);
    ++scan.whole_records;
  }
  return scan;
}

Result<Done> finish_sealing(Index::State& state) {
  const u64 number = state.segments.size() + 1;
  const std::string open = state.path(segment_name(number, true));
  if (!file_exists(open)) return Done{};
  auto segment = load_segment(state, open, segment_name(number, true));
  if (!segment.ok())
    return segment.failure().code == Code::io_open || segment.failure().code == Code::io_read
               ? Result<Done>(segment.failure())
               : Done{};
  auto renamed = rename_file(open, state.path(segment_name(number, false)));
  if (!renamed.ok()) return renamed;
  segment.value().path = state.path(segment_name(number, false));
  segment.value().first_word = state.sealed_words;
  state.sealed_words += segment.value().frame.footer.records;
  state.most_words = std::max(state.most_words, segment.value().frame.footer.most_words);
  state.segments.push_back(std::move(segment.value()));
  return Done{};
}

}  // namespace ringfort::io
