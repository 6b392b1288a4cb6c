// SPDX-License-Identifier: Apache-2.0
// Files that are read whole: header | profile | fields | BLAKE2b-256 of all before. Parsing works on bytes in memory,
// so that tests and fuzzers drive it without files. These are the decoders; the public loaders read a file and call
// them.
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

// `field_bytes`: what type and profile demand, compared with the header's claim and with the bytes that are there.
// Codes: those of decode_header and decode_profile, io_type (secret_refused when a secret key came instead), io_length,
// io_checksum.
using FieldBytes = std::function<u64(const Header&, const Profile&)>;
[[nodiscard]] Result<Object> open_object(std::span<const u8> bytes, FileType type, const FieldBytes& field_bytes);

// A whole file whose header is of this type: what is behind the header of any other is not read, for it may be a
// secret. Codes: io_open, io_read, those of decode_header, io_type (secret_refused), io_limit.
[[nodiscard]] Result<std::vector<u8>> read_typed(const std::string& path, FileType type, u64 limit_bytes,
                                                 Links links = Links::follow);

// What every file that is read whole has in common. Codes: io_type (secret_refused when a secret key came instead).
[[nodiscard]] Failure wrong_type(FileType found, FileType wanted);
// Claimed, computed and present lengths agree, and the trailer is that of the bytes. Codes: io_truncated, io_length,
// io_checksum.
[[nodiscard]] Result<Done> check_frame(std::span<const u8> bytes, const Header& header, u64 computed);
// Header, payload, trailer; the header's length is the payload's.
[[nodiscard]] std::vector<u8> make_frame(Header header, std::span<const u8> payload);

// `fields` writes what follows the profile.
[[nodiscard]] std::vector<u8> make_object(FileType type, const Profile& profile,
                                          const std::function<void(ByteWriter&)>& fields, u16 version = kFirstVersion);

struct IndexFacts {  // parameters.rfp
  Profile profile;
  IndexId id{};
  std::array<u8, 32> box_public{};
  Digest others{};  // of the owner's other public parts; zero: keys of version 2
  Index::Options options;
};
[[nodiscard]] std::vector<u8> encode_index_facts(const IndexFacts& facts);
[[nodiscard]] Result<IndexFacts> decode_index_facts(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_query(const Query& query);
[[nodiscard]] Result<Query> decode_query(std::span<const u8> bytes);

[[nodiscard]] std::vector<u8> encode_answer(const AnswerFile& answer);
[[nodiscard]] Result<AnswerFile> decode_answer(std::span<const u8> bytes);

}  // namespace ringfort::io
