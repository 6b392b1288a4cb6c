// SPDX-License-Identifier: Apache-2.0
// Tests faults and refused programs. Some tests run programs that break a rule of the machine. The message must then
// name the tasklet and the source line, unless the run-time library raises the fault. Other tests load programs that do
// not fit the chip, and files that are not programs. hw/pim/README.md explains the terms.
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

struct BrokenRule {
  u32 which;
  FaultCode code;
  // the comment that marks the line in programs/faults.c, or "" if the run-time library raises the fault
  const char* line;
  const char* remedy;  // a part of the required message
};

const BrokenRule kBrokenRules[] = {
    {1, FaultCode::dma_size, "dma_size", "split it"},
    {2, FaultCode::dma_size, "dma_size_variable", "DMA of 12 bytes"},
    {3, FaultCode::dma_alignment, "dma_alignment", "__dma_aligned"},
    {4, FaultCode::dma_range, "dma_range", "beyond WRAM"},
    {5, FaultCode::mram_dereference, "mram_dereference", "mram_read"},
    {6, FaultCode::wram_access, "wram_access", "outside WRAM"},
    {7, FaultCode::unaligned, "unaligned", "not aligned"},
    {8, FaultCode::stack_overflow, "stack_overflow", "STACK_SIZE_TASKLET_3"},
    {9, FaultCode::heap_overflow, "", "mem_reset"},
    {10, FaultCode::deadlock, "", "sleep for ever: 3"},
    {11, FaultCode::assertion, "assertion", "assertion"},
    {12, FaultCode::iram_access, "iram_access", "no instruction"},
    {13, FaultCode::instruction, "instruction", "0xffffffff"},
    {14, FaultCode::atomic_bit, "atomic_bit", "MUTEX_INIT"},
    {15, FaultCode::deadlock, "self_deadlock", "waits for a mutex"},
    {16, FaultCode::division_by_zero, "division", "by zero"},
    {17, FaultCode::division_by_zero, "division64", "by zero"},
    {18, FaultCode::cycle_limit, "endless", "within 1000000 cycles"},
    {19, FaultCode::wram_access, "load_pair", "access of 4 bytes at 0x10000 is outside WRAM"},
    {20, FaultCode::wram_access, "store_pair", "access of 4 bytes at 0x10000 is outside WRAM"},
};

class Faults : public DpuTest {};

TEST_F(Faults, EachBrokenRuleIsNamedWithTaskletAndLine) {
  for (const BrokenRule& rule : kBrokenRules) {
    Dpu dpu = ready("faults");
    set(dpu, "which", rule.which);
    const Fault fault = dpu.run(1000000).fault;
    EXPECT_EQ(fault.code, rule.code) << "rule " << rule.which << ": " << fault.text;
    EXPECT_NE(fault.text.find(rule.remedy), std::string::npos) << fault.text;
    if (*rule.line == 0) continue;
    const int line = marked_line("faults.c", rule.line);
    ASSERT_NE(line, 0) << rule.line;
    // The recursive function allocates its stack frame in its first line, three lines before the marked line.
    const int first = rule.code == FaultCode::stack_overflow ? line - 3 : line;
    bool named = false;
    for (int at = first; at <= line; ++at)
      named = named || fault.text.find("tasklet 3 at faults.c:" + std::to_string(at) + ":") != std::string::npos;
    EXPECT_TRUE(named) << "line " << line << ": " << fault.text;
  }
}

// Two accesses to neighbouring words may be fused into one operation. The fault must be the same as without fusion.
TEST_F(Faults, APairOfAccessesFailsAsTheSeparateAccessesDo) {
  for (const u32 which : {6, 7, 19, 20}) {
    Dpu separate = ready("faults", {.fuse = false}), pairs = ready("faults", {.fuse_pairs = true});
    for (Dpu* const dpu : {&separate, &pairs}) set(*dpu, "which", which);
    const Fault expected = separate.run(1000000).fault, fault = pairs.run(1000000).fault;
    EXPECT_EQ(fault.code, expected.code) << "rule " << which;
    EXPECT_EQ(fault.text, expected.text) << "rule " << which;
  }
}

TEST_F(Faults, AProgramWithoutFaultRunsThrough) {
  Dpu dpu = ready("faults");
  EXPECT_EQ(dpu.run(100000).fault.text, "");
}

LoadFailure failure_of(const std::string& name, const Chip& chip) {
  auto loaded = load_program_file(program_path(name), chip);
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) return *failure;
  ADD_FAILURE() << name << " was loaded";
  return {};
}

TEST_F(Faults, AProgramThatDoesNotFitTheChipIsRefusedWithTheNumbers) {
  Chip small = kV1A;
  small.iram_instructions = 100;
  EXPECT_EQ(failure_of("synchronise", small).error, LoadError::iram_overflow);
  EXPECT_NE(failure_of("synchronise", small).text.find("IRAM holds 100"), std::string::npos);
  small = kV1A;
  small.wram_bytes = 16384;
  EXPECT_EQ(failure_of("synchronise", small).error, LoadError::wram_overflow);
  EXPECT_EQ(failure_of("synchronise_24", kV1B).error, LoadError::too_many_tasklets);
  small = kV1A;
  small.atomic_bits = 3;
  EXPECT_EQ(failure_of("synchronise", small).error, LoadError::bad_symbols);
  EXPECT_EQ(failure_of("no such program", kV1A).error, LoadError::unreadable);
}

TEST_F(Faults, ChipV1BHasLessMemoryAndFewerTasklets) {
  const LoadFailure failure = failure_of("synchronise", kV1B);
  EXPECT_EQ(failure.error, LoadError::wram_overflow);
  EXPECT_NE(failure.text.find("-DWRAM_SIZE=63488"), std::string::npos);
  Dpu dpu = ready("synchronise_v1b", {}, kV1B);
  EXPECT_EQ(dpu.run().fault.text, "");
}

std::vector<u8> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Loads a damaged program, and runs it if it loads. Such a program may compute anything, but must not harm the
// simulator.
void survive(const std::vector<u8>& bytes) {
  auto loaded = load_program(bytes, kV1A);
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
    EXPECT_FALSE(failure->text.empty());
    return;
  }
  Dpu dpu;
  dpu.load(std::make_shared<const Program>(std::move(std::get<Program>(loaded))));
  const RunReport report = dpu.run(2000);
  EXPECT_LE(report.counters.cycles, 2100u);
}

void append(std::vector<u8>& to, u32 value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to.push_back(i < 4 ? static_cast<u8>(value >> 8 * i) : u8{0});
}

// Returns an ELF header and `count` load segments. All segments have the same range of the file, and the same range of
// memory.
std::vector<u8> overlapping_segments(u32 count, u32 bytes) {
  std::vector<u8> elf{0x7f, 'E', 'L', 'F', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  append(elf, 2, 2);    // type: an executable
  append(elf, 243, 2);  // machine: RISC-V
  append(elf, 0, 8);
  append(elf, 52, 4);  // offset of the segment headers: they follow this header
  append(elf, 0, 12);
  append(elf, count, 4);
  append(elf, 0, 4);
  for (u32 i = 0; i < count; ++i) {
    for (const u32 word : {1u, 52 + 32 * count, u32{kMramBase}, 0u, bytes, bytes, 0u, 0u}) append(elf, word, 4);
  }
  elf.resize(elf.size() + bytes);
  return elf;
}

// If the loader accepted such segments, a small file could fill the computer's memory.
TEST_F(Faults, SegmentsThatShareMemoryAreRefused) {
  const auto loaded = load_program(overlapping_segments(1000, 1 << 16), kV1A);
  const auto* const failure = std::get_if<LoadFailure>(&loaded);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error, LoadError::malformed);
  EXPECT_EQ(failure->text, "two ELF segments overlap at 0x08000000");
}

// Returns a unit of a line table with one file and the line-number program `program`.
std::vector<u8> line_unit(const std::vector<u8>& program) {
  const std::vector<u8> header{1, 1, 1, 1, 1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 0, 0, 0, 0};
  std::vector<u8> unit;
  append(unit, static_cast<u32>(6 + header.size() + program.size()), 4);
  append(unit, 4, 2);
  append(unit, static_cast<u32>(header.size()), 4);
  unit.insert(unit.end(), header.begin(), header.end());
  unit.insert(unit.end(), program.begin(), program.end());
  return unit;
}

// The number of the file plus the number of the unit's first file exceeds 32 bits.
TEST_F(Faults, AFileThatALineTableLacksIsNoLine) {
  std::vector<u8> table = line_unit({1});
  const std::vector<u8> second = line_unit({4, 0xff, 0xff, 0xff, 0xff, 0x0f, 1});
  table.insert(table.end(), second.begin(), second.end());
  EXPECT_EQ(LineTable(table).at(0x10), LineTable(line_unit({1})).at(0x10));
}

TEST_F(Faults, APipeIsNoProgram) {
  const std::string pipe = ::testing::TempDir() + "/program.pipe";
  (void)std::remove(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto loaded = load_program_file(pipe, kV1A);
  EXPECT_EQ(std::get<LoadFailure>(loaded).text, "the DPU program " + pipe + " is not a regular file");
  (void)std::remove(pipe.c_str());
}

TEST_F(Faults, NoDamagedFileHarmsTheLoaderOrTheMachine) {
  const auto whole = file_bytes(program_path("faults"));
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 8)
    survive({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
  Words words(7);
  for (int round = 0; round < 600; ++round) {
    auto damaged = whole;
    // A third of the changes are in the headers, a third in the section and symbol tables at the end, and a third
    // anywhere in the file.
    const std::size_t window = round % 3 == 0 ? 200 : damaged.size();
    const std::size_t from = round % 3 == 2 ? damaged.size() - 2000 : 0;
    for (int flips = 0; flips < 3; ++flips)
      damaged[from + words.next() % (window - from)] = static_cast<u8>(words.next());
    SCOPED_TRACE("round " + std::to_string(round));
    survive(damaged);
  }
}

TEST_F(Faults, RandomInstructionsHarmNothing) {
  Words words(11);
  for (int round = 0; round < 200; ++round) {
    Program program = *load("faults");
    for (auto& word : program.instructions) {
      // Seven of eight words have a valid opcode and random fields. The other words are random.
      constexpr u32 kOpcodes[] = {0x03, 0x13, 0x17, 0x23, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x0b, 0x2b, 0x5b};
      word = static_cast<u32>(words.next());
      if (words.below(8) != 0) word = (word & ~127u) | kOpcodes[words.below(12)];
    }
    Dpu dpu(kV1A, {.fuse_pairs = true});
    dpu.load(std::make_shared<const Program>(std::move(program)));
    const RunReport report = dpu.run(3000);
    EXPECT_LE(report.counters.cycles, 3100u) << "round " << round;
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
