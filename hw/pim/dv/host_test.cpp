// SPDX-License-Identifier: Apache-2.0
// Tests every function of dpu.h, its rules and its errors, mostly on a system whose last rank is not full.
// host_time_test.cpp tests the times. hw/pim/README.md explains the terms.
#include <dpu.h>
#include <ringfort_pim.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support.h"

extern "C" {
#include "host_in_c.h"
#include "sim/words.h"
#if PIM_HAS_COMPILER
DPU_INCBIN(host_side_inside, PIM_PROGRAMS "/host_side.dpu")
#endif
}

namespace ringfort::pim::testing::host_test {
namespace {

constexpr u32 kWords = 64;
constexpr std::size_t kBytes = kWords * 4;

std::string text_of(dpu_error_t status) {
  char* text = dpu_error_to_string(status);
  std::string copy = text;
  std::free(text);
  return copy;
}

// 100 DPUs on ranks of 62 DPUs take two ranks. The second rank has 38 DPUs.
class Host : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (IsSkipped()) return;
    allocate("dpusPerRank=62");
    ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), &program_), DPU_OK)
        << text_of(DPU_ERR_ELF_INVALID_FILE);
  }
  void TearDown() override {
    if (!allocated_) return;
    EXPECT_EQ(dpu_free(set_), DPU_OK);
  }

  void allocate(const char* profile) {
    TearDown();
    allocated_ = dpu_alloc(100, profile, &set_) == DPU_OK;
    ASSERT_TRUE(allocated_);
  }

  std::vector<dpu_set_t> dpus() {
    std::vector<dpu_set_t> all;
    dpu_set_t dpu;
    DPU_FOREACH(set_, dpu) all.push_back(dpu);
    return all;
  }

  // Writes one row of words to `symbol` of each DPU.
  std::vector<std::vector<u32>> fill(const char* symbol) {
    std::vector<std::vector<u32>> rows;
    for (u32 d = 0; d < 100; ++d) rows.emplace_back(kWords, d + 1);
    std::size_t d = 0;
    for (auto& dpu : dpus()) EXPECT_EQ(dpu_prepare_xfer(dpu, rows[d++].data()), DPU_OK);
    EXPECT_EQ(dpu_push_xfer(set_, DPU_XFER_TO_DPU, symbol, 0, kBytes, DPU_XFER_DEFAULT), DPU_OK);
    return rows;
  }

  dpu_set_t set_{};
  dpu_program_t* program_ = nullptr;
  bool allocated_ = false;
};

TEST_F(Host, AKeptVariableThatTheProgramDoesNotUseHasASymbol) {
  struct dpu_symbol_t symbol;
  for (const char* name : {"kept", "spare"}) {
    EXPECT_EQ(dpu_get_symbol(program_, name, &symbol), DPU_OK) << name;
    EXPECT_EQ(symbol.size, 8U) << name;
  }
}

TEST_F(Host, AProgramInCRunsAsWithTheVendor) { EXPECT_EQ(host_in_c(program_path("host_side").c_str()), 0); }

TEST_F(Host, AllocationIsByRankAndNeverAssumes64) {
  u32 ranks = 0, count = 0;
  EXPECT_EQ(dpu_get_nr_ranks(set_, &ranks), DPU_OK);
  EXPECT_EQ(dpu_get_nr_dpus(set_, &count), DPU_OK);
  EXPECT_EQ(ranks, 2u);
  EXPECT_EQ(count, 100u);
  dpu_set_t rank;
  std::vector<u32> sizes;
  DPU_RANK_FOREACH(set_, rank) {
    EXPECT_EQ(dpu_get_nr_dpus(rank, &count), DPU_OK);
    sizes.push_back(count);
  }
  EXPECT_EQ(sizes, (std::vector<u32>{62, 38}));
}

TEST_F(Host, AllocationErrorsStateTheMistake) {
  dpu_set_t set;
  EXPECT_EQ(dpu_alloc(0, nullptr, &set), DPU_ERR_ALLOCATION);
  EXPECT_EQ(dpu_alloc(32 * 64 + 1, nullptr, &set), DPU_ERR_ALLOCATION);
  EXPECT_NE(text_of(DPU_ERR_ALLOCATION).find("has 32 ranks of 64 DPUs each"), std::string::npos);
  for (const char* profile : {"colour=blue", "chip=v2", "timing=tomorrow", "dpusPerRank=65",
                              "dpusPerRank=", "backend=hw", "sgXferEnable=perhaps", "chip"})
    EXPECT_EQ(dpu_alloc(1, profile, &set), DPU_ERR_INVALID_PROFILE) << profile;
  EXPECT_NE(text_of(DPU_ERR_INVALID_PROFILE).find("mwaisela-4210R"), std::string::npos);
  ASSERT_EQ(dpu_alloc_ranks(3, "chip=v1B,timing=prim-2021,nrThreadsPerRank=8", &set), DPU_OK);
  u32 count = 0;
  EXPECT_EQ(dpu_get_nr_dpus(set, &count), DPU_OK);
  EXPECT_EQ(count, 192u);
  dpu_set_t rank;
  DPU_RANK_FOREACH(set, rank) EXPECT_EQ(dpu_free(rank), DPU_ERR_INVALID_DPU_SET);
  EXPECT_EQ(dpu_free(set), DPU_OK);
}

TEST_F(Host, AllocatingAllGivesTheDpusOfTheProfile) {
  dpu_set_t set;
  u32 count = 0;
  ASSERT_EQ(dpu_alloc(DPU_ALLOCATE_ALL, "timing=prim-2021", &set), DPU_OK);
  EXPECT_EQ(dpu_get_nr_dpus(set, &count), DPU_OK);
  EXPECT_EQ(count, 40u * 64);
  EXPECT_EQ(dpu_free(set), DPU_OK);
}

TEST_F(Host, SymbolsWorkLikeNames) {
  dpu_symbol_t factor, input;
  ASSERT_EQ(dpu_get_symbol(program_, "factor", &factor), DPU_OK);
  ASSERT_EQ(dpu_get_symbol(program_, "input", &input), DPU_OK);
  const u32 seven = 7;
  EXPECT_EQ(dpu_copy_to_symbol(set_, factor, 0, &seven, sizeof seven), DPU_OK);
  u32 found = 0;
  EXPECT_EQ(dpu_copy_from_symbol(dpus()[99], factor, 0, &found, sizeof found), DPU_OK);
  EXPECT_EQ(found, 7u);
  const std::vector<u32> same(kWords, 6);
  EXPECT_EQ(dpu_broadcast_to_symbol(set_, input, 0, same.data(), kBytes, DPU_XFER_DEFAULT), DPU_OK);
  std::vector<u32> row(kWords, 5);
  ASSERT_EQ(dpu_prepare_xfer(dpus()[1], row.data()), DPU_OK);
  EXPECT_EQ(dpu_push_xfer_symbol(set_, DPU_XFER_TO_DPU, input, 0, kBytes, DPU_XFER_DEFAULT), DPU_OK);
  ASSERT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
  for (const auto& [dpu, value] : {std::pair{0u, 42u}, std::pair{1u, 35u}, std::pair{99u, 42u}}) {
    EXPECT_EQ(dpu_copy_from(dpus()[dpu], "output", 0, row.data(), kBytes), DPU_OK);
    EXPECT_EQ(row, std::vector<u32>(kWords, value)) << dpu;
  }
  EXPECT_EQ(dpu_copy_to_symbol(set_, factor, 4, &seven, sizeof seven), DPU_ERR_INVALID_SYMBOL_ACCESS);
}

TEST_F(Host, LoadErrorsStateTheMistake) {
  EXPECT_EQ(dpu_load(set_, "/nowhere", nullptr), DPU_ERR_ELF_NO_SUCH_FILE);
  u8 nonsense[100] = {};
  EXPECT_EQ(dpu_load_from_memory(set_, nonsense, sizeof nonsense, nullptr), DPU_ERR_ELF_INVALID_FILE);
  dpu_set_t set;
  ASSERT_EQ(dpu_alloc(1, nullptr, &set), DPU_OK);
  u32 word = 0;
  EXPECT_EQ(dpu_launch(set, DPU_SYNCHRONOUS), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_copy_to(set, "factor", 0, &word, 4), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_free(set), DPU_OK);
}

#if PIM_HAS_COMPILER
TEST_F(Host, AProgramMayBeAPartOfTheExecutable) {
  std::ifstream file(program_path("host_side"), std::ios::binary);
  const std::vector<u8> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_EQ(std::vector<u8>(host_side_inside.buffer, host_side_inside.buffer + host_side_inside.size), bytes);
  EXPECT_EQ(dpu_load_from_incbin(set_, &host_side_inside, nullptr), DPU_OK);
  EXPECT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
}
#endif

TEST_F(Host, SymbolsHaveAddressAndSize) {
  dpu_symbol_t symbol{};
  ASSERT_EQ(dpu_get_symbol(program_, "output", &symbol), DPU_OK);
  EXPECT_EQ(symbol.size, kBytes);
  EXPECT_GE(symbol.address, kMramBase);
  EXPECT_EQ(dpu_get_symbol(program_, "outputs", &symbol), DPU_ERR_UNKNOWN_SYMBOL);
}

TEST_F(Host, EachDpuGetsAndGivesItsOwnBuffer) {
  const auto rows = fill("input");
  ASSERT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
  std::size_t d = 0;
  for (auto& dpu : dpus()) {
    std::vector<u32> out(kWords);
    ASSERT_EQ(dpu_copy_from(dpu, "output", 0, out.data(), kBytes), DPU_OK);
    EXPECT_EQ(out, std::vector<u32>(kWords, 3 * rows[d++][0]));
  }
}

TEST_F(Host, OnlyPreparedDpusTakePart) {
  fill("input");
  std::vector<u32> words(kWords, 77);
  ASSERT_EQ(dpu_prepare_xfer(dpus()[5], words.data()), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, DPU_XFER_DEFAULT), DPU_OK);
  u32 word = 0;
  for (u32 d : {4u, 5u, 6u}) {
    u32 pair[2];
    ASSERT_EQ(dpu_copy_from(dpus()[d], "input", 0, pair, 8), DPU_OK);
    word = pair[0];
    EXPECT_EQ(word, d == 5 ? 77 : d + 1);
  }
}

TEST_F(Host, PreparingTwiceIsAnErrorAndKeepsTheFirst) {
  std::vector<u32> first(kWords, 1), second(kWords, 2);
  const auto dpu = dpus()[0];
  EXPECT_EQ(dpu_prepare_xfer(dpu, first.data()), DPU_OK);
  EXPECT_EQ(dpu_prepare_xfer(dpu, second.data()), DPU_ERR_TRANSFER_ALREADY_SET);
  EXPECT_EQ(dpu_push_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, DPU_XFER_NO_RESET), DPU_OK);
  EXPECT_EQ(dpu_prepare_xfer(dpu, second.data()), DPU_ERR_TRANSFER_ALREADY_SET);
  EXPECT_EQ(dpu_push_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, DPU_XFER_DEFAULT), DPU_OK);
  EXPECT_EQ(dpu_prepare_xfer(dpu, second.data()), DPU_OK);
  u32 pair[2];
  ASSERT_EQ(dpu_copy_from(dpu, "input", 0, pair, 8), DPU_OK);
  EXPECT_EQ(pair[0], 1u);
}

TEST_F(Host, PreparedBuffersCanBeTakenBack) {
  std::vector<u32> first(kWords, 1), second(kWords, 2);
  const auto all = dpus();
  for (std::size_t d : {0, 1}) ASSERT_EQ(dpu_prepare_xfer(all[d], first.data()), DPU_OK);
  ringfort_pim_forget_xfer(all[0]);
  EXPECT_EQ(dpu_prepare_xfer(all[0], second.data()), DPU_OK);
  EXPECT_EQ(dpu_prepare_xfer(all[1], second.data()), DPU_ERR_TRANSFER_ALREADY_SET);
  ringfort_pim_forget_xfer(set_);
  ASSERT_EQ(dpu_push_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, DPU_XFER_DEFAULT), DPU_OK);
  u32 pair[2];
  ASSERT_EQ(dpu_copy_from(all[0], "input", 0, pair, 8), DPU_OK);
  EXPECT_EQ(pair[0], 0u);
}

TEST_F(Host, ASystemThatLivesLongKeepsNeitherEventsNorHandles) {
  allocate("events=off");
  dpu_program_t* first = nullptr;
  dpu_program_t* second = nullptr;
  ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), &first), DPU_OK);
  ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), &second), DPU_OK);
  EXPECT_EQ(first, second);
  std::size_t count = 1;
  ASSERT_EQ(ringfort_pim_event_count(set_, &count), DPU_OK);
  EXPECT_EQ(count, 0u);
  double ms = 0;
  ASSERT_EQ(ringfort_pim_clock_ms(set_, &ms), DPU_OK);
  EXPECT_GT(ms, 0);
}

TEST_F(Host, AccessIsCheckedBeforeAnythingMoves) {
  std::vector<u32> words(kWords + 2, 9);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, words.data(), kBytes + 8), DPU_ERR_INVALID_SYMBOL_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "input", 8, words.data(), kBytes), DPU_ERR_INVALID_SYMBOL_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "input", 4, words.data(), 8), DPU_ERR_INVALID_MRAM_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, words.data(), 12), DPU_ERR_INVALID_MRAM_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "factor", 0, words.data(), 2), DPU_ERR_INVALID_WRAM_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "factor", 0, words.data(), 8), DPU_ERR_INVALID_SYMBOL_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "main", 0, words.data(), 8), DPU_ERR_INVALID_IRAM_ACCESS);
  EXPECT_EQ(dpu_copy_to(set_, "nothing", 0, words.data(), 8), DPU_ERR_UNKNOWN_SYMBOL);
  EXPECT_EQ(dpu_copy_from(set_, "input", 0, words.data(), 8), DPU_ERR_INVALID_DPU_SET);
  EXPECT_EQ(dpu_copy_to(set_, DPU_MRAM_HEAP_POINTER_NAME, 1 << 20, words.data(), kBytes), DPU_OK);
  EXPECT_EQ(dpu_copy_to(set_, DPU_MRAM_HEAP_POINTER_NAME, 64u << 20, words.data(), 8), DPU_ERR_INVALID_SYMBOL_ACCESS);
  EXPECT_EQ(dpu_copy_to(dpu_set_t{}, "input", 0, words.data(), 8), DPU_ERR_INVALID_DPU_SET);
  u32 pair[2];
  ASSERT_EQ(dpu_copy_from(dpus()[0], "input", 0, pair, 8), DPU_OK);
  EXPECT_EQ(pair[0], 0u);
}

TEST_F(Host, DifferentProgramsInASetHaveNoCommonSymbols) {
  dpu_set_t rank;
  DPU_RANK_FOREACH(set_, rank) ASSERT_EQ(dpu_load(rank, program_path("host_side").c_str(), nullptr), DPU_OK);
  u32 word = 0;
  EXPECT_EQ(dpu_copy_to(set_, "factor", 0, &word, 4), DPU_ERR_DIFFERENT_DPU_PROGRAMS);
}

TEST_F(Host, VariablesLastBetweenLaunchesAndLogsArriveOnce) {
  for (int i = 0; i < 2; ++i) ASSERT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
  u32 launches = 0;
  ASSERT_EQ(dpu_copy_from(dpus()[99], "launches", 0, &launches, 4), DPU_OK);
  EXPECT_EQ(launches, 2u);
  for (const char* expected : {"launch 1\nlaunch 2\n", ""}) {
    char* text = nullptr;
    std::size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    EXPECT_EQ(dpu_log_read(dpus()[0], stream), DPU_OK);
    std::fclose(stream);
    EXPECT_STREQ(text, expected);
    std::free(text);
  }
}

TEST_F(Host, WhileALaunchRunsMramIsBusy) {
  std::vector<u32> words(kWords, 4);
  u32 word = 0;
  ASSERT_EQ(dpu_launch(set_, DPU_ASYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_ERR_DPU_ALREADY_RUNNING);
  EXPECT_EQ(dpu_load(set_, program_path("host_side").c_str(), nullptr), DPU_ERR_DPU_ALREADY_RUNNING);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, words.data(), kBytes), DPU_ERR_MRAM_BUSY);
  EXPECT_EQ(dpu_broadcast_to(set_, "input", 0, words.data(), kBytes, DPU_XFER_ASYNC), DPU_OK);
  EXPECT_EQ(dpu_copy_from(dpus()[0], "factor", 0, &word, 4), DPU_OK);
  ASSERT_EQ(dpu_sync(set_), DPU_OK);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, words.data(), kBytes), DPU_OK);
}

TEST_F(Host, StatusPollingEnds) {
  ASSERT_EQ(dpu_launch(set_, DPU_ASYNCHRONOUS), DPU_OK);
  bool done = false, fault = true;
  int polls = 0;
  for (; !done && polls < 1000; ++polls) ASSERT_EQ(dpu_status(set_, &done, &fault), DPU_OK);
  EXPECT_TRUE(done);
  EXPECT_FALSE(fault);
  EXPECT_GT(polls, 1);
  EXPECT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
}

TEST_F(Host, AFaultNamesDpuTaskletAndLine) {
  u32 one = 1;
  ASSERT_EQ(dpu_copy_to(dpus()[70], "broken", 0, &one, 4), DPU_OK);
  EXPECT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT);
  const std::string location =
      "DPU 70 of the set, tasklet 0 at host_side.c:" + std::to_string(marked_line("host_side.c", "broken"));
  EXPECT_NE(text_of(DPU_ERR_DPU_FAULT).find(location), std::string::npos) << text_of(DPU_ERR_DPU_FAULT);
  EXPECT_EQ(dpu_launch(set_, DPU_ASYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpu_sync(set_), DPU_ERR_DPU_FAULT);
  ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), nullptr), DPU_OK);
  EXPECT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
}

dpu_error_t count_call(dpu_set_t set, u32 rank_id, void* args) {
  u32 count = 0;
  EXPECT_EQ(dpu_get_nr_dpus(set, &count), DPU_OK);
  static_cast<std::vector<std::pair<u32, u32>>*>(args)->emplace_back(rank_id, count);
  return count == 38 ? DPU_ERR_SYSTEM : DPU_OK;
}

TEST_F(Host, CallbacksComeOnceARankOrOnce) {
  std::vector<std::pair<u32, u32>> calls;
  EXPECT_EQ(dpu_callback(set_, count_call, &calls, DPU_CALLBACK_DEFAULT), DPU_ERR_SYSTEM);
  EXPECT_EQ(calls, (std::vector<std::pair<u32, u32>>{{0, 62}, {1, 38}}));
  calls.clear();
  EXPECT_EQ(dpu_callback(set_, count_call, &calls,
                         static_cast<dpu_callback_flags_t>(DPU_CALLBACK_ASYNC | DPU_CALLBACK_SINGLE_CALL)),
            DPU_OK);
  EXPECT_EQ(calls, (std::vector<std::pair<u32, u32>>{{0, 100}}));
}

// Each DPU has two blocks of kWords / 2 words. `blocks` is the number of blocks that get_block() reports for a DPU.
struct Blocks {
  std::vector<u32> words = std::vector<u32>(200 * kWords / 2);
  u32 blocks = 2;
};

bool get_block(sg_block_info* out, u32 dpu, u32 block, void* args) {
  auto* all = static_cast<Blocks*>(args);
  if (block >= all->blocks) return false;
  *out = {reinterpret_cast<u8*>(all->words.data() + (2 * dpu + block % 2) * kWords / 2), kBytes / 2};
  return true;
}

TEST_F(Host, BlocksAreGatheredAndScattered) {
  Blocks blocks;
  get_block_t get{get_block, &blocks, sizeof blocks};
  const auto push = [&](dpu_xfer_t direction) {
    return dpu_push_sg_xfer(set_, direction, "input", 0, kBytes, &get, DPU_SG_XFER_DEFAULT);
  };
  EXPECT_EQ(push(DPU_XFER_TO_DPU), DPU_ERR_SG_NOT_ACTIVATED);
  allocate("dpusPerRank=62,sgXferEnable=true,sgXferMaxBlocksPerDpu=3");
  ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), &program_), DPU_OK);
  for (u32 i = 0; i < blocks.words.size(); ++i) blocks.words[i] = i;
  const auto before = blocks.words;
  ASSERT_EQ(push(DPU_XFER_TO_DPU), DPU_OK);
  std::fill(blocks.words.begin(), blocks.words.end(), 0);
  ASSERT_EQ(push(DPU_XFER_FROM_DPU), DPU_OK);
  EXPECT_EQ(blocks.words, before);
  blocks.blocks = 1;
  EXPECT_EQ(push(DPU_XFER_TO_DPU), DPU_ERR_SG_LENGTH_MISMATCH);
  EXPECT_EQ(dpu_push_sg_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, &get, DPU_SG_XFER_DISABLE_LENGTH_CHECK),
            DPU_OK);
  blocks.blocks = 4;
  EXPECT_EQ(push(DPU_XFER_TO_DPU), DPU_ERR_SG_TOO_MANY_BLOCKS);
}

bool one_block_without_memory(sg_block_info* out, u32, u32 block, void*) {
  *out = {nullptr, kBytes};
  return block == 0;
}

TEST_F(Host, NullPointersAreErrors) {
  allocate("dpusPerRank=62,sgXferEnable=true");
  ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), &program_), DPU_OK);
  EXPECT_EQ(dpu_broadcast_to(set_, "input", 0, nullptr, kBytes, DPU_XFER_DEFAULT), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, nullptr, kBytes), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_EQ(dpu_copy_to(dpus()[0], "input", 0, nullptr, kBytes), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_EQ(dpu_copy_from(dpus()[0], "output", 0, nullptr, kBytes), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_EQ(dpu_copy_to(set_, "input", 0, nullptr, 0), DPU_OK);
  get_block_t get{one_block_without_memory, nullptr, 0};
  const auto scatter = [&](get_block_t* blocks) {
    return dpu_push_sg_xfer(set_, DPU_XFER_TO_DPU, "input", 0, kBytes, blocks, DPU_SG_XFER_DEFAULT);
  };
  EXPECT_EQ(scatter(&get), DPU_ERR_INVALID_MEMORY_TRANSFER);
  get.f = nullptr;
  EXPECT_EQ(scatter(&get), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_EQ(scatter(nullptr), DPU_ERR_INVALID_MEMORY_TRANSFER);
  dpu_symbol_t symbol{};
  EXPECT_EQ(dpu_get_symbol(program_, nullptr, &symbol), DPU_ERR_UNKNOWN_SYMBOL);
  EXPECT_EQ(dpu_get_symbol(nullptr, "input", &symbol), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_copy_from(dpus()[0], nullptr, 0, &symbol, 8), DPU_ERR_UNKNOWN_SYMBOL);
  EXPECT_EQ(dpu_load(set_, nullptr, nullptr), DPU_ERR_ELF_NO_SUCH_FILE);
  EXPECT_EQ(dpu_load_from_memory(set_, nullptr, 8, nullptr), DPU_ERR_ELF_INVALID_FILE);
}

TEST_F(Host, ErrorsHaveSentences) {
  EXPECT_EQ(text_of(DPU_OK), "success");
  for (int code = 1; code <= DPU_ERR_SG_TOO_MANY_BLOCKS; ++code)
    EXPECT_FALSE(text_of(static_cast<dpu_error_t>(code)).empty());
}

}  // namespace
}  // namespace ringfort::pim::testing::host_test
