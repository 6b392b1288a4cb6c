// SPDX-License-Identifier: Apache-2.0
// Reader of programs in the format .b512.
#include "sim/image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/isa_tables.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr std::array<u32, 256> crc_table() {
  std::array<u32, 256> table{};
  for (u32 byte = 0; byte < 256; ++byte) {
    u32 rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? 0xEDB88320U ^ (rest >> 1) : rest >> 1;
    table[byte] = rest;
  }
  return table;
}
constexpr std::array<u32, 256> kCrcTable = crc_table();

[[noreturn]] void refuse(const std::string& problem) { throw Refusal(problem, "assemble the program again"); }

class Reader {
 public:
  explicit Reader(std::span<const u8> bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  std::span<const u8> take(u64 count) {
    if (count > rest_.size())
      refuse("the program ends early: " + std::to_string(count) + " bytes needed, " + std::to_string(rest_.size()) +
             " left");
    const auto bytes = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return bytes;
  }
  template <class T>
  T number() {
    T value = 0;
    const auto bytes = take(sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << (8 * i)));
    return value;
  }
  // A name must have the form that the assembler accepts (asm/source.py). Other names could contain control sequences
  // for a terminal that shows them.
  std::string name() {
    const auto bytes = take(number<u16>());
    const auto is_letter = [](u8 c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto identifier = bytes.subspan(!bytes.empty() && bytes[0] == '.' ? 1 : 0);
    const bool is_name = !identifier.empty() && is_letter(identifier[0]) &&
                         std::ranges::all_of(identifier, [&](u8 c) { return is_letter(c) || (c >= '0' && c <= '9'); });
    if (!is_name) refuse("the program has a name that no source can have");
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::span<const u8> rest_;
};

struct Entry {
  Space space;
  u32 address;
  u32 words;
};

Entry read_entry(Reader& reader) {
  const u32 tag = reader.number<u32>();
  const u32 address = reader.number<u32>(), words = reader.number<u32>();
  const u32 most = tag == 0 ? kMaximumVdmWords : kMaximumSdmWords;
  if (tag > 1 || static_cast<u64>(address) + words > most) refuse("the program has data outside the memories");
  return {tag == 0 ? Space::vdm : Space::sdm, address, words};
}

void read_kernels(Reader& reader, u32 count, u32 instructions, Image& image) {
  for (u32 i = 0; i < count; ++i) {
    Kernel kernel;
    kernel.first = reader.number<u32>();
    kernel.count = reader.number<u32>();
    kernel.name = reader.name();
    if (kernel.count == 0 || static_cast<u64>(kernel.first) + kernel.count > instructions)
      refuse("a kernel is outside the program");
    image.kernels.push_back(std::move(kernel));
  }
}

Segment read_segment(Reader& reader) {
  const Entry entry = read_entry(reader);
  const auto bytes = reader.take(16ULL * entry.words);
  Segment segment{entry.space, entry.address, std::vector<u128>(entry.words)};
  for (std::size_t i = 0; i < segment.words.size(); ++i) segment.words[i] = load_word(&bytes[16 * i]);
  return segment;
}

}  // namespace

u32 crc32(std::span<const u8> bytes) noexcept {
  u32 state = ~u32{0};
  for (const u8 byte : bytes) state = kCrcTable[(state ^ byte) & 0xFF] ^ (state >> 8);
  return ~state;
}

u128 load_word(const u8* bytes) noexcept {
  u128 word = 0;
  for (int i = 15; i >= 0; --i) word = (word << 8) | bytes[i];
  return word;
}

void store_word(u8* bytes, u128 word) noexcept {
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<u8>(word >> (8 * i));
}

Image parse_image(std::span<const u8> bytes) {
  constexpr std::array<u8, 4> kMagic{'B', '5', '1', '2'};
  if (bytes.size() < 12 || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    refuse("this is not a .b512 program");
  Reader tail(bytes.last(4));
  if (crc32(bytes.first(bytes.size() - 4)) != tail.number<u32>()) refuse("the program's checksum does not match");
  Reader reader(bytes.first(bytes.size() - 4).subspan(4));
  if (reader.number<u16>() != kImageVersion || reader.number<u16>() != 0)
    refuse("the program's format version is not 1");
  const u32 kernels = reader.number<u32>(), instructions = reader.number<u32>();
  const u32 segments = reader.number<u32>(), symbols = reader.number<u32>();
  Image image;
  image.vdm_words = reader.number<u32>();
  image.sdm_words = reader.number<u32>();
  if (instructions > kInstructionMemory) refuse("the program exceeds the instruction memory");
  read_kernels(reader, kernels, instructions, image);
  if (8ULL * instructions > reader.left()) refuse("the program ends early in its instructions");
  for (u32 i = 0; i < instructions; ++i) image.code.push_back(reader.number<u64>());
  for (u32 i = 0; i < segments; ++i) image.segments.push_back(read_segment(reader));
  for (u32 i = 0; i < symbols; ++i) {
    const Entry entry = read_entry(reader);
    image.symbols.push_back({reader.name(), entry.space, entry.address, entry.words});
  }
  if (!reader.empty()) refuse("the program has bytes after its end");
  if (image.kernels.empty()) refuse("the program has no kernel");
  for (const Segment& segment : image.segments) {
    const u64 extent = segment.space == Space::vdm ? image.vdm_words : image.sdm_words;
    if (segment.address + segment.words.size() > extent)
      refuse("the program's head states fewer words than its data has");
  }
  return image;
}

std::vector<u8> read_regular(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))
    throw Refusal(path + " is not a regular file", "name a file");
  return read_file(path);
}

std::vector<u8> read_file(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30, kChunk = std::size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Refusal("cannot read " + path, "check the path");
  std::vector<u8> bytes;
  while (file) {
    const std::size_t before = bytes.size();
    if (before > kMostBytes) throw Refusal(path + " has more than 1 GiB", "give a smaller file");
    bytes.resize(before + kChunk);
    file.read(reinterpret_cast<char*>(bytes.data() + before), kChunk);
    bytes.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  return bytes;
}

Image read_image(const std::string& path) {
  try {
    return parse_image(read_regular(path));
  } catch (const Refusal& refusal) { throw std::runtime_error(path + ": " + refusal.what()); }
}

const Kernel& Image::kernel(const std::string& name) const {
  if (name.empty()) return kernels.front();
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return kernel;
  throw Refusal("the program has no kernel '" + name + "'", "its first kernel is '" + kernels.front().name + "'");
}

const Symbol& Image::symbol(const std::string& name) const {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return symbol;
  throw Refusal("the program has no symbol '" + name + "'",
                symbols.empty() ? "it has no symbols" : "its first symbol is '" + symbols.front().name + "'");
}

}  // namespace ringfort::rpu
