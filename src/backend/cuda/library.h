// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's driver library (libcuda.so.1) that the driver calls. The declarations follow the
// documentation of the CUDA driver API. The functions are looked up at run time. No header of NVIDIA is included, and
// no library is linked.
#pragma once

#include <cstddef>
#include <string>

namespace ringfort::cuda {

using Result = int;
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400,
                        kNotFound = 500, kNotReady = 600;

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextOfLibrary*;
using Module = struct ModuleOfLibrary*;
using Function = struct FunctionOfLibrary*;
using Stream = struct StreamOfLibrary*;
using Event = struct EventOfLibrary*;

// Attributes of a device.
inline constexpr int kMostThreadsOfBlock = 1, kWarpSize = 10, kMultiprocessors = 16, kCapabilityMajor = 75,
                     kCapabilityMinor = 76, kMostSharedOfBlock = 97;
// Attributes of a device for benchmarks: clocks in kHz, width of the memory bus in bits, size of the cache in bytes.
inline constexpr int kClock = 13, kMemoryClock = 36, kMemoryBus = 37, kCacheBytes = 38;
// Attribute of a function: bytes of shared memory of a block. It must be set if a block needs more than 48 KiB.
inline constexpr int kSharedOfFunction = 8;
inline constexpr unsigned kPortableHostMemory = 1, kIndependentStream = 1;
// Options for the compilation of a module.
inline constexpr int kErrorLog = 5, kErrorLogBytes = 6;
// Keys of the list that passes the arguments of a launch.
inline void* const kArguments = reinterpret_cast<void*>(1);
inline void* const kArgumentBytes = reinterpret_cast<void*>(2);
inline void* const kEndOfList = nullptr;

// Attribute of a launch: the number of blocks of a cluster.
inline constexpr int kClusterSize = 4;
struct LaunchAttribute {
  int id;
  int unused;
  union {
    struct {
      unsigned x, y, z;
    } cluster;
    std::byte bytes[64];
  } value;
};
struct LaunchConfiguration {
  unsigned blocks_x, blocks_y, blocks_z, lanes_x, lanes_y, lanes_z, shared_bytes;
  Stream stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct Library {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_version)(int* version) = nullptr;  // a driver that supports CUDA 13.0 gives 13000
  Result (*error_name)(Result result, const char** name) = nullptr;
  Result (*device_count)(int* count) = nullptr;
  Result (*device)(Device* out, int index) = nullptr;
  Result (*device_name)(char* name, int bytes, Device device) = nullptr;
  Result (*device_attribute)(int* out, int attribute, Device device) = nullptr;
  Result (*device_memory)(std::size_t* bytes, Device device) = nullptr;

  Result (*retain_context)(Context* out, Device device) = nullptr;
  Result (*release_context)(Device device) = nullptr;
  Result (*push_context)(Context context) = nullptr;
  Result (*pop_context)(Context* out) = nullptr;

  Result (*load_module)(Module* out, const void* text, unsigned options, int* names, void** values) = nullptr;
  Result (*unload_module)(Module module) = nullptr;
  Result (*function)(Function* out, Module module, const char* name) = nullptr;
  Result (*set_attribute)(Function function, int attribute, int value) = nullptr;

  Result (*allocate)(DevicePointer* out, std::size_t bytes) = nullptr;
  Result (*release)(DevicePointer memory) = nullptr;
  Result (*register_host)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  Result (*unregister_host)(void* memory) = nullptr;

  Result (*create_stream)(Stream* out, unsigned flags) = nullptr;
  Result (*destroy_stream)(Stream stream) = nullptr;
  Result (*finish_stream)(Stream stream) = nullptr;
  Result (*wait_for_event)(Stream stream, Event event, unsigned flags) = nullptr;
  Result (*create_event)(Event* out, unsigned flags) = nullptr;
  Result (*destroy_event)(Event event) = nullptr;
  Result (*record_event)(Event event, Stream stream) = nullptr;
  Result (*query_event)(Event event) = nullptr;
  Result (*finish_event)(Event event) = nullptr;
  Result (*elapsed)(float* ms, Event begin, Event end) = nullptr;

  Result (*copy_in)(DevicePointer to, const void* from, std::size_t bytes, Stream stream) = nullptr;
  Result (*copy_out)(void* to, DevicePointer from, std::size_t bytes, Stream stream) = nullptr;
  Result (*copy)(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) = nullptr;
  Result (*fill)(DevicePointer to, unsigned char value, std::size_t bytes, Stream stream) = nullptr;
  Result (*launch)(Function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned lanes_x,
                   unsigned lanes_y, unsigned lanes_z, unsigned shared_bytes, Stream stream, void** pointers,
                   void** arguments) = nullptr;
  Result (*launch_with)(const LaunchConfiguration* configuration, Function function, void** pointers,
                        void** arguments) = nullptr;
};

// Opens libcuda.so.1, checks the version of CUDA that the driver supports, and counts the GPUs that the driver finds.
// The library stays open for the life of the process. Returns an empty string, or the reason why no GPU can be used.
// Throws std::bad_alloc.
[[nodiscard]] std::string open_library(Library& out, int& gpus);

// Returns the library's name of a result of its functions, such as "CUDA_ERROR_OUT_OF_MEMORY".
[[nodiscard]] const char* name_of(const Library& library, Result result) noexcept;

}  // namespace ringfort::cuda
