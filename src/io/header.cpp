// SPDX-License-Identifier: Apache-2.0
// Encodes headers of files, and decodes and checks them (header.h).
#include "io/header.h"

#include <algorithm>

namespace ringfort::io {

namespace {

constexpr std::array<u8, 8> kMagic = {'R', 'I', 'N', 'G', 'F', 'O', 'R', 'T'};
constexpr std::size_t kCheckedBytes = kHeaderBytes - 4;

u32 known_flags(FileType type) noexcept {
  switch (type) {
    case FileType::secret_keys:
    case FileType::secret_key: return kFlagInsecure | kFlagPassphrase;
    case FileType::segment: return kFlagInsecure | kFlagOpen | kFlagSeeded;
    case FileType::ciphertext: return kFlagInsecure | kFlagSeeded;
    case FileType::container: return 0;
    default: return kFlagInsecure;
  }
}

bool known_type(u16 type) noexcept {
  return type >= static_cast<u16>(FileType::parameters) && type <= static_cast<u16>(FileType::ledger);
}

}  // namespace

std::string_view type_name(FileType type) noexcept {
  constexpr std::array<std::string_view, 18> kNames = {
      "unknown",     "parameters", "secret keys",         "public keys", "segment",
      "query token", "answer",     "document map",        "bodies",      "leveled parameters",
      "secret key",  "public key", "relinearization key", "Galois keys", "ciphertext",
      "array",       "container",  "release ledger"};
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

std::array<u8, kHeaderBytes> encode_header(const Header& header) {
  std::vector<u8> bytes;
  bytes.reserve(kHeaderBytes);
  ByteWriter out(bytes);
  out.put_bytes(kMagic);
  out.put_u16(header.version);
  out.put_u16(static_cast<u16>(header.type));
  out.put_u32(header.flags);
  out.put_bytes(header.parameters);
  out.put_u64(header.payload_bytes);
  out.put_u32(0);
  out.put_u32(crc32c(bytes));
  std::array<u8, kHeaderBytes> fixed{};
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = bytes[i];
  return fixed;
}

Result<Header> decode_header(std::span<const u8> bytes) {
  if (bytes.size() < kHeaderBytes) {
    return Failure{Code::io_truncated,
                   "the file has " + std::to_string(bytes.size()) + " bytes, but its header needs 64",
                   "copy the whole file again"};
  }
  ByteReader in(bytes.first(kHeaderBytes));
  std::array<u8, 8> magic{};
  in.take_bytes(magic);
  if (magic != kMagic)
    return Failure{Code::io_magic, "this is not a Ringfort file (its first 8 bytes are not RINGFORT)", ""};
  Header header;
  header.version = in.take_u16();
  const u16 type = in.take_u16();
  header.flags = in.take_u32();
  in.take_bytes(header.parameters);
  header.payload_bytes = in.take_u64();
  const u32 reserved = in.take_u32();
  if (in.take_u32() != crc32c(bytes.first(kCheckedBytes))) {
    return Failure{Code::io_checksum, "the header's checksum does not match its bytes",
                   "the file is damaged: copy it again"};
  }
  const u16 newest =
      known_type(type) ? newest_version(static_cast<FileType>(type)) : newest_version(FileType::parameters);
  if (header.version < kFirstVersion || header.version > newest) {
    return Failure{Code::io_version,
                   "the file has format version " + std::to_string(header.version) + ", but this build reads " +
                       std::to_string(kFirstVersion) + " to " + std::to_string(newest),
                   header.version < kFirstVersion ? "it was written before the first release: make keys and index again"
                                                  : "update ringfort"};
  }
  if (!known_type(type))
    return Failure{Code::io_type, "the file type " + std::to_string(type) + " is unknown", "update ringfort"};
  header.type = static_cast<FileType>(type);
  if ((header.flags & ~known_flags(header.type)) != 0) {
    return Failure{Code::io_flags,
                   "there are unknown flags in the header of a file of type " + std::string(type_name(header.type)),
                   "update ringfort"};
  }
  if (reserved != 0) return Failure{Code::io_range, "the header's reserved field is not zero", "the file is damaged"};
  return header;
}

Result<Header> read_header(const File& file) {
  auto bytes = file.size();
  if (!bytes.ok()) return bytes.failure();
  std::array<u8, kHeaderBytes> start{};
  const auto present = std::span(start).first(static_cast<std::size_t>(std::min<u64>(bytes.value(), start.size())));
  auto done = file.read_at(0, present);
  if (!done.ok()) return done.failure();
  return decode_header(present);
}

}  // namespace ringfort::io
