// SPDX-License-Identifier: Apache-2.0
// Files of the word search that are read whole. Such a file has a header (header.h), a profile (the parameters,
// profile.h), fields, and the BLAKE2b-256 digest of all earlier bytes. The decoders parse bytes in memory, so that
// tests and fuzzers need no files. The public load functions read a file and call a decoder.
#pragma once

#include <functional>

#include "io/file.h"
#include "io/profile.h"

namespace ringfort::io {

inline constexpr std::size_t kTrailerBytes = 32;
inline constexpr std::uint64_t kSmallFileLimit = std::uint64_t{1} << 20;  // for parameters and queries

struct Object {
  Header header;
  Profile profile;
  std::span<const u8> fields;  // between the profile and the digest at the end
};

// Opens a file of this type. `field_bytes` returns the length of the fields that the type and the profile require. The
// length in the header and the length of the file must agree with it. Fails with the codes of decode_header() and
// decode_profile(), and with io_type (secret_refused for a secret key), io_length and io_checksum.
using FieldBytes = std::function<u64(const Header&, const Profile&)>;
[[nodiscard]] Result<Object> open_object(std::span<const u8> bytes, FileType type, const FieldBytes& field_bytes);

// Reads a whole file of this type. Of a file of another type, it reads only the header, because the rest may be secret.
// Fails with the codes of decode_header(), and with io_open, io_read, io_type (secret_refused for a secret key) and
// io_limit.
[[nodiscard]] Result<std::vector<u8>> read_typed(const std::string& path, FileType type, u64 limit_bytes,
                                                 Links links = Links::follow);

// Returns the failure for a file of another type. Its code is io_type, or secret_refused for a secret key.
[[nodiscard]] Failure wrong_type(FileType found, FileType wanted);
// Checks that the stored, the computed and the actual length agree. Checks that the file ends with the digest of its
// bytes. Fails with io_truncated, io_length and io_checksum.
[[nodiscard]] Result<Done> check_frame(std::span<const u8> bytes, const Header& header, u64 computed);
// Returns the header, the payload and the digest of both. Sets the length of the payload in the header.
[[nodiscard]] std::vector<u8> make_frame(Header header, std::span<const u8> payload);

// Returns a whole file. `fields` writes the bytes after the profile.
[[nodiscard]] std::vector<u8> make_object(FileType type, const Profile& profile,
                                          const std::function<void(ByteWriter&)>& fields, u16 version = kFirstVersion);

struct IndexFacts {  // the file parameters.rfp of an index folder
  Profile profile;
  IndexId id{};
  std::array<u8, 32> box_public{};  // the owner's X25519 key, to which titles and bodies are sealed
  Digest others{};                  // digest of the owner's other public keys (keys.h); zero for keys of version 2
  Index::Options options;
};
[[nodiscard]] std::vector<u8> encode_index_facts(const IndexFacts& facts);
[[nodiscard]] Result<IndexFacts> decode_index_facts(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_query(const Query& query);
[[nodiscard]] Result<Query> decode_query(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_answer(const AnswerFile& answer);
[[nodiscard]] Result<AnswerFile> decode_answer(std::span<const u8> bytes);

}  // namespace ringfort::io
