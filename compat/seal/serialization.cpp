// SPDX-License-Identifier: Apache-2.0
// Headers of saved objects, and the saving and loading of their members (seal/serialization.h). Members are read
// through a buffer that ends where the object does, so that no member can read beyond it. Compressed objects may be
// inside other objects.
#include <algorithm>
#include <exception>
#include <ios>
#include <span>
#include <stdexcept>
#include <streambuf>
#include <vector>

#include "bytes.h"
#include "compression.h"
#include "errors.h"
#include "streams.h"

namespace seal {

namespace {

using detail::InputMemory;
using detail::InputPieces;
using detail::MembersBuffer;
using detail::most_inflated;
using detail::OutputMemory;

struct StreamEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs a function while the stream throws on every failure, and restores the caller's choice.
template <class Stream, class F>
void with_failures_thrown(Stream& stream, const char* problem, F&& function) {
  const std::ios_base::iostate before = stream.exceptions();
  try {
    stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
    function();
  } catch (const std::ios_base::failure&) {
    const bool ended = stream.eof();
    stream.exceptions(before);
    if (ended) throw StreamEnded("the input ends before the saved object does; pass all of its bytes");
    throw std::runtime_error(problem);
  } catch (...) {
    stream.exceptions(before);
    throw;
  }
  stream.exceptions(before);
}

constexpr const char* kReadFailed = "the input stream failed; open it for reading in binary mode";
constexpr const char* kWriteFailed =
    "the output stream or buffer takes no more bytes; open it for writing, or give it save_size() bytes";

void require_memory(const void* data, std::size_t size) {
  if (data == nullptr) detail::refuse_argument("the buffer is null", "pass the address of its first byte");
  if (size < sizeof(Serialization::SEALHeader))
    detail::refuse_argument("the buffer has " + std::to_string(size) + " bytes", "a saved object has at least 16");
  if (!util::fits_in<std::streamsize>(size)) detail::refuse_argument("the buffer is too large", "pass its true size");
}

// Returns the size of the members.
std::size_t members_size(const Serialization::SEALHeader& header) {
  if (!Serialization::IsCompatibleVersion(header))
    detail::refuse_state("the bytes have version " + std::to_string(header.version_major) + "." +
                             std::to_string(header.version_minor) + " of SEAL",
                         "save the object with this library");
  if (!Serialization::IsValidHeader(header))
    detail::refuse_state("the bytes are no saved object, or are compressed in a way that this build does not know",
                         "save the object with compr_mode_type::none");
  if (header.size < sizeof header || !util::fits_in<std::streamsize>(header.size))
    detail::refuse_state("the header states " + std::to_string(header.size) + " bytes", "the bytes are damaged");
  return header.size - sizeof header;
}

using LoadMembers = std::function<void(std::istream&, SEALVersion)>;

void load_from(const LoadMembers& load_members, const Serialization::SEALHeader& header, MembersBuffer& members) {
  std::istream stream(&members);
  try {
    with_failures_thrown(stream, kReadFailed,
                         [&] { load_members(stream, SEALVersion{header.version_major, header.version_minor, 0, 0}); });
  } catch (const StreamEnded&) {
    members.throw_failure();
    detail::refuse_state("the members of a saved object need more bytes than its header states",
                         "the bytes are damaged, or are another kind of object");
  }
  const bool is_end = members.sgetc() == std::char_traits<char>::eof();
  members.throw_failure();
  if (is_end) return;
  detail::refuse_state("a saved object has more bytes than its members",
                       "the bytes are damaged, or are another kind of object");
}

// `stored`: the number of the caller's bytes from which these bytes come.
void load_bytes(const LoadMembers& load_members, const Serialization::SEALHeader& header, std::span<const char> bytes,
                std::uint64_t stored) {
  if (header.compr_mode == compr_mode_type::none) {
    InputMemory members(bytes.data(), bytes.size());
    return load_from(load_members, header, members);
  }
  InputPieces members(detail::inflating(header.compr_mode, bytes), stored);
  load_from(load_members, header, members);
}

template <class Bytes>
Bytes read_exactly(std::istream& stream, std::uint64_t size) {
  constexpr std::uint64_t kChunk = 1 << 20;
  Bytes bytes;
  while (bytes.size() < size) {
    const std::size_t at = bytes.size(), more = std::min(kChunk, size - at);
    bytes.resize(at + more);
    detail::read_raw(stream, bytes.data() + at, more);
  }
  return bytes;
}

// Loads a compressed object inside another one, whose bytes may themselves be compressed.
void load_inner_compressed(const LoadMembers& load_members, const Serialization::SEALHeader& header,
                           std::istream& stream, const MembersBuffer& members) {
  const std::uint64_t size = members_size(header), stored = std::min(size, members.stored());
  if (members.is_bounded()) detail::refuse_state("a part of a saved key is compressed", "save the whole key again");
  if (size > most_inflated(members.stored()))
    detail::refuse_state("a compressed object states more bytes than the object around it has",
                         "the bytes are damaged");
  const auto bytes = read_exactly<detail::WipedVector<char>>(stream, size);
  load_bytes(load_members, header, bytes, stored);
}

// Loads an object inside another one.
void load_inner(const LoadMembers& load_members, const Serialization::SEALHeader& header, std::istream& stream,
                const MembersBuffer& members) {
  const std::uint64_t size = members_size(header), start = members.position();
  if (header.compr_mode != compr_mode_type::none) return load_inner_compressed(load_members, header, stream, members);
  load_members(stream, SEALVersion{header.version_major, header.version_minor, 0, 0});
  if (members.position() - start == size) return;
  detail::refuse_state("an object inside another one states " + std::to_string(size) + " bytes of members, but has " +
                           std::to_string(members.position() - start),
                       "the bytes are damaged");
}

// Loads an object that is not compressed. Takes all of its bytes from the stream, also if they are refused.
void load_pieces(const LoadMembers& load_members, const Serialization::SEALHeader& header, std::istream& stream) {
  std::uint64_t left = members_size(header);
  const auto next = [&](std::span<char> bytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left));
    detail::read_raw(stream, bytes.data(), count);
    left -= count;
    return count;
  };
  InputPieces members(next, left);
  try {
    load_from(load_members, header, members);
  } catch (const StreamEnded&) { throw; } catch (...) {
    detail::WipedVector<char> rest(1 << 16);
    while (left != 0) (void)next(rest);
    throw;
  }
}

template <class Bytes>
void load_copy(const LoadMembers& load_members, const Serialization::SEALHeader& header, std::istream& stream) {
  const auto bytes = read_exactly<Bytes>(stream, members_size(header));
  load_bytes(load_members, header, bytes, bytes.size());
}

// Returns the number of bytes that it wrote.
std::uint64_t write_object(const std::function<void(std::ostream&)>& save_members, std::streamoff raw_size,
                           std::ostream& stream, compr_mode_type mode) {
  if (!save_members) detail::refuse_argument("there is no function that writes the members", "pass one");
  if (raw_size < static_cast<std::streamoff>(sizeof(Serialization::SEALHeader)))
    detail::refuse_argument("raw_size is " + std::to_string(raw_size), "it includes the 16 bytes of the header");
  Serialization::SEALHeader header;
  header.compr_mode = mode;
  header.size = static_cast<std::uint64_t>(raw_size);
  if (mode == compr_mode_type::none) {
    with_failures_thrown(stream, kWriteFailed, [&] {
      Serialization::SaveHeader(header, stream);
      save_members(stream);
    });
    return header.size;
  }
  detail::WipedVector<char> members(header.size - sizeof header);
  OutputMemory memory(members.data(), members.size());
  std::ostream to(&memory);
  with_failures_thrown(to, kWriteFailed, [&] { save_members(to); });
  const detail::WipedVector<char> bytes = detail::compressed(mode, {members.data(), memory.written()});
  header.size = sizeof header + bytes.size();
  with_failures_thrown(stream, kWriteFailed, [&] {
    Serialization::SaveHeader(header, stream);
    detail::write_raw(stream, bytes.data(), bytes.size());
  });
  return header.size;
}

}  // namespace

namespace detail {

void write_raw(std::ostream& stream, const void* data, std::size_t size) {
  with_failures_thrown(stream, kWriteFailed, [&] {
    if (size != 0) stream.write(static_cast<const char*>(data), util::safe_cast<std::streamsize>(size));
  });
}

void read_raw(std::istream& stream, void* data, std::size_t size) {
  with_failures_thrown(stream, kReadFailed, [&] {
    if (size != 0) stream.read(static_cast<char*>(data), util::safe_cast<std::streamsize>(size));
  });
}

BoundedMembers::BoundedMembers(std::istream& stream) : buffer_(stream.rdbuf()) {
  if (auto* members = dynamic_cast<MembersBuffer*>(buffer_)) members->set_bounded(true);
}

BoundedMembers::~BoundedMembers() {
  if (auto* members = dynamic_cast<MembersBuffer*>(buffer_)) members->set_bounded(false);
}

void write_array_head(std::ostream& stream, std::size_t words) {
  Serialization::SEALHeader header;
  header.size = sizeof header + sizeof(std::uint64_t) * (1 + words);
  write_value(stream, header);
  write_value<std::uint64_t>(stream, words);
}

void write_words(std::ostream& stream, std::span<const std::uint64_t> words) {
  write_array_head(stream, words.size());
  write_raw(stream, words.data(), words.size_bytes());
}

}  // namespace detail

std::size_t Serialization::ComprSizeEstimate(std::size_t in_size, compr_mode_type compr_mode) {
  return detail::compressed_bound(compr_mode, in_size);
}

bool Serialization::IsCompatibleVersion(const SEALHeader& header) noexcept {
  if (header.version_major == SEAL_VERSION_MAJOR) return header.version_minor <= SEAL_VERSION_MINOR;
  return header.version_major == 3 && header.version_minor >= 4;
}

bool Serialization::IsValidHeader(const SEALHeader& header) noexcept {
  return header.magic == seal_magic && header.header_size == seal_header_size && IsCompatibleVersion(header) &&
         IsSupportedComprMode(header.compr_mode);
}

std::streamoff Serialization::SaveHeader(const SEALHeader& header, std::ostream& stream) {
  detail::write_raw(stream, &header, sizeof header);
  return sizeof header;
}

std::streamoff Serialization::LoadHeader(std::istream& stream, SEALHeader& header, bool try_upgrade_if_invalid) {
  detail::read_raw(stream, &header, sizeof header);
  if (!try_upgrade_if_invalid || IsValidHeader(header)) return sizeof header;
  const legacy_headers::SEALHeader_3_4 legacy(header);
  if (legacy.magic != seal_magic || legacy.zero_byte != 0 || !IsSupportedComprMode(legacy.compr_mode))
    return sizeof header;
  header = SEALHeader{};
  header.version_major = 3;
  header.version_minor = 4;
  header.compr_mode = legacy.compr_mode;
  header.size = legacy.size;
  return sizeof header;
}

std::streamoff Serialization::SaveHeader(const SEALHeader& header, seal_byte* out, std::size_t size) {
  require_memory(out, size);
  OutputMemory memory(reinterpret_cast<char*>(out), size);
  std::ostream stream(&memory);
  return SaveHeader(header, stream);
}

std::streamoff Serialization::LoadHeader(const seal_byte* in, std::size_t size, SEALHeader& header,
                                         bool try_upgrade_if_invalid) {
  require_memory(in, size);
  InputMemory memory(reinterpret_cast<const char*>(in), size);
  std::istream stream(&memory);
  return LoadHeader(stream, header, try_upgrade_if_invalid);
}

std::streamoff Serialization::Save(std::function<void(std::ostream&)> save_members, std::streamoff raw_size,
                                   std::ostream& stream, compr_mode_type compr_mode, bool) {
  const std::streamoff start = stream.tellp();
  const std::uint64_t size = write_object(save_members, raw_size, stream, compr_mode);
  const std::streamoff end = stream.tellp();
  return start < 0 || end < 0 ? static_cast<std::streamoff>(size) : end - start;
}

std::streamoff Serialization::Save(std::function<void(std::ostream&)> save_members, std::streamoff raw_size,
                                   seal_byte* out, std::size_t size, compr_mode_type compr_mode, bool) {
  require_memory(out, size);
  OutputMemory memory(reinterpret_cast<char*>(out), size);
  std::ostream stream(&memory);
  write_object(save_members, raw_size, stream, compr_mode);
  return static_cast<std::streamoff>(memory.written());
}

std::streamoff Serialization::Load(std::function<void(std::istream&, SEALVersion)> load_members, std::istream& stream,
                                   bool clear_buffers) {
  if (!load_members) detail::refuse_argument("there is no function that reads the members", "pass one");
  SEALHeader header;
  LoadHeader(stream, header);
  if (const auto* members = dynamic_cast<const MembersBuffer*>(stream.rdbuf())) {
    load_inner(load_members, header, stream, *members);
    return static_cast<std::streamoff>(header.size);
  }
  if (header.compr_mode == compr_mode_type::none) load_pieces(load_members, header, stream);
  else
    clear_buffers ? load_copy<detail::WipedVector<char>>(load_members, header, stream)
                  : load_copy<std::vector<char>>(load_members, header, stream);
  return static_cast<std::streamoff>(header.size);
}

std::streamoff Serialization::Load(std::function<void(std::istream&, SEALVersion)> load_members, const seal_byte* in,
                                   std::size_t size, bool) {
  if (!load_members) detail::refuse_argument("there is no function that reads the members", "pass one");
  SEALHeader header;
  LoadHeader(in, size, header);
  if (members_size(header) > size - sizeof header)
    throw StreamEnded("the buffer ends before the saved object does; pass all of its bytes");
  const std::size_t members = members_size(header);
  load_bytes(load_members, header, {reinterpret_cast<const char*>(in) + sizeof header, members}, members);
  return static_cast<std::streamoff>(header.size);
}

}  // namespace seal
