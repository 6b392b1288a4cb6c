// SPDX-License-Identifier: Apache-2.0
// Corrects the checksums of inputs. A fuzzer cannot guess checksums, and a decoder refuses a file with a wrong checksum
// before it reads the fields. Therefore each target for files decodes its input unchanged, and again with corrected
// checksums. If a decoder accepts an object, the target uses the object as the library would.
#pragma once

#include <vector>

#include "io/documents.h"
#include "io/segment.h"

namespace ringfort::fuzz {

inline void put_crc(std::span<u8> bytes, std::size_t first, std::size_t end) {
  if (first > end || end + 4 > bytes.size()) return;
  const u32 crc = io::crc32c(bytes.subspan(first, end - first));
  for (unsigned i = 0; i < 4; ++i) bytes[end + i] = static_cast<u8>(crc >> (8 * i));
}

// Corrects the checksums of the header and of the profile, that is, of the stored parameters (io/profile.h).
inline void mend_start(std::vector<u8>& bytes) {
  put_crc(bytes, io::kHeaderBytes, io::kHeaderBytes + io::kProfileBytes - 4);
  put_crc(bytes, 0, io::kHeaderBytes - 4);
}

inline void mend_object(std::vector<u8>& bytes) {
  mend_start(bytes);
  if (bytes.size() < io::kTrailerBytes) return;
  const auto trailer = io::blake2b_256(std::span<const u8>(bytes).first(bytes.size() - io::kTrailerBytes));
  for (std::size_t i = 0; i < trailer.size(); ++i) bytes[bytes.size() - io::kTrailerBytes + i] = trailer[i];
}

// Corrects the checksum of the header and the digest at the end of a file of CKKS, BFV or BGV.
inline void mend_frame(std::span<u8> bytes) {
  put_crc(bytes, 0, io::kHeaderBytes - 4);
  if (bytes.size() < io::kTrailerBytes) return;
  const auto trailer = io::blake2b_256(std::span<const u8>(bytes).first(bytes.size() - io::kTrailerBytes));
  for (std::size_t i = 0; i < trailer.size(); ++i) bytes[bytes.size() - io::kTrailerBytes + i] = trailer[i];
}

// Like mend_frame(). If the file contains parameters, also sets their digest, which is computed from their bytes.
inline void mend_leveled(std::vector<u8>& bytes) {
  constexpr std::size_t kDigestAt = 16, kReasonBytes = 256;
  constexpr std::size_t kLeast = io::kHeaderBytes + kReasonBytes + io::kTrailerBytes;
  if (bytes.size() >= kLeast && bytes[10] == static_cast<u8>(io::FileType::leveled_parameters)) {
    const auto digest = io::blake2b_256(std::span(bytes).subspan(io::kHeaderBytes, bytes.size() - kLeast));
    for (std::size_t i = 0; i < digest.size(); ++i) bytes[kDigestAt + i] = digest[i];
  }
  mend_frame(bytes);
}

template <class Mend, class Decode>
int raw_and_mended(const u8* data, std::size_t size, const Mend& mend, const Decode& decode) {
  std::vector<u8> bytes(data, data + size);
  decode(std::span<const u8>(bytes));
  mend(bytes);
  decode(std::span<const u8>(bytes));
  return 0;
}

}  // namespace ringfort::fuzz
