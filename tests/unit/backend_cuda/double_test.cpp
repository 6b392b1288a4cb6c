// SPDX-License-Identifier: Apache-2.0
// Runs the driver of NVIDIA's GPUs on the stand-in for NVIDIA's library (support/libcuda). The tests compare results
// with `ref` and check refusals. They let every call fail once, and check that all objects of the library are
// destroyed.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

#include "backend/cuda/device.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/modules.h"
#include "backend/device/emu/catalog.h"
#include "backend/ref/ref.h"
#include "base/locked.h"
#include "support/device_program.h"
#include "support/device_variants.h"
#include "support/libcuda/libcuda.h"
#include "support/mappings.h"

namespace ringfort::testing {
namespace {

using emu::Operation;

// Lets a test change the behaviour of the stand-in. Restores the behaviour after the test.
class Cuda : public ::testing::Test {
 public:
  void SetUp() override {
    void* const file = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto* const find = file == nullptr ? nullptr : dlsym(file, kLibcudaSwitch);
    if (find == nullptr) GTEST_SKIP() << "libcuda.so.1 is not the stand-in: run this test with ctest";
    double_ = reinterpret_cast<LibcudaSwitch* (*)()>(find)();
    if (cuda::modules().empty()) GTEST_SKIP() << "no kernels in PTX: apt-get install clang-19, and configure again";
  }
  void TearDown() override {
    if (double_ == nullptr) return;
    EXPECT_EQ(double_->use, LibcudaUse{}) << "objects were not given back to the library";
    EXPECT_EQ(double_->calls_without_context, 0u);
    *double_ = {};
  }

 protected:
  static std::shared_ptr<Backend> open_gpu(std::string_view device = "cuda:0") {
    std::string refusal;
    auto backend = cuda::make(device, refusal);
    EXPECT_EQ(refusal, "");
    return backend;
  }
  static std::string refusal_of(std::string_view device) {
    std::string refusal;
    EXPECT_EQ(cuda::make(device, refusal), nullptr);
    return refusal;
  }
  static std::vector<std::byte> expected() {
    std::vector<std::byte> words(kProgramBytes);
    EXPECT_EQ(run_program(ref::make(), words), Status::ok);
    return words;
  }
  LibcudaSwitch& libcuda() { return *double_; }

 private:
  LibcudaSwitch* double_ = nullptr;
};

TEST_F(Cuda, EveryVariantHasTheWordsOfRef) {
  std::string refusal;
  device::TransformChoice choice;
  const auto driver = cuda::open("cuda:0", refusal, choice);
  ASSERT_EQ(refusal, "");
  expect_all_variants(*driver);
}

// A cluster is a group of blocks that access each other's shared memory. The other tests run on a GPU without
// clusters, because its blocks have too little shared memory.
TEST_F(Cuda, ClustersOfBlocksHaveTheWordsOfRef) {
  const device::Schedule& cluster = *device::find_schedule("cluster");
  const device::ReductionFacts& harvey = *device::find_reduction("harvey");
  for (const auto& [capability, blocks] : {std::pair{89, 1u}, std::pair{90, 8u}, std::pair{120, 8u}}) {
    libcuda().capability = capability;
    libcuda().shared_bytes = static_cast<int>(device::kSharedOfClusters);
    std::string refusal;
    device::TransformChoice choice;
    const auto driver = cuda::open("cuda:0", refusal, choice);
    ASSERT_EQ(refusal, "");
    EXPECT_EQ(driver->facts().cluster_blocks, blocks);
    if (blocks == 1) {
      EXPECT_EQ(device::VariantBatch<u64>(*driver, cluster, harvey, 14, 1).prepare(65537, 3), Status::unsupported);
      continue;
    }
    for (u32 log_n = cluster.least_log(); log_n <= cluster.most_log(); ++log_n) {
      expect_variant<u32>(*driver, cluster, harvey, log_n, 2);
      expect_variant<u64>(*driver, cluster, harvey, log_n, 2);
    }
  }
}

TEST_F(Cuda, EveryKernelOfTheCatalogIsInOneModule) {
  std::size_t count = 0;
  for (const auto& family : emu::kernel_families()) {
    for (const emu::EmuKernel& kernel : family) {
      const auto has = [&](const char* module) { return cuda::has_kernel(module, kernel.name); };
      EXPECT_EQ(std::count_if(cuda::modules().begin(), cuda::modules().end(), has), 1) << kernel.name;
      ++count;
    }
  }
  EXPECT_GE(count, 40u);
  EXPECT_FALSE(cuda::has_kernel(cuda::modules()[0], "ntt"));
}

TEST_F(Cuda, ProgramsHaveTheWordsOfRef) {
  for (u64 seed = 1; seed <= 8; ++seed) {
    libcuda().seed = seed;
    std::vector<std::byte> words(kProgramBytes);
    ASSERT_EQ(run_program(open_gpu(), words), Status::ok);
    EXPECT_EQ(words, expected());
  }
}

TEST_F(Cuda, GpusWorkSideBySideFromSeveralThreads) {
  std::vector<std::vector<std::byte>> words(4, std::vector<std::byte>(kProgramBytes));
  const auto first = open_gpu("cuda:0"), last = open_gpu("cuda:3");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < words.size(); ++i) {
    threads.emplace_back([&, i] { EXPECT_EQ(run_program(i % 2 == 0 ? first : last, words[i]), Status::ok); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& each : words) EXPECT_EQ(each, expected());
}

TEST_F(Cuda, TheFirstGpuNeedsNoNumber) { EXPECT_EQ(open_gpu("cuda")->name(), "cuda:0"); }

TEST_F(Cuda, RefusalsSayWhatIsMissing) {
  EXPECT_EQ(refusal_of("cuda:4"), "NVIDIA's driver finds 4 GPUs: cuda:0 .. cuda:3");
  EXPECT_NE(refusal_of("cuda:x").find("DEVICE is a number"), std::string::npos) << refusal_of("cuda:x");
  libcuda().devices = 0;
  EXPECT_EQ(refusal_of("cuda"), "NVIDIA's driver finds no GPU");
  libcuda().devices = 1;
  EXPECT_EQ(refusal_of("cuda:1"), "NVIDIA's driver finds one GPU: cuda:0");
  libcuda().version = 11'080;
  EXPECT_EQ(refusal_of("cuda"), "NVIDIA's driver is for CUDA 11.8; it must be for 12.0 or later");
  libcuda().version = 12'000;
  libcuda().capability = 75;
  EXPECT_EQ(refusal_of("cuda"), "the GPU has compute capability 7.5; the kernels need 8.0 (Ampere) or later");
}

TEST_F(Cuda, EveryFailureOfTheLibraryIsAnErrorWithoutAWrongWord) {
  const std::vector<std::byte> untouched(kProgramBytes, std::byte{7}), pattern(kProgramBytes, std::byte{0xA5});
  for (const bool is_late : {false, true}) {
    for (const Operation operation :
         {Operation::allocate, Operation::load, Operation::launch, Operation::copy, Operation::event}) {
      if (is_late && operation != Operation::launch && operation != Operation::copy) continue;
      u32 failures = 0;
      for (u64 k = 1; k <= 30; ++k) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(operation) << ", call " << k << ", late " << is_late);
        libcuda().failure = {operation, k, is_late};
        std::vector<std::byte> words = untouched;
        const Status status = run_program(open_gpu(), words);
        EXPECT_TRUE(status == Status::ok ? words == expected() : words == untouched || words == pattern);
        EXPECT_EQ(libcuda().use, LibcudaUse{});
        failures += status != Status::ok;
      }
      EXPECT_GT(failures, 0u) << static_cast<int>(operation);
    }
  }
}

TEST_F(Cuda, ALostGpuSaysWhyAndStaysLost) {
  libcuda().failure = {Operation::copy, 2, true};
  std::string refusal;
  const auto driver = cuda::open(0, refusal);
  ASSERT_NE(driver, nullptr) << refusal;
  device::Address memory = nullptr;
  std::array<std::byte, 16> words{};
  ASSERT_EQ(driver->allocate(words.size(), Privacy::open, memory), Status::ok);
  ASSERT_EQ(driver->zero(0, memory, words.size()), Status::ok);
  ASSERT_EQ(driver->copy_out(0, words.data(), memory, words.size()), Status::ok);
  EXPECT_EQ(driver->finish(0), Status::device_lost);
  EXPECT_EQ(driver->zero(1, memory, words.size()), Status::device_lost);
  EXPECT_EQ(driver->error(), "cuda:0: cuStreamSynchronize reports CUDA_ERROR_LAUNCH_FAILED");
}

// Secret residues pass through host memory that the GPU can read. The test checks this memory.
TEST_F(Cuda, HostMemoryIsInNoCoreDumpAndInNoForkedChild) {
  std::string refusal;
  const auto driver = cuda::open(0, refusal);
  ASSERT_NE(driver, nullptr) << refusal;
  std::byte* memory = nullptr;
  ASSERT_EQ(driver->allocate_host(1 << 20, memory), Status::ok);
  const std::string flags = flags_of_mapping(memory);
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
  EXPECT_NE(flags.find(" wf "), std::string::npos) << flags;
  ASSERT_EQ(driver->release_host(memory), Status::ok);
  const LockedBytes next(1 << 20);  // gets the pages that were released
  EXPECT_EQ(flags_of_mapping(next.data()).find(" wf "), std::string::npos);
}

TEST_F(Cuda, ADriverThatEndsWithoutAContextLeavesItsHostMemoryToForkedChildren) {
  std::string refusal;
  auto driver = cuda::open(0, refusal);
  ASSERT_NE(driver, nullptr) << refusal;
  std::byte* memory = nullptr;
  ASSERT_EQ(driver->allocate_host(1 << 20, memory), Status::ok);
  libcuda().refuses_contexts = true;
  driver.reset();
  const LockedBytes next(1 << 20);  // gets the pages of the driver
  EXPECT_EQ(next.data(), memory);
  EXPECT_EQ(flags_of_mapping(next.data()).find(" wf "), std::string::npos);
  libcuda().use = {};  // without a context, the driver could not destroy its objects
}

TEST_F(Cuda, SecretWordsComeToTheHostThroughRegisteredMemoryOnly) {
  for (const Privacy privacy : {Privacy::secret, Privacy::open}) {
    constexpr u32 kDegree = 1u << 16;  // the residues need more than one transfer
    const auto backend = open_gpu();
    std::shared_ptr<const PreparedPlan> plan;
    ASSERT_EQ(backend->prepare({kDegree, Word::u64, ntt_primes(50, kDegree, 1).value()}, plan), Status::ok);
    DeviceBuffer* buffer = nullptr;
    ASSERT_EQ(backend->allocate(kDegree * sizeof(u64), Contents::undefined, privacy, buffer), Status::ok);
    std::vector<u64> in(kDegree), out(kDegree);
    for (u32 i = 0; i < kDegree; ++i) in[i] = 3 * u64{i} + 1;
    const View all{plan.get(), buffer, 0, {0, 1}, 1, 1};
    const Verb verbs[] = {verb::Upload{all, Domain::coefficient, in.data()},
                          verb::Download{all, Domain::coefficient, out.data()}};
    libcuda().pageable_copies_out = 0;
    ASSERT_EQ(backend->run({0}, verbs, {}), Status::ok);
    ASSERT_EQ(backend->synchronize({0}), Status::ok);
    EXPECT_EQ(in, out);
    EXPECT_EQ(libcuda().pageable_copies_out, privacy == Privacy::secret ? 0u : 1u);
    backend->release(buffer, true);
  }
}

TEST_F(Cuda, AKernelThatDoesNotExistIsUnsupportedAndLosesNothing) {
  std::string refusal;
  const auto driver = cuda::open(0, refusal);
  ASSERT_NE(driver, nullptr) << refusal;
  device::Kernel kernel;
  EXPECT_EQ(driver->load("ntt_u128", kernel), Status::unsupported);
  EXPECT_EQ(driver->load("ntt_u64_lazy", kernel), Status::ok);
  EXPECT_EQ(driver->error(), "");
}

}  // namespace
}  // namespace ringfort::testing
