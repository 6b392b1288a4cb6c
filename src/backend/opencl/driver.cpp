// SPDX-License-Identifier: Apache-2.0
// The driver of OpenCL's devices (driver.h). A stream is a queue that runs its commands in order. Each command also has
// the previous command in its wait list. By OpenCL's rules, a command fails if a command in its wait list has failed.
// Therefore every failure is detected.
#include "backend/opencl/driver.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "backend/device/sticky_failure.h"
#include "backend/opencl/modules.h"
#include "base/locked.h"

namespace ringfort::opencl {
namespace {

using device::Address;
using device::KernelCall;
using device::kStreams;

constexpr u32 kLeastLanes = 256, kLeastLocalBytes = 32 * 1024;  // minima for transforms in two parts

Event event_of(device::Event event) noexcept { return reinterpret_cast<Event>(event.id); }

class Driver final : public device::Driver {
 public:
  Driver(const Library& library, KernelCache cache) noexcept : library_(library), cache_(std::move(cache)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() override;

  // Returns an empty string, or the reason why the device cannot be used. It is called once. Throws std::bad_alloc.
  std::string start(u32 index, std::optional<u32> tile);

  const device::Facts& facts() const noexcept override { return facts_; }
  std::string error() const override { return failure_.reason(); }

  Status allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept override;
  Status release(Address memory) noexcept override;
  MemoryUse memory() const noexcept override { return {0, 0, memory_bytes_}; }
  Status allocate_host(std::size_t bytes, std::byte*& out) noexcept override;
  Status release_host(std::byte* memory) noexcept override;

  Status load(std::string_view kernel, device::Kernel& out) noexcept override;
  Status launch(u32 stream, const KernelCall& call) noexcept override;
  Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept override {
    return copy_bytes(stream, to, from, bytes);
  }
  Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept override {
    return copy_bytes(stream, to, from, bytes);
  }
  Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept override {
    return copy_bytes(stream, to, from, bytes);
  }
  Status zero(u32 stream, Address to, std::size_t bytes) noexcept override {
    constexpr std::array<std::byte, 16> kZeros{};
    const std::size_t either = reinterpret_cast<std::uintptr_t>(to) | bytes | kZeros.size();
    const std::size_t pattern = either & (~either + 1);  // largest power of two that divides all three
    return enqueue("clEnqueueSVMMemFill", stream, [&](Queue queue, u32 waits, const Event* events, Event* out) {
      return library_.fill(queue, to, kZeros.data(), pattern, bytes, waits, events, out);
    });
  }

  Status record(u32 stream, device::Event& out) noexcept override;
  Status wait(u32 stream, device::Event event) noexcept override {
    return enqueue("clEnqueueMarkerWithWaitList", stream, [&](Queue queue, u32 waits, const Event* before, Event* out) {
      const std::array<Event, 2> both{event_of(event), waits == 0 ? nullptr : *before};
      return library_.mark(queue, waits + 1, both.data(), out);
    });
  }
  Status query(device::Event event, bool& has_ended) noexcept override;
  Status synchronize(device::Event event) noexcept override;
  Status finish(u32 stream) noexcept override;
  Status elapsed(device::Event begin, device::Event end, double& us) noexcept override;
  void forget(device::Event event) noexcept override {
    if (event.id != 0) (void)library_.release_event(event_of(event));
  }

 private:
  struct StreamQueue {  // a stream
    Queue queue = nullptr;
    Event last = nullptr;  // event of the last command
    std::mutex mutex;      // guards queue and last
  };

  // Puts a command on a stream, after the last command of the stream. Calls call(queue, number of events, events,
  // event), where the last argument gets the event of the command.
  template <class Call>
  Status enqueue(const char* function, u32 stream, Call call) noexcept {
    if (const Status failed = failure_.status(); failed != Status::ok) return failed;
    StreamQueue& s = streams_[stream];
    const std::lock_guard lock(s.mutex);
    Event event = nullptr;
    const bool is_first = s.last == nullptr;
    Result result = call(s.queue, is_first ? 0 : 1, is_first ? nullptr : &s.last, &event);
    if (result != kSuccess) return status_of(function, result);
    if (!is_first) (void)library_.release_event(s.last);
    s.last = event;
    result = library_.flush(s.queue);  // begins the work
    return status_of("clFlush", result);
  }
  Status copy_bytes(u32 stream, std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    return enqueue("clEnqueueSVMMemcpy", stream, [&](Queue queue, u32 waits, const Event* events, Event* out) {
      return library_.copy(queue, 0, to, from, bytes, waits, events, out);
    });
  }
  Status status_of(const char* function, Result result) noexcept {
    if (result == kSuccess) return Status::ok;
    const bool is_memory =
        result == kMemoryAllocationFailure || result == kOutOfResources || result == kOutOfHostMemory;
    return is_memory ? Status::out_of_memory : fail(function, result, {});
  }
  Status fail(const char* function, Result result, std::string_view log) noexcept;
  std::string requirements() const;
  // On Intel's GPUs, an option gives a lane twice as many registers. Without this option, the registers do not suffice
  // for transforms of 64-bit words (tests/gpu).
  const char* build_options() const noexcept {
    const bool is_gpu = (number_of(library_, device_, kDeviceType) & kGpu) != 0;
    if (!reads_spirv_) return "-x spir -spir-std=1.2";
    return is_gpu && number_of(library_, device_, kDeviceVendor) == kVendorIntel ? "-cl-intel-256-GRF-per-thread" : "";
  }
  // Returns the key of a module in the cache. It contains all that determines the machine code of the module.
  std::string cache_key(std::string_view code) const;
  Program program_of_binary(std::string_view binary, Result& result) noexcept;
  Status build(std::size_t module, Program& out);
  // Returns nullptr if the cache has no binary, or if the driver refuses it.
  Program build_kept(const std::string& key);
  void keep(const std::string& key, Program program) const;
  Status prepare_launch(const KernelCall& call) noexcept;

  Library library_;
  KernelCache cache_;
  device::Facts facts_;
  device::StickyFailure failure_;
  Device device_ = nullptr;
  bool is_tile_ = false, reads_spirv_ = false, has_shuffles_ = false;
  // pocl 3.1, a driver for CPUs, has threads that may use the queue of a command after they have reported the end of
  // the command. Therefore queues of pocl stay until the process ends.
  bool keeps_queues_ = false;
  Context context_ = nullptr;
  std::size_t memory_bytes_ = 0;
  std::array<StreamQueue, kStreams> streams_;
  std::mutex modules_mutex_;
  std::vector<Program> programs_;  // in the order of spirv_modules(); nullptr if not built yet
  std::map<std::string, Kernel, std::less<>> kernels_;
  std::mutex launch_mutex_;  // a kernel keeps its arguments until its launch
  std::mutex memory_mutex_;
  // An allocation of OpenCL's library. Secret memory fills whole pages, so that core dumps can omit them.
  struct Allocation {
    void* start = nullptr;
    std::size_t secret_bytes = 0;  // 0 if the memory is not secret
  };
  // protect() locks secret memory and excludes it from core dumps. unprotect() undoes both.
  static void protect(Address memory, std::size_t bytes) noexcept;
  static void unprotect(Address memory, const Allocation& allocation) noexcept;
  std::map<Address, Allocation> allocated_;
  std::vector<LockedBytes> host_memory_;
};

// Returns the requirement that the device does not meet, or an empty string.
std::string Driver::requirements() const {
  const auto number = [&](u32 name) { return number_of(library_, device_, name); };
  if (!reads_spirv_ && text_of(library_, device_, kExtensions).find("cl_khr_spir") == std::string::npos)
    return "its driver reads no SPIR-V; install a newer driver";
  if (!reads_spirv_ && spir_modules().empty())
    return "its driver reads SPIR and not SPIR-V, and the library was built without kernels in SPIR";
  if ((number(kSharedVirtualMemory) & kCoarseGrained) == 0) return "it has no shared virtual memory (OpenCL 2.0)";
  if (number(kAddressBits) != 64) return "its addresses do not have 64 bits";
  if (number(kMostLanesOfGroup) < kLeastLanes || number(kLocalBytes) < kLeastLocalBytes)
    return "it has less than 32 KiB of local memory, or work-groups of less than 256";
  return {};
}

std::string Driver::start(u32 index, std::optional<u32> tile) {
  facts_.family = "opencl";
  facts_.name.append("opencl:").append(std::to_string(index));
  if (spirv_modules().empty())
    return "the library was built without kernels for OpenCL: install clang 22 (apt-get install clang-22) and build it "
           "again";
  std::string refusal;
  const std::vector<Device> devices = find_devices(library_, refusal);
  if (!refusal.empty()) return refusal;
  if (index >= devices.size()) {
    if (devices.size() == 1) return "OpenCL finds one device: opencl:0";
    return "OpenCL finds " + std::to_string(devices.size()) +
           " devices: opencl:0 .. opencl:" + std::to_string(devices.size() - 1);
  }
  device_ = devices[index];
  if (tile) {
    const std::vector<Device> tiles = tiles_of(library_, device_);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (i != *tile) (void)library_.release_device(tiles[i]);
    }
    if (*tile >= tiles.size())
      return facts_.name + " has " + (tiles.size() == 1 ? "one tile" : std::to_string(tiles.size()) + " tiles");
    device_ = tiles[*tile];
    is_tile_ = true;
    facts_.name.append(".").append(std::to_string(*tile));
  }
  reads_spirv_ = text_of(library_, device_, kIntermediateLanguages).find("SPIR-V_1.") != std::string::npos;
  has_shuffles_ = text_of(library_, device_, kExtensions).find("cl_khr_subgroup_shuffle") != std::string::npos;
  if (const std::string lack = requirements(); !lack.empty())
    return facts_.name + " (" + text_of(library_, device_, kDeviceName) + ") cannot be used: " + lack;
  facts_.units = static_cast<u32>(number_of(library_, device_, kUnits));
  facts_.most_lanes = static_cast<u32>(number_of(library_, device_, kMostLanesOfGroup));
  facts_.shared_bytes = static_cast<u32>(std::min<u64>(number_of(library_, device_, kLocalBytes), u64{1} << 30));
  memory_bytes_ = number_of(library_, device_, kMemoryBytes);
  keeps_queues_ = text_of(library_, device_, kDeviceVersion).find("PoCL") != std::string::npos;
  programs_.resize(spirv_modules().size());

  Result result = kSuccess;
  context_ = library_.create_context(nullptr, 1, &device_, nullptr, nullptr, &result);
  if (result != kSuccess) return "clCreateContext reports " + name_of(result);
  const u64 properties[] = {kQueueProperties, kProfiling, 0};
  for (StreamQueue& s : streams_) {
    s.queue = library_.create_queue(context_, device_, properties, &result);
    if (result != kSuccess) return "clCreateCommandQueueWithProperties reports " + name_of(result);
  }
  return {};
}

Driver::~Driver() {
  for (StreamQueue& s : streams_) {
    if (s.queue == nullptr) continue;
    (void)library_.finish(s.queue);
    if (s.last != nullptr) (void)library_.release_event(s.last);
    if (!keeps_queues_) (void)library_.release_queue(s.queue);
  }
  for (const auto& [name, kernel] : kernels_) (void)library_.release_kernel(kernel);
  for (Program program : programs_) {
    if (program != nullptr) (void)library_.release_program(program);
  }
  for (const auto& [memory, allocation] : allocated_) {
    unprotect(memory, allocation);
    library_.release(context_, allocation.start);
  }
  if (context_ != nullptr && !keeps_queues_) (void)library_.release_context(context_);
  if (is_tile_ && !keeps_queues_) (void)library_.release_device(device_);
}

Status Driver::fail(const char* function, Result result, std::string_view log) noexcept {
  const bool is_our_mistake = result <= kFirstInvalid && result >= kLastInvalid;
  const Status status = is_our_mistake ? Status::internal : Status::device_lost;
  try {
    return failure_.set(status,
                        {facts_.name, ": ", function, " reports ", name_of(result), log.empty() ? "" : ": ", log});
  } catch (const std::bad_alloc&) { return failure_.set(status, {}); }
}

// The memory of a device may be memory of the process. Then the system could swap it out and dump it. These calls
// prevent this. If the memory is elsewhere, the system refuses these calls, and they are not needed.
void Driver::protect(Address memory, std::size_t bytes) noexcept {
  lock_memory(memory, bytes);
  (void)exclude_from_dumps(memory, bytes);
}

void Driver::unprotect(Address memory, const Allocation& allocation) noexcept {
  if (allocation.secret_bytes == 0) return;
  forget_memory(memory);
  (void)include_in_dumps(memory, allocation.secret_bytes);
}

Status Driver::allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept {
  out = nullptr;
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const bool secret = privacy == Privacy::secret;
  if (secret && bytes > SIZE_MAX - 2 * page_bytes()) return Status::out_of_memory;
  const std::size_t secret_bytes = secret ? pages_of(bytes) : 0;
  const std::lock_guard lock(memory_mutex_);
  void* const start = library_.allocate(context_, kReadWrite, secret ? secret_bytes + page_bytes() : bytes, 0);
  if (start == nullptr) return Status::out_of_memory;
  // The library does not align memory to pages.
  const std::size_t skipped =
      secret ? pages_of(reinterpret_cast<std::uintptr_t>(start)) - reinterpret_cast<std::uintptr_t>(start) : 0;
  const auto memory = static_cast<Address>(start) + skipped;
  try {
    allocated_.emplace(memory, Allocation{start, secret_bytes});
  } catch (const std::bad_alloc&) {
    library_.release(context_, start);
    return Status::out_of_memory;
  }
  if (secret) protect(memory, secret_bytes);
  out = memory;
  return Status::ok;
}

Status Driver::release(Address memory) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const std::lock_guard lock(memory_mutex_);
  const auto found = allocated_.find(memory);
  if (found == allocated_.end()) return fail("clSVMFree", kFirstInvalid, {});
  unprotect(memory, found->second);
  library_.release(context_, found->second.start);
  allocated_.erase(found);
  return Status::ok;
}

Status Driver::allocate_host(std::size_t bytes, std::byte*& out) noexcept {
  out = nullptr;
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const std::lock_guard lock(memory_mutex_);
  try {
    out = static_cast<std::byte*>(host_memory_.emplace_back(bytes).data());
    return Status::ok;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

Status Driver::release_host(std::byte* memory) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const std::lock_guard lock(memory_mutex_);
  std::erase_if(host_memory_, [&](const LockedBytes& each) { return each.data() == memory; });
  return Status::ok;
}

std::string Driver::cache_key(std::string_view code) const {
  std::string key;
  for (const u32 text : {kDeviceName, kDeviceVersion, kDriverVersion})
    key.append(text_of(library_, device_, text)).append("\n");
  key.append(build_options()).append(is_tile_ ? "\ntile\n" : "\n");
  if ((number_of(library_, device_, kDeviceType) & kGpu) == 0) key.append(processor());
  return key.append(code);
}

Program Driver::program_of_binary(std::string_view binary, Result& result) noexcept {
  const std::size_t bytes = binary.size();
  const auto* start = reinterpret_cast<const unsigned char*>(binary.data());
  Result of_device = kSuccess;
  return library_.create_program_of_binary(context_, 1, &device_, &bytes, &start, &of_device, &result);
}

Program Driver::build_kept(const std::string& key) {
  const std::string binary = cache_.read(key);
  if (binary.empty()) return nullptr;
  Result result = kSuccess;
  const Program program = program_of_binary(binary, result);
  if (result != kSuccess) return nullptr;
  if (library_.build_program(program, 1, &device_, "", nullptr, nullptr) == kSuccess) return program;
  (void)library_.release_program(program);
  return nullptr;
}

void Driver::keep(const std::string& key, Program program) const {
  std::size_t bytes = 0;
  if (library_.program_info(program, kBinarySizes, sizeof bytes, &bytes, nullptr) != kSuccess) return;
  if (bytes == 0 || bytes > KernelCache::kMostBytes) return;
  std::string binary(bytes, '\0');
  char* start = binary.data();
  if (library_.program_info(program, kBinaries, sizeof start, &start, nullptr) == kSuccess) cache_.write(key, binary);
}

Status Driver::build(std::size_t module, Program& out) {
  Result result = kSuccess;
  const std::string_view code = (reads_spirv_ ? spirv_modules() : spir_modules())[module];
  const std::string key = cache_.keeps() ? cache_key(code) : "";
  if (const Program kept = cache_.keeps() ? build_kept(key) : nullptr; kept != nullptr) {
    out = kept;
    return Status::ok;
  }
  const Program program = reads_spirv_ ? library_.create_program(context_, code.data(), code.size(), &result)
                                       : program_of_binary(code, result);
  if (result != kSuccess) return status_of("clCreateProgram", result);
  result = library_.build_program(program, 1, &device_, build_options(), nullptr, nullptr);
  if (result == kSuccess) {
    out = program;
    if (cache_.keeps()) keep(key, program);
    return Status::ok;
  }
  std::array<char, 1024> log{};  // empty if the log is longer
  (void)library_.build_info(program, device_, kBuildLog, log.size(), log.data(), nullptr);
  (void)library_.release_program(program);
  return result == kOutOfHostMemory ? Status::out_of_memory : fail("clBuildProgram", result, log.data());
}

Status Driver::load(std::string_view kernel, device::Kernel& out) noexcept {
  out = {};
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const std::lock_guard lock(modules_mutex_);
  try {
    if (const auto known = kernels_.find(kernel); known != kernels_.end()) {
      out.handle = known->second;
      return Status::ok;
    }
    const std::span<const std::string_view> modules = spirv_modules();
    const auto module =
        std::find_if(modules.begin(), modules.end(), [&](auto each) { return has_kernel(each, kernel); });
    if (module == modules.end() || (needs_shuffles(*module) && !has_shuffles_)) return Status::unsupported;
    Program& program = programs_[static_cast<std::size_t>(module - modules.begin())];
    if (program == nullptr) {
      const Status status = build(static_cast<std::size_t>(module - modules.begin()), program);
      if (status != Status::ok) return status;
    }
    Result result = kSuccess;
    Kernel& entry = kernels_[std::string(kernel)];
    entry = library_.create_kernel(program, std::string(kernel).c_str(), &result);
    if (result != kSuccess) kernels_.erase(kernels_.find(kernel));
    else out.handle = entry;
    return status_of("clCreateKernel", result);
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

// Sets the arguments of the kernel, and declares the memory that it uses. The caller must hold launch_mutex_.
Status Driver::prepare_launch(const KernelCall& call) noexcept {
  auto* const kernel = static_cast<Kernel>(const_cast<void*>(call.kernel.handle));
  const std::size_t shared_bytes = std::max(call.grid.shared_bytes, 16u);  // OpenCL refuses 0 bytes
  Result result = library_.set_argument(kernel, 0, call.args.size(), call.args.data());
  if (result == kSuccess) result = library_.set_argument(kernel, 1, shared_bytes, nullptr);
  if (result != kSuccess) return status_of("clSetKernelArg", result);
  // A kernel without memory needs no call: it never had a list that would have to be replaced. Intel's driver refuses
  // an empty list.
  if (call.uses.empty()) return Status::ok;
  std::array<void*, 16> used{};
  const std::size_t count = std::min(used.size(), call.uses.size());
  std::transform(call.uses.begin(), call.uses.begin() + static_cast<std::ptrdiff_t>(count), used.begin(),
                 [](const device::Use& use) { return use.first; });
  return status_of("clSetKernelExecInfo",
                   library_.set_used_memory(kernel, kUsedPointers, count * sizeof(void*), used.data()));
}

Status Driver::launch(u32 stream, const KernelCall& call) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const std::lock_guard lock(launch_mutex_);
  if (const Status status = prepare_launch(call); status != Status::ok) return status;
  const std::size_t lanes_of_group = call.grid.lanes, lanes = call.grid.blocks * lanes_of_group;
  return enqueue("clEnqueueNDRangeKernel", stream, [&](Queue queue, u32 waits, const Event* events, Event* out) {
    auto* const kernel = static_cast<Kernel>(const_cast<void*>(call.kernel.handle));
    return library_.launch(queue, kernel, 1, nullptr, &lanes, &lanes_of_group, waits, events, out);
  });
}

Status Driver::record(u32 stream, device::Event& out) noexcept {
  out = {};
  return enqueue("clEnqueueMarkerWithWaitList", stream,
                 [&](Queue queue, u32 waits, const Event* events, Event* marker) {
                   const Result result = library_.mark(queue, waits, events, marker);
                   if (result != kSuccess) return result;
                   out.id = reinterpret_cast<u64>(*marker);
                   return library_.retain_event(*marker);  // for the caller; the stream has its own reference
                 });
}

Status Driver::query(device::Event event, bool& has_ended) noexcept {
  has_ended = false;
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  Result status = kSuccess;
  const Result result = library_.event_info(event_of(event), kEventStatus, sizeof status, &status, nullptr);
  if (result != kSuccess || status < 0) return fail("clGetEventInfo", result != kSuccess ? result : status, {});
  has_ended = status == 0;
  return Status::ok;
}

Status Driver::synchronize(device::Event event) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  const Event one = event_of(event);
  const Result result = library_.wait_for_events(1, &one);
  return result == kSuccess ? Status::ok : fail("clWaitForEvents", result, {});
}

Status Driver::finish(u32 stream) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  StreamQueue& s = streams_[stream];
  device::Event last;
  {
    const std::lock_guard lock(s.mutex);
    if (s.last == nullptr) return Status::ok;
    if (const Result result = library_.retain_event(s.last); result != kSuccess)
      return fail("clRetainEvent", result, {});
    last.id = reinterpret_cast<u64>(s.last);
  }
  const Status status = synchronize(last);  // without the mutex, so that other threads can continue
  forget(last);
  return status;
}

Status Driver::elapsed(device::Event begin, device::Event end, double& us) noexcept {
  if (const Status failed = failure_.status(); failed != Status::ok) return failed;
  u64 from = 0, to = 0;  // in nanoseconds
  Result result = library_.event_time(event_of(begin), kEndOfCommand, sizeof from, &from, nullptr);
  if (result == kSuccess) result = library_.event_time(event_of(end), kEndOfCommand, sizeof to, &to, nullptr);
  us = static_cast<double>(static_cast<i64>(to - from)) * 1e-3;
  return status_of("clGetEventProfilingInfo", result);
}

}  // namespace

std::unique_ptr<device::Driver> open(const Library& library, u32 index, std::optional<u32> tile, std::string& refusal,
                                     KernelCache cache) {
  auto driver = std::make_unique<Driver>(library, std::move(cache));
  refusal = driver->start(index, tile);
  if (!refusal.empty()) return nullptr;
  return driver;
}

}  // namespace ringfort::opencl
