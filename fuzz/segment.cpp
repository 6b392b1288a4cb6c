// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Decodes the input as a closed and as an open segment of an index, and checks the records of an accepted
// segment (io/segment.h).
#include "mend.h"

namespace {

using namespace ringfort;

void mend(std::vector<u8>& bytes) {
  fuzz::mend_start(bytes);
  if (bytes.size() >= io::kFooterBytes) fuzz::put_crc(bytes, bytes.size() - io::kFooterBytes, bytes.size() - 4);
}

void decode(std::span<const u8> bytes, bool open) {
  const auto frame = open ? io::decode_open_segment(bytes) : io::decode_segment(bytes);
  if (!frame.ok()) return;
  const io::SegmentShape shape(frame.value().profile, frame.value().mode);
  std::vector<u64> residues(shape.plane_words);
  for (u64 at = io::kRecordsAt; at + shape.record_bytes <= bytes.size(); at += shape.record_bytes) {
    static_cast<void>(
        io::check_record(shape, bytes.subspan(static_cast<std::size_t>(at), shape.record_bytes), residues));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return fuzz::raw_and_mended(data, size, mend, [](std::span<const u8> bytes) {
    decode(bytes, false);
    decode(bytes, true);
  });
}
