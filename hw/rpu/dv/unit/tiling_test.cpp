// SPDX-License-Identifier: Apache-2.0
// Tests programs whose data exceed the vector data memory: the blocks of a tile (codegen/tiles.h), the pages that leave
// the memory (codegen/paging.h), the transfers. Jobs must give the same results as the reference (verify.h).
// hw/rpu/README.md explains the terms.
#include <gtest/gtest.h>

#include <map>

#include "codegen/paging.h"
#include "codegen/tiled_program.h"
#include "moduli.h"

namespace ringfort::rpu {
namespace {

KernelRequest request_of(Function function, u32 n, Optimizer optimizer = Optimizer::best) {
  KernelRequest request;
  request.function = function;
  request.n = n;
  request.moduli = {kPaperModulus};
  request.optimizer = optimizer;
  request.tries = 1;
  return request;
}

std::string outcome_of(const KernelRequest& request) {
  try {
    return "verified in " + std::to_string(generate_tiled(request).job.programs[0].image.kernels.size()) + " kernels";
  } catch (const std::exception& error) { return error.what(); }
}

// Makes a block for each pair (to, from). The block adds the first vectors of the pages `to` and `from`, and stores the
// sum in page `to`.
Plan plan_of(const std::vector<std::pair<u32, u32>>& blocks, u32 pages) {
  Plan plan;
  plan.table_at = pages * kVectorLength;
  for (const auto& [to, from] : blocks) {
    plan.flow.begin_block();
    const ValueId a = plan.flow.load(to * kVectorLength), b = plan.flow.load(from * kVectorLength);
    plan.flow.store(plan.flow.combine(Op::vaddmod, a, b), to * kVectorLength);
  }
  return plan;
}

constexpr TileLimits kOneBlock{1, ~0U};

std::vector<std::vector<u32>> moved(const Paging& paging, PageStepKind kind) {
  std::vector<std::vector<u32>> found;
  for (const PageStep& step : paging.steps) {
    if (step.kind != kind) continue;
    found.emplace_back();
    for (const PageMove& move : step.moves) found.back().push_back(move.page);
  }
  return found;
}

TEST(Tiles, HaveAsManyBlocksAsTheLimitsAllow) {
  const Plan plan = plan_of({{0, 1}, {0, 2}, {0, 3}, {4, 5}}, 6);
  EXPECT_EQ(tiled(plan, kOneBlock).tiles.size(), 4U);
  EXPECT_EQ(tiled(plan, {8, ~0U}).tiles.size(), 2U);  // a block has four operations
  // the tiles use pages 0, 1, 2; pages 0, 3; pages 4, 5
  EXPECT_EQ(tiled(plan, {~0U, 3 * kVectorLength}).tiles.size(), 3U);
  EXPECT_EQ(tiled(plan, {~0U, ~0U}).tiles.size(), 1U);
}

TEST(Tiles, LoadAConstantAgainThatAnEarlierOneHasLeftInARegister) {
  Plan plan;
  plan.table_at = 2 * kVectorLength;
  plan.table = {7, 8, 9, 9};
  plan.flow.begin_block();
  const ValueId constant = plan.flow.load(plan.table_at + 2, Mode::repeat, 1, ValueKind::constant);
  for (u32 block = 0; block < 2; ++block) {
    if (block != 0) plan.flow.begin_block();
    const ValueId x = plan.flow.load(block * kVectorLength);
    plan.flow.store(plan.flow.combine(Op::vaddmod, x, constant), block * kVectorLength);
  }
  const Tiling tiling = tiled(plan, kOneBlock);
  ASSERT_EQ(tiling.tiles.size(), 2U);
  for (const ProgramTile& tile : tiling.tiles) {
    EXPECT_EQ(tile.blocks[0].size(), 4U);
    EXPECT_EQ(tile.pages.size(), 2U);
  }
  EXPECT_TRUE(tiling.table == (std::vector<u128>{9, 9}));  // words that no operation loads are not in the table
}

TEST(Tiles, HavePagesThatNoStrideCrosses) {
  Plan plan;
  plan.table_at = 8192;
  plan.flow.begin_block();
  plan.flow.store(plan.flow.load(0, Mode::stride, 3), 4096 + 5, Mode::stride, 3);
  const Tiling tiling = tiled(plan, kOneBlock);
  EXPECT_EQ(tiling.page_words, 4096U);
  EXPECT_EQ(tiling.filled, (std::vector<bool>{true, false}));
  plan.flow.store(plan.flow.load(2048), 3072 + 3, Mode::stride, 2);  // from word 3075 to word 5119, in two pages
  EXPECT_THROW(static_cast<void>(tiled(plan, kOneBlock)), std::logic_error);
}

TEST(Paging, KeepsWhatIsNeededSoonAndBringsOutWhatIsWhole) {
  // There are three frames. All tiles need page 0. The first and the last tile need page 1, the second tile needs page
  // 2, and the third tile needs page 3.
  const Tiling tiling = tiled(plan_of({{0, 1}, {0, 2}, {0, 3}, {0, 1}}, 4), kOneBlock);
  const Paging paging = paged(tiling, 3, 0, 1);
  EXPECT_EQ(moved(paging, PageStepKind::load), (std::vector<std::vector<u32>>{{0, 1}, {2}, {3}}));
  EXPECT_EQ(moved(paging, PageStepKind::store), (std::vector<std::vector<u32>>{{0}}));
  EXPECT_EQ(paging.steps.back().kind, PageStepKind::store);
}

TEST(Paging, AChangedPageThatIsNeededAgainGoesOutAndComesBack) {
  const Tiling tiling = tiled(plan_of({{0, 1}, {2, 3}, {0, 3}}, 4), kOneBlock);
  const Paging paging = paged(tiling, 2, 0, 4);
  // All pages are results. Page 1 is stored after its only use. Page 0 has changed and is needed again: it is stored,
  // and loaded again. Page 3 stays in memory.
  EXPECT_EQ(moved(paging, PageStepKind::load), (std::vector<std::vector<u32>>{{0, 1}, {2, 3}, {0}}));
  EXPECT_EQ(moved(paging, PageStepKind::store)[0], (std::vector<u32>{1}));
  EXPECT_EQ(moved(paging, PageStepKind::store)[1], (std::vector<u32>{0}));
}

TEST(Paging, ATransferWaitsForTheLastKernelOnItsFramesAndForNoOther) {
  const Tiling tiling = tiled(plan_of({{0, 1}, {2, 3}, {4, 5}}, 6), kOneBlock);
  const Paging paging = paged(tiling, 4, 0, 0);
  std::vector<std::vector<u32>> loads;
  for (const PageStep& step : paging.steps)
    if (step.kind == PageStepKind::load) loads.push_back(step.after);
  EXPECT_EQ(loads, (std::vector<std::vector<u32>>{{}, {}, {1}}));  // step 1 runs the first kernel
}

TEST(Tiled, ComputesEveryFunction_MemoriesOfAFewVectors) {
  for (std::size_t function = 0; function < kFunctionNames.size(); ++function)
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best}) {
      KernelRequest request = request_of(static_cast<Function>(function), 2048, optimizer);
      request.moduli = {kPaperModulus, k65Bits};
      request.batch = 3;
      request.machine.vdm_words = 20000;
      EXPECT_EQ(outcome_of(request).substr(0, 8), "verified") << outcome_of(request);
    }
}

TEST(Tiled, ComputesTheTransform_EveryFormAndOrder) {
  for (const bool inverse : {false, true})
    for (const bool private_order : {false, true}) {
      const char* machine = inverse == private_order ? "vdm_words=36000" : "vdm_words=36000,bank_hash=xor";
      KernelRequest request = request_of(Function::transform, 32768);
      request.inverse = inverse;
      request.private_order = private_order;
      set_from_list(request.machine, machine);
      EXPECT_EQ(outcome_of(request).substr(0, 8), "verified") << outcome_of(request) << " " << machine;
    }
}

u64 words_of_arrays(const job::Job& job) {
  u64 words = 0;
  for (const job::Array& array : job.arrays) words += array.words.size();
  return words;
}

// The memory has space for 2^17 coefficients, but not for the coefficients and the table of roots. Each word is loaded
// once, and each result is stored once.
TEST(Tiled, TheLongestInverseMovesEachWordOnce) {
  KernelRequest request = request_of(Function::transform, 131072);
  request.inverse = true;
  ASSERT_TRUE(outgrows_memory(request));
  const TiledProgram program = generate_tiled(request);
  const Image& image = program.job.programs[0].image;
  u64 scalars = 0;
  for (const Segment& segment : image.segments) scalars += segment.words.size();
  const u64 words = words_of_arrays(program.job) + 131072 + scalars;
  EXPECT_EQ(program.report.bytes(), 16 * words + 8 * image.code.size());
  EXPECT_LE(image.vdm_words, request.machine.vdm_words);
  EXPECT_EQ(program.report.cycles, 24480U);  // transfers run at the same time as kernels
}

TEST(Tiled, EqualRequestsTakeTheSameCyclesEverywhere) {
  EXPECT_EQ(generate_tiled(request_of(Function::multiply_polynomials, 65536)).report.cycles, 31011U);
  EXPECT_EQ(generate_tiled(request_of(Function::transform, 65536)).report.cycles, 11462U);
}

TEST(Tiled, AMemoryTooSmallForOneKernelIsRefusedWithTheSizeThatWorks) {
  KernelRequest request = request_of(Function::transform, 65536);
  request.machine.vdm_words = 8192;
  const std::string refused = outcome_of(request);
  const std::string fix = "set vdm_words=";
  ASSERT_NE(refused.find(fix), std::string::npos) << refused;
  set_from_list(request.machine, refused.substr(refused.find(fix) + 4));
  EXPECT_EQ(outcome_of(request).substr(0, 8), "verified");
}

TEST(Tiled, TheTextOfAJobNamesFilesPartsAndOrder) {
  KernelRequest request = request_of(Function::add, 8192);
  request.machine.vdm_words = 9000;
  const job::Job job = generate_tiled(request).job;
  const std::string text = job_text(job, "sum");
  EXPECT_EQ(text.find("program add sum.add.b512\narray a 8192 \narray b 8192 \narray table 0 \n"), 0U) << text;
  EXPECT_NE(text.find("l0: load a[0.."), std::string::npos) << text;
  EXPECT_NE(text.find("k1: run add.tile0 after l0\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ringfort::rpu
