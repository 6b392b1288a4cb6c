// SPDX-License-Identifier: Apache-2.0
// Shows the unencrypted facts of a file. It decrypts nothing. Of a file of secret keys, it reads only the header and
// the profile (the parameters). Of a file of CKKS, BFV or BGV, it reads only the first 72 bytes. Of a file of Galois
// keys, it also reads the bytes that may contain the steps, which are the rotations that have a key. If the caller
// passes a file of CKKS, BFV or BGV as bytes in memory, the code reads all bytes, to check their digest.
#include <bit>

#include "io/documents.h"
#include "io/segment.h"
#include "ringfort/files.h"

namespace ringfort::io {

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

void add_profile(Facts& facts, const Profile& profile) {
  const auto& p = profile.parameters;
  facts.emplace_back("preset", p.name);
  facts.emplace_back("n", std::to_string(p.n));
  facts.emplace_back("q", std::to_string(p.q));
  facts.emplace_back("digits", std::to_string(p.digits));
  facts.emplace_back("digit_bits", std::to_string(p.base_bits));
  facts.emplace_back("security_bits", std::to_string(rgsw::security(p).bits));
  if (!p.insecure_reason.empty()) facts.emplace_back("insecure", p.insecure_reason);
  facts.emplace_back("hash_bits", std::to_string(profile.hash_bits));
  facts.emplace_back("code", profile.constant_weight ? "constant weight, 8 of 64" : "plain bits");
  facts.emplace_back("key_id", hex(profile.key_id));
}

void add_query(Facts& facts, std::span<const u8> bytes) {
  const auto query = decode_query(bytes).take();
  add_profile(facts, query.profile);
  std::array<u8, 8> pattern{};
  store_u64(pattern.data(), query.pattern);
  facts.emplace_back("pattern", hex(pattern));
}

void add_answer(Facts& facts, std::span<const u8> bytes) {
  const auto answer = decode_answer(bytes).take();
  add_profile(facts, answer.profile);
  facts.emplace_back("index_id", hex(answer.index_id));
  facts.emplace_back("answer", answer.total ? "one total" : "one count a document");
  facts.emplace_back("documents", std::to_string(answer.documents));
  facts.emplace_back("blocks", std::to_string(answer.answers.size()));
  const auto& plan = answer.answers.front().plan;
  facts.emplace_back("count_range", std::to_string(plan.count_range));
  facts.emplace_back("max_matches", std::to_string(plan.max_matches));
  facts.emplace_back("failure_log2", std::to_string(plan.failure_log2));
}

void add_object(Facts& facts, FileType type, std::span<const u8> bytes) {
  if (type == FileType::query) return add_query(facts, bytes);
  if (type == FileType::answer) return add_answer(facts, bytes);
  if (type == FileType::parameters) {
    const auto index = decode_index_facts(bytes).take();
    add_profile(facts, index.profile);
    facts.emplace_back("index_id", hex(index.id));
    facts.emplace_back("segment_bytes", std::to_string(index.options.segment_bytes));
    facts.emplace_back("most_repeats", std::to_string(index.options.most_repeats));
    return;
  }
  add_profile(facts, decode_public_keys(bytes).take()->profile);
}

// Throws if `bytes` ends before the profile does.
void add_secret_keys(Facts& facts, const Header& header, std::span<const u8> bytes) {
  if (bytes.size() < kLogStart)
    throw Error(Code::io_truncated, "the file ends before its profile does", "copy the whole file again");
  ByteReader in(bytes.subspan(kHeaderBytes, kProfileBytes));
  add_profile(facts, decode_profile(header, in).take());
  facts.emplace_back("passphrase", (header.flags & kFlagPassphrase) != 0 ? "yes" : "no");
}

constexpr std::size_t kKeyIdEnd = kHeaderBytes + 8;

bool begins_with_key_id(FileType type) {
  return (type >= FileType::secret_key && type <= FileType::ciphertext) || type == FileType::ledger;
}

constexpr std::size_t kCounts = 4 * 4;
constexpr u32 kMostSteps = 1u << 17;

// Adds the steps of rotation keys, if `bytes` has all of them. The reader of keys checks the steps.
void add_rotations(Facts& facts, std::span<const u8> bytes) {
  if (bytes.size() < kKeyIdEnd + kCounts) return;
  ByteReader in(bytes.subspan(kKeyIdEnd));
  const u32 steps = in.take_u32();
  (void)in.take_u32();  // number of planned rotations
  const bool conjugation = in.take_u32() == 1;
  (void)in.take_u32();
  if (steps > kMostSteps || bytes.size() - kKeyIdEnd - kCounts < std::size_t{4} * steps) return;
  std::string list;
  for (u32 i = 0; i < steps; ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(std::bit_cast<std::int32_t>(in.take_u32()));
  facts.emplace_back("rotations", list);
  facts.emplace_back("conjugation", conjugation ? "yes" : "no");
}

// Adds the facts of an object of CKKS, BFV or BGV, whose parameters are in another file. Omits facts after the end of
// `bytes`.
void add_leveled(Facts& facts, const Header& header, std::span<const u8> bytes) {
  if (header.type == FileType::container) return;  // the objects of a container have their own headers
  facts.emplace_back("parameters", hex(header.parameters));
  facts.emplace_back("below_128_bits", (header.flags & kFlagInsecure) != 0 ? "yes" : "no");
  if (begins_with_key_id(header.type) && bytes.size() >= kKeyIdEnd)
    facts.emplace_back("key_id", hex(bytes.subspan(kHeaderBytes, 8)));
  if (header.type == FileType::secret_key)
    facts.emplace_back("passphrase", (header.flags & kFlagPassphrase) != 0 ? "yes" : "no");
  if (header.type == FileType::galois_keys) add_rotations(facts, bytes);
}

SegmentFrame open_frame(const std::string& path) {  // without a mapping, because the writer may shorten the file
  std::array<u8, kRecordsAt> start{};
  File::open_existing(path, false, Links::follow).take().read_at(0, start).take();
  return decode_open_segment(start).take();
}

void add_segment(Facts& facts, const SegmentFrame& frame, bool open) {
  add_profile(facts, frame.profile);
  facts.emplace_back("keys", frame.mode == rgsw::Mode::secret_key ? "owner" : "sender");
  facts.emplace_back("state", open ? "open" : "sealed");
  const SegmentShape shape(frame.profile, frame.mode);
  facts.emplace_back("word_bytes", std::to_string(shape.record_bytes));
  if (open) return;
  facts.emplace_back("words", std::to_string(frame.footer.records));
  facts.emplace_back("first_document", std::to_string(frame.footer.first_document));
  facts.emplace_back("last_document", std::to_string(frame.footer.last_document));
}

void add_log(Facts& facts, FileType type, std::span<const u8> start, u64 bytes) {
  add_profile(facts, decode_log_start(start, type).take());
  if (type == FileType::documents)
    facts.emplace_back("documents", std::to_string((bytes - kLogStart) / kDocumentRecordBytes));
}

Facts first_facts(const Header& header, u64 bytes) {
  return {{"type", std::string(type_name(header.type))},
          {"format_version", std::to_string(header.version)},
          {"bytes", std::to_string(bytes)}};
}

// Returns the first `most` bytes of a file, or all bytes of a shorter file.
std::vector<u8> start_of(const File& file, u64 bytes, std::size_t most) {
  std::vector<u8> start(static_cast<std::size_t>(std::min<u64>(bytes, most)));
  file.read_at(0, start).take();
  return start;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> inspect(const std::string& path) {
  const auto file = File::open_existing(path, false, Links::follow).take();
  const u64 bytes = file.size().take();
  const auto header = read_header(file).take();
  const bool open = (header.flags & kFlagOpen) != 0;
  Facts facts = first_facts(header, bytes);
  if (header.type >= FileType::leveled_parameters) {
    const bool has_steps = header.type == FileType::galois_keys;
    add_leveled(facts, header, start_of(file, bytes, kKeyIdEnd + (has_steps ? kCounts + 4 * kMostSteps : 0)));
  } else if (header.type == FileType::segment) {
    add_segment(facts,
                open ? open_frame(path) : decode_segment(Mapping::open(path, Links::follow).take().bytes()).take(),
                open);
  } else if (header.type == FileType::documents || header.type == FileType::bodies) {
    add_log(facts, header.type, start_of(file, bytes, kLogStart), bytes);
  } else if (header.type == FileType::secret_keys) {
    add_secret_keys(facts, header, start_of(file, bytes, kLogStart));
  } else {
    add_object(facts, header.type, read_typed(path, header.type, kCiphertextLimit).take());
  }
  return facts;
}

std::vector<std::pair<std::string, std::string>> inspect(ByteView bytes) {
  const Header header = decode_header(bytes).take();
  const bool open = (header.flags & kFlagOpen) != 0;
  const ByteView log = bytes.first(std::min<std::size_t>(bytes.size(), kLogStart));
  Facts facts = first_facts(header, bytes.size());
  if (header.type >= FileType::leveled_parameters) {
    check_frame(bytes, header, header.payload_bytes).take();
    add_leveled(facts, header, bytes.first(bytes.size() - kTrailerBytes));
  } else if (header.type == FileType::segment) {
    add_segment(facts, (open ? decode_open_segment(log) : decode_segment(bytes)).take(), open);
  } else if (header.type == FileType::documents || header.type == FileType::bodies) {
    add_log(facts, header.type, log, bytes.size());
  } else if (header.type == FileType::secret_keys) {
    add_secret_keys(facts, header, log);
  } else {
    add_object(facts, header.type, bytes);
  }
  return facts;
}

}  // namespace ringfort::io
