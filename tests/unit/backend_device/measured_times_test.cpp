// SPDX-License-Identifier: Apache-2.0
// Tests the tables of measured times of transforms. A device launches the fastest transform of its table. The results
// must equal those of `ref`. If the table has no time, a device launches the library's own transform. Damaged tables
// must be refused.
#include "backend/device/measured_times.h"

#include <fstream>

#include "backend/device/emu/device.h"
#include "backend/device/ntt_plan.h"
#include "support/folder.h"
#include "unit/backend_device/machine.h"

namespace ringfort::testing {
namespace {

using device::MeasuredTimes;

class MeasuredTimesTest : public ::testing::Test {
 protected:
  // Writes a table of times to a file, and returns the path of the file.
  [[nodiscard]] std::string table(const std::string& lines) const {
    std::string path = folder_ / "times";
    std::ofstream(path) << MeasuredTimes::kFirstLine << '\n' << lines;
    return path;
  }
  [[nodiscard]] std::string refusal_of(const std::string& lines) const {
    MeasuredTimes times;
    return MeasuredTimes::read(table(lines), times);
  }
  // Runs transforms on a device that has the table. Returns the names of the kernels that the device launched for these
  // transforms.
  [[nodiscard]] static std::string launched(const std::string& path, const Setting& setting, u32 n) {
    std::string refusal;
    device::TransformChoice choice;
    std::map<std::string_view, emu::Counters> counters;
    const std::string name = "emu:0,times=" + path;
    auto driver = emu::open(name, refusal, choice, &counters);
    EXPECT_EQ(refusal, "");
    const Machine machine(device::make(std::move(driver), choice), setting, n), oracle(ref::make(), setting, n);
    EXPECT_EQ(machine.backend->name(), name);
    std::mt19937_64 random(8);
    const auto words = residues(machine.view(0), random);
    for (const Machine* const each : {&machine, &oracle}) {
      EXPECT_EQ(each->run(0, verb::Upload{each->view(0), Domain::coefficient, words.data()}), Status::ok);
      EXPECT_EQ(each->run(0, verb::Ntt{each->view(0)}), Status::ok);
      EXPECT_EQ(each->run(0, verb::Intt{each->view(0, {1, 2}, 2)}), Status::ok);
    }
    EXPECT_EQ(machine.fetch(), oracle.fetch());
    std::string names;
    for (const auto& [kernel, counted] : counters) {
      if (counted.multiplications != 0) names.append(names.empty() ? "" : " ").append(kernel);
    }
    return names;
  }

 private:
  Folder folder_;
};

constexpr Setting kShort{Word::u32, 30}, kLong{Word::u64, 62};
constexpr const char* kOwn = "intt_u64_lazy ntt_u64_lazy";

TEST_F(MeasuredTimesTest, TheFastestTransformOfTheTableIsLaunched) {
  const std::string all =
      "# made up\n"
      "emulated\t64\t10\t1\town\t3\nemulated\t64\t10\t1\tnaive\t4\nemulated\t64\t10\t1\tradix8/proposed\t1\n"
      "emulated\t64\t10\t1\tradix16\t2.5\nemulated\t32\t10\t1\town\t1e-3\nemulated\t32\t10\t1\tradix8\t1\n"
      "H200\t64\t9\t1\town\t2\nH200\t64\t9\t1\tradix8\t1\nemulated\t64\t11\t1\tradix8\t1\n";
  EXPECT_EQ(launched(table(all), kLong, 1u << 10), "tile8_proposed_forward_u64 tile8_proposed_inverse_u64");
  EXPECT_EQ(launched(table(all), kShort, 1u << 10), "intt_u32_lazy ntt_u32_lazy") << "its own transform is faster";
  EXPECT_EQ(launched(table(all), kLong, 1u << 9), kOwn) << "times of another chip";
  EXPECT_EQ(launched(table(all), kLong, 1u << 11), kOwn) << "no time of its own transform";
  EXPECT_EQ(launched(table(all), kLong, 1u << 8), kOwn) << "no times of this size";
}

TEST_F(MeasuredTimesTest, TheChoiceFollowsTheTable) {
  const auto with = [&](const char* radix8, const char* radix16) {
    return launched(table("emulated\t64\t9\t1\town\t9\nemulated\t64\t9\t1\tradix8\t" + std::string(radix8) +
                          "\nemulated\t64\t9\t1\tradix16\t" + radix16 + "\n"),
                    kLong, 1u << 9);
  };
  EXPECT_EQ(with("1", "2"), "tile8_harvey_forward_u64 tile8_harvey_inverse_u64");
  EXPECT_EQ(with("2", "1"), "tile16_harvey_forward_u64 tile16_harvey_inverse_u64");
  EXPECT_EQ(with("9", "9"), kOwn) << "not faster";
}

// With a plan of three limbs, a device transforms at least three polynomials at once, one for each limb.
TEST_F(MeasuredTimesTest, TheClosestNumberOfTransformsDecides) {
  const std::string some =
      "emulated\t64\t9\t1\town\t2\nemulated\t64\t9\t1\tradix8\t3\n"
      "emulated\t64\t9\t4\town\t2\nemulated\t64\t9\t4\tradix8\t1\n"
      "emulated\t64\t9\t1024\town\t2\nemulated\t64\t9\t1024\tradix16\t1\nemulated\t64\t9\t2\tradix16\t0.1\n";
  EXPECT_EQ(launched(table(some), kLong, 1u << 9), "tile8_harvey_forward_u64 tile8_harvey_inverse_u64");
}

TEST_F(MeasuredTimesTest, ATransformThatDoesNotTakeThePlanIsPassedOver) {
  const std::string lines =
      "emulated\t64\t9\t1\town\t9\nemulated\t64\t9\t1\tnaive/dhem\t1\n"  // dhem accepts moduli of at most 60 bits
      "emulated\t64\t9\t1\tradix8\t2\n";
  EXPECT_EQ(launched(table(lines), kLong, 1u << 9), "tile8_harvey_forward_u64 tile8_harvey_inverse_u64");
  const std::string alone = "emulated\t64\t9\t1\town\t9\nemulated\t64\t9\t1\tnaive/dhem\t1\n";
  EXPECT_EQ(launched(table(alone), kLong, 1u << 9), kOwn);
}

// A table must not change which verbs the device fuses.
TEST_F(MeasuredTimesTest, VerbsStayFused) {
  std::string refusal;
  const auto backend =
      emu::make("emu:0,times=" + table("emulated\t64\t9\t1\town\t9\nemulated\t64\t9\t1\tradix8\t1\n"), refusal);
  ASSERT_NE(backend, nullptr) << refusal;
  EXPECT_TRUE(backend->fuses(verb::ModUp{}));
  EXPECT_TRUE(backend->fuses(verb::KeySwitch{}));
}

TEST_F(MeasuredTimesTest, DamagedTablesAreRefused) {
  EXPECT_EQ(refusal_of(""), "");
  EXPECT_EQ(refusal_of("# a comment\n\na chip\t32\t17\t1048576\town\t1.5e-3\n"), "");
  const auto expect = [&](const std::string& line, const char* text) {
    EXPECT_NE(refusal_of("\n" + line + "\n").find(text), std::string::npos) << line << ": " << refusal_of(line);
    EXPECT_NE(refusal_of("\n" + line + "\n").find("line 3"), std::string::npos) << line;
  };
  expect("chip\t64\t9\t1\town", "five more fields");
  expect("chip\t64\t9\t1\town\t1\t2", "five more fields");
  expect("\t64\t9\t1\town\t1", "five more fields");
  expect("chip\t128\t9\t1\town\t1", "32 or 64 bits");
  expect("chip\t64\t0\t1\town\t1", "in 1 .. 17");
  expect("chip\t64\t18\t1\town\t1", "in 1 .. 17");
  expect("chip\t64\t9\t0\town\t1", "1 .. 2^20");
  expect("chip\t64\t9\t1\tradix32\t1", "The schedules are naive");
  expect("chip\t64\t9\t1\ttom\t1", "The schedules are naive");
  expect("chip\t64\t9\t1\tradix8/shoup\t1", "has no kernels with the reduction shoup");
  for (const char* const time : {"0", "-1", "inf", "nan", "1us", "1e13", ""})
    expect("chip\t64\t9\t1\town\t" + std::string(time), "positive numbers");
  MeasuredTimes times;
  EXPECT_EQ(MeasuredTimes::read("/dev/zero", times), "it is not a regular file");
  EXPECT_EQ(MeasuredTimes::read("/tmp", times), "it is a folder, not a file of measured times");
  EXPECT_EQ(MeasuredTimes::read("", times), "there is no such file");
  EXPECT_NE(refusal_of(std::string(std::size_t{1} << 20, '#')).find("longer than a megabyte"), std::string::npos);
  std::string refusal;
  EXPECT_EQ(emu::make("emu:0,times=" + table("\t"), refusal), nullptr);
  EXPECT_NE(refusal.find("five more fields"), std::string::npos) << refusal;
  for (const std::string& both : {"emu:0,ntt=radix8,times=" + table(""), "emu:0,times=" + table("") + ",ntt=radix8"}) {
    EXPECT_EQ(emu::make(both, refusal), nullptr);
    EXPECT_NE(refusal.find("ntt or times, not both"), std::string::npos) << refusal;
  }
}

// If there are no measured times, the library's own transforms are the default, and this test shows the reason: no
// other transform needs fewer launches. Transforms on clusters of blocks are the exception. Their cost is not in the
// number of launches (docs/notes/0031).
TEST(DeviceVariants, NoneWithoutClustersHasFewerLaunchesThanTheLibrarysOwnTransforms) {
  for (const device::Schedule& schedule : device::schedules()) {
    if (schedule.kind == device::Schedule::Kind::cluster) continue;
    for (u32 log_n = std::max(2u, schedule.least_log()); log_n <= 17; ++log_n) {
      for (const u32 bytes : {4u, 8u})
        EXPECT_GE(device::launches_of(schedule, log_n, 1, bytes, true).size(), device::ntt_parts(log_n).size())
            << schedule.name << " " << log_n;
    }
  }
}

}  // namespace
}  // namespace ringfort::testing
