// SPDX-License-Identifier: Apache-2.0
// A driver: the functions of a GPU's software that the device backend needs. The driver `emu` runs kernels on the host
// and checks them. The other drivers open the library of CUDA or OpenCL at run time (docs/notes/0023). team.h explains
// the terms of GPUs: kernel, launch, lane, block, multiprocessor, shared memory, cluster.
//
// Work means launches, copies and zero(). Work is asynchronous: it may run at any time after its call. To learn
// whether work has ended, record an event after it: if the event has ended, the work has ended, too. A stream runs its
// work in order. Only events order the work of different streams. The host memory of a copy belongs to the device until
// the copy has ended.
//
// No function throws, except error(). Every function may be called from any thread. Status::device_lost and
// Status::internal are sticky: after one of them, all later work returns it, and other functions may return it, too.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/device/grid.h"

namespace ringfort::device {

inline constexpr u32 kStreams = 16;     // a driver has streams 0 .. kStreams - 1
inline constexpr u32 kMostArgs = 256;   // bytes of a kernel's arguments
inline constexpr u32 kAlignment = 256;  // alignment of device memory in bytes

// Bytes of shared memory that a block of a cluster may have on every device that has clusters. This is the limit of
// GPUs of compute capability 12.0. It is the lowest limit of all GPUs with clusters.
inline constexpr u32 kSharedOfClusters = 99 * 1024;

using Address = std::byte*;  // in device memory; on the host, only the driver accesses it

struct Facts {
  std::string name;              // "emu:0"
  std::string family;            // family of its kernels: "emu", "cuda", "opencl"
  u32 units = 1;                 // multiprocessors
  u32 sub_group = 32;            // lanes that exchange registers directly
  u32 most_lanes = 1024;         // limit for a block
  u32 shared_bytes = 48 * 1024;  // limit for a block
  u32 cluster_blocks = 1;        // limit for a cluster; 1 if the device has no clusters
  // Facts for benchmarks, as the vendor's driver reports them. They are empty or 0 if unknown.
  std::string chip{};
  double clock_mhz = 0, bytes_per_us = 0;  // highest clock; bandwidth of device memory
  std::size_t cache_bytes = 0;             // size of the cache that all multiprocessors share
};

struct Kernel {
  const void* handle = nullptr;
};

struct Event {
  u64 id = 0;  // 0: no event
};

// Memory that a kernel uses.
struct Use {
  Address first = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;  // the kernel writes it, and may also read it
};

struct KernelCall {
  Kernel kernel;
  Grid grid;
  std::span<const std::byte> args;  // copied by launch()
  std::span<const Use> uses;        // all memory that the kernel uses
};

class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual const Facts& facts() const noexcept = 0;
  // Returns the reason for the first sticky failure. Returns an empty string if there was none.
  [[nodiscard]] virtual std::string error() const = 0;

  // Allocates device memory with undefined contents.
  virtual Status allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept = 0;
  // Frees memory. The caller must know that all work on this memory has ended: by synchronize(), query() or finish().
  virtual Status release(Address memory) noexcept = 0;
  [[nodiscard]] virtual MemoryUse memory() const noexcept = 0;
  // Allocates host memory for fast copies. Core dumps omit this memory. Copies of other host memory are allowed, but
  // may be slower.
  virtual Status allocate_host(std::size_t bytes, std::byte*& out) noexcept = 0;
  virtual Status release_host(std::byte* memory) noexcept = 0;

  // Returns Status::unsupported if the driver has no kernel of this name.
  virtual Status load(std::string_view kernel, Kernel& out) noexcept = 0;
  virtual Status launch(u32 stream, const KernelCall& call) noexcept = 0;
  virtual Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept = 0;
  virtual Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept = 0;
  virtual Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept = 0;
  virtual Status zero(u32 stream, Address to, std::size_t bytes) noexcept = 0;

  // Records an event. The event ends when all earlier work of the stream has ended.
  virtual Status record(u32 stream, Event& out) noexcept = 0;
  // Delays later work of the stream until the event has ended.
  virtual Status wait(u32 stream, Event event) noexcept = 0;
  virtual Status query(Event event, bool& has_ended) noexcept = 0;
  virtual Status synchronize(Event event) noexcept = 0;
  // Returns when all work of the stream has ended. Fails only after a sticky failure.
  virtual Status finish(u32 stream) noexcept = 0;
  // Measures the time between two events in microseconds. The events must have ended.
  virtual Status elapsed(Event begin, Event end, double& us) noexcept = 0;
  virtual void forget(Event event) noexcept = 0;
};

}  // namespace ringfort::device
