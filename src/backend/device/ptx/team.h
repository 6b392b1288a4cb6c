// SPDX-License-Identifier: Apache-2.0
// The team of an NVIDIA GPU (backend/device/team.h): a phase is a call and a barrier, a lane is a thread. Only clang's
// CUDA mode compiles it; the generated FAMILY_gpu.cpp includes it behind the kernels.
#pragma once

#include "backend/device/team.h"

namespace ringfort::ptx {

using device::u32;
using device::u64;
using namespace device;  // the catalog names types of kernels

template <class Kernel>
using ArgsOf = typename Kernel::Args;

// The block's shared memory; the launch says how much there is.
extern __attribute__((shared)) __attribute__((aligned(16))) unsigned char shared_memory[];

class Team {
 public:
  template <class T>
  class PerLane {
   public:
    explicit PerLane(const Team&) {}
    T& operator[](u32) { return value_; }
    const T& operator[](u32) const { return value_; }

   private:
    T value_;
  };

  template <class W>
  class Shared {
   public:
    explicit Shared(u32 offset) : offset_(offset) {}
    [[nodiscard]] W load(u32 index) const { return *at(index); }
    void store(u32 index, W value) const { *at(index) = value; }

   private:
    // In 32 bits, so that a constant part of the index becomes a part of the instruction.
    [[nodiscard]] W* at(u32 index) const {
      return reinterpret_cast<W*>(shared_memory + (offset_ + index * static_cast<u32>(sizeof(W))));
    }
    u32 offset_;
  };

  [[nodiscard]] u32 lanes() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ntid_x()); }
  [[nodiscard]] u32 block() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ctaid_x()); }
  [[nodiscard]] u32 blocks() const { return static_cast<u32>(__nvvm_read_ptx_sreg_nctaid_x()); }

  template <class F>
  void phase(F f) {
    f(lane());
    __syncthreads();
  }
  template <class F>
  void last_phase(F f) {
    f(lane());
  }

  template <class T>
  [[nodiscard]] T load(const T* from) const {
    return *from;
  }
  template <class T>
  [[nodiscard]] T load_table(const T* from) const {
    return *from;
  }
  template <class T>
  void store(T* to, T value) const {
    *to = value;
  }

  template <class W>
  [[nodiscard]] Shared<W> shared(u32 count) {
    const u32 offset = (shared_bytes_ + 15) / 16 * 16;
    shared_bytes_ = offset + count * static_cast<u32>(sizeof(W));
    return Shared<W>(offset);
  }

  template <class T>
  [[nodiscard]] PerLane<T> shuffle_xor(const PerLane<T>& x, u32 mask) const {
    PerLane<T> out(*this);
    out[0] = exchange(x[0], static_cast<int>(mask));
    return out;
  }

 private:
  [[nodiscard]] static u32 lane() { return static_cast<u32>(__nvvm_read_ptx_sreg_tid_x()); }
  [[nodiscard]] static u32 exchange(u32 x, int mask) {
    return static_cast<u32>(__nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(x), mask, 31));
  }
  [[nodiscard]] static u64 exchange(u64 x, int mask) {
    return u64{exchange(static_cast<u32>(x >> 32), mask)} << 32 | exchange(static_cast<u32>(x), mask);
  }

  u32 shared_bytes_ = 0;
};

}  // namespace ringfort::ptx
