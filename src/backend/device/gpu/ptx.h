// SPDX-License-Identifier: Apache-2.0
// The chip of NVIDIA's GPUs (gpu/team.h), in PTX. Only clang's CUDA mode compiles it.
#pragma once

#include "backend/device/gpu/team.h"

namespace ringfort::gpu {

// The block's shared memory; the launch says how much there is.
extern __attribute__((shared)) __attribute__((aligned(16))) unsigned char shared_memory[];

struct Ptx {
  [[nodiscard]] u32 lane() const { return static_cast<u32>(__nvvm_read_ptx_sreg_tid_x()); }
  [[nodiscard]] u32 lanes() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ntid_x()); }
  [[nodiscard]] u32 block() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ctaid_x()); }
  [[nodiscard]] u32 blocks() const { return static_cast<u32>(__nvvm_read_ptx_sreg_nctaid_x()); }
  void barrier() const { __syncthreads(); }

  template <class T>
  [[nodiscard]] T load(const T* from) const {
    return *from;
  }
  template <class T>
  void store(T* to, T value) const {
    *to = value;
  }
  template <class W>
  [[nodiscard]] W load_shared(u32 at) const {
    return *reinterpret_cast<W*>(shared_memory + at);
  }
  template <class W>
  void store_shared(u32 at, W value) const {
    *reinterpret_cast<W*>(shared_memory + at) = value;
  }

  [[nodiscard]] u32 exchange(u32 x, u32 mask) const {
    return static_cast<u32>(__nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(x), static_cast<int>(mask), 31));
  }
  [[nodiscard]] u64 exchange(u64 x, u32 mask) const {
    return u64{exchange(static_cast<u32>(x >> 32), mask)} << 32 | exchange(static_cast<u32>(x), mask);
  }
};

}  // namespace ringfort::gpu
