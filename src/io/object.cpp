// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of the word search that are read whole: parameters of an index, and queries (object.h).
#include "io/object.h"

#include <bit>

namespace ringfort::io {

namespace {

constexpr std::size_t kFrameBytes = kHeaderBytes + kProfileBytes + kTrailerBytes;
constexpr u64 kLeastSegmentBytes = u64{1} << 16;
constexpr u64 kMostSegmentBytes = u64{1} << 40;
constexpr u64 kIndexFieldBytes = 16 + 32 + 8 + 4;
constexpr u64 kQueryFieldBytes = 8;

Failure wrong_length(u64 claimed, u64 computed, u64 present) {
  return {Code::io_length,
          "payload: the header claims " + std::to_string(claimed) + " bytes, type and parameters need " +
              std::to_string(computed) + ", the file has " + std::to_string(present),
          "the file is damaged or cut off: copy it again"};
}

}  // namespace

Failure wrong_type(FileType found, FileType wanted) {
  if ((found == FileType::secret_keys || found == FileType::secret_key) && wanted != FileType::secret_key) {
    return {Code::secret_refused, "this file holds secret keys, which do not belong here",
            "give a file of type " + std::string(type_name(wanted)) + " and keep the secret with its owner"};
  }
  return {Code::io_type,
          "the file is of type " + std::string(type_name(found)) + ", not " + std::string(type_name(wanted)),
          "give a file of type " + std::string(type_name(wanted))};
}

Result<std::vector<u8>> read_typed(const std::string& path, FileType type, u64 limit_bytes, Links links) {
  auto file = File::open_existing(path, false, links);
  if (!file.ok()) return file.failure();
  auto header = read_header(file.value());
  if (!header.ok()) return header.failure();
  if (header.value().type != type) return wrong_type(header.value().type, type);
  return read_whole(file.value(), limit_bytes);
}

Result<Done> check_frame(std::span<const u8> bytes, const Header& header, u64 computed) {
  if (bytes.size() < kHeaderBytes + kTrailerBytes)
    return Failure{Code::io_truncated, "the file ends before its content does", "copy the whole file again"};
  const u64 present = bytes.size() - kHeaderBytes - kTrailerBytes;
  if (header.payload_bytes != computed || present != computed)
    return wrong_length(header.payload_bytes, computed, present);
  Digest trailer{};
  ByteReader end(bytes.last(kTrailerBytes));
  end.take_bytes(trailer);
  if (trailer == blake2b_256(bytes.first(bytes.size() - kTrailerBytes))) return Done{};
  return Failure{Code::io_checksum, "the file's digest does not match its content",
                 "the file is damaged: copy it again"};
}

std::vector<u8> make_frame(Header header, std::span<const u8> payload) {
  header.payload_bytes = payload.size();
  std::vector<u8> bytes;
  bytes.reserve(kHeaderBytes + payload.size() + kTrailerBytes);
  ByteWriter file(bytes);
  file.put_bytes(encode_header(header));
  file.put_bytes(payload);
  file.put_bytes(blake2b_256(bytes));
  return bytes;
}

Result<Object> open_object(std::span<const u8> bytes, FileType type, const FieldBytes& field_bytes) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header.failure();
  if (header.value().type != type) return wrong_type(header.value().type, type);
  if (bytes.size() < kFrameBytes) {
    return Failure{Code::io_truncated, "the file ends before its parameters do", "copy the whole file again"};
  }
  ByteReader in(bytes.subspan(kHeaderBytes, kProfileBytes));
  auto profile = decode_profile(header.value(), in);
  if (!profile.ok()) return profile.failure();
  Object object{header.value(), std::move(profile.value()), {}};
  const u64 computed = kProfileBytes + field_bytes(object.header, object.profile);
  auto framed = check_frame(bytes, object.header, computed);
  if (!framed.ok()) return framed.failure();
  object.fields = bytes.subspan(kHeaderBytes + kProfileBytes, computed - kProfileBytes);
  return object;
}

std::vector<u8> make_object(FileType type, const Profile& profile, const std::function<void(ByteWriter&)>& fields,
                            u16 version) {
  std::vector<u8> payload;
  ByteWriter out(payload);
  encode_profile(profile, out);
  fields(out);
  return make_frame({type, insecure_flag(profile), digest(profile), 0, version}, payload);
}

std::vector<u8> encode_index_facts(const IndexFacts& facts) {
  const bool whole = facts.others != Digest{};
  return make_object(
      FileType::parameters, facts.profile,
      [&](ByteWriter& out) {
        out.put_bytes(facts.id);
        out.put_bytes(facts.box_public);
        if (whole) out.put_bytes(facts.others);
        out.put_u64(facts.options.segment_bytes);
        out.put_u32(facts.options.most_repeats);
      },
      whole ? newest_version(FileType::parameters) : kFirstVersion);
}

Result<IndexFacts> decode_index_facts(std::span<const u8> bytes) {
  auto object = open_object(bytes, FileType::parameters, [](const Header& header, const Profile&) {
    return kIndexFieldBytes + (header.version > kFirstVersion ? sizeof(Digest) : 0);
  });
  if (!object.ok()) return object.failure();
  IndexFacts facts;
  facts.profile = std::move(object.value().profile);
  ByteReader in(object.value().fields);
  in.take_bytes(facts.id);
  in.take_bytes(facts.box_public);
  if (object.value().header.version > kFirstVersion) in.take_bytes(facts.others);
  facts.options.segment_bytes = in.take_u64();
  facts.options.most_repeats = in.take_u32();
  if (!in.at_end() || facts.options.segment_bytes < kLeastSegmentBytes ||
      facts.options.segment_bytes > kMostSegmentBytes) {
    return Failure{Code::io_range, "the segment size is " + std::to_string(facts.options.segment_bytes) + " bytes",
                   "give 64 KiB to 1 TiB"};
  }
  // Titles and bodies are sealed to the key box_public. The key id names the owner, and is the digest of the owner's
  // public parts. With another box_public, somebody else could open the titles.
  if (identity_of(facts.box_public, facts.others) != facts.profile.key_id) {
    return Failure{Code::io_digest, "the index names a sealing key that is not its owner's",
                   "parameters.rfp was changed: restore it from a copy"};
  }
  return facts;
}

namespace {

bool pattern_fits(const Query& query) {
  if (query.profile.constant_weight) return std::popcount(query.pattern) == 8;
  return query.profile.hash_bits >= 64 || (query.pattern >> query.profile.hash_bits) == 0;
}

}  // namespace

std::vector<u8> encode_query(const Query& query) {
  check_profile(query.profile).take();
  if (!pattern_fits(query)) {
    throw Error(Code::invalid_argument, "the query's pattern does not fit the word encoding of its parameters",
                "make queries with search::make_query");
  }
  return make_object(FileType::query, query.profile, [&](ByteWriter& out) { out.put_u64(query.pattern); });
}

Result<Query> decode_query(std::span<const u8> bytes) {
  auto object = open_object(bytes, FileType::query, [](const Header&, const Profile&) { return kQueryFieldBytes; });
  if (!object.ok()) return object.failure();
  Query query;
  query.profile = std::move(object.value().profile);
  ByteReader in(object.value().fields);
  query.pattern = in.take_u64();
  if (!in.at_end() || !pattern_fits(query))
    return Failure{Code::io_range, "the query's pattern does not fit the word encoding of its parameters",
                   "make the query again"};
  return query;
}

void save_query(const std::string& path, const Query& query) { write_file(path, encode_query(query)).take(); }

Query load_query(const std::string& path) {
  return decode_query(read_typed(path, FileType::query, kSmallFileLimit).take()).take();
}

}  // namespace ringfort::io
