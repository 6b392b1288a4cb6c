// SPDX-License-Identifier: Apache-2.0
// Tests the native path (sdk/native/native.h), which runs kernels compiled for the host. The results of every kernel
// are equal to those of the simulator in every byte. In large systems, the values are right, and the times are those of
// the simulator. The operands of these systems are generated from seeds. If there is no compiler for DPUs, events mark
// times as estimated. hw/pim/README.md explains the terms.
#include <algorithm>
#include <fstream>

#include "convert_run.h"
#include "host_system.h"
#include "kernels/accumulate.h"
#include "kernels/automorphism.h"
#include "kernels/barrett.h"
#include "kernels/convolve.h"
#include "kernels/decompose.h"
#include "kernels/elementwise64.h"
#include "kernels/expand.h"
#include "kernels/inner_product.h"
#include "kernels/ntt.h"
#include "kernels/tensor.h"
#include "sdk/native/native.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

constexpr u32 kQ30 = 1073479681;  // check-magic: 1073479681 == ntt_prime(30, 2**15)
constexpr u32 kQ24 = 16580609;    // check-magic: 16580609 == ntt_prime(24, 2**15)

std::vector<u32> primes_below(u64 bound, std::size_t count) {
  std::vector<u32> found;
  for (; found.size() < count; bound = found.back()) found.push_back(prime_below(bound, 1u << 16));
  return found;
}

class Native : public DpuTest {};

// Launches with fidelity=shapes. The launch then compares the native path with the simulator, and fails if they differ.
template <class Arguments>
void agree(const std::string& kernel, const Arguments& arguments, std::size_t words = 1 << 16) {
  HostSystem system(1, "fidelity=shapes");
  system.load(kernel_path(kernel));
  Words random(words + sizeof arguments);
  std::vector<std::vector<u32>> data(1, std::vector<u32>(words));
  for (auto& word : data[0]) word = random.below(kQ24);
  system.put(0, data);
  system.set_arguments(arguments);
  ASSERT_NO_THROW(system.launch()) << kernel;
  EXPECT_EQ(system.last_event().simulated, 1u);
}

TEST_F(Native, EveryKernelAgreesWithTheSimulator) {
  for (u32 verb = 0; verb <= kMultiplyByte; ++verb)
    agree("elementwise", with_byte_quotient({verb, kQ24, 5000, 201, 0, 20000, 40000, 60000, 0, 0}));
  agree("accumulate", AccumulateArguments{kQ24, 1, 1026, 37, 0, 200000, 3, 5});
  for (u32 narrow : {0u, 1u}) {
    const u32 q = narrow != 0 ? kQ24 : kQ30;
    agree("tensor", TensorArguments{q, narrow, 1000, 0, 4000, 8000, 12000, 16000, 20000, 24000});
    agree("inner_product", InnerProductArguments{q, narrow, 66, 2, 9, 3, 1, 0, 8192, 65536});
    for (u32 verb : {kForward, kInverse}) agree("ntt", NttArguments{verb, narrow, q, 12, 0, 2, 0, 65536, 7, {}});
    agree("ntt", NttArguments{kForward, narrow, q, 13, 1, 1, 0, 65536, 7, {1, 2, 3, 4, 5, 6, 7, 8}}, 1 << 15);
    agree("ntt", NttArguments{kInverse, narrow, q, 13, 2, 1, 0, 131072, 7, {1, 2, 3, 4, 5, 6, 7, 8}});
  }
  for (u32 verb : {kProduct60, kButterfly60, kSum60})
    agree("barrett",
          BarrettArguments{(u64{1} << 60) - 16383, (u64{1} << 60) + 65531, 60, 300, verb, 0, 4096, 8192, 16384, 32768});
  for (u32 domain : {kCoefficients, kValues}) {
    agree("automorphism", AutomorphismArguments{domain, kQ30, 10, 5, 2, 0, 65536});
    agree("automorphism", AutomorphismArguments{domain, kQ30, 14, 5, 1, 0, 65536});
  }
  for (u32 centred : {0u, 1u}) agree("decompose", DecomposeArguments{kQ24, 1000, 2, 7, 4, 2, centred, 0, 65536});
  agree("expand", ExpandArguments{{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3}, kQ30, 99, 132, 2, 0});
  agree("convolve", ConvolveArguments{65537, 256, 64, 128, 0, 4096, 8192});
  agree("convolve", ConvolveArguments{kQ30, 128, 0, 128, 0, 4096, 8192});
  for (u32 verb : {kConvert, kModDown})
    agree("convert", ConvertArguments{verb, kCentred, 1, 100, 3, 2, 0, 4096, 8192, 16384, 20480, 24576});
}

TEST_F(Native, EveryKernelOn64BitWordsAgreesWithTheSimulator) {
  constexpr u64 kQ = u64{kQ30} << 30 | 1;  // any number that is 1 mod 128
  for (u32 narrow : {0u, 1u}) {
    const u64 q = narrow != 0 ? kQ24 : kQ;
    for (u32 verb = 0; verb <= kMultiplyScalar64; ++verb)
      agree("elementwise64", Elementwise64Arguments{q, 201, 9, 99, 2, verb, narrow, 2500, 0, 20000, 40000, 60000});
    agree("tensor64", Tensor64Arguments{q, 9, 99, 2, narrow, 500, 0, 4000, 8000, 12000, 16000, 20000, 24000});
    for (u32 verb : {kForward, kInverse}) {
      agree("ntt64", Ntt64Arguments{q, 7, verb, narrow, 11, 0, 2, 0, 65536, 0, {}});
      agree("ntt64", Ntt64Arguments{q, 7, verb, narrow, 12, 1, 1, 0, 131072, 0, {1, 2, 3, 4, 5, 6, 7, 8}});
    }
  }
  agree("inner_product64", InnerProduct64Arguments{kQ, 9, 33, 2, 9, 3, 1, 0, 8192, 65536});
  for (u32 domain : {kCoefficients, kValues}) {
    agree("automorphism64", Automorphism64Arguments{kQ, domain, 10, 5, 2, 0, 65536});
    agree("automorphism64", Automorphism64Arguments{kQ, domain, 13, 5, 1, 0, 65536});
  }
  for (u32 centred : {0u, 1u}) agree("decompose64", Decompose64Arguments{kQ, 500, 2, 7, 4, 2, centred, 0, 65536});
  agree("expand64", Expand64Arguments{{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3}, 132, kQ, 99, 98, 2, 0});
  for (u32 kind : {kApproximate, kFloor, kCentred})
    agree("convert64", Convert64Arguments{kind, 50, 3, 2, 0, 8192, 16384, 20480, 24576, 0});
}

// 62 of the 64 DPUs of each rank compute. Each DPU has its own prime. All primes have the same width. A few DPUs run on
// the simulator, and the others natively.
TEST_F(Native, ARaggedSystemOfDifferentModuliComputesEachItsOwn) {
  HostSystem system(3 * 62, "fidelity=shapes,dpusPerRank=62");
  ASSERT_EQ(system.size(), 186u);
  system.load(kernel_path("elementwise"));
  const auto moduli = primes_below(u64{1} << 30, system.size());
  std::vector<ElementwiseArguments> arguments;
  std::vector<std::vector<u32>> a, b;
  Words random(5);
  for (u32 q : moduli) {
    arguments.push_back({kMultiply30, q, 512, 0, 0, 2048, 0, 4096, 0, 0});
    a.emplace_back(), b.emplace_back();
    for (u32 i = 0; i < 512; ++i) a.back().push_back(random.below(q)), b.back().push_back(random.below(q));
  }
  system.put(0, a);
  system.put(2048, b);
  system.set_arguments(arguments);
  system.launch();
  const auto event = system.last_event();
  EXPECT_GE(event.simulated, 1u);
  EXPECT_LT(event.simulated, 20u);
  EXPECT_FALSE(event.estimated);
  const auto out = system.get(4096, 512);
  for (std::size_t d = 0; d < moduli.size(); ++d) {
    for (u32 i = 0; i < 512; ++i)
      ASSERT_EQ(product_mod(out[d][i], u64{1} << 32, moduli[d]), product_mod(a[d][i], b[d][i], moduli[d]))
          << "DPU " << d << " index " << i;
  }
}

TEST_F(Native, TheTimeOfAShapeIsTheTimeOfAllItsDpus) {
  u64 cycles[2];
  for (const bool by_shape : {false, true}) {
    HostSystem system(40, by_shape ? "fidelity=shapes" : "");
    system.load(kernel_path("elementwise"));
    std::vector<ElementwiseArguments> arguments;
    for (u32 d = 0; d < 40; ++d)
      arguments.push_back({kAdd, kQ30, d % 3 == 0 ? 4096u : 1024u, 0, 0, 16384, 0, 32768, 0, 0});
    system.set_arguments(arguments);
    system.launch();
    cycles[by_shape ? 1 : 0] = system.last_event().cycles;
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

// Pending launches run when memory is read, in the order of the launches.
TEST_F(Native, PendingLaunchesRunInOrder) {
  HostSystem system(8, "fidelity=shapes");
  system.load(kernel_path("elementwise"));
  std::vector<std::vector<u32>> a(8, std::vector<u32>(64, 3)), b(8, std::vector<u32>(64, 5));
  system.put(0, a);
  system.put(256, b);
  for (u32 verb : {kAdd, kAdd, kSub, kNegate}) {
    system.set_arguments(ElementwiseArguments{verb, kQ30, 64, 0, 0, 256, 0, 0, 0, 0});
    system.launch();
  }
  const auto out = system.get(0, 64);
  for (const auto& words : out) EXPECT_EQ(words, std::vector<u32>(64, kQ30 - 8));
}

TEST_F(Native, AHundredThousandCiphertextsNeedLittleMemory) {
  // a sixteenth of 100000 ciphertexts, 2^17 words each on 128 DPUs
  constexpr u32 kDpus = 2048, kRows = 6250, kWords = 1024;
  HostSystem system(kDpus, "fidelity=shapes");
  system.load(kernel_path("accumulate"));
  const std::vector<u32> bounds(kDpus, kQ30);
  require(ringfort_pim_generate(system.set(), 0, std::size_t{kRows} * kWords * 4, 7, bounds.data()));
  const u32 one = static_cast<u32>((u64{1} << 32) % kQ30);
  const u32 rows = all_counts() ? kRows : kRows / 10;
  system.set_arguments(AccumulateArguments{kQ30, 0, kWords, rows, 0, kRows * kWords * 4, one,
                                           static_cast<u32>(product_mod(u64{1} << 32, 1u << kSplitBits, kQ30))});
  system.launch();
  for (u32 dpu : {1u, 1000u}) {
    const auto sums = system.get_one(dpu, kRows * kWords * 4, 64);
    for (u32 i = 0; i < 64; ++i) {
      u64 sum = 0;
      for (u32 r = 0; r < rows; ++r) sum += ringfort_pim_word(7, dpu, r * kWords + i, kQ30);
      ASSERT_EQ(sums[i], sum % kQ30) << "DPU " << dpu << " column " << i;
    }
  }
  std::ifstream status("/proc/self/status");
  std::string word;
  u64 peak_kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> peak_kilobytes;
  }
  EXPECT_GT(peak_kilobytes, 0u);
  EXPECT_LE(peak_kilobytes, 4u << 20);
}

TEST(NativePath, WordsOfASeedAreTheSameWhereverTheyAreRead) {
  Mram mram;
  const std::vector<u8> ones(64, 1);
  mram.write(20000, ones);
  mram.generate(8, 100000, 3, 1000);
  std::vector<u32> words(25000);
  mram.read(8, {reinterpret_cast<u8*>(words.data()), 100000});
  for (u32 i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], generated_word(3, i, 1000)) << i;
  EXPECT_LT(*std::max_element(words.begin(), words.end()), 1000u);
  mram.write(50000, ones);
  std::vector<u8> bytes(72);
  mram.read(49996, bytes);
  EXPECT_EQ(std::vector<u8>(bytes.begin() + 4, bytes.begin() + 68), ones);
  u32 after = 0;
  std::memcpy(&after, bytes.data() + 68, 4);
  EXPECT_EQ(after, generated_word(3, (50064 - 8) / 4, 1000));
}

TEST(NativePath, ADifferenceIsFound) {
  Mram mram;
  std::vector<u32> words(64, 9);
  mram.write(0, {reinterpret_cast<const u8*>(words.data()), 256});
  const ElementwiseArguments arguments{kAdd, 100, 64, 0, 0, 0, 0, 256, 0, 0};
  const NativeKernel& kernel = *find_native("elementwise");
  const std::span bytes(reinterpret_cast<const u8*>(&arguments), sizeof arguments);
  const NativeCheck check(kernel, bytes, mram, 0);
  EXPECT_EQ(check.first_difference(mram), 256u);
  run_native(kernel, bytes, mram, 0);
  EXPECT_EQ(check.first_difference(mram), std::nullopt);
  const u8 wrong[1] = {17};
  mram.write(300, wrong);
  EXPECT_EQ(check.first_difference(mram), 300u);
}

TEST(NativePath, BrokenTransfersEndTheLaunch) {
  Mram mram;
  const ElementwiseArguments arguments{kAdd, 100, 64, 0, 4, 0, 0, 256, 0, 0};
  EXPECT_TRUE(
      run_native(*find_native("elementwise"), {reinterpret_cast<const u8*>(&arguments), sizeof arguments}, mram, 0)
          .broken);
}

// In a build without a compiler for DPUs, values are right, and times come from the table of costs. Events mark these
// times as estimated.
TEST(NativePath, WithoutACompilerValuesAreRightAndTimesAreMarked) {
  HostSystem system(5, "");
  system.load_text(stand_in_text("elementwise"));
  std::vector<std::vector<u32>> a(5, std::vector<u32>(4096, kQ24 - 1));
  system.put(0, a);
  system.set_arguments(ElementwiseArguments{kAdd, kQ24, 4096, 0, 0, 0, 0, 16384, 0, 0});
  system.launch();
  const auto event = system.last_event();
  EXPECT_TRUE(event.estimated);
  EXPECT_EQ(event.simulated, 0u);
  EXPECT_GT(event.cycles, 4096u * 6);
  EXPECT_EQ(system.get(16384, 4096)[4], std::vector<u32>(4096, kQ24 - 2));
  EXPECT_THROW(system.load_text("ringfort-pim-kernel nobody\n"), std::runtime_error);
}

}  // namespace
}  // namespace ringfort::pim::testing
