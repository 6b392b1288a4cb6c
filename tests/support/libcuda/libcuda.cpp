// SPDX-License-Identifier: Apache-2.0
// The stand-in for libcuda.so.1. Its GPUs are the emulator's GPUs (backend/device/emu). Arguments, handles and rules
// follow the documents of the CUDA driver API. A call that needs a context fails if the thread has none. A handle of
// another device is refused. A kernel is found only if the text of the module contains it.
#include "support/libcuda/libcuda.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backend/cuda/library.h"
#include "backend/cuda/modules.h"
#include "backend/device/emu/catalog.h"

namespace ringfort::cuda {

// The handles of the library. Every handle belongs to a device.
struct ContextOfLibrary {
  int device = 0;
  std::unique_ptr<device::Driver> driver;
  std::array<u32, device::kStreams> streams{};  // by stream of the emulator: how many streams of this library use it
  std::set<void*> device_memory;
  struct Registered {
    std::byte* stand_in;
    std::size_t bytes;
  };
  std::map<void*, Registered> host_memory;
  [[nodiscard]] bool is_registered(const void* address) const {
    auto behind = host_memory.upper_bound(const_cast<void*>(address));
    if (behind == host_memory.begin()) return false;
    const auto& [first, memory] = *std::prev(behind);
    return static_cast<const std::byte*>(address) < static_cast<std::byte*>(first) + memory.bytes;
  }
};
struct ModuleOfLibrary {
  ContextOfLibrary* context;
  std::string text;
  std::map<std::string, std::unique_ptr<FunctionOfLibrary>> functions;
};
struct FunctionOfLibrary {
  ContextOfLibrary* context;
  device::Kernel kernel;
  unsigned shared_bytes = 48 * 1024;
};
struct StreamOfLibrary {
  ContextOfLibrary* context;
  u32 index;
};
struct EventOfLibrary {
  ContextOfLibrary* context;
  device::Event event;
};

namespace {

constexpr Result kNotInitialized = 3, kInvalidDevice = 101, kNoBinary = 209, kInvalidPtx = 218, kLaunchFailed = 719,
                 kAssert = 710;

struct Holders {
  std::unique_ptr<ContextOfLibrary> context;
  int count = 0;
};

constexpr std::size_t kMostNested = 8;
constexpr u32 kFatbin = 0xBA55'ED50;  // the first word of a file with machine code

// These two objects are never destroyed. Static variables of the program may hold devices, and the program's variables
// are destroyed after the static variables of this library.
std::mutex& mutex = *new std::mutex;
std::map<int, Holders>& contexts = *new std::map<int, Holders>;  // by device
testing::LibcudaSwitch control;
bool is_initialized = false;
// The contexts that this thread has made current.
thread_local std::array<ContextOfLibrary*, kMostNested> nested;
thread_local std::size_t depth = 0;

Result result_of(Status status) {
  switch (status) {
    case Status::ok: return kSuccess;
    case Status::out_of_memory: return kOutOfMemory;
    case Status::unsupported: return kNotFound;
    case Status::device_lost: return kLaunchFailed;
    default: return kAssert;
  }
}

// Calls f with the current context.
template <class F>
Result with_context(F f) {
  const std::lock_guard lock(mutex);
  if (depth == 0) {
    ++control.calls_without_context;
    return kInvalidContext;
  }
  return f(*nested[depth - 1]);
}

// Calls f(driver, number of the stream). The stream must belong to the current context.
template <class F>
Result on_stream(Stream stream, F f) {
  return with_context([&](ContextOfLibrary& context) {
    if (stream == nullptr || stream->context != &context) return kInvalidHandle;
    return result_of(f(*context.driver, stream->index));
  });
}
template <class F>
Result with_event(Event event, F f) {
  return with_context([&](ContextOfLibrary& context) {
    if (event == nullptr || event->context != &context) return kInvalidHandle;
    if (event->event.id == 0) return kSuccess;  // the event was never recorded
    return f(*context.driver, event->event);
  });
}

std::byte* address_of(DevicePointer pointer) { return reinterpret_cast<std::byte*>(pointer); }

// CUDA's calls do not name the memory that a kernel uses. Therefore this launch does not check accesses to memory.
// Launches of devices "emu" check them.
Result launch(Function function, const device::Grid& grid, Stream stream, void** arguments) {
  const bool has_list = arguments != nullptr && arguments[0] == kArguments && arguments[2] == kArgumentBytes &&
                        arguments[4] == kEndOfList;
  if (function == nullptr || !has_list || grid.shared_bytes > function->shared_bytes) return kInvalidValue;
  const std::span args(static_cast<const std::byte*>(arguments[1]), *static_cast<std::size_t*>(arguments[3]));
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    if (function->context != stream->context) return Status::internal;
    return driver.launch(index, {function->kernel, grid, args, {}});
  });
}

}  // namespace

// NOLINTBEGIN: names and signatures are those of NVIDIA's library.
extern "C" {

testing::LibcudaSwitch* ringfort_libcuda_switch() { return &control; }

Result cuInit(unsigned flags) {
  is_initialized = flags == 0;
  return flags == 0 ? kSuccess : kInvalidValue;
}
Result cuDriverGetVersion(int* version) {
  *version = control.version;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** name) {
  static const std::map<Result, const char*> kNames = {{kSuccess, "CUDA_SUCCESS"},
                                                       {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
                                                       {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                       {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
                                                       {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
                                                       {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
                                                       {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
                                                       {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
                                                       {kNotFound, "CUDA_ERROR_NOT_FOUND"},
                                                       {kNotReady, "CUDA_ERROR_NOT_READY"},
                                                       {kAssert, "CUDA_ERROR_ASSERT"},
                                                       {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto at = kNames.find(result);
  if (at == kNames.end()) return kInvalidValue;
  *name = at->second;
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  *count = control.devices;
  return is_initialized ? kSuccess : kNotInitialized;
}
Result cuDeviceGet(Device* out, int index) {
  *out = index;
  return index < control.devices ? kSuccess : kInvalidDevice;
}
Result cuDeviceGetName(char* name, int bytes, Device) {
  if (bytes < 1) return kInvalidValue;
  std::strncpy(name, "emulated", static_cast<std::size_t>(bytes));
  name[bytes - 1] = '\0';
  return kSuccess;
}
Result cuDeviceGetAttribute(int* out, int attribute, Device) {
  const std::map<int, int> values = {{kMostThreadsOfBlock, 1024},
                                     {kWarpSize, 32},
                                     {kMultiprocessors, 2},
                                     {kCapabilityMajor, control.capability / 10},
                                     {kCapabilityMinor, control.capability % 10},
                                     {kMostSharedOfBlock, control.shared_bytes}};
  const auto at = values.find(attribute);
  if (at == values.end()) return kInvalidValue;
  *out = at->second;
  return kSuccess;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, Device) {
  *bytes = emu::Options{}.memory_bytes;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* out, Device device) {
  const std::lock_guard lock(mutex);
  auto& [context, holders] = contexts[device];
  if (context == nullptr) {
    context = std::make_unique<ContextOfLibrary>();
    context->device = device;
    context->driver =
        emu::open(static_cast<u32>(device), emu::find_kernel, {.seed = control.seed, .failure = control.failure});
  }
  ++holders;
  ++control.use.contexts;
  *out = context.get();
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(Device device) {
  const std::lock_guard lock(mutex);
  const auto at = contexts.find(device);
  if (at == contexts.end()) return kInvalidContext;
  --control.use.contexts;
  auto& [context, holders] = at->second;
  if (--holders != 0) return kSuccess;
  control.use.device_allocations -= context->device_memory.size();
  control.use.host_allocations -= context->host_memory.size();
  contexts.erase(at);
  return kSuccess;
}
Result cuCtxPushCurrent_v2(Context context) {
  if (context == nullptr || depth == kMostNested || control.refuses_contexts) return kInvalidContext;
  nested[depth++] = context;
  return kSuccess;
}
Result cuCtxPopCurrent_v2(Context* out) {
  if (depth == 0) return kInvalidContext;
  *out = nested[--depth];
  return kSuccess;
}

Result cuModuleLoadDataEx(Module* out, const void* text, unsigned options, int* names, void** values) {
  return with_context([&](ContextOfLibrary& context) {
    u32 first = 0;
    std::memcpy(&first, text, sizeof first);
    if (first == kFatbin) return kNoBinary;  // such a file has no machine code for an emulated chip
    const std::string ptx = static_cast<const char*>(text);
    if (ptx.find(".version") == ptx.npos || ptx.find(".target sm_") == ptx.npos) {
      for (unsigned i = 0; i < options; ++i) {
        if (names[i] == kErrorLog) std::strcpy(static_cast<char*>(values[i]), "no target");
      }
      return kInvalidPtx;
    }
    ++control.use.modules;
    *out = new ModuleOfLibrary{&context, ptx, {}};
    return kSuccess;
  });
}
Result cuModuleUnload(Module module) {
  return with_context([&](ContextOfLibrary& context) {
    if (module->context != &context) return kInvalidHandle;
    --control.use.modules;
    delete module;
    return kSuccess;
  });
}
// Returns the name of the general kernel. For some shapes, modules also have kernels with a constant shape, which is
// part of their names: NAME_LOGN_FIRST_LOG. The emulator has only the general kernels.
std::string_view general_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789_");
  return name.ends_with("u32") || name.ends_with("u64") ? name : name.substr(0, end + 1);
}

Result cuModuleGetFunction(Function* out, Module module, const char* name) {
  return with_context([&](ContextOfLibrary& context) {
    if (module->context != &context) return kInvalidHandle;
    if (!has_kernel(module->text, name)) return kNotFound;
    device::Kernel kernel;
    if (const Status status = context.driver->load(general_name(name), kernel); status != Status::ok)
      return result_of(status);
    auto& function = module->functions[name];
    if (function == nullptr) function.reset(new FunctionOfLibrary{&context, kernel});
    *out = function.get();
    return kSuccess;
  });
}
Result cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute != kSharedOfFunction || value > control.shared_bytes) return kInvalidValue;
  function->shared_bytes = static_cast<unsigned>(value);
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer* out, std::size_t bytes) {
  return with_context([&](ContextOfLibrary& context) {
    if (bytes == 0) return kInvalidValue;
    std::byte* memory = nullptr;
    const Status status = context.driver->allocate(bytes, Privacy::secret, memory);
    if (status != Status::ok) return result_of(status);
    context.device_memory.insert(memory);
    ++control.use.device_allocations;
    *out = reinterpret_cast<DevicePointer>(memory);
    return kSuccess;
  });
}
Result cuMemFree_v2(DevicePointer memory) {
  return with_context([&](ContextOfLibrary& context) {
    if (context.device_memory.count(address_of(memory)) == 0) return kInvalidValue;
    // NVIDIA's function waits for all work of the device.
    for (u32 i = 0; i < device::kStreams; ++i) (void)context.driver->finish(i);
    const Status status = context.driver->release(address_of(memory));
    if (status != Status::ok) return result_of(status);
    context.device_memory.erase(address_of(memory));
    --control.use.device_allocations;
    return kSuccess;
  });
}
// For each registration, allocates memory of the emulator. Therefore a registration fails if a test makes the
// emulator's allocations fail.
Result cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  return with_context([&](ContextOfLibrary& context) {
    constexpr std::size_t kPage = 4096;
    const bool is_whole = reinterpret_cast<std::uintptr_t>(memory) % kPage == 0 && bytes % kPage == 0;
    if (!is_whole || bytes == 0 || context.host_memory.count(memory) != 0) return kInvalidValue;
    std::byte* registration = nullptr;
    const Status status = context.driver->allocate_host(1, registration);
    if (status != Status::ok) return result_of(status);
    context.host_memory.emplace(memory, ContextOfLibrary::Registered{registration, bytes});
    ++control.use.host_allocations;
    return kSuccess;
  });
}
Result cuMemHostUnregister(void* memory) {
  return with_context([&](ContextOfLibrary& context) {
    const auto found = context.host_memory.find(memory);
    if (found == context.host_memory.end()) return kInvalidValue;
    for (u32 i = 0; i < device::kStreams; ++i) (void)context.driver->finish(i);
    const Status status = context.driver->release_host(found->second.stand_in);
    if (status != Status::ok) return result_of(status);
    context.host_memory.erase(found);
    --control.use.host_allocations;
    return kSuccess;
  });
}

// If several holders share the context, it may have more streams than the emulator. Some of them then share a stream of
// the emulator.
Result cuStreamCreate(Stream* out, unsigned) {
  return with_context([&](ContextOfLibrary& context) {
    u32* const least = std::min_element(context.streams.begin(), context.streams.end());
    ++*least;
    *out = new StreamOfLibrary{&context, static_cast<u32>(least - context.streams.data())};
    ++control.use.streams;
    return kSuccess;
  });
}
Result cuStreamDestroy_v2(Stream stream) {
  return with_context([&](ContextOfLibrary& context) {
    if (stream->context != &context) return kInvalidHandle;
    --context.streams[stream->index];
    delete stream;
    --control.use.streams;
    return kSuccess;
  });
}
Result cuStreamSynchronize(Stream stream) {
  return on_stream(stream, [](device::Driver& driver, u32 index) { return driver.finish(index); });
}
Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    if (event == nullptr || event->context != stream->context) return Status::internal;
    return event->event.id == 0 ? Status::ok : driver.wait(index, event->event);
  });
}
Result cuEventCreate(Event* out, unsigned) {
  return with_context([&](ContextOfLibrary& context) {
    *out = new EventOfLibrary{&context, {}};
    ++control.use.events;
    return kSuccess;
  });
}
Result cuEventDestroy_v2(Event event) {
  return with_context([&](ContextOfLibrary& context) {
    if (event->context != &context) return kInvalidHandle;
    context.driver->forget(event->event);
    delete event;
    --control.use.events;
    return kSuccess;
  });
}
Result cuEventRecord(Event event, Stream stream) {
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    if (event == nullptr || event->context != stream->context) return Status::internal;
    driver.forget(event->event);
    return driver.record(index, event->event);
  });
}
Result cuEventQuery(Event event) {
  return with_event(event, [](device::Driver& driver, device::Event of) {
    bool has_ended = false;
    const Status status = driver.query(of, has_ended);
    return status != Status::ok ? result_of(status) : has_ended ? kSuccess : kNotReady;
  });
}
Result cuEventSynchronize(Event event) {
  return with_event(event, [](device::Driver& driver, device::Event of) { return result_of(driver.synchronize(of)); });
}
Result cuEventElapsedTime(float* ms, Event begin, Event end) {
  return with_event(begin, [&](device::Driver& driver, device::Event from) {
    double us = 0;
    const Status status = driver.elapsed(from, end->event, us);
    *ms = static_cast<float>(us / 1e3);
    return result_of(status);
  });
}

Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream stream) {
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    return driver.copy_in(index, address_of(to), static_cast<const std::byte*>(from), bytes);
  });
}
Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream stream) {
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    if (!stream->context->is_registered(to)) ++control.pageable_copies_out;
    return driver.copy_out(index, static_cast<std::byte*>(to), address_of(from), bytes);
  });
}
Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
  return on_stream(stream, [&](device::Driver& driver, u32 index) {
    return driver.copy(index, address_of(to), address_of(from), bytes);
  });
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream stream) {
  if (value != 0) return kInvalidValue;  // the library's driver sets bytes only to zero
  return on_stream(stream,
                   [&](device::Driver& driver, u32 index) { return driver.zero(index, address_of(to), bytes); });
}

Result cuLaunchKernel(Function function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, unsigned lanes,
                      unsigned lanes_y, unsigned lanes_z, unsigned shared_bytes, Stream stream, void** pointers,
                      void** arguments) {
  const bool is_flat = blocks_y == 1 && blocks_z == 1 && lanes_y == 1 && lanes_z == 1;
  if (!is_flat || pointers != nullptr) return kInvalidValue;
  return launch(function, {blocks, lanes, shared_bytes}, stream, arguments);
}
// Launches a kernel with one attribute: the size of clusters.
Result cuLaunchKernelEx(const LaunchConfiguration* of, Function function, void** pointers, void** arguments) {
  const bool is_flat = of->blocks_y == 1 && of->blocks_z == 1 && of->lanes_y == 1 && of->lanes_z == 1;
  const bool has_size = of->attribute_count == 1 && of->attributes[0].id == kClusterSize;
  if (!is_flat || !has_size || pointers != nullptr || control.capability < 90) return kInvalidValue;
  const auto& cluster = of->attributes[0].value.cluster;
  if (cluster.x == 0 || cluster.x > 8 || of->blocks_x % cluster.x != 0 || cluster.y != 1 || cluster.z != 1)
    return kInvalidValue;
  return launch(function, {of->blocks_x, of->lanes_x, of->shared_bytes, cluster.x}, of->stream, arguments);
}

}  // extern "C"
// NOLINTEND
}  // namespace ringfort::cuda
