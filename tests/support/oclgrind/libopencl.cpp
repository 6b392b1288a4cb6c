// SPDX-License-Identifier: Apache-2.0
// libOpenCL.so.1 of tests: the simulator oclgrind, which checks every access of a kernel, with shared virtual memory,
// which it lacks. Memory is a buffer; its address is the one that a kernel sees. A command ends before the call
// returns.
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "backend/opencl/library.h"

namespace {

using namespace ringfort;
using opencl::Context, opencl::Device, opencl::Event, opencl::Flags, opencl::Kernel, opencl::kFirstInvalid,
    opencl::kSuccess, opencl::Program, opencl::Property, opencl::Queue, opencl::Result;
using Buffer = struct BufferOfLibrary*;

}  // namespace

extern "C" {
// Functions of oclgrind, which this library is linked with.
Queue clCreateCommandQueue(Context, Device, u64 properties, Result*);
Result clFinish(Queue);
Result clReleaseCommandQueue(Queue);
Buffer clCreateBuffer(Context, Flags, std::size_t bytes, void* from, Result*);
Result clReleaseMemObject(Buffer);
Result clEnqueueReadBuffer(Queue, Buffer, u32 is_blocking, std::size_t at, std::size_t bytes, void* to, u32 waits,
                           const Event*, Event* out);
Result clEnqueueWriteBuffer(Queue, Buffer, u32 is_blocking, std::size_t at, std::size_t bytes, const void* from,
                            u32 waits, const Event*, Event* out);
Result clEnqueueCopyBuffer(Queue, Buffer from, Buffer to, std::size_t from_at, std::size_t to_at, std::size_t bytes,
                           u32 waits, const Event*, Event* out);
Result clEnqueueFillBuffer(Queue, Buffer, const void* pattern, std::size_t pattern_bytes, std::size_t at,
                           std::size_t bytes, u32 waits, const Event*, Event* out);
Result clGetContextInfo(Context, u32 name, std::size_t most, void* out, std::size_t* bytes);
Program clCreateProgramWithSource(Context, u32 count, const char** texts, const std::size_t* lengths, Result*);
Result clBuildProgram(Program, u32 count, const Device*, const char* options, void (*)(Program, void*), void*);
Kernel clCreateKernel(Program, const char* name, Result*);
Result clSetKernelArg(Kernel, u32 index, std::size_t bytes, const void* value);
Result clEnqueueNDRangeKernel(Queue, Kernel, u32 dimensions, const std::size_t* offset, const std::size_t* lanes,
                              const std::size_t* lanes_of_group, u32 waits, const Event*, Event* out);
}

namespace {

struct Memory {
  Buffer buffer;
  std::size_t bytes;
};
std::mutex mutex;                 // guards the next three
std::map<u64, Memory> memory;     // by address
Context addresses_of = nullptr;   // the context of `address_kernel`
Kernel address_kernel = nullptr;  // writes the address of its second argument to its first
Queue address_queue = nullptr;
Buffer address_buffer = nullptr;

// Makes the kernel that tells addresses in this context. Objects stay until the process ends.
bool prepare_addresses(Context context) {
  constexpr u32 kDevicesOfContext = 0x1081;
  if (context == addresses_of) return true;
  Device device = nullptr;
  Result result = clGetContextInfo(context, kDevicesOfContext, sizeof(Device), &device, nullptr);
  if (result != kSuccess) return false;
  const char* text = "kernel void tell(global ulong* out, global uchar* of) { *out = (ulong)of; }";
  Program program = clCreateProgramWithSource(context, 1, &text, nullptr, &result);
  if (result != kSuccess || clBuildProgram(program, 1, &device, "", nullptr, nullptr) != kSuccess) return false;
  address_kernel = clCreateKernel(program, "tell", &result);
  if (result != kSuccess) return false;
  address_queue = clCreateCommandQueue(context, device, 0, &result);
  address_buffer = clCreateBuffer(context, opencl::kReadWrite, sizeof(u64), nullptr, &result);
  addresses_of = context;
  return result == kSuccess;
}

// Returns 0 if oclgrind refuses.
u64 address_of(Buffer buffer) {
  const std::size_t one = 1;
  u64 address = 0;
  if (clSetKernelArg(address_kernel, 0, sizeof(Buffer), &address_buffer) != kSuccess ||
      clSetKernelArg(address_kernel, 1, sizeof(Buffer), &buffer) != kSuccess ||
      clEnqueueNDRangeKernel(address_queue, address_kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr) != kSuccess ||
      clEnqueueReadBuffer(address_queue, address_buffer, 1, 0, sizeof address, &address, 0, nullptr, nullptr) !=
          kSuccess)
    return 0;
  return address;
}

struct Part {
  Buffer buffer = nullptr;  // nullptr: memory of the host
  std::size_t at = 0;
};

Part part_of(const void* pointer) {
  const std::lock_guard lock(mutex);
  const auto address = reinterpret_cast<u64>(pointer);
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return {};
  --found;
  const std::size_t at = address - found->first;
  return at < found->second.bytes ? Part{found->second.buffer, at} : Part{};
}

template <class Function>
Function* of_oclgrind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

Result clGetDeviceInfo(Device device, u32 name, std::size_t most, void* out, std::size_t* bytes) {
  static auto* const real = of_oclgrind<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  if (name != opencl::kSharedVirtualMemory) return real(device, name, most, out, bytes);
  if (out != nullptr) *static_cast<u64*>(out) = opencl::kCoarseGrained;
  if (bytes != nullptr) *bytes = sizeof(u64);
  return kSuccess;
}

Queue clCreateCommandQueueWithProperties(Context context, Device device, const u64* properties, Result* result) {
  return clCreateCommandQueue(context, device, properties[1], result);
}

Program clCreateProgramWithIL(Context, const void*, std::size_t, Result* result) {
  *result = kFirstInvalid;
  return nullptr;
}

Result clSetKernelExecInfo(Kernel, u32, std::size_t, const void*) { return kSuccess; }

// oclgrind runs commands when the host waits for them.
Result clFlush(Queue queue) { return clFinish(queue); }

void* clSVMAlloc(Context context, Flags flags, std::size_t bytes, u32) {
  const std::lock_guard lock(mutex);
  Result result = kSuccess;
  if (!prepare_addresses(context)) return nullptr;
  Buffer buffer = clCreateBuffer(context, flags, bytes, nullptr, &result);
  if (result != kSuccess) return nullptr;
  const u64 address = address_of(buffer);
  memory[address] = {buffer, bytes};
  return reinterpret_cast<void*>(address);
}

void clSVMFree(Context, void* pointer) {
  const std::lock_guard lock(mutex);
  const auto found = memory.find(reinterpret_cast<u64>(pointer));
  if (found == memory.end()) return;
  (void)clReleaseMemObject(found->second.buffer);
  memory.erase(found);
}

Result clEnqueueSVMMemcpy(Queue queue, u32 is_blocking, void* to, const void* from, std::size_t bytes, u32 waits,
                          const Event* before, Event* out) {
  const Part target = part_of(to), source = part_of(from);
  if (target.buffer == nullptr && source.buffer == nullptr) return kFirstInvalid;
  if (target.buffer == nullptr)
    return clEnqueueReadBuffer(queue, source.buffer, is_blocking, source.at, bytes, to, waits, before, out);
  if (source.buffer == nullptr)
    return clEnqueueWriteBuffer(queue, target.buffer, is_blocking, target.at, bytes, from, waits, before, out);
  return clEnqueueCopyBuffer(queue, source.buffer, target.buffer, source.at, target.at, bytes, waits, before, out);
}

Result clEnqueueSVMMemFill(Queue queue, void* to, const void* pattern, std::size_t pattern_bytes, std::size_t bytes,
                           u32 waits, const Event* before, Event* out) {
  const Part part = part_of(to);
  if (part.buffer == nullptr) return kFirstInvalid;
  return clEnqueueFillBuffer(queue, part.buffer, pattern, pattern_bytes, part.at, bytes, waits, before, out);
}
}
