// SPDX-License-Identifier: Apache-2.0
// Loads libOpenCL.so.1 (library.h). Gives the names of the results that the library's functions return. Lists the
// devices that the library finds, and their tiles.
#include "backend/opencl/library.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/device/library_file.h"

namespace ringfort::opencl {

std::string open_library(Library& out) {
  device::LibraryFile file("libOpenCL.so.1");
  if (!file.is_open())
    return std::string("the library of OpenCL cannot be opened (apt-get install ocl-icd-libopencl1): ")
        .append(dlerror());
  file.find(out.platforms, "clGetPlatformIDs");
  file.find(out.devices, "clGetDeviceIDs");
  file.find(out.device_info, "clGetDeviceInfo");
  file.find(out.create_sub_devices, "clCreateSubDevices");
  file.find(out.release_device, "clReleaseDevice");
  file.find(out.create_context, "clCreateContext");
  file.find(out.release_context, "clReleaseContext");
  file.find(out.create_queue, "clCreateCommandQueueWithProperties");
  file.find(out.release_queue, "clReleaseCommandQueue");
  file.find(out.flush, "clFlush");
  file.find(out.finish, "clFinish");
  file.find(out.allocate, "clSVMAlloc");
  file.find(out.release, "clSVMFree");
  file.find(out.create_program, "clCreateProgramWithIL");
  file.find(out.create_program_of_binary, "clCreateProgramWithBinary");
  file.find(out.build_program, "clBuildProgram");
  file.find(out.build_info, "clGetProgramBuildInfo");
  file.find(out.program_info, "clGetProgramInfo");
  file.find(out.release_program, "clReleaseProgram");
  file.find(out.create_kernel, "clCreateKernel");
  file.find(out.release_kernel, "clReleaseKernel");
  file.find(out.set_argument, "clSetKernelArg");
  file.find(out.set_used_memory, "clSetKernelExecInfo");
  file.find(out.launch, "clEnqueueNDRangeKernel");
  file.find(out.copy, "clEnqueueSVMMemcpy");
  file.find(out.fill, "clEnqueueSVMMemFill");
  file.find(out.mark, "clEnqueueMarkerWithWaitList");
  file.find(out.wait_for_events, "clWaitForEvents");
  file.find(out.event_info, "clGetEventInfo");
  file.find(out.event_time, "clGetEventProfilingInfo");
  file.find(out.retain_event, "clRetainEvent");
  file.find(out.release_event, "clReleaseEvent");
  return file.refusal();
}

std::string name_of(Result result) {
  static constexpr std::pair<Result, const char*> kNames[] = {
      {kDeviceNotFound, "CL_DEVICE_NOT_FOUND"},
      {-3, "CL_COMPILER_NOT_AVAILABLE"},
      {kMemoryAllocationFailure, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {kOutOfResources, "CL_OUT_OF_RESOURCES"},
      {kOutOfHostMemory, "CL_OUT_OF_HOST_MEMORY"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},
      {kExecutionError, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {kFirstInvalid, "CL_INVALID_VALUE"},
      {-42, "CL_INVALID_BINARY"},
      {-46, "CL_INVALID_KERNEL_NAME"},
      {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == result) return name;
  }
  return "the error " + std::to_string(result);
}

std::string text_of(const Library& library, Device device, u32 name) {
  std::size_t bytes = 0;
  if (library.device_info(device, name, 0, nullptr, &bytes) != kSuccess || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (library.device_info(device, name, bytes, text.data(), nullptr) != kSuccess) return {};
  text.resize(text.find('\0') == text.npos ? bytes : text.find('\0'));
  return text;
}

u64 number_of(const Library& library, Device device, u32 name) noexcept {
  u64 value = 0;  // 4 or 8 bytes, the lowest byte first
  return library.device_info(device, name, sizeof value, &value, nullptr) == kSuccess ? value : 0;
}

std::vector<Device> find_devices(const Library& library, std::string& refusal) {
  constexpr u32 kMost = 64;  // limit of the number of drivers, and of the devices of one driver
  std::array<Platform, kMost> platforms{};
  std::array<Device, kMost> devices{};
  u32 drivers = 0;
  refusal.clear();
  if (library.platforms(kMost, platforms.data(), &drivers) != kSuccess) drivers = 0;
  std::vector<Device> found;
  for (u32 i = 0; i < std::min(drivers, kMost); ++i) {
    u32 count = 0;
    if (library.devices(platforms[i], kAnyDevice, kMost, devices.data(), &count) != kSuccess) continue;
    found.insert(found.end(), devices.begin(), devices.begin() + std::min(count, kMost));
  }
  std::stable_partition(found.begin(), found.end(),
                        [&](Device each) { return (number_of(library, each, kDeviceType) & kGpu) != 0; });
  if (found.empty()) refusal = "OpenCL finds no device: install a driver of your GPU";
  return found;
}

std::vector<Device> tiles_of(const Library& library, Device device) {
  constexpr u32 kMost = 64;
  std::array<Device, kMost> tiles{};
  u32 count = 0;
  const Property by_memory[] = {kPartitionByDomain, kNextPartition, 0};
  const Property halves[] = {kPartitionEqually, static_cast<Property>(number_of(library, device, kUnits) / 2), 0};
  const bool has_domains = (number_of(library, device, kPartitionDomains) & Flags{kNextPartition}) != 0;
  const bool is_gpu = (number_of(library, device, kDeviceType) & kGpu) != 0;
  if ((!has_domains && is_gpu) || (!has_domains && halves[1] == 0)) return {};
  if (library.create_sub_devices(device, has_domains ? by_memory : halves, kMost, tiles.data(), &count) != kSuccess)
    return {};
  return {tiles.begin(), tiles.begin() + std::min(count, kMost)};
}

}  // namespace ringfort::opencl
