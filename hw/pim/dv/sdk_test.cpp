// SPDX-License-Identifier: Apache-2.0
// Tests the documented behaviour of the SDK: locks and their layouts, every bit of floating-point results, transfers
// that ignore the same bits as the hardware, limits of launches, and the programs of programs/sdk_kernels.c.
// hw/pim/README.md explains the terms.
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "host_system.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing::sdk_test {
namespace {

constexpr u32 kTasklets = 16, kTurns = 25;

class Sdk : public DpuTest {};

TEST_F(Sdk, MutexesPoolsAtomicBitsAndBuiltBarriersLoseNoCount) {
  Dpu dpu = ready("sdk_locks");
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<u32>(dpu, "named"), kTasklets * kTurns);
  EXPECT_EQ(get<u32>(dpu, "atomic"), kTasklets * kTurns);
  EXPECT_EQ(get<u32>(dpu, "indexed"), kTasklets * kTurns);
  const auto addressed = get<u32>(dpu, address(dpu, "addressed"), 4),
             hashed = get<u32>(dpu, address(dpu, "hashed"), 64);
  EXPECT_EQ(std::accumulate(addressed.begin(), addressed.end(), 0u), kTasklets * kTurns);
  EXPECT_EQ(std::accumulate(hashed.begin(), hashed.end(), 0u), kTasklets * kTurns);
  EXPECT_EQ(get<u32>(dpu, "rounds_missed"), 0u);
  EXPECT_EQ(get<u32>(dpu, "most_inside"), 2u);
  EXPECT_EQ(get<u32>(dpu, "blocks_got"), kTasklets);
  EXPECT_EQ(get<u32>(dpu, "text_errors"), 0u);
  EXPECT_EQ(dpu.take_log(), "1 2.50 1.235e+04|0.5 ff\n");
}

TEST_F(Sdk, RecordsHaveTheVendorsLayout) {
  Dpu dpu = ready("sdk_locks");
  const auto barrier = get<u8>(dpu, address(dpu, "all"), 4), semaphore = get<u8>(dpu, address(dpu, "two"), 4);
  EXPECT_EQ((std::vector<u8>{barrier[0], barrier[1], barrier[2]}), (std::vector<u8>{0xff, kTasklets, kTasklets}));
  EXPECT_EQ((std::vector<u8>{semaphore[0], semaphore[1], semaphore[2]}), (std::vector<u8>{0xff, 2, 2}));
  EXPECT_EQ(barrier[3], address(dpu, "__atomic_bit_barrier_all") & 255);
  EXPECT_EQ(semaphore[3], address(dpu, "__atomic_bit_semaphore_two") & 255);
  ASSERT_EQ(dpu.run().fault.text, "");
  EXPECT_EQ(get<u32>(dpu, address(dpu, "sizes"), 2), (std::vector<u32>{4, 4}));
  EXPECT_EQ(get<u32>(dpu, "index_of_plain"), address(dpu, "__atomic_bit_plain") & 255);
}

template <class Float, class Bits>
std::vector<Float> operands(u64 seed) {
  std::vector<Float> values;
  using Limits = std::numeric_limits<Float>;
  const Float corners[] = {0,
                           -Float{0},
                           1,
                           -1,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           Limits::lowest(),
                           Float{2147483648.0}};
  for (std::size_t i = 0; i < 12; ++i) values.push_back(corners[seed == 1 ? i : (i * 5 + 3) % 12]);
  Words words(seed);
  while (values.size() < 192) {
    const auto any = std::bit_cast<Float>(static_cast<Bits>(words.next()));
    values.push_back(
        words.next() % 2 != 0 ? any : static_cast<Float>(static_cast<i64>(words.next() >> words.below(64))) / 16);
  }
  return values;
}

// Compares the bits of two numbers. If the expected number is a NaN, the result must be any NaN.
template <class Bits, class Float>
void expect_same(const std::vector<Float>& found, const std::vector<Float>& wanted, const std::string& what) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) EXPECT_TRUE(std::isnan(found[i])) << what << " " << i;
    else EXPECT_EQ(std::bit_cast<Bits>(found[i]), std::bit_cast<Bits>(wanted[i])) << what << " " << i;
  }
}

template <class Float>
u32 comparisons(Float a, Float b) {
  return static_cast<u32>(a < b) | static_cast<u32>(a <= b) << 1 | static_cast<u32>(a == b) << 2 |
         static_cast<u32>(a != b) << 3 | static_cast<u32>(a >= b) << 4 | static_cast<u32>(a > b) << 5 |
         static_cast<u32>(!(a < b)) << 6 | static_cast<u32>(std::isunordered(a, b)) << 7;
}

template <class Bits, class Float>
void check_arithmetic(const Dpu& dpu, const std::string& prefix, const std::vector<Float>& a,
                      const std::vector<Float>& b) {
  const std::size_t n = a.size();
  const auto results = get<Float>(dpu, address(dpu, prefix + "results"), 4 * n);
  std::vector<Float> wanted[4];
  for (std::size_t i = 0; i < n; ++i) {
    wanted[0].push_back(a[i] + b[i]), wanted[1].push_back(a[i] - b[i]);
    wanted[2].push_back(a[i] * b[i]), wanted[3].push_back(a[i] / b[i]);
  }
  const auto compared = get<u32>(dpu, address(dpu, prefix + "compared"), n);
  for (int k = 0; k < 4; ++k)
    expect_same<Bits, Float>({results.begin() + static_cast<std::ptrdiff_t>(k * n), results.end()}, wanted[k],
                             prefix + "operation " + std::to_string(k));
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(compared[i], comparisons(a[i], b[i])) << a[i] << ", " << b[i];
}

template <class Integer, class Float>
void check_conversion(const Dpu& dpu, const std::string& name, std::size_t row, const std::vector<Float>& a) {
  const auto found = get<Integer>(dpu, address(dpu, name), 2 * a.size());
  using Limits = std::numeric_limits<Integer>;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] > -1 || std::is_signed_v<Integer>) || std::isnan(a[i])) continue;
    const long double value = std::trunc(static_cast<long double>(a[i]));
    if (value >= static_cast<long double>(Limits::min()) && value <= static_cast<long double>(Limits::max()))
      EXPECT_EQ(found[row * a.size() + i], static_cast<Integer>(value)) << name << " of " << a[i];
    else EXPECT_EQ(found[row * a.size() + i], value < 0 ? Limits::min() : Limits::max()) << name << " of " << a[i];
  }
}

template <class Bits, class Float>
void check_from_integers(const Dpu& dpu, const std::string& name, const std::vector<i64>& integers) {
  const std::size_t n = integers.size();
  const auto found = get<Float>(dpu, address(dpu, name), 4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(found[i], static_cast<Float>(static_cast<i32>(integers[i])));
    EXPECT_EQ(found[n + i], static_cast<Float>(static_cast<u32>(integers[i])));
    EXPECT_EQ(found[2 * n + i], static_cast<Float>(integers[i]));
    EXPECT_EQ(found[3 * n + i], static_cast<Float>(static_cast<u64>(integers[i])));
  }
}

TEST_F(Sdk, FloatingPointIsThatOfIeee754InEveryBit) {
  const auto a = operands<float, u32>(1), b = operands<float, u32>(2);
  const auto x = operands<double, u64>(1), y = operands<double, u64>(2);
  std::vector<i64> integers;
  for (Words words(9); integers.size() < a.size();)
    integers.push_back(static_cast<i64>(words.next()) >> words.below(64));
  Dpu dpu = ready("sdk_floats");
  put(dpu, address(dpu, "first"), a), put(dpu, address(dpu, "second"), b);
  put(dpu, address(dpu, "wide_first"), x), put(dpu, address(dpu, "wide_second"), y);
  put(dpu, address(dpu, "integers"), integers);
  set<u32>(dpu, "count", static_cast<u32>(a.size()));
  ASSERT_EQ(dpu.run().fault.text, "");
  check_arithmetic<u32>(dpu, "", a, b);
  check_arithmetic<u64>(dpu, "wide_", x, y);
  check_conversion<i32>(dpu, "to_i32", 0, a), check_conversion<i32>(dpu, "to_i32", 1, x);
  check_conversion<u32>(dpu, "to_u32", 0, a), check_conversion<u32>(dpu, "to_u32", 1, x);
  check_conversion<i64>(dpu, "to_i64", 0, a), check_conversion<i64>(dpu, "to_i64", 1, x);
  check_conversion<u64>(dpu, "to_u64", 0, a), check_conversion<u64>(dpu, "to_u64", 1, x);
  check_from_integers<u32, float>(dpu, "from_integer", integers);
  check_from_integers<u64, double>(dpu, "wide_from_integer", integers);
  std::vector<float> narrowed;
  std::vector<double> widened;
  for (const double value : x) narrowed.push_back(static_cast<float>(value));
  for (const float value : a) widened.push_back(value);
  expect_same<u32>(get<float>(dpu, address(dpu, "narrowed"), a.size()), narrowed, "narrowed");
  expect_same<u64>(get<double>(dpu, address(dpu, "widened"), a.size()), widened, "widened");
}

// Each program runs on one DPU of a system (dpu.h).
class SdkKernel : public DpuTest {
 protected:
  struct Sizes {
    u32 size, width;
  };
  void run_kernel(int kernel, std::vector<u32> words, Sizes sizes) {
    system_ = std::make_unique<HostSystem>(1, "");
    system_->load(program_path("sdk_kernel_" + std::to_string(kernel)));
    if (words.size() % 2 != 0) words.push_back(0);
    std::vector<std::vector<u32>> data{std::move(words)};
    system_->put(0, data);
    system_->set_arguments(sizes);
    ASSERT_NO_THROW(system_->launch());
  }
  template <class T>
  T variable(const char* name, std::size_t index = 0) {
    T value{};
    dpu_set_t dpu{};
    DPU_FOREACH(system_->set(), dpu)
    require(dpu_copy_from(dpu, name, static_cast<u32>(index * sizeof(T)), &value, sizeof value));
    return value;
  }
  std::unique_ptr<HostSystem> system_;
};

std::vector<u32> random_words(std::size_t count, u32 bound) {
  std::vector<u32> values(count);
  for (Words words(count); auto& value : values) value = words.below(bound);
  return values;
}

TEST_F(SdkKernel, VectorsAreAdded) {
  constexpr u32 kCount = 5002;
  const auto words = random_words(2 * kCount, 1u << 31);
  run_kernel(1, words, {kCount * 4, 0});
  const auto sums = system_->get(0, 2 * kCount)[0];
  for (u32 i = 0; i < kCount; ++i) ASSERT_EQ(sums[kCount + i], words[i] + words[kCount + i]) << i;
}

std::vector<i64> as_doubles(const std::vector<u32>& words) {
  std::vector<i64> pairs(words.size() / 2);
  std::memcpy(pairs.data(), words.data(), words.size() * 4);
  return pairs;
}

TEST_F(SdkKernel, ATreeOfHandshakesAddsAllPartialSums) {
  auto words = random_words(2 * 3001, 1u << 18);
  run_kernel(2, words, {static_cast<u32>(words.size()) * 4, 0});
  const auto values = as_doubles(words);
  EXPECT_EQ(variable<i64>("result"), std::accumulate(values.begin(), values.end(), i64{0}));
}

TEST_F(SdkKernel, AChainOfHandshakesMakesPrefixSums) {
  constexpr u32 kBytes = 256 * 16 * 5;
  auto words = random_words(kBytes / 4, 1u << 18);
  run_kernel(3, words, {kBytes, 0});
  const auto found = as_doubles(system_->get(kBytes, kBytes / 4)[0]);
  i64 sum = 0;
  const auto values = as_doubles(words);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(found[i], sum += values[i]) << i;
}

TEST_F(SdkKernel, AHistogramUnderMutexesLosesNoCount) {
  const auto words = random_words(4002, 4096);
  std::vector<u32> wanted(32);
  for (const u32 word : words) ++wanted[word * 32 >> 12];
  run_kernel(4, words, {static_cast<u32>(words.size()) * 4, 0});
  for (u32 bin = 0; bin < 32; ++bin) EXPECT_EQ(variable<u32>("histogram", bin), wanted[bin]) << bin;
}

TEST_F(SdkKernel, OffsetsWithoutTheBaseAndLowBitsOfAddressesReachMramAsOnHardware) {
  constexpr u32 kNodes = 512, kWidth = 8;
  const auto rows = random_words(kNodes * kWidth, kNodes);
  std::vector<u32> wanted(kNodes / 32), words = rows;
  for (const u32 next : rows) wanted[next / 32] |= 1u << next % 32;
  words.resize(words.size() + kNodes / 32);
  run_kernel(5, words, {kNodes, kWidth});
  EXPECT_EQ(system_->get(kNodes * kWidth * 4, kNodes / 32)[0], wanted);
  HostSystem checked(1, "dma=checked");
  checked.load(program_path("sdk_kernel_5"));
  checked.set_arguments(Sizes{kNodes, kWidth});
  EXPECT_THROW(checked.launch(), std::runtime_error);
}

TEST_F(SdkKernel, AStreamIsReadInOrder) {
  const auto words = random_words(16 * 700 + 512, 1u << 31);
  run_kernel(6, words, {16 * 700 * 4, 0});
  EXPECT_EQ(variable<i64>("result"), std::accumulate(words.begin(), words.begin() + 16 * 700, i64{0}));
}

TEST_F(SdkKernel, AProductOfMatrixAndVectorIsThatOfTheHostsFloats) {
  constexpr u32 kRows = 70, kWidth = 26;
  std::vector<float> values((kRows + 1) * kWidth);
  for (Words words(3); auto& value : values) value = static_cast<float>(words.below(1000)) / 64;
  std::vector<u32> bits;
  for (const float value : values) bits.push_back(std::bit_cast<u32>(value));
  run_kernel(7, bits, {kRows, kWidth});
  const auto products = system_->get((kRows + 1) * kWidth * 4, kRows)[0];
  for (u32 r = 0; r < kRows; ++r) {
    float sum = 0;
    for (u32 i = 0; i < kWidth; ++i) sum += values[r * kWidth + i] * values[kRows * kWidth + i];
    EXPECT_EQ(std::bit_cast<float>(products[r]), sum) << r;
  }
}

// A transfer ignores the low three bits of its size. A size above 2048 bytes is reduced modulo 2048: 2056 becomes 8.
TEST_F(Sdk, UncheckedTransfersMoveWhatTheHardwareWouldMove) {
  for (const auto& [which, code] :
       {std::pair{1u, FaultCode::dma_size}, {2u, FaultCode::dma_size}, {3u, FaultCode::dma_alignment}}) {
    Dpu dpu = ready("faults");
    dpu.check_dma(false);
    set<u32>(dpu, "which", which);
    const RunReport report = dpu.run(100000);
    EXPECT_EQ(report.fault.text, "") << which;
    EXPECT_EQ(report.counters.dma_bytes, which == 3 ? 16u : 8u) << which;
    dpu.check_dma(true);
    EXPECT_EQ(dpu.run(100000).fault.code, code);
  }
  Dpu dpu = ready("faults");
  dpu.check_dma(false);
  set<u32>(dpu, "which", 4);
  EXPECT_EQ(dpu.run(100000).fault.code, FaultCode::dma_range);  // no memory has this address
}

std::string text_of(HostSystem& system) {
  try {
    system.launch();
  } catch (const std::runtime_error& problem) { return problem.what(); }
  return "";
}

TEST_F(Sdk, AnEndlessProgramEndsWithTheDpuTheLineAndTheCycles) {
  HostSystem system(3, "cycles=50000");
  system.load(program_path("faults"));
  std::vector<std::vector<u32>> which{{0}, {18}, {0}};
  u32 index = 0;
  dpu_set_t dpu{};
  DPU_FOREACH(system.set(), dpu, index) require(dpu_copy_to(dpu, "which", 0, which[index].data(), 4));
  const std::string text = text_of(system);
  EXPECT_NE(text.find("DPU 1 of the set, tasklet 3 at faults.c:" + std::to_string(marked_line("faults.c", "endless"))),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("did not end within 50000 cycles"), std::string::npos) << text;
  EXPECT_EQ(system.last_event().simulated, 2u) << "the DPUs behind the endless one do not run";
  dpu_set_t set{};
  EXPECT_EQ(dpu_alloc(1, "cycles=0", &set), DPU_ERR_INVALID_PROFILE);
  EXPECT_EQ(dpu_alloc(1, "dma=maybe", &set), DPU_ERR_INVALID_PROFILE);
}

}  // namespace
}  // namespace ringfort::pim::testing::sdk_test
