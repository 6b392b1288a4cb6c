// SPDX-License-Identifier: Apache-2.0
// The replay (timing/replay.h) executes a program in the order in which its reads and writes occur in time. With the
// schedule of the model, the result must equal the result of program order. Three tests change the schedule so that an
// instruction overtakes another one that must come first. The replay must then give another result.
#include "sim/timing/replay.h"

#include <gtest/gtest.h>

namespace ringfort::rpu {
namespace {

constexpr u64 word_of(u64 opcode, u64 vd, u64 vs, u64 vt, u64 rm, u64 address = 0) {
  return (opcode << 44) | (address << 24) | (vd << 18) | (vs << 12) | (vt << 6) | rm;
}
constexpr u64 kEnd = u64{1} << 63;

// Returns the program v0 = x; v4 = v0 v0; v0 = v4 v4; v8 = unpklo(v0, v4); x = v0. The registers v0 and v4 are in
// different memories.
Image squaring_program() {
  Image image;
  image.kernels = {{"main", 0, 7}};
  image.code = {word_of(4, 0, 0, 1, 0, 0),    word_of(5, 0, 0, 1, 0, 2), word_of(0, 0, 0, 0, 1),
                word_of(8, 4, 0, 0, 1),       word_of(8, 0, 4, 4, 1),    word_of(12, 8, 0, 4, 0),
                word_of(1, 0, 0, 0, 1) | kEnd};
  std::vector<u128> data(kVectorLength);
  for (u32 i = 0; i < kVectorLength; ++i) data[i] = i;
  image.segments = {{Space::vdm, 0, data}, {Space::sdm, 0, {10007, Modulus(10007).reduction_constant(), 0}}};
  image.vdm_words = kVectorLength;
  image.sdm_words = 3;
  return image;
}

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() : image_(squaring_program()), simulator_(machine_, image_), before_(simulator_.state()) {
    Timing timing(machine_);
    const Outcome outcome = simulator_.run(image_.kernel(""), [&timing](const Event& event) { timing.consume(event); });
    EXPECT_EQ(outcome.trap, Trap::none);
    static_cast<void>(timing.finish());
    records_ = timing.records();
  }
  bool agrees() { return same_values(replay_in_time(machine_, image_, before_, records_), simulator_.state()); }

  Machine machine_;
  Image image_;
  Functional simulator_;
  State before_;
  std::vector<Record> records_;
};

TEST_F(ReplayTest, TheModelsScheduleGivesTheProgramsValues) {
  EXPECT_TRUE(agrees());
  EXPECT_TRUE(simulator_.state().vdm[3] == 81);
}

TEST_F(ReplayTest, AReaderThatStartsBeforeItsWriterFinishesIsFound) {
  records_[3].start = records_[2].finish() - 1;
  EXPECT_FALSE(agrees());
}

TEST_F(ReplayTest, AWriterThatFinishesBeforeAnEarlierReaderStartsIsFound) {
  records_[3].start = records_[4].finish() + 10;  // the first square reads the new v0
  EXPECT_FALSE(agrees());
}

TEST_F(ReplayTest, AStoreThatReadsTooEarlyIsFound) {
  records_[6].start = records_[4].finish() - 1;
  EXPECT_FALSE(agrees());
}

TEST_F(ReplayTest, StatesThatDifferInOneElementDiffer) {
  State other = simulator_.state();
  EXPECT_TRUE(same_values(other, simulator_.state()));
  other.v[63].element[511] ^= 1;
  EXPECT_FALSE(same_values(other, simulator_.state()));
  other = simulator_.state();
  other.vdm.back() ^= 1;
  EXPECT_FALSE(same_values(other, simulator_.state()));
}

}  // namespace
}  // namespace ringfort::rpu
