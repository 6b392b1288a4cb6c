// SPDX-License-Identifier: Apache-2.0
// A library libOpenCL.so.1 for tests. It is linked with the simulator oclgrind, which checks every access of a
// kernel. This file adds shared virtual memory, which oclgrind lacks. An allocation is a buffer of oclgrind, and its
// address is the address that kernels see. A command ends when clFlush returns, or earlier.
//
// For each byte, oclgrind records whether it was written. This record becomes wrong in two cases. After a write to a
// part of a buffer, the record of the other parts is lost. After a copy, the record of the target is unchanged.
// Therefore kernels of this file write all data into buffers. If a buffer were released, oclgrind would use its record
// for the next buffer. Therefore buffers stay until the process ends. Sizes are multiples of four bytes.
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <vector>

#include "backend/opencl/library.h"

namespace {

using namespace ringfort;
using opencl::Context, opencl::Device, opencl::Event, opencl::Flags, opencl::Kernel, opencl::kFirstInvalid,
    opencl::kSuccess, opencl::Program, opencl::Property, opencl::Queue, opencl::Result;
using Buffer = struct BufferOfLibrary*;

}  // namespace

extern "C" {
// Functions of oclgrind. This library is linked with oclgrind.
Queue clCreateCommandQueue(Context, Device, u64 properties, Result*);
Result clFinish(Queue);
Result clReleaseCommandQueue(Queue);
Buffer clCreateBuffer(Context, Flags, std::size_t bytes, void* from, Result*);
Result clEnqueueReadBuffer(Queue, Buffer, u32 is_blocking, std::size_t at, std::size_t bytes, void* to, u32 waits,
                           const Event*, Event* out);
Result clEnqueueWriteBuffer(Queue, Buffer, u32 is_blocking, std::size_t at, std::size_t bytes, const void* from,
                            u32 waits, const Event*, Event* out);
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
std::recursive_mutex mutex;       // guards all variables below
std::map<u64, Memory> memory;     // by address
Context addresses_of = nullptr;   // the context of the four variables below
Kernel address_kernel = nullptr;  // writes the address of its second argument to its first argument
Kernel copy_kernel = nullptr;     // copies words
Queue address_queue = nullptr;
Buffer address_buffer = nullptr;

// Makes the kernels of this context. The objects stay until the process ends.
bool prepare_addresses(Context context) {
  constexpr u32 kDevicesOfContext = 0x1081;
  if (context == addresses_of) return true;
  Device device = nullptr;
  Result result = clGetContextInfo(context, kDevicesOfContext, sizeof(Device), &device, nullptr);
  if (result != kSuccess) return false;
  const char* text =
      "kernel void tell(global ulong* out, global uchar* of) { *out = (ulong)of; }"
      "kernel void copy(global uint* to, ulong to_at, global const uint* from, ulong from_at) {"
      "  to[to_at + get_global_id(0)] = from[from_at + get_global_id(0)];"
      "}";
  Program program = clCreateProgramWithSource(context, 1, &text, nullptr, &result);
  if (result != kSuccess || clBuildProgram(program, 1, &device, "", nullptr, nullptr) != kSuccess) return false;
  address_kernel = clCreateKernel(program, "tell", &result);
  if (result == kSuccess) copy_kernel = clCreateKernel(program, "copy", &result);
  if (result != kSuccess) return false;
  address_queue = clCreateCommandQueue(context, device, 0, &result);
  address_buffer = clCreateBuffer(context, opencl::kReadWrite, sizeof(u64), nullptr, &result);
  addresses_of = context;
  return result == kSuccess;
}

// Returns the address of a buffer, or 0 if oclgrind refuses.
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

struct BufferPosition {
  Buffer buffer = nullptr;  // nullptr means memory of the host
  std::size_t at = 0;
};

struct Waits {
  u32 count;
  const Event* events;
};

// Copies words from one buffer to another buffer.
Result copy_words(Queue queue, const BufferPosition& to, const BufferPosition& from, std::size_t bytes,
                  const Waits& waits, Event* out) {
  constexpr std::size_t kWord = 4;
  if (to.at % kWord + from.at % kWord + bytes % kWord != 0) return kFirstInvalid;
  const u64 to_at = to.at / kWord, from_at = from.at / kWord;
  const std::size_t words = bytes / kWord;
  if (clSetKernelArg(copy_kernel, 0, sizeof(Buffer), &to.buffer) != kSuccess ||
      clSetKernelArg(copy_kernel, 1, sizeof(u64), &to_at) != kSuccess ||
      clSetKernelArg(copy_kernel, 2, sizeof(Buffer), &from.buffer) != kSuccess ||
      clSetKernelArg(copy_kernel, 3, sizeof(u64), &from_at) != kSuccess)
    return kFirstInvalid;
  const Result result =
      clEnqueueNDRangeKernel(queue, copy_kernel, 1, nullptr, &words, nullptr, waits.count, waits.events, out);
  return result == kSuccess ? clFinish(queue) : result;
}

// Copies words from the host. The words go through an extra buffer, which is written as a whole, so that its record is
// right.
Result write_words(Queue queue, const BufferPosition& to, const void* from, std::size_t bytes, const Waits& waits,
                   Event* out) {
  Result result = kSuccess;
  Buffer whole = clCreateBuffer(addresses_of, opencl::kReadWrite, bytes, nullptr, &result);
  if (result != kSuccess) return result;
  result = clEnqueueWriteBuffer(queue, whole, 1, 0, bytes, from, waits.count, waits.events, nullptr);
  return result == kSuccess ? copy_words(queue, to, {whole, 0}, bytes, {0, nullptr}, out) : result;
}

BufferPosition position_of(const void* pointer) {
  const auto address = reinterpret_cast<u64>(pointer);
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return {};
  --found;
  const std::size_t at = address - found->first;
  return at < found->second.bytes ? BufferPosition{found->second.buffer, at} : BufferPosition{};
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
  memory.erase(reinterpret_cast<u64>(pointer));
}

Result clEnqueueSVMMemcpy(Queue queue, u32 is_blocking, void* to, const void* from, std::size_t bytes, u32 count,
                          const Event* before, Event* out) {
  const std::lock_guard lock(mutex);
  const BufferPosition target = position_of(to), source = position_of(from);
  const Waits waits{count, before};
  if (target.buffer == nullptr && source.buffer == nullptr) return kFirstInvalid;
  if (target.buffer == nullptr)
    return clEnqueueReadBuffer(queue, source.buffer, is_blocking, source.at, bytes, to, count, before, out);
  if (source.buffer == nullptr) return write_words(queue, target, from, bytes, waits, out);
  return copy_words(queue, target, source, bytes, waits, out);
}

Result clEnqueueSVMMemFill(Queue queue, void* to, const void* pattern, std::size_t pattern_bytes, std::size_t bytes,
                           u32 count, const Event* before, Event* out) {
  const std::lock_guard lock(mutex);
  const BufferPosition target = position_of(to);
  if (target.buffer == nullptr) return kFirstInvalid;
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<const unsigned char*>(pattern)[i % pattern_bytes];
  return write_words(queue, target, values.data(), bytes, {count, before}, out);
}
}
