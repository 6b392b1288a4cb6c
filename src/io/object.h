// SPDX-License-Identifier: Apache-2.0
// Files that are read whole: header | profile | fields | BLAKE2b-256 of all bytes before. The decoders parse bytes in
// memory, so that tests and fuzzers need no files. The public load functions read a file and call a decoder.
#pragma once

#include <functional>

#include "io/file.h"
#include "io/profile.h"

namespace ringfort::io {

inline constexpr std::size_t kTrailerBytes = 32;
inline constexpr std::uint64_t kSmallFileLimit = std::uint64_t{1} << 20;  // parameters, query

struct Object {
  Header header;
  Profile profile;
  std::span<const u8> fields;  // between profile and trailer
};

// Opens a file of this type. `field_bytes` returns the bytes that type and profile require; the header's claim and the
// file's length must agree with them. Codes: those of decode_header and decode_profile, io_type (secret_refused for a
// secret key), io_length, io_checksum.
using FieldBytes = std::function<u64(const Header&, const Profile&)>;
[[nodiscard]] Result<Object> open_object(std::span<const u8> bytes, FileType type, const FieldBytes& field_bytes);

// Reads a whole file of this type. Reads only the header of a file of another type, because the rest may be secret.
// Codes: io_open, io_read, those of decode_header, io_type (secret_refused), io_limit.
[[nodiscard]] Result<std::vector<u8>> read_typed(const std::string& path, FileType type, u64 limit_bytes,
                                                 Links links = Links::follow);

// Returns the failure for a file of another type: io_type, or secret_refused for a secret key.
[[nodiscard]] Failure wrong_type(FileType found, FileType wanted);
// Checks that claimed, computed and actual lengths agree, and that the trailer is the digest of the bytes. Codes:
// io_truncated, io_length, io_checksum.
[[nodiscard]] Result<Done> check_frame(std::span<const u8> bytes, const Header& header, u64 computed);
// Returns header, payload and trailer; the header gets the payload's length.
[[nodiscard]] std::vector<u8> make_frame(Header header, std::span<const u8> payload);

// Returns a whole file; `fields` writes the bytes after the profile.
[[nodiscard]] std::vector<u8> make_object(FileType type, const Profile& profile,
                                          const std::function<void(ByteWriter&)>& fields, u16 version = kFirstVersion);

struct IndexFacts {  // parameters.rfp
  Profile profile;
  IndexId id{};
  std::array<u8, 32> box_public{};
  Digest others{};  // digest of the owner's other public parts; zero for keys of version 2
  Index::Options options;
};
[[nodiscard]] std::vector<u8> encode_index_facts(const IndexFacts& facts);
[[nodiscard]] Result<IndexFacts> decode_index_facts(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_query(const Query& query);
[[nodiscard]] Result<Query> decode_query(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_answer(const AnswerFile& answer);
[[nodiscard]] Result<AnswerFile> decode_answer(std::span<const u8> bytes);

}  // namespace ringfort::io
