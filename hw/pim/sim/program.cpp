// SPDX-License-Identifier: Apache-2.0
// Loads the ELF32 little-endian RISC-V executables that pimcc links. It reads the load segments, the symbol table and
// .debug_line. It checks the limits of the chip: the size of IRAM, of WRAM with the stacks, and of MRAM, and the
// numbers of tasklets and atomic bits. hw/pim/README.md explains the terms.
#include "program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "bytes.h"
#include "words.h"

namespace ringfort::pim {
namespace {

using Bytes = std::span<const u8>;

constexpr std::size_t kHeaderBytes = 52;
constexpr std::size_t kSectionBytes = 40;
constexpr std::size_t kSegmentBytes = 32;
constexpr std::size_t kSymbolBytes = 16;
constexpr u16 kExecutable = 2;
constexpr u16 kRiscV = 243;
constexpr u32 kLoadSegment = 1;
constexpr u32 kSymbolTable = 2;
constexpr u32 kNoBits = 8;

struct Section {
  u32 name = 0, type = 0, offset = 0, bytes = 0, link = 0;
};

std::string hexadecimal(u32 value) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[value >> shift & 15];
  return "0x" + digits;
}

class Loader {
 public:
  Loader(Bytes elf, const Chip& chip) : elf_(elf), chip_(chip) {}

  Loaded<Program> load() {
    const bool complete = read_header() && read_segments() && read_sections() && read_symbols() && check_layout();
    if (!complete) return std::move(*failure_);
    return std::move(program_);
  }

 private:
  bool fail(LoadError error, std::string text) {
    failure_ = LoadFailure{error, std::move(text)};
    return false;
  }

  std::optional<Bytes> slice(u32 offset, u64 bytes) const {
    if (offset > elf_.size() || bytes > elf_.size() - offset) return std::nullopt;
    return elf_.subspan(offset, static_cast<std::size_t>(bytes));
  }

  bool read_header() {
    if (elf_.size() < kHeaderBytes)
      return fail(LoadError::truncated, "a DPU program needs an ELF header of 52 bytes; the file is shorter");
    constexpr std::array<u8, 6> kIdentity{0x7f, 'E', 'L', 'F', 1, 1};
    ByteReader in(elf_, 16);
    const bool executable = in.take_u16() == kExecutable;
    const bool riscv = in.take_u16() == kRiscV;
    if (!std::equal(kIdentity.begin(), kIdentity.end(), elf_.begin()) || !executable || !riscv)
      return fail(LoadError::not_dpu_elf, "not a 32-bit RISC-V executable; compile the DPU program with sdk/pimcc");
    in.seek(28);
    segments_at_ = in.take_u32();
    sections_at_ = in.take_u32();
    in.skip(4 + 2 + 2);  // skips flags, header size and size of a segment header
    segment_count_ = in.take_u16();
    in.skip(2);
    section_count_ = in.take_u16();
    section_names_ = in.take_u16();
    return true;
  }

  bool read_segments() {
    const auto table = slice(segments_at_, u64{segment_count_} * kSegmentBytes);
    if (!table) return fail(LoadError::truncated, "the ELF program headers lie beyond the end of the file");
    for (std::size_t i = 0; i < segment_count_; ++i) {
      ByteReader in(*table, i * kSegmentBytes);
      if (in.take_u32() == kLoadSegment && !read_segment(in)) return false;
    }
    if (program_.instructions.empty())
      return fail(LoadError::malformed, "the program has no instructions at 0x80000000");
    return true;
  }

  bool read_segment(ByteReader& in) {
    const u32 offset = in.take_u32();
    const u32 address = in.take_u32();
    in.skip(4);
    const u32 file_bytes = in.take_u32();
    const u32 memory_bytes = in.take_u32();
    const auto bytes = slice(offset, file_bytes);
    if (!bytes) return fail(LoadError::truncated, "an ELF segment is beyond the end of the file");
    if (file_bytes > memory_bytes)
      return fail(LoadError::malformed, "an ELF segment is larger in the file than in memory");
    if (address == kIramBase) return read_instructions(*bytes);
    return read_memory(address, memory_bytes, *bytes);
  }

  bool read_instructions(Bytes bytes) {
    if (bytes.size() % 4 != 0 || !program_.instructions.empty())
      return fail(LoadError::malformed, "the instruction segment is not a sequence of whole words");
    if (bytes.size() / 4 > chip_.iram_instructions) {
      return fail(LoadError::iram_overflow,
                  "the program has " + std::to_string(bytes.size() / 4) + " instructions, but IRAM holds " +
                      std::to_string(chip_.iram_instructions) + "; unroll less or split the kernel");
    }
    ByteReader in(bytes);
    program_.instructions.resize(bytes.size() / 4);
    for (auto& word : program_.instructions) word = in.take_u32();
    return true;
  }

  bool read_memory(u32 address, u32 memory_bytes, Bytes bytes) {
    const u64 end = u64{address} + memory_bytes;
    const bool in_mram = address >= kMramBase && end <= u64{kMramBase} + kMramBytes;
    if (address >= kMramBase && !in_mram)
      return fail(LoadError::mram_overflow, "data of " + std::to_string(memory_bytes) + " bytes at " +
                                                hexadecimal(address) + " is outside the 64 MiB of MRAM");
    if (!in_mram && end > chip_.wram_bytes) return fail(LoadError::wram_overflow, wram_text(end));
    if (!bytes.empty() && !reserve(address, end))
      return fail(LoadError::malformed, "two ELF segments overlap at " + hexadecimal(address));
    program_.memory.push_back({address, {bytes.begin(), bytes.end()}});
    return true;
  }

  // Returns false if another segment has bytes of this range. Since no two segments overlap, all segments together fit
  // in the memories.
  bool reserve(u32 begin, u64 end) {
    const auto next = reserved_.upper_bound(begin);
    if (next != reserved_.end() && next->first < end) return false;
    if (next != reserved_.begin() && std::prev(next)->second > begin) return false;
    reserved_.emplace(begin, end);
    return true;
  }

  std::string wram_text(u64 end) const {
    return "data and stacks end at byte " + std::to_string(end) + " of WRAM, which has " +
           std::to_string(chip_.wram_bytes) + "; use smaller buffers, fewer tasklets or a smaller STACK_SIZE_DEFAULT";
  }

  bool read_sections() {
    const auto table = slice(sections_at_, u64{section_count_} * kSectionBytes);
    if (!table) return fail(LoadError::truncated, "the ELF section headers lie beyond the end of the file");
    sections_.resize(section_count_);
    for (std::size_t i = 0; i < section_count_; ++i) {
      ByteReader in(*table, i * kSectionBytes);
      auto& section = sections_[i];
      section.name = in.take_u32();
      section.type = in.take_u32();
      in.skip(8);  // skips flags and address
      section.offset = in.take_u32();
      section.bytes = in.take_u32();
      section.link = in.take_u32();
    }
    read_lines();
    return true;
  }

  std::optional<Bytes> content(const Section& section) const {
    if (section.type == kNoBits) return std::nullopt;
    return slice(section.offset, section.bytes);
  }

  // Reads source lines. Only messages use the source lines. Therefore unreadable lines are skipped.
  void read_lines() {
    const auto names = section_names_ < sections_.size() ? content(sections_[section_names_]) : std::nullopt;
    if (!names) return;
    constexpr std::string_view kLines(".debug_line\0", 12);
    for (const auto& section : sections_) {
      const std::string_view all(reinterpret_cast<const char*>(names->data()), names->size());
      const auto bytes = content(section);
      if (section.name > all.size() || !all.substr(section.name).starts_with(kLines) || !bytes) continue;
      program_.lines = LineTable(*bytes);
      return;
    }
  }

  bool read_symbols() {
    bool is_read = false;
    for (const auto& section : sections_) {
      if (section.type != kSymbolTable) continue;
      if (std::exchange(is_read, true)) return fail(LoadError::malformed, "the ELF file has two symbol tables");
      if (!read_symbol_table(section)) return false;
    }
    return true;
  }

  bool read_symbol_table(const Section& section) {
    const auto table = content(section);
    const auto names = section.link < sections_.size() ? content(sections_[section.link]) : std::nullopt;
    if (!table || !names) return fail(LoadError::truncated, "the ELF symbol table is beyond the end of the file");
    std::size_t letters = 0;
    for (std::size_t at = 0; at + kSymbolBytes <= table->size(); at += kSymbolBytes) {
      ByteReader in(*table, at);
      ByteReader name(*names, in.take_u32());
      const std::string_view text = name.text();
      letters += text.size();
      // Several names may share bytes of the file. Without this limit, a small file could therefore have many long
      // names.
      if (letters > elf_.size()) return fail(LoadError::malformed, "the names of ELF symbols are longer than the file");
      const u32 value = in.take_u32();
      if (!text.empty()) program_.symbols.insert_or_assign(std::string(text), Symbol{value, in.take_u32()});
    }
    return true;
  }

  bool symbol(std::string_view name, u32& value) {
    const auto found = program_.symbols.find(name);
    if (found == program_.symbols.end())
      return fail(LoadError::bad_symbols,
                  "the program lacks the symbol " + std::string(name) + "; link it with sdk/pimcc");
    value = found->second.address;
    return true;
  }

  bool check_layout() {
    u32 tasklets = 0, atomic_end = 0;
    if (!symbol("NR_TASKLETS", tasklets) || !symbol("__sys_atomic_end", atomic_end)) return false;
    if (tasklets == 0 || tasklets > chip_.tasklets)
      return fail(LoadError::too_many_tasklets, "NR_TASKLETS is " + std::to_string(tasklets) +
                                                    "; this chip runs 1 to " + std::to_string(chip_.tasklets));
    if (atomic_end - kAtomicBase > chip_.atomic_bits)
      return fail(LoadError::bad_symbols, "the program declares " + std::to_string(atomic_end - kAtomicBase) +
                                              " mutexes; the chip has " + std::to_string(chip_.atomic_bits));
    program_.tasklets = tasklets;
    return check_stacks();
  }

  bool check_stacks() {
    auto& stacks = program_.stacks;
    for (unsigned t = 0; t < kMostTasklets; ++t) {
      if (!symbol("__sys_stack_" + std::to_string(t), stacks[t])) return false;
    }
    if (!symbol("__sys_stack_end", stacks[kMostTasklets])) return false;
    if (!std::is_sorted(stacks.begin(), stacks.end()))
      return fail(LoadError::bad_symbols, "the stacks of the program overlap; link it with sdk/pimcc");
    if (stacks[kMostTasklets] > chip_.wram_bytes)
      return fail(LoadError::wram_overflow, wram_text(stacks[kMostTasklets]));
    u32 heap_end = 0;
    if (!symbol("__sys_wram_end", heap_end)) return false;
    if (heap_end > chip_.wram_bytes)
      return fail(LoadError::wram_overflow,
                  "the heap of the program ends at byte " + std::to_string(heap_end) +
                      "; for this chip compile with -DWRAM_SIZE=" + std::to_string(chip_.wram_bytes));
    return true;
  }

  Bytes elf_;
  const Chip& chip_;
  Program program_;
  std::optional<LoadFailure> failure_;
  std::vector<Section> sections_;
  std::map<u32, u64> reserved_;  // begin and end of each segment that is not empty
  u32 segments_at_ = 0, sections_at_ = 0;
  u16 segment_count_ = 0, section_count_ = 0, section_names_ = 0;
};

}  // namespace

Loaded<Program> load_program(std::span<const u8> elf, const Chip& chip) { return Loader(elf, chip).load(); }

Loaded<Program> load_program_file(const std::string& path, const Chip& chip) {
  // Reading a pipe or a device could block for ever, or never reach an end.
  std::error_code failed;
  const bool is_regular = std::filesystem::is_regular_file(path, failed);
  if (std::filesystem::exists(path, failed) && !is_regular)
    return LoadFailure{LoadError::unreadable, "the DPU program " + path + " is not a regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return LoadFailure{LoadError::unreadable, "the DPU program " + path + " cannot be opened"};
  const std::vector<u8> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return load_program(bytes, chip);
}

}  // namespace ringfort::pim
