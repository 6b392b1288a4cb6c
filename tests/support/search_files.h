// SPDX-License-Identifier: Apache-2.0
// Makes one valid file of every file type of the word search, under tiny parameters. Also decodes such a file from
// memory and uses its content. The tests of stored files and the tests with hostile bytes use these samples. The
// types are .key (keys), .rfq (query), .rfa (answer), and the files of an index: .rfp (parameters), .rfs and .open
// (segments with encrypted words; an .open segment takes more words), .rfd (list of documents) and .rfb (their bodies).
#pragma once

#include "io/documents.h"
#include "io/segment.h"
#include "scheme/rgsw/wire.h"
#include "support/samples.h"
#include "support/search.h"

namespace ringfort::testing {

// Returns the same bytes at every call, because the seeds are fixed.
inline std::vector<Sample> make_samples() {
  namespace app = search::testing;
  choose_seed(2026);
  const Folder folder;
  const auto keys = app::make_keys(app::tiny(), 8);
  keys.save_secret(folder / "secret.key", "");
  keys.save_secret(folder / "sealed.key", kSamplePassphrase, 0);
  keys.save_public(folder / "public.key");
  io::save_query(folder / "word.rfq", search::make_query(keys, "word1"));

  auto documents = app::random_documents(1, 3, 2, 5);
  documents[1].body = "the body of a message";
  documents[2].content.fill(2);
  app::make_index(folder / "index", keys, documents);
  auto server = search::testing::serve(folder / "index");
  search::SearchOptions total;
  total.max_matches = 3;  // there are 3 documents, and each counts a word once
  io::save_answer(folder / "counts.rfa", server.search(search::make_query(keys, "word1"), total));
  total.total = true;
  io::save_answer(folder / "total.rfa", server.search(search::make_query(keys, "word1"), total));
  {
    auto index = search::testing::append_to(folder / "index");
    // an open segment of a sender, who encrypts under the public key
    search::add_documents(index, keys, app::random_documents(2, 1, 2, 5), {1, true});
  }
  std::vector<Sample> samples;
  for (const std::string name : {"secret.key", "sealed.key", "public.key", "word.rfq", "counts.rfa", "total.rfa"}) {
    samples.push_back({name, read_all(folder / name)});
  }
  for (const std::string name :
       {"parameters.rfp", "segment-000001.rfs", "segment-000002.open", "documents.rfd", "bodies.rfb"}) {
    samples.push_back({name, read_all(folder / ("index/" + name))});
  }
  return samples;
}

// Uses an accepted segment: imports every record, as a search does.
inline std::optional<Failure> use_segment(std::span<const u8> bytes, bool open) {
  const auto frame = open ? io::decode_open_segment(bytes) : io::decode_segment(bytes);
  if (!frame.ok()) return frame.failure();
  const io::SegmentShape shape(frame.value().profile, frame.value().mode);
  const rgsw::Context context(frame.value().profile.parameters);
  rgsw::EncryptedBits bits;
  std::vector<u64> residues(shape.plane_words);
  const u32 first = 0;
  for (u64 at = io::kRecordsAt; at + shape.record_bytes <= bytes.size(); at += shape.record_bytes) {
    const auto record = bytes.subspan(at, shape.record_bytes);
    const auto head = io::check_record(shape, record, residues);
    if (!head.ok()) return head.failure();
    const auto imported =
        rgsw::import_bits(bits, context, {shape.mode, head.value().seed, std::span(&first, 1), residues});
    if (!imported.ok()) return imported.failure();
  }
  return std::nullopt;
}

inline std::optional<Failure> use_documents(std::span<const u8> bytes) {
  const auto profile = io::decode_log_start(bytes, io::FileType::documents);
  if (!profile.ok()) return profile.failure();
  io::DocumentRecord previous;
  for (u64 at = io::kLogStart; at < bytes.size(); at += io::kDocumentRecordBytes) {
    const auto record =
        io::decode_document(bytes.subspan(at, std::min<u64>(io::kDocumentRecordBytes, bytes.size() - at)));
    if (!record.ok()) return record.failure();
    if (!io::follows(at == io::kLogStart ? nullptr : &previous, record.value()))
      return Failure{Code::io_range, "does not follow", ""};
    previous = record.value();
  }
  return std::nullopt;
}

// Uses an accepted answer as a receiver does. It encodes the answer again, and decrypts it with some key of the same
// parameters. Every count must be below the count range.
inline std::optional<Failure> use_answer(std::span<const u8> bytes) {
  const auto answer = io::decode_answer(bytes);
  if (!answer.ok()) return answer.failure();
  if (answer.value().answers.empty()) return Failure{Code::internal, "an answer without a block was accepted", ""};
  const auto again = io::encode_answer(answer.value());
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
    return Failure{Code::internal, "an accepted answer is encoded differently", ""};
  const rgsw::Context context(answer.value().profile.parameters);
  const rgsw::KeyGenerator generator(context);
  const rgsw::Decryptor decryptor(context, generator.secret_key());
  for (const auto& each : answer.value().answers) {
    for (const u32 count : decryptor.decrypt_counts(each)) {
      if (count >= each.plan.count_range) return Failure{Code::internal, "a count above the range", ""};
    }
  }
  return std::nullopt;
}

// Decodes `bytes` as the file type that the sample's name states, and uses the result.
inline std::optional<Failure> use_sample(const std::string& name, std::span<const u8> bytes) {
  if (name == "secret.key") return failure_of(io::decode_secret_keys(bytes, ""));
  if (name == "sealed.key") return failure_of(io::decode_secret_keys(bytes, kSamplePassphrase));
  if (name == "public.key") return failure_of(io::decode_public_keys(bytes));
  if (name == "word.rfq") return failure_of(io::decode_query(bytes));
  if (name == "parameters.rfp") return failure_of(io::decode_index_facts(bytes));
  if (name == "segment-000001.rfs") return use_segment(bytes, false);
  if (name == "segment-000002.open") return use_segment(bytes, true);
  if (name == "documents.rfd") return use_documents(bytes);
  if (name == "bodies.rfb") return failure_of(io::decode_log_start(bytes, io::FileType::bodies));
  return use_answer(bytes);
}

inline std::optional<Failure> decode_sample(const std::string& name, std::span<const u8> bytes) {
  const auto refused = use_sample(name, bytes);
  return refused ? refused : inspect_bytes(bytes);
}

}  // namespace ringfort::testing
