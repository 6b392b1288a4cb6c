// SPDX-License-Identifier: Apache-2.0
// The functions of libOpenCL.so.1 that the driver calls. The declarations follow the specification of OpenCL 3.0. The
// functions are looked up at run time. No header of OpenCL is included, and no library is linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "math/types.h"

namespace ringfort::opencl {

using Result = int;
inline constexpr Result kSuccess = 0, kDeviceNotFound = -1, kMemoryAllocationFailure = -4, kOutOfResources = -5,
                        kOutOfHostMemory = -6, kExecutionError = -14, kFirstInvalid = -30, kLastInvalid = -72;

using Platform = struct PlatformOfLibrary*;
using Device = struct DeviceOfLibrary*;
using Context = struct ContextOfLibrary*;
using Queue = struct QueueOfLibrary*;
using Program = struct ProgramOfLibrary*;
using Kernel = struct KernelOfLibrary*;
using Event = struct EventOfLibrary*;
using Property = std::intptr_t;
using Flags = u64;

// Properties of a device. kDeviceVendor gives the vendor's PCI number.
inline constexpr u32 kDeviceType = 0x1000, kDeviceVendor = 0x1001, kUnits = 0x1002, kMostLanesOfGroup = 0x1004,
                     kAddressBits = 0x100D, kMemoryBytes = 0x101F, kLocalBytes = 0x1023, kDeviceName = 0x102B,
                     kDriverVersion = 0x102D, kDeviceVersion = 0x102F, kExtensions = 0x1030, kPartitions = 0x1044,
                     kPartitionDomains = 0x1045, kSharedVirtualMemory = 0x1053, kIntermediateLanguages = 0x105B;
inline constexpr Flags kAnyDevice = 0xFFFFFFFF, kGpu = 1 << 2, kCoarseGrained = 1 << 0, kReadWrite = 1 << 0,
                       kProfiling = 1 << 1;
inline constexpr Property kPartitionEqually = 0x1086, kPartitionByDomain = 0x1088, kNextPartition = 1 << 5;
inline constexpr u32 kQueueProperties = 0x1093, kUsedPointers = 0x11B6, kBuildLog = 0x1183, kBinarySizes = 0x1165,
                     kBinaries = 0x1166;
inline constexpr u32 kEventStatus = 0x11D3, kEndOfCommand = 0x1283;  // an event with status 0 has ended
inline constexpr u32 kVendorNvidia = 0x10DE, kVendorIntel = 0x8086;

struct Library {
  Result (*platforms)(u32 most, Platform* out, u32* count) = nullptr;
  Result (*devices)(Platform platform, Flags type, u32 most, Device* out, u32* count) = nullptr;
  Result (*device_info)(Device device, u32 name, std::size_t most, void* out, std::size_t* bytes) = nullptr;
  Result (*create_sub_devices)(Device of, const Property* partition, u32 most, Device* out, u32* count) = nullptr;
  Result (*release_device)(Device device) = nullptr;

  Context (*create_context)(const Property* properties, u32 count, const Device* devices,
                            void (*notify)(const char*, const void*, std::size_t, void*), void* of_notify,
                            Result* result) = nullptr;
  Result (*release_context)(Context context) = nullptr;
  Queue (*create_queue)(Context context, Device device, const u64* properties, Result* result) = nullptr;
  Result (*release_queue)(Queue queue) = nullptr;
  Result (*flush)(Queue queue) = nullptr;
  Result (*finish)(Queue queue) = nullptr;

  void* (*allocate)(Context context, Flags flags, std::size_t bytes, u32 alignment) = nullptr;
  void (*release)(Context context, void* memory) = nullptr;

  Program (*create_program)(Context context, const void* spirv, std::size_t bytes, Result* result) = nullptr;
  Program (*create_program_of_binary)(Context context, u32 count, const Device* devices, const std::size_t* bytes,
                                      const unsigned char** binaries, Result* each, Result* result) = nullptr;
  Result (*build_program)(Program program, u32 count, const Device* devices, const char* options,
                          void (*notify)(Program, void*), void* of_notify) = nullptr;
  Result (*build_info)(Program program, Device device, u32 name, std::size_t most, void* out,
                       std::size_t* bytes) = nullptr;
  Result (*program_info)(Program program, u32 name, std::size_t most, void* out, std::size_t* bytes) = nullptr;
  Result (*release_program)(Program program) = nullptr;
  Kernel (*create_kernel)(Program program, const char* name, Result* result) = nullptr;
  Result (*release_kernel)(Kernel kernel) = nullptr;
  Result (*set_argument)(Kernel kernel, u32 index, std::size_t bytes, const void* value) = nullptr;
  Result (*set_used_memory)(Kernel kernel, u32 name, std::size_t bytes, const void* pointers) = nullptr;

  Result (*launch)(Queue queue, Kernel kernel, u32 dimensions, const std::size_t* offset, const std::size_t* lanes,
                   const std::size_t* lanes_of_group, u32 waits, const Event* wait_for, Event* out) = nullptr;
  Result (*copy)(Queue queue, u32 is_blocking, void* to, const void* from, std::size_t bytes, u32 waits,
                 const Event* wait_for, Event* out) = nullptr;
  Result (*fill)(Queue queue, void* to, const void* pattern, std::size_t pattern_bytes, std::size_t bytes, u32 waits,
                 const Event* wait_for, Event* out) = nullptr;
  Result (*mark)(Queue queue, u32 waits, const Event* wait_for, Event* out) = nullptr;

  Result (*wait_for_events)(u32 count, const Event* events) = nullptr;
  Result (*event_info)(Event event, u32 name, std::size_t most, void* out, std::size_t* bytes) = nullptr;
  Result (*event_time)(Event event, u32 name, std::size_t most, void* out, std::size_t* bytes) = nullptr;
  Result (*retain_event)(Event event) = nullptr;
  Result (*release_event)(Event event) = nullptr;
};

// Opens libOpenCL.so.1, which stays open for the life of the process. Returns an empty string, or the reason why it
// cannot be used. Throws std::bad_alloc.
[[nodiscard]] std::string open_library(Library& out);

// Returns the name of a result, such as "CL_OUT_OF_RESOURCES", or its number. Throws std::bad_alloc.
[[nodiscard]] std::string name_of(Result result);

// These functions return a property of a device, as a text or as a number. The result is empty or 0 if the device does
// not have this property. text_of() throws std::bad_alloc.
[[nodiscard]] std::string text_of(const Library& library, Device device, u32 name);
[[nodiscard]] u64 number_of(const Library& library, Device device, u32 name) noexcept;

// Returns the devices of all drivers. GPUs come first. Devices of one kind are in the order of the drivers. If there
// are none, `refusal` is the reason. Throws std::bad_alloc.
[[nodiscard]] std::vector<Device> find_devices(const Library& library, std::string& refusal);

// Returns the tiles of a device. A tile is a part with memory of its own, or one half of a CPU. The caller must release
// the tiles. Throws std::bad_alloc.
[[nodiscard]] std::vector<Device> tiles_of(const Library& library, Device device);

}  // namespace ringfort::opencl
