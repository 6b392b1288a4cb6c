// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Decodes the input as a document map, as a file of bodies, and as titles (io/documents.h). If titles are
// accepted, the target encodes them, decodes the result, and requires the same titles.
#include "mend.h"

namespace {

using namespace ringfort;

void mend(std::vector<u8>& bytes) {
  fuzz::mend_start(bytes);
  for (std::size_t at = io::kLogStart; at + io::kDocumentRecordBytes <= bytes.size(); at += io::kDocumentRecordBytes) {
    fuzz::put_crc(bytes, at, at + io::kDocumentRecordBytes - 4);
  }
}

void use_titles(std::span<const u8> bytes) {
  const auto titles = io::decode_titles(bytes);
  if (!titles.ok()) return;
  const auto again = io::decode_titles(io::encode_titles(titles.value()));
  if (!again.ok() || again.value() != titles.value()) __builtin_trap();
}

void decode(std::span<const u8> bytes) {
  static_cast<void>(io::decode_log_start(bytes, io::FileType::bodies));
  static_cast<void>(io::decode_log_start(bytes, io::FileType::documents));
  use_titles(bytes);
  io::DocumentRecord previous;
  for (std::size_t at = io::kLogStart; at + io::kDocumentRecordBytes <= bytes.size(); at += io::kDocumentRecordBytes) {
    const auto record = io::decode_document(bytes.subspan(at, io::kDocumentRecordBytes));
    if (!record.ok() || !io::follows(at == io::kLogStart ? nullptr : &previous, record.value())) return;
    previous = record.value();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return fuzz::raw_and_mended(data, size, mend, decode);
}
