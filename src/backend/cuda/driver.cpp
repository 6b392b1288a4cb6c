// SPDX-License-Identifier: Apache-2.0
// The driver of NVIDIA's GPUs (driver.h). It implements the functions of backend/device/driver.h with NVIDIA's driver
// library.
#include "backend/cuda/driver.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "backend/cuda/library.h"
#include "backend/cuda/modules.h"
#include "backend/device/sticky_failure.h"
#include "base/locked.h"

namespace ringfort::cuda {
namespace {

using device::Address;
using device::KernelCall;
using device::kStreams;

constexpr int kLeastCapability = 80;           // compute capability for which cmake/RingfortPtx.cmake makes PTX
constexpr int kSharedOfEveryChip = 48 * 1024;  // bytes of shared memory that a block has without kSharedOfFunction
constexpr int kFirstWithClusters = 90;         // compute capability of the first chips with clusters
constexpr u32 kBlocksOfCluster = 8;            // most blocks of a cluster that all these chips allow

Event event_of(device::Event event) noexcept { return reinterpret_cast<Event>(event.id); }
DevicePointer pointer_of(Address memory) noexcept { return reinterpret_cast<DevicePointer>(memory); }
// Ends the MADV_WIPEONFORK of allocate_host(). Then a forked child inherits the pages. LockedBytes may reuse them for
// other objects (base/locked.h), such as secret keys, which a child must inherit.
void keep_on_fork(const LockedBytes& memory) noexcept { (void)madvise(memory.data(), memory.size(), MADV_KEEPONFORK); }

class Driver final : public device::Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() override;

  // Returns an empty string, or the reason why the device cannot be used. It is called once. Throws std::bad_alloc.
  std::string start(u32 index);

  const device::Facts& facts() const noexcept override { return facts_; }
  std::string error() const override { return failure_.reason(); }

  Status allocate(std::size_t bytes, Privacy, Address& out) noexcept override {
    DevicePointer memory = 0;
    const Status status = in_context("cuMemAlloc", [&] { return library_.allocate(&memory, bytes); });
    out = reinterpret_cast<Address>(memory);
    return status;
  }
  Status release(Address memory) noexcept override {
    return in_context("cuMemFree", [&] { return library_.release(pointer_of(memory)); });
  }
  MemoryUse memory() const noexcept override { return {0, 0, memory_bytes_}; }
  Status allocate_host(std::size_t bytes, std::byte*& out) noexcept override;
  Status release_host(std::byte* memory) noexcept override;

  Status load(std::string_view kernel, device::Kernel& out) noexcept override;
  Status launch(u32 stream, const KernelCall& call) noexcept override {
    std::size_t bytes = call.args.size();
    const void* const list[] = {kArguments, call.args.data(), kArgumentBytes, &bytes, kEndOfList};
    if (call.grid.cluster_blocks > 1) return launch_clusters(stream, call, const_cast<void**>(list));
    return on_stream("cuLaunchKernel", stream, [&](Stream s) {
      return library_.launch(static_cast<Function>(const_cast<void*>(call.kernel.handle)), call.grid.blocks, 1, 1,
                             call.grid.lanes, 1, 1, call.grid.shared_bytes, s, nullptr, const_cast<void**>(list));
    });
  }
  Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept override {
    return on_stream("cuMemcpyHtoDAsync", stream,
                     [&](Stream s) { return library_.copy_in(pointer_of(to), from, bytes, s); });
  }
  Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept override {
    return on_stream("cuMemcpyDtoHAsync", stream,
                     [&](Stream s) { return library_.copy_out(to, pointer_of(from), bytes, s); });
  }
  Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept override {
    return on_stream("cuMemcpyDtoDAsync", stream,
                     [&](Stream s) { return library_.copy(pointer_of(to), pointer_of(from), bytes, s); });
  }
  Status zero(u32 stream, Address to, std::size_t bytes) noexcept override {
    return on_stream("cuMemsetD8Async", stream, [&](Stream s) { return library_.fill(pointer_of(to), 0, bytes, s); });
  }

  Status record(u32 stream, device::Event& out) noexcept override;
  Status wait(u32 stream, device::Event event) noexcept override {
    return on_stream("cuStreamWaitEvent", stream,
                     [&](Stream s) { return library_.wait_for_event(s, event_of(event), 0); });
  }
  Status query(device::Event event, bool& has_ended) noexcept override {
    has_ended = false;
    return in_context("cuEventQuery", [&] {
      const Result result = library_.query_event(event_of(event));
      has_ended = result == kSuccess;
      return result == kNotReady ? kSuccess : result;
    });
  }
  Status synchronize(device::Event event) noexcept override {
    return in_context("cuEventSynchronize", [&] { return library_.finish_event(event_of(event)); });
  }
  Status finish(u32 stream) noexcept override {
    return on_stream("cuStreamSynchronize", stream, [&](Stream s) { return library_.finish_stream(s); });
  }
  Status elapsed(device::Event begin, device::Event end, double& us) noexcept override {
    float ms = 0;
    const Status status =
        in_context("cuEventElapsedTime", [&] { return library_.elapsed(&ms, event_of(begin), event_of(end)); });
    us = double{ms} * 1e3;
    return status;
  }
  void forget(device::Event event) noexcept override;

 private:
  Status launch_clusters(u32 stream, const KernelCall& call, void** arguments) noexcept {
    LaunchAttribute clusters{kClusterSize, 0, {}};
    clusters.value.cluster = {call.grid.cluster_blocks, 1, 1};
    return on_stream("cuLaunchKernelEx", stream, [&](Stream s) {
      const LaunchConfiguration configuration{call.grid.blocks, 1, 1, call.grid.lanes, 1, 1, call.grid.shared_bytes, s,
                                              &clusters,        1};
      return library_.launch_with(&configuration, static_cast<Function>(const_cast<void*>(call.kernel.handle)), nullptr,
                                  arguments);
    });
  }
  // Makes the driver's context current in this thread. The destructor restores the previous context.
  struct Current {
    explicit Current(const Driver& of) noexcept : library(of.library_), result(library.push_context(of.context_)) {}
    ~Current() {
      Context popped = nullptr;
      if (result == kSuccess) (void)library.pop_context(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    const Library& library;
    Result result;
  };

  template <class Call>
  Status in_context(const char* function, Call call) noexcept {
    if (const Status failed = failure_.status(); failed != Status::ok) return failed;
    const Current current(*this);
    if (current.result != kSuccess) return status_of("cuCtxPushCurrent", current.result);
    return status_of(function, call());
  }
  template <class Call>
  Status on_stream(const char* function, u32 stream, Call call) noexcept {
    return in_context(function, [&] { return call(streams_[stream]); });
  }
  Status status_of(const char* function, Result result) noexcept {
    if (result == kSuccess) return Status::ok;
    return result == kOutOfMemory ? Status::out_of_memory : fail(function, result, {});
  }
  Status fail(const char* function, Result result, std::string_view log) noexcept;
  Status load_module(std::size_t index, Module& out) noexcept;
  Result load_image(const char* image, Module& out, std::span<char> log) noexcept;
  void describe_chip(Device device);

  Library library_;
  device::Facts facts_;
  Device device_ = -1;  // the device whose context this object retains; -1 if none
  Context context_ = nullptr;
  std::size_t memory_bytes_ = 0;
  std::array<Stream, kStreams> streams_{};
  device::StickyFailure failure_;
  std::mutex modules_mutex_;
  std::vector<Module> modules_;  // in the order of modules(); nullptr if not loaded yet
  std::mutex lists_mutex_;
  std::vector<Event> spare_events_;       // events that can be recorded again
  std::vector<LockedBytes> host_memory_;  // host memory that is not yet released
};

std::string Driver::start(u32 index) {
  facts_.name.append("cuda:").append(std::to_string(index));
  facts_.family = "cuda";
  if (modules().empty())
    return "the library was built without kernels for NVIDIA GPUs: install clang 19 (apt-get install clang-19) or nvcc "
           "and build it again";
  int count = 0;
  if (std::string why = open_library(library_, count); !why.empty()) return why;
  if (index >= static_cast<u32>(count)) {
    if (count == 1) return "NVIDIA's driver finds one GPU: cuda:0";
    return "NVIDIA's driver finds " + std::to_string(count) + " GPUs: cuda:0 .. cuda:" + std::to_string(count - 1);
  }
  modules_.resize(modules().size());

  std::string why;
  const auto succeeds = [&](const char* function, Result result) {
    if (result != kSuccess) why.append(function).append(" reports ").append(name_of(library_, result));
    return result == kSuccess;
  };
  Device device = 0;
  if (!succeeds("cuDeviceGet", library_.device(&device, static_cast<int>(index)))) return why;
  int major = 0, minor = 0, units = 0, warp = 0, lanes = 0, shared = 0;
  const std::pair<int*, int> attributes[] = {{&major, kCapabilityMajor},    {&minor, kCapabilityMinor},
                                             {&units, kMultiprocessors},    {&warp, kWarpSize},
                                             {&lanes, kMostThreadsOfBlock}, {&shared, kMostSharedOfBlock}};
  for (const auto& [out, attribute] : attributes) {
    if (!succeeds("cuDeviceGetAttribute", library_.device_attribute(out, attribute, device))) return why;
  }
  if (10 * major + minor < kLeastCapability) {
    return "the GPU has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
           "; the kernels need 8.0 (Ampere) or later";
  }
  facts_.units = static_cast<u32>(units);
  facts_.sub_group = static_cast<u32>(warp);
  facts_.most_lanes = static_cast<u32>(lanes);
  facts_.shared_bytes = static_cast<u32>(shared);
  if (10 * major + minor >= kFirstWithClusters && facts_.shared_bytes >= device::kSharedOfClusters)
    facts_.cluster_blocks = kBlocksOfCluster;
  if (!succeeds("cuDeviceTotalMem", library_.device_memory(&memory_bytes_, device)) ||
      !succeeds("cuDevicePrimaryCtxRetain", library_.retain_context(&context_, device)))
    return why;
  describe_chip(device);
  device_ = device;
  const Current current(*this);
  if (!succeeds("cuCtxPushCurrent", current.result)) return why;
  for (Stream& stream : streams_) {
    if (!succeeds("cuStreamCreate", library_.create_stream(&stream, kIndependentStream))) return why;
  }
  return why;
}

// Sets the facts for benchmarks. The memory makes two transfers in each clock cycle.
void Driver::describe_chip(Device device) {
  std::array<char, 128> name{};
  if (library_.device_name(name.data(), static_cast<int>(name.size()), device) == kSuccess) facts_.chip = name.data();
  int clock = 0, memory_clock = 0, bus = 0, cache = 0;
  const std::pair<int*, int> attributes[] = {
      {&clock, kClock}, {&memory_clock, kMemoryClock}, {&bus, kMemoryBus}, {&cache, kCacheBytes}};
  for (const auto& [out, attribute] : attributes) {
    if (library_.device_attribute(out, attribute, device) != kSuccess) *out = 0;
  }
  constexpr double kTransfersOfClock = 2, kBitsOfByte = 8, kKhzOfMhz = 1e3;
  facts_.clock_mhz = clock / kKhzOfMhz;
  facts_.bytes_per_us = kTransfersOfClock * memory_clock / kKhzOfMhz * bus / kBitsOfByte;
  facts_.cache_bytes = static_cast<std::size_t>(cache);
}

Driver::~Driver() {
  if (device_ == -1) return;
  if (const Current current(*this); current.result == kSuccess) {
    for (Stream stream : streams_) {
      if (stream == nullptr) continue;
      (void)library_.finish_stream(stream);
      (void)library_.destroy_stream(stream);
    }
    for (Event event : spare_events_) (void)library_.destroy_event(event);
    for (Module module : modules_) {
      if (module != nullptr) (void)library_.unload_module(module);
    }
    for (const LockedBytes& memory : host_memory_) (void)library_.unregister_host(memory.data());
  }
  for (const LockedBytes& memory : host_memory_) keep_on_fork(memory);
  (void)library_.release_context(device_);
}

Status Driver::fail(const char* function, Result result, std::string_view log) noexcept {
  const bool is_our_mistake = result == kInvalidValue || result == kInvalidHandle || result == kInvalidContext;
  return failure_.set(
      is_our_mistake ? Status::internal : Status::device_lost,
      {facts_.name, ": ", function, " reports ", name_of(library_, result), log.empty() ? "" : ": ", log});
}

// Allocates the memory without NVIDIA's library, because a program cannot reliably exclude that library's memory from
// core dumps (docs/notes/0027). This function locks its memory, and excludes it from core dumps. A forked child gets
// zeros in place of these pages (MADV_WIPEONFORK). Otherwise, parent and child would share the pages until the first
// write. A write of the parent would then move its words to a new page (copy on write), and the GPU would still read
// the old page.
Status Driver::allocate_host(std::size_t bytes, std::byte*& out) noexcept {
  out = nullptr;
  const std::lock_guard lock(lists_mutex_);
  try {
    host_memory_.reserve(host_memory_.size() + 1);
    LockedBytes memory(bytes);
    if (madvise(memory.data(), memory.size(), MADV_WIPEONFORK) != 0)
      return failure_.set(Status::internal, {facts_.name, ": madvise(MADV_WIPEONFORK) fails: ", std::strerror(errno)});
    const Status status = in_context(
        "cuMemHostRegister", [&] { return library_.register_host(memory.data(), memory.size(), kPortableHostMemory); });
    if (status != Status::ok) {
      keep_on_fork(memory);
      return status;
    }
    out = static_cast<std::byte*>(memory.data());
    host_memory_.push_back(std::move(memory));
    return Status::ok;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

Status Driver::release_host(std::byte* memory) noexcept {
  const std::lock_guard lock(lists_mutex_);
  const Status status = in_context("cuMemHostUnregister", [&] { return library_.unregister_host(memory); });
  if (status != Status::ok) return status;
  std::erase_if(host_memory_, [&](const LockedBytes& each) {
    if (each.data() != memory) return false;
    keep_on_fork(each);
    return true;
  });
  return status;
}

Result Driver::load_image(const char* image, Module& out, std::span<char> log) noexcept {
  int names[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  return library_.load_module(&out, image, std::size(names), names, values);
}

// Loads a module. A driver may refuse machine code that is newer than the driver. Then it gets the PTX text and
// compiles it.
Status Driver::load_module(std::size_t index, Module& out) noexcept {
  std::array<char, 1024> log{};
  Result result = kSuccess;
  const Status status = in_context("cuCtxPushCurrent", [&] {
    result = load_image(images()[index], out, log);
    const bool has_text = images()[index] != modules()[index];
    if (result != kSuccess && result != kOutOfMemory && has_text) result = load_image(modules()[index], out, log);
    return kSuccess;  // a failure is reported below, with the log
  });
  if (status != Status::ok || result == kSuccess) return status;
  return result == kOutOfMemory ? Status::out_of_memory : fail("cuModuleLoadDataEx", result, log.data());
}

Status Driver::load(std::string_view kernel, device::Kernel& out) noexcept {
  const std::lock_guard lock(modules_mutex_);
  const std::span<const char* const> texts = modules();
  const auto text =
      std::find_if(texts.begin(), texts.end(), [&](const char* each) { return has_kernel(each, kernel); });
  if (text == texts.end()) return Status::unsupported;
  const auto index = static_cast<std::size_t>(text - texts.begin());
  Module& module = modules_[index];
  if (module == nullptr) {
    if (const Status status = load_module(index, module); status != Status::ok) return status;
  }
  try {
    Function function = nullptr;
    const std::string name(kernel);
    Status status =
        in_context("cuModuleGetFunction", [&] { return library_.function(&function, module, name.c_str()); });
    const int shared = static_cast<int>(facts_.shared_bytes);
    if (status == Status::ok && shared > kSharedOfEveryChip)
      status =
          in_context("cuFuncSetAttribute", [&] { return library_.set_attribute(function, kSharedOfFunction, shared); });
    out.handle = function;
    return status;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

Status Driver::record(u32 stream, device::Event& out) noexcept {
  out = {};
  Event event = nullptr;
  {
    const std::lock_guard lock(lists_mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (event == nullptr) {
    const Status status = in_context("cuEventCreate", [&] { return library_.create_event(&event, 0); });
    if (status != Status::ok) return status;
  }
  const Status status = on_stream("cuEventRecord", stream, [&](Stream s) { return library_.record_event(event, s); });
  const device::Event recorded{reinterpret_cast<u64>(event)};
  if (status == Status::ok) out = recorded;
  else forget(recorded);
  return status;
}

void Driver::forget(device::Event event) noexcept {
  if (event.id == 0) return;
  const std::lock_guard lock(lists_mutex_);
  try {
    spare_events_.push_back(event_of(event));
  } catch (const std::bad_alloc&) {
    if (const Current current(*this); current.result == kSuccess) (void)library_.destroy_event(event_of(event));
  }
}

}  // namespace

std::unique_ptr<device::Driver> open(u32 index, std::string& refusal) {
  auto driver = std::make_unique<Driver>();
  refusal = driver->start(index);
  if (!refusal.empty()) return nullptr;
  return driver;
}

}  // namespace ringfort::cuda
