// SPDX-License-Identifier: Apache-2.0
// The first 64 bytes of every Ringfort file:
//   0 magic "RINGFORT" | 8 u16 format version | 10 u16 type | 12 u32 flags | 16 parameter digest (32)
//   48 u64 payload length | 56 u32 zero | 60 u32 CRC-32C of bytes 0..59
// The length is untrusted. Readers compute it from the type and the parameters, and compare it with the stored length.
// They never allocate memory of the stored length.
#pragma once

#include "base/result.h"
#include "io/bytes.h"
#include "io/checksum.h"
#include "io/file.h"
#include "ringfort/io.h"

namespace ringfort::io {

inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr u16 kFirstVersion = 2;  // oldest format version that this build reads
// Returns the newest version that this build reads and writes for a type of file. These files have version 3:
// * key sets whose key id is a digest of all public keys, and files with parts of such a set
// * secret keys with digests of the public keys that were saved with them
// * document maps (documents.h) whose tags authenticate the place of a record
// * public keys with a limb for a special prime, and fresh encryptions under them
// * arrays with a range of real values (ArrayRecord::Domain)
// * containers (files of several objects) with several plaintext moduli
[[nodiscard]] constexpr u16 newest_version(FileType type) noexcept {
  return type == FileType::parameters || type == FileType::secret_keys || type == FileType::public_keys ||
                 type == FileType::secret_key || type == FileType::documents || type == FileType::array ||
                 type == FileType::container || type == FileType::public_key || type == FileType::ciphertext
             ? 3
             : kFirstVersion;
}

enum Flag : u32 {
  kFlagInsecure = 1U << 0,    // parameters with a security below 128 bits
  kFlagPassphrase = 1U << 1,  // secret keys: a passphrase seals them
  kFlagOpen = 1U << 2,        // segments: still being written, the length is 0
  kFlagSeeded = 1U << 3,      // segments, ciphertexts: the file has c0 and a seed, from which c1 is computed
};

struct Header {
  FileType type = FileType::parameters;
  u32 flags = 0;
  Digest parameters{};
  u64 payload_bytes = 0;
  u16 version = kFirstVersion;
};

[[nodiscard]] std::array<u8, kHeaderBytes> encode_header(const Header& header);

// Decodes and checks a header. The checks can fail with these codes, in this order: io_truncated, io_magic,
// io_checksum, io_version, io_type, io_flags, io_range.
[[nodiscard]] Result<Header> decode_header(std::span<const u8> bytes);

// Reads and decodes only the header of a file. It can fail with the codes of decode_header(), and with io_read.
[[nodiscard]] Result<Header> read_header(const File& file);

[[nodiscard]] std::string_view type_name(FileType type) noexcept;

}  // namespace ringfort::io
