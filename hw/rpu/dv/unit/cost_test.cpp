// SPDX-License-Identifier: Apache-2.0
// Tests the cost of one instruction: the occupancy for given lanes, banks, mode and hash; the latency of each class;
// results that are written into the register memory of an operand. Also tests the parameters of machines.
// hw/rpu/README.md explains the terms.
#include "sim/cost.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dv/unit/build.h"

namespace ringfort::rpu {
namespace {

using testing::between;
using testing::butterfly;
using testing::load;

Machine machine_of(u32 hples, u32 banks) {
  Machine machine;
  machine.hples = hples;
  machine.banks = banks;
  return machine;
}

TEST(Cost, LinearAccessTakes512OverTheNarrowerSide) {
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0), 0), 4U);
  EXPECT_EQ(occupancy(machine_of(128, 32), load(0), 0), 16U);
  EXPECT_EQ(occupancy(machine_of(4, 256), load(0), 0), 128U);
  EXPECT_EQ(occupancy(machine_of(512, 512), load(0), 0), 1U);
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0), 12345), 4U);  // any base
}

// With a stride of 2^v, B banks and W = min(lanes, B), a load takes min(512, 512 / W * max(1, W * 2^v / B)) cycles.
TEST(Cost, StrideAgreesWithTheClosedForm_AllShapes) {
  for (const u32 hples : {1U, 4U, 64U, 128U, 256U, 512U})
    for (const u32 banks : {1U, 32U, 128U, 512U})
      for (u8 value = 0; value <= 12; ++value) {
        const u32 width = std::min(hples, banks);
        const u64 conflicts = std::max<u64>(1, (u64{width} << value) / banks);
        const u64 expected = kVectorLength / width * std::min<u64>(conflicts, width);
        EXPECT_EQ(occupancy(machine_of(hples, banks), load(0, Mode::stride, value), 7), expected)
            << hples << " lanes, " << banks << " banks, stride 2^" << int{value};
      }
}

TEST(Cost, SkipIsFreeFromTheBankCountOn_AndCostsTwiceBelow) {
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0, Mode::skip, 7), 0), 4U);
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0, Mode::skip, 9), 0), 4U);
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0, Mode::skip, 6), 0), 8U);
  EXPECT_EQ(occupancy(machine_of(128, 128), load(0, Mode::skip, 0), 0), 8U);
}

TEST(Cost, RepeatedWordsAreSentToAllLanesAtOnce) {
  for (const u8 value : {0, 1, 6, 7, 9, 20})
    EXPECT_EQ(occupancy(machine_of(128, 128), load(0, Mode::repeat, value), 3), 4U);
  Instruction broadcast = load(0);
  broadcast.op = Op::vbcast;
  EXPECT_EQ(occupancy(machine_of(128, 128), broadcast, 9), 4U);
}

// Returns the cycles of a load on a machine that serves one group of elements after another. In one cycle, each bank
// delivers one word to all elements that need it.
u32 crowding(const Machine& machine, const Instruction& in, u64 base) {
  const u32 width = std::min(machine.hples, machine.banks);
  u32 cycles = 0;
  for (u32 first = 0; first < kVectorLength; first += width) {
    std::map<u32, std::set<u64>> words;
    for (u32 i = first; i < first + width; ++i) {
      const u64 word = base + element_offset(in.mode(), in.value(), i);
      words[bank_of(machine, word)].insert(word);
    }
    std::size_t most = 0;
    for (const auto& [bank, here] : words) most = std::max(most, here.size());
    cycles += static_cast<u32>(most);
  }
  return cycles;
}

TEST(Cost, ClosedFormIsTheMostLoadedBank_LowHashAnyBase_XorHashAlignedBase) {
  for (const BankHash hash : {BankHash::kLow, BankHash::kXor})
    for (const auto& [hples, banks] : {std::pair{4U, 4U}, {4U, 32U}, {32U, 4U}, {16U, 16U}, {128U, 128U}, {8U, 1U}})
      for (const Mode mode : {Mode::linear, Mode::stride, Mode::skip, Mode::repeat})
        for (u8 value = 0; value <= (mode == Mode::linear ? 0 : 11); ++value)
          for (const u64 base : {0U, 1U << 20U, 1U, 5U, 100U, 127U, 12345U, 123456U}) {
            Machine machine = machine_of(hples, banks);
            machine.bank_hash = hash;
            const Instruction in = load(0, mode, value);
            const u32 cycles = occupancy(machine, in, base), least = crowding(machine, in, base);
            const bool aligned = base % (u64{1} << 20U) == 0;
            const std::string description = std::to_string(hples) + " lanes, " + std::to_string(banks) +
                                            " banks, mode " + std::to_string(static_cast<int>(mode)) + ", value " +
                                            std::to_string(value) + ", base " + std::to_string(base);
            if (hash == BankHash::kLow || aligned) EXPECT_EQ(cycles, least) << description;
            else EXPECT_GE(cycles, least) << description;
            EXPECT_LE(cycles, 4 * occupancy(machine, in, 0)) << description;
          }
}

TEST(Cost, HashedBanksMakeEveryPowerOfTwoStrideFree_FromAlignedBases) {
  Machine machine = machine_of(128, 128);
  machine.bank_hash = BankHash::kXor;
  for (u8 value = 0; value <= 9; ++value)
    EXPECT_EQ(occupancy(machine, load(0, Mode::stride, value), 0), 4U) << "stride 2^" << int{value};
}

TEST(Cost, TheMultipliersIntervalCountsWhereTheyWork) {
  Machine machine;
  machine.multiply_interval = 2;
  EXPECT_EQ(occupancy(machine, butterfly(0, 4, 8, 12, 16), 0), 8U);
  EXPECT_EQ(occupancy(machine, between(Op::vsmulmod, 0, 4, 1), 0), 8U);
  EXPECT_EQ(occupancy(machine, between(Op::vaddmod, 0, 4, 8), 0), 4U);
  EXPECT_EQ(occupancy(machine, between(Op::unpklo, 0, 4, 8), 0), 4U);
}

TEST(Cost, APackOfOneRegisterWithItselfReadsItsRowsOneByOne) {
  EXPECT_EQ(occupancy(Machine{}, between(Op::pklo, 0, 4, 4), 0), 8U);
  EXPECT_EQ(occupancy(Machine{}, between(Op::pkhi, 0, 4, 4), 0), 8U);
  EXPECT_EQ(occupancy(Machine{}, between(Op::pklo, 0, 4, 8), 0), 4U);
  EXPECT_EQ(occupancy(Machine{}, between(Op::unpklo, 0, 4, 4), 0), 4U);
}

TEST(Cost, LatenciesAreThoseOfTheClasses) {
  const Machine machine;
  EXPECT_EQ(latency(machine, Latency::multiply_add), 6U);
  EXPECT_EQ(latency(machine, Latency::multiply), 5U);
  EXPECT_EQ(latency(machine, Latency::add), 1U);
  EXPECT_EQ(latency(machine, Latency::memory), 4U);
  EXPECT_EQ(latency(machine, Latency::shuffle), 4U);
  EXPECT_EQ(latency(machine, Latency::front_end), 0U);
}

TEST(Cost, AResultMayStandInItsOperandsMemoryOnceTheOperandIsRead) {
  Machine machine;  // an instruction reads for 4 cycles
  EXPECT_FALSE(overtakes_its_operand(machine, butterfly(5, 9, 4, 8, 12)));
  EXPECT_FALSE(overtakes_its_operand(machine, between(Op::unpkhi, 4, 4, 8)));
  EXPECT_TRUE(overtakes_its_operand(machine, between(Op::vaddmod, 7, 4, 8)));
  EXPECT_FALSE(overtakes_its_operand(machine, between(Op::vaddmod, 12, 4, 8)));
  machine.hples = 64;  // an instruction reads for 8 cycles
  EXPECT_TRUE(overtakes_its_operand(machine, butterfly(5, 9, 4, 8, 12)));
  machine.ports = Ports::kNone;
  EXPECT_FALSE(overtakes_its_operand(machine, butterfly(5, 9, 4, 8, 12)));
}

TEST(Machine, TheClockFollowsTheBanksUnlessItIsSet) {
  EXPECT_EQ(machine_of(4, 32).clock_mhz(), 1290U);
  EXPECT_EQ(machine_of(4, 64).clock_mhz(), 1530U);
  EXPECT_EQ(machine_of(4, 128).clock_mhz(), 1680U);
  EXPECT_EQ(machine_of(4, 256).clock_mhz(), 1680U);
  Machine machine;
  set_from_list(machine, "megahertz=1000");
  EXPECT_EQ(machine.clock_mhz(), 1000U);
}

std::string refusal_of(std::string_view list) {
  Machine machine;
  try {
    set_from_list(machine, list);
  } catch (const std::exception& error) { return error.what(); }
  return "accepted";
}

TEST(Machine, AWrongParameterIsRefusedWithItsRangeAndTheNearestThatFits) {
  EXPECT_NE(refusal_of("hples=96").find("use 64 or 128"), std::string::npos);
  EXPECT_NE(refusal_of("banks=1024").find("banks = 1024 is outside 1 .. 512"), std::string::npos);
  EXPECT_NE(refusal_of("hples=64x").find("hples = 64x is outside"), std::string::npos);
  EXPECT_NE(refusal_of("lanes=64").find("no parameter 'lanes'; it has: hples banks"), std::string::npos);
  EXPECT_NE(refusal_of("bank_hash=mod").find("use one of: low xor"), std::string::npos);
  EXPECT_NE(refusal_of("dispatch").find("expected name=value"), std::string::npos);
}

TEST(Machine, AFileIsLinesWithCommentsAndNamesItsWrongLine) {
  Machine machine;
  set_from_lines(machine, "# a machine\nhples: 64   # lanes\n\n bank_hash : xor\n", "m.yml");
  EXPECT_EQ(machine.hples, 64U);
  EXPECT_EQ(machine.bank_hash, BankHash::kXor);
  try {
    set_from_lines(machine, "hples: 64\nbanks: 7\n", "m.yml");
    FAIL() << "banks: 7 was accepted";
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()).find("m.yml:2: banks = 7 is not a power of two"), 0U) << error.what();
  }
}

}  // namespace
}  // namespace ringfort::rpu
