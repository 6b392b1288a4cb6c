// SPDX-License-Identifier: Apache-2.0
// Tests the driver of OpenCL's devices. It runs on any device of the machine, such as the CPU driver pocl. The tests
// check results, refusals, failures at every call, and the release of all objects.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>

#include "backend/device/backend.h"
#include "backend/device/emu/catalog.h"
#include "backend/device/kernels/probes.h"
#include "backend/opencl/device.h"
#include "backend/opencl/driver.h"
#include "backend/opencl/modules.h"
#include "backend/ref/ref.h"
#include "support/device_program.h"
#include "support/device_variants.h"
#include "support/folder.h"
#include "unit/backend_opencl/faulty_library.h"

namespace ringfort::testing {
namespace {

using opencl::KernelCache;

class OpenCl : public ::testing::Test {
 public:
  void SetUp() override {
    std::string refusal = opencl::open_library(faulty().real);
    if (refusal.empty()) (void)opencl::open(faulty().real, 0, {}, refusal);
    if (!refusal.empty())
      GTEST_SKIP() << refusal << "; apt-get install clang-22 llvm-spirv-15 ocl-icd-libopencl1 pocl-opencl-icd, and "
                   << "configure again";
  }
  void TearDown() override {
    EXPECT_EQ(faulty().unreleased, 0) << "objects were not given back to the library";
    reset();
  }

 protected:
  static void reset() {
    faulty().failing = Call::none;
    faulty().properties.clear();
    faulty().has_devices = faulty().reads_spir = true;
    faulty().is_late = faulty().is_lost = false;
    faulty().calls = faulty().compiled = 0;
    faulty().unreleased = 0;
  }
  static void fail(Call call, u64 at, bool is_late = false) {
    reset();
    faulty().failing = call;
    faulty().fails_at = at;
    faulty().is_late = is_late;
  }
  static std::unique_ptr<device::Driver> open_driver(KernelCache cache = KernelCache::of_environment(),
                                                     std::optional<u32> tile = {}) {
    std::string refusal;
    auto driver = opencl::open(faulty_library(), 0, tile, refusal, std::move(cache));
    EXPECT_EQ(refusal, "");
    return driver;
  }
  // Runs a kernel of a small module on a driver that has a cache of compiled kernels. Returns how many modules were
  // compiled. To keep a module, the library compiles all its kernels; pocl needs ten seconds for a larger one.
  static u64 compiled_with(const Folder& cache, std::optional<u32> tile = {}) {
    faulty().compiled = 0;
    constexpr u32 kWords = 256;
    constexpr std::size_t kBytes = kWords * sizeof(u64);
    const auto driver = open_driver(KernelCache(cache.path()), tile);
    device::Address from = nullptr, to = nullptr;
    EXPECT_EQ(driver->allocate(kBytes, Privacy::open, from), Status::ok);
    EXPECT_EQ(driver->allocate(kBytes, Privacy::open, to), Status::ok);
    const device::SweepArgs<u64> args{reinterpret_cast<u64*>(to), reinterpret_cast<const u64*>(from), kWords, 1};
    const device::Use uses[] = {{from, kBytes, false}, {to, kBytes, true}};
    device::KernelCall call{{}, {1, 256, 0}, std::as_bytes(std::span(&args, 1)), uses};
    EXPECT_EQ(driver->load("probe_copy_u64", call.kernel), Status::ok);
    const std::vector<std::byte> words(kBytes, std::byte{5});
    std::vector<std::byte> copied(kBytes);
    EXPECT_EQ(driver->copy_in(0, from, words.data(), kBytes), Status::ok);
    EXPECT_EQ(driver->launch(0, call), Status::ok);
    EXPECT_EQ(driver->copy_out(0, copied.data(), to, kBytes), Status::ok);
    EXPECT_EQ(driver->finish(0), Status::ok);
    EXPECT_EQ(copied, words);
    for (const device::Address memory : {from, to}) EXPECT_EQ(driver->release(memory), Status::ok);
    return faulty().compiled;
  }
  static std::shared_ptr<Backend> open_gpu(std::string_view name) {
    std::string refusal;
    auto backend = opencl::make(name, refusal);
    EXPECT_EQ(refusal, "");
    return backend;
  }
  static std::string refusal_of(std::string_view device) {
    std::string refusal;
    EXPECT_EQ(opencl::make(device, refusal), nullptr);
    return refusal;
  }
  static std::string refusal_without(u32 property, u64 value) {
    faulty().properties = {{property, value}};
    std::string refusal;
    EXPECT_EQ(opencl::open(faulty_library(), 0, {}, refusal), nullptr);
    faulty().properties.clear();
    return refusal;
  }
  static const std::vector<std::byte>& expected() {
    static const std::vector<std::byte> words = [] {
      std::vector<std::byte> of_ref(kProgramBytes);
      EXPECT_EQ(run_program(ref::make(), of_ref), Status::ok);
      return of_ref;
    }();
    return words;
  }
};

TEST_F(OpenCl, EveryKernelOfTheCatalogButThoseForClustersIsInOneModuleAndLoads) {
  const auto driver = open_driver();
  std::size_t count = 0;
  for (const auto& family : emu::kernel_families()) {
    for (const emu::EmuKernel& kernel : family) {
      const auto modules = opencl::spirv_modules();
      const auto has = [&](std::string_view module) { return opencl::has_kernel(module, kernel.name); };
      const bool is_for_clusters = std::string_view(kernel.name).starts_with("cluster");  // OpenCL has no clusters
      EXPECT_EQ(std::count_if(modules.begin(), modules.end(), has), is_for_clusters ? 0 : 1) << kernel.name;
      device::Kernel loaded;
      const Status status = driver->load(kernel.name, loaded);
      if (is_for_clusters) {
        EXPECT_EQ(status, Status::unsupported) << kernel.name;
        continue;
      }
      // pocl 3.1 has no exchange of registers in sub-groups
      if (std::string_view(kernel.name).starts_with("shuffle") && status == Status::unsupported) continue;
      EXPECT_EQ(status, Status::ok) << kernel.name;
      ++count;
    }
  }
  EXPECT_GE(count, 40u);
}

// If a kernel copied an array in the memory of a lane, the compiler of SPIR-V (OpenCL's portable code) would drop the
// stores of the copy. The kernel would then compute with arguments that nothing has written.
TEST_F(OpenCl, NoKernelCopiesAnArrayInTheMemoryOfALane) {
  constexpr u32 kCopyMemory = 63, kCopyMemorySized = 64;
  for (const std::string_view module : opencl::spirv_modules()) {
    std::vector<u32> words(module.size() / sizeof(u32));
    std::memcpy(words.data(), module.data(), words.size() * sizeof(u32));
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
      ASSERT_NE(words[at] >> 16, 0u);
      EXPECT_TRUE((words[at] & 0xFFFF) != kCopyMemory && (words[at] & 0xFFFF) != kCopyMemorySized) << at;
    }
  }
}

TEST_F(OpenCl, ANameThatNoModuleHasIsUnsupportedAndLosesNothing) {
  const std::string_view module = opencl::spirv_modules()[0];
  EXPECT_TRUE(opencl::has_kernel(module, "ntt_u32_lazy"));
  EXPECT_FALSE(opencl::has_kernel(module, "ntt_u32"));
  for (std::size_t bytes = 0; bytes < 4096; ++bytes)
    EXPECT_FALSE(opencl::has_kernel(module.substr(0, bytes), "ntt_u128_lazy"));
  const auto driver = open_driver();
  device::Kernel kernel;
  EXPECT_EQ(driver->load("ntt_u128", kernel), Status::unsupported);
  EXPECT_EQ(driver->load("ntt_u64_lazy", kernel), Status::ok);
  EXPECT_EQ(driver->error(), "");
}

TEST_F(OpenCl, AKernelMayUseNoMemory) {
  const auto driver = open_driver();
  device::KernelCall call{{}, {1, 32, 0}, {}, {}};
  const std::array<std::byte, sizeof(u32)> unused{};
  call.args = unused;
  ASSERT_EQ(driver->load("probe_nothing_u32", call.kernel), Status::ok);
  EXPECT_EQ(driver->launch(0, call), Status::ok);
  EXPECT_EQ(driver->finish(0), Status::ok);
  EXPECT_EQ(driver->error(), "");
}

TEST_F(OpenCl, ProgramsOfSeveralThreadsHaveTheWordsOfRef) {
  const auto backend = open_gpu("opencl");
  EXPECT_EQ(backend->name(), "opencl:0");
  std::vector<std::vector<std::byte>> words(4, std::vector<std::byte>(kProgramBytes));
  std::vector<std::thread> threads;
  for (auto& each : words) threads.emplace_back([&] { EXPECT_EQ(run_program(backend, each), Status::ok); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& each : words) EXPECT_EQ(each, expected());
}

TEST_F(OpenCl, EveryVariantHasTheWordsOfRef) {
  const auto driver = open_driver();
  device::Kernel kernel;
  expect_all_variants(*driver, driver->load("shuffle8_harvey_forward_u32", kernel) == Status::ok);
}

// Some GPUs consist of several tiles. The name opencl:D.T means tile T of device D.
TEST_F(OpenCl, TilesAreDevicesOfTheirOwn) {
  std::string refusal;
  if (opencl::make("opencl:0.1", refusal) == nullptr) GTEST_SKIP() << refusal;
  for (const char* name : {"opencl:0.0", "opencl:0.1"}) {
    std::vector<std::byte> words(kProgramBytes);
    const auto backend = open_gpu(name);
    EXPECT_EQ(backend->name(), name);
    EXPECT_EQ(run_program(backend, words), Status::ok);
    EXPECT_EQ(words, expected());
  }
}

TEST_F(OpenCl, EventsMeasureTheTimeBetweenThem) {
  const auto driver = open_driver();
  device::Address memory = nullptr;
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  ASSERT_EQ(driver->allocate(kBytes, Privacy::open, memory), Status::ok);
  device::Event begin, end;
  ASSERT_EQ(driver->record(3, begin), Status::ok);
  for (u32 i = 0; i < 4; ++i) ASSERT_EQ(driver->zero(3, memory, kBytes), Status::ok);
  ASSERT_EQ(driver->record(3, end), Status::ok);
  ASSERT_EQ(driver->finish(3), Status::ok);
  double forward = 0, backward = 0;
  EXPECT_EQ(driver->elapsed(begin, end, forward), Status::ok);
  EXPECT_EQ(driver->elapsed(end, begin, backward), Status::ok);
  EXPECT_GT(forward, 0);
  EXPECT_EQ(backward, -forward);
  driver->forget(begin);
  driver->forget(end);
  EXPECT_EQ(driver->release(memory), Status::ok);
}

TEST_F(OpenCl, RefusalsSayWhatIsMissing) {
  EXPECT_EQ(refusal_of("opencl:x"), "opencl: 'x' is refused: DEVICE is a number in 0 .. 1023");
  EXPECT_EQ(refusal_of("opencl:0.x"), "opencl: '0.x' is refused: TILE is a number in 0 .. 1023");
  const std::string found = refusal_of("opencl:99"), tiles = refusal_of("opencl:0.99");
  EXPECT_TRUE(found == "OpenCL finds one device: opencl:0" || found.find(" devices: opencl:0 .. ") != std::string::npos)
      << found;
  EXPECT_TRUE(tiles == "opencl:0 has one tile" || tiles.ends_with(" tiles")) << tiles;
  EXPECT_EQ((found + tiles).find(" 1 "), std::string::npos) << found << tiles;
  const auto ends = [](const std::string& text, std::string_view end) { return text.ends_with(end) ? "" : text; };
  EXPECT_EQ(ends(refusal_without(opencl::kSharedVirtualMemory, 0), "it has no shared virtual memory (OpenCL 2.0)"), "");
  EXPECT_EQ(ends(refusal_without(opencl::kAddressBits, 32), "its addresses do not have 64 bits"), "");
  for (const u32 property : {opencl::kMostLanesOfGroup, opencl::kLocalBytes}) {
    EXPECT_EQ(ends(refusal_without(property, 128),
                   "it has less than 32 KiB of local memory, or work-groups of less than 256"),
              "");
  }
  faulty().reads_spir = false;
  EXPECT_EQ(ends(refusal_without(0, 0), "its driver reads no SPIR-V; install a newer driver"), "");
  faulty().has_devices = false;
  EXPECT_EQ(refusal_without(0, 0), "OpenCL finds no device: install a driver of your GPU");
}

TEST_F(OpenCl, AFailureOfTheLibraryIsAnErrorWithoutAWrongWord) {
  const std::vector<std::byte> untouched(kProgramBytes, std::byte{7});
  for (const bool is_late : {false, true}) {
    for (const Call call : {Call::allocate, Call::create_program, Call::build, Call::create_kernel, Call::launch,
                            Call::copy, Call::fill, Call::mark}) {
      if (is_late && call < Call::launch) continue;
      // if the cache keeps no binaries, every module is compiled
      const bool compiles = call == Call::create_program || call == Call::build;
      const KernelCache cache = compiles ? KernelCache("") : KernelCache::of_environment();
      u32 failures = 0;
      for (u64 k = 1; k <= 24; ++k) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(call) << ", call " << k << ", late " << is_late);
        fail(call, k, is_late);
        std::vector<std::byte> words = untouched;
        const Status status = run_program(device::make(open_driver(cache)), words);
        EXPECT_TRUE(status == Status::ok ? words == expected() : words == untouched || words == expected());
        EXPECT_EQ(faulty().unreleased, 0);
        failures += status != Status::ok;
        if (faulty().calls < k) break;  // the program makes fewer calls of this function
      }
      EXPECT_GT(failures, 0u) << static_cast<int>(call);
    }
  }
}

TEST_F(OpenCl, KeptBinariesReplaceCompilations) {
  const Folder cache, other;
  EXPECT_EQ(compiled_with(cache), 1u);
  EXPECT_EQ(compiled_with(cache), 0u);
  for (const auto& entry : std::filesystem::directory_iterator(cache.path())) {
    std::vector<u8> bytes = read_all(entry.path());
    bytes.back() ^= 1;
    write_all(other.path() / entry.path().filename(), bytes);
  }
  EXPECT_EQ(compiled_with(other), 1u) << "damaged; the other folder's are not";
  EXPECT_EQ(compiled_with(other), 0u);
  std::string refusal;
  if (opencl::make("opencl:0.1", refusal) != nullptr) { EXPECT_EQ(compiled_with(cache, 1), 1u) << "for a tile"; }
}

TEST_F(OpenCl, AKeptBinaryThatTheLibraryRefusesIsCompiledAgain) {
  const Folder cache;
  EXPECT_EQ(compiled_with(cache), 1u);
  for (const Call call : {Call::create_program, Call::build}) {
    fail(call, 1);
    EXPECT_EQ(compiled_with(cache), 1u) << static_cast<int>(call);
  }
  reset();
  EXPECT_EQ(compiled_with(cache), 0u);
}

TEST_F(OpenCl, ALostDeviceSaysWhyAndStaysLost) {
  fail(Call::fill, 1, true);
  const auto driver = open_driver();
  device::Address memory = nullptr;
  std::array<std::byte, 16> words{};
  ASSERT_EQ(driver->allocate(words.size(), Privacy::open, memory), Status::ok);
  ASSERT_EQ(driver->zero(0, memory, words.size()), Status::ok);
  ASSERT_EQ(driver->copy_out(0, words.data(), memory, words.size()), Status::ok);
  EXPECT_EQ(driver->finish(0), Status::device_lost);
  EXPECT_EQ(driver->zero(1, memory, words.size()), Status::device_lost);
  EXPECT_EQ(driver->error(), "opencl:0: clWaitForEvents reports CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
}

}  // namespace
}  // namespace ringfort::testing
