// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of arrays and of containers. Their fields are, in order:
//   array      dimensions u32 | ciphertexts u32 | rows, cols, stride u64 each | unused slots u8 | ends given u8 |
//              zero 6 | low, high i64 (or f64) | shape u64 each | lengths of the ciphertexts' files u64 each | these
//              files
//   container  objects u32 | zero u32 | name 64 and length u64 of each object | the objects' files
// The fields of an array are those of ArrayRecord (ringfort/files.h). `ends given` is 1 if low and high are the ends of
// its interval, and 2 if they are the ends of its domain. The header of an array has the digest of the parameters and
// the insecure flag of its ciphertexts. The digest in the header of a container is zero, because each object has its
// own digest. A container has version 3 if it has several parameter sets whose names begin with '@'. These parameter
// sets belong to one context with several plaintext moduli.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "base/checked.h"
#include "io/file.h"
#include "io/leveled.h"
#include "io/text.h"

namespace ringfort::io {

namespace {

constexpr u64 kMostElements = u64{1} << 48;
constexpr u32 kMostDimensions = 32;
constexpr u32 kMostFiles = 1U << 20;
constexpr std::size_t kNameBytes = 64;
constexpr u64 kContainerHead = 8;
constexpr u64 kEntryBytes = kNameBytes + 8;

Failure outside(const std::string& what) { return wire::damaged(Code::io_range, what); }
[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

Result<Header> open_whole(std::span<const u8> bytes, FileType type) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header;
  if (header.value().type != type) return wrong_type(header.value().type, type);
  auto framed =
      check_frame(bytes, header.value(),
                  bytes.size() < kHeaderBytes + kTrailerBytes ? 0 : bytes.size() - kHeaderBytes - kTrailerBytes);
  if (!framed.ok()) return framed.failure();
  return header;
}

// Splits `rest` into consecutive files of these lengths. The lengths are untrusted. They must add up to the length of
// `rest`.
Result<std::vector<ByteView>> split(std::span<const u8> rest, std::span<const u64> lengths) {
  std::vector<ByteView> files;
  for (const u64 length : lengths) {
    if (length > rest.size())
      return Failure{Code::io_length, "a part is longer than the file that holds it",
                     "the file is damaged or cut off: copy it again"};
    files.push_back(rest.first(static_cast<std::size_t>(length)));
    rest = rest.subspan(static_cast<std::size_t>(length));
  }
  if (!rest.empty())
    return Failure{Code::io_length, "the file is longer than its parts", "the file is damaged: copy it again"};
  return files;
}

Result<Done> check_array(const ArrayRecord& array) {
  if (array.shape.size() > kMostDimensions)
    return outside("array: it has " + std::to_string(array.shape.size()) + " dimensions");
  Checked elements(1);
  for (const u64 extent : array.shape) {
    if (extent > kMostElements) return outside("array: an extent is " + std::to_string(extent));
    elements = elements * std::max<u64>(extent, 1);
  }
  if (!elements.ok() || elements.value() > kMostElements) return outside("array: it has more than 2^48 elements");
  if (std::max({array.rows, array.cols, array.stride}) > kMostElements || array.unused_slots > 2)
    return outside("array: its layout is outside its ranges");
  if (array.interval && array.interval->low > array.interval->high) return outside("array: its interval is empty");
  if (array.domain && (array.interval || !std::isfinite(array.domain->low) || !std::isfinite(array.domain->high) ||
                       !(array.domain->low < array.domain->high)))
    return outside("array: its domain is empty or infinite, or it has both a domain and an interval");
  return Done{};
}

// Returns the header of an array. Fails unless all ciphertexts have the same digest and the same insecure flag.
Result<Header> common_header(std::span<const ByteView> ciphertexts) {
  Header common{.type = FileType::array};
  for (std::size_t i = 0; i < ciphertexts.size(); ++i) {
    auto header = decode_header(ciphertexts[i]);
    if (!header.ok()) return header;
    const u32 mark = header.value().flags & kFlagInsecure;
    if (header.value().type != FileType::ciphertext) return wrong_type(header.value().type, FileType::ciphertext);
    if (i == 0) common = {FileType::array, mark, header.value().parameters, 0};
    if (header.value().parameters != common.parameters || mark != common.flags)
      return wire::damaged(Code::io_digest, "array: its ciphertexts are of two parameter sets");
  }
  return common;
}

bool is_name(std::string_view name) { return !name.empty() && name.size() <= kNameBytes && is_text(name); }

// Requires a valid name that is not in `names`. For names of the caller; check_object checks the names in a file.
void require_name(const std::string& name, const std::set<std::string_view>& names) {
  if (!is_name(name))
    refuse("the name of an object is not 1 to 64 bytes of printable UTF-8", "give the object such a name");
  if (names.contains(name)) refuse("two objects have the name '" + name + "'", "give each object its own name");
}

Result<Done> check_object(const NamedObject& object, std::set<std::string_view>& names) {
  const std::string name = "object '" + object.name + "'";
  if (!is_name(object.name)) return outside("container: a name is not 1 to 64 bytes of printable UTF-8");
  if (!names.insert(object.name).second) return outside("container: " + name + " occurs twice");
  auto header = decode_header(object.bytes);
  if (!header.ok()) return Failure{header.failure().code, name + ": " + header.failure().problem, header.failure().fix};
  if (header.value().type == FileType::container)
    return Failure{Code::io_type, name + " is a container itself", "save its objects instead"};
  return Done{};
}

// Returns the version of a container of these objects. Their headers have been checked.
u16 version_of(std::span<const NamedObject> objects) {
  const auto moduli = std::count_if(objects.begin(), objects.end(), [](const NamedObject& object) {
    return object.name.starts_with('@') && type_of(object.bytes) == FileType::leveled_parameters;
  });
  return moduli > 1 ? newest_version(FileType::container) : kFirstVersion;
}

bool holds_secrets(ByteView bytes) {
  const FileType type = type_of(bytes);
  if (type != FileType::container) return type == FileType::secret_key || type == FileType::secret_keys;
  const auto objects = open_container(bytes).take();
  return std::any_of(objects.begin(), objects.end(),
                     [](const NamedObject& object) { return holds_secrets(object.bytes); });
}

}  // namespace

SecretBytes::~SecretBytes() {
  if (!bytes_.empty()) wipe(bytes_.data(), bytes_.size());
}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

namespace {

// Returns the stored form of the ends of the interval or of the domain.
std::array<u64, 2> ends_of(const ArrayRecord& array) {
  if (array.domain) return {std::bit_cast<u64>(array.domain->low), std::bit_cast<u64>(array.domain->high)};
  const ArrayRecord::Interval interval = array.interval.value_or(ArrayRecord::Interval{});
  return {std::bit_cast<u64>(interval.low), std::bit_cast<u64>(interval.high)};
}

}  // namespace

Bytes encode_array(const ArrayRecord& array) {
  check_array(array).take();
  if (array.ciphertexts.size() > kMostFiles)
    refuse("an array has " + std::to_string(array.ciphertexts.size()) + " ciphertexts, but a file holds " +
               std::to_string(kMostFiles),
           "save it in several arrays");
  Header header = common_header(array.ciphertexts).take();
  if (array.domain) header.version = newest_version(FileType::array);
  Bytes fields;
  ByteWriter out(fields);
  out.put_u32(static_cast<u32>(array.shape.size()));
  out.put_u32(static_cast<u32>(array.ciphertexts.size()));
  for (const u64 value : {array.rows, array.cols, array.stride}) out.put_u64(value);
  out.put_u8(array.unused_slots);
  out.put_u8(array.domain ? 2 : array.interval ? 1 : 0);
  out.put_zeros(6);
  for (const u64 end : ends_of(array)) out.put_u64(end);
  for (const u64 extent : array.shape) out.put_u64(extent);
  for (const ByteView ciphertext : array.ciphertexts) out.put_u64(ciphertext.size());
  for (const ByteView ciphertext : array.ciphertexts) out.put_bytes(ciphertext);
  return make_frame(header, fields);
}

namespace {

struct ArrayHead {
  ArrayRecord array;
  u32 dimensions = 0, ciphertexts = 0;
};

Result<ArrayHead> take_array_head(ByteReader& in, u16 version) {
  ArrayHead head;
  head.dimensions = in.take_u32();
  head.ciphertexts = in.take_u32();
  for (u64* value : {&head.array.rows, &head.array.cols, &head.array.stride}) *value = in.take_u64();
  head.array.unused_slots = in.take_u8();
  const u8 given = in.take_u8();
  u64 zero = in.take_u16();
  zero |= in.take_u32();
  const u64 low = in.take_u64(), high = in.take_u64();
  if (given == 1) head.array.interval = {std::bit_cast<i64>(low), std::bit_cast<i64>(high)};
  if (given == 2) head.array.domain = {std::bit_cast<double>(low), std::bit_cast<double>(high)};
  if (given > 2 || zero != 0 || (given == 0 && (low | high) != 0))
    return outside("array: a field before its shape is outside its range");
  if ((given == 2) != (version > kFirstVersion))
    return outside("array: version 3 always has a domain, version 2 never");
  if (head.dimensions > kMostDimensions || head.ciphertexts > kMostFiles || !in.ok() ||
      in.remaining() / 8 < u64{head.dimensions} + head.ciphertexts) {
    return outside("array: it has more dimensions or ciphertexts than the file can contain");
  }
  return head;
}

}  // namespace

Result<ArrayRecord> open_array(std::span<const u8> bytes) {
  auto header = open_whole(bytes, FileType::array);
  if (!header.ok()) return header.failure();
  ByteReader in(bytes.subspan(kHeaderBytes, bytes.size() - kHeaderBytes - kTrailerBytes));
  auto head = take_array_head(in, header.value().version);
  if (!head.ok()) return head.failure();
  ArrayRecord& array = head.value().array;
  for (u32 i = 0; i < head.value().dimensions; ++i) array.shape.push_back(in.take_u64());
  std::vector<u64> lengths(head.value().ciphertexts);
  for (u64& length : lengths) length = in.take_u64();
  auto files = split(in.view(in.remaining()), lengths);
  if (!files.ok()) return files.failure();
  array.ciphertexts = std::move(files).take();
  auto common = common_header(array.ciphertexts);
  if (!common.ok()) return common.failure();
  if (common.value().parameters != header.value().parameters || common.value().flags != header.value().flags) {
    return wire::damaged(Code::io_digest, "array: the parameters in its header are not those of its ciphertexts");
  }
  auto checked = check_array(array);
  if (!checked.ok()) return checked.failure();
  return std::move(array);
}

SecretBytes encode_container(std::span<const NamedObject> objects) {
  if (objects.size() > kMostFiles)
    refuse("a container has " + std::to_string(objects.size()) + " objects, but a file holds " +
               std::to_string(kMostFiles),
           "save them in several containers");
  std::set<std::string_view> names;
  u64 bytes = kContainerHead + objects.size() * kEntryBytes;
  for (const NamedObject& object : objects) {
    require_name(object.name, names);
    check_object(object, names).take();
    bytes += object.bytes.size();
  }
  Bytes file;
  // Reserves all memory at once. A vector that grows frees its earlier memory without wiping it.
  file.reserve(kHeaderBytes + bytes + kTrailerBytes);
  ByteWriter out(file);
  out.put_bytes(encode_header({.type = FileType::container, .payload_bytes = bytes, .version = version_of(objects)}));
  out.put_u32(static_cast<u32>(objects.size()));
  out.put_u32(0);
  for (const NamedObject& object : objects) {
    out.put_text(object.name, kNameBytes);
    out.put_u64(object.bytes.size());
  }
  for (const NamedObject& object : objects) out.put_bytes(object.bytes);
  out.put_bytes(blake2b_256(file));
  return SecretBytes(std::move(file));
}

Result<std::vector<NamedObject>> open_container(std::span<const u8> bytes) {
  auto header = open_whole(bytes, FileType::container);
  if (!header.ok()) return header.failure();
  if (header.value().parameters != Digest{}) return wire::damaged(Code::io_digest, "container: its digest is not zero");
  ByteReader in(bytes.subspan(kHeaderBytes, bytes.size() - kHeaderBytes - kTrailerBytes));
  const u32 count = in.take_u32(), zero = in.take_u32();
  if (!in.ok() || zero != 0 || count > in.remaining() / kEntryBytes || count > kMostFiles)
    return outside("container: it has more objects than the file can contain, or a reserved field is not zero");
  std::vector<NamedObject> objects(count);
  std::vector<u64> lengths(count);
  for (u32 i = 0; i < count; ++i) {
    objects[i].name = in.take_text(kNameBytes);
    lengths[i] = in.take_u64();
  }
  if (!in.ok()) return outside("container: a name has bytes after its end");
  auto files = split(in.view(in.remaining()), lengths);
  if (!files.ok()) return files.failure();
  std::set<std::string_view> names;
  for (u32 i = 0; i < count; ++i) {
    objects[i].bytes = files.value()[i];
    auto checked = check_object(objects[i], names);
    if (!checked.ok()) return checked.failure();
  }
  if (header.value().version != version_of(objects))
    return outside("container: version 3 has the parameters of several moduli, version 2 has not");
  return objects;
}

ArrayRecord decode_array(ByteView bytes) { return open_array(bytes).take(); }
std::vector<NamedObject> decode_container(ByteView bytes) { return open_container(bytes).take(); }

void save(const std::string& path, ByteView bytes) { write_file(path, bytes, holds_secrets(bytes)).take(); }

namespace {

// Checks the length of a file of CKKS, BFV or BGV before memory is allocated for it: a sparse file may be much longer
// than its header states.
void require_claimed_length(const std::string& path) {
  const auto file = File::open_existing(path, false, Links::follow).take();
  const u64 bytes = file.size().take();
  std::array<u8, kHeaderBytes> start{};
  const auto present = std::span(start).first(static_cast<std::size_t>(std::min<u64>(bytes, kHeaderBytes)));
  file.read_at(0, present).take();
  const Header header = decode_header(present).take();
  if (header.type < FileType::leveled_parameters) return;
  if (bytes < kHeaderBytes + kTrailerBytes)
    throw Error(Code::io_truncated, path + " ends before its content does", "copy the whole file again");
  if (bytes - kHeaderBytes - kTrailerBytes == header.payload_bytes) return;
  throw Error(Code::io_length,
              path + " has " + std::to_string(bytes) + " bytes, but its header claims " +
                  std::to_string(header.payload_bytes) + " of content",
              "the file is damaged or cut off: copy it again");
}

}  // namespace

SecretBytes load(const std::string& path, std::uint64_t limit_bytes) {
  require_claimed_length(path);
  SecretBytes content(read_file(path, limit_bytes, Links::follow).take());
  (void)type_of(content);
  return content;
}

}  // namespace ringfort::io
