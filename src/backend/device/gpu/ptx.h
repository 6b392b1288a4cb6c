// SPDX-License-Identifier: Apache-2.0
// The parameter `Chip` of gpu/team.h for NVIDIA's GPUs, whose portable assembly language is PTX. clang in its CUDA mode
// and nvcc have different names for the special registers and for the exchange between lanes.
#pragma once

#include "backend/device/gpu/team.h"

namespace ringfort::gpu {

// Shared memory of the block. The launch states its size.
extern __attribute__((shared)) __attribute__((aligned(16))) unsigned char shared_memory[];

struct Ptx {
  // kBlocksOf64Bits is the number of blocks of 256 lanes that a multiprocessor holds at once. It is for kernels of
  // 64-bit words whose shape is constant (Shaped in kernels/ntt_shape.h). With more blocks, each lane would have fewer
  // registers, and NVIDIA's assembler would spill some of them to memory.
#ifdef __NVCC__
  static constexpr int kBlocksOf64Bits = 2;
  [[nodiscard]] __device__ u32 lane() const { return threadIdx.x; }
  [[nodiscard]] __device__ u32 lanes() const { return blockDim.x; }
  [[nodiscard]] __device__ u32 block() const { return blockIdx.x; }
  [[nodiscard]] __device__ u32 blocks() const { return gridDim.x; }
  [[nodiscard]] __device__ u32 exchange(u32 x, u32 mask) const {
    return __shfl_xor_sync(~0u, x, static_cast<int>(mask));
  }
  __device__ void barrier() const { __syncthreads(); }
#else
  static constexpr int kBlocksOf64Bits = 3;
  [[nodiscard]] u32 lane() const { return static_cast<u32>(__nvvm_read_ptx_sreg_tid_x()); }
  [[nodiscard]] u32 lanes() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ntid_x()); }
  [[nodiscard]] u32 block() const { return static_cast<u32>(__nvvm_read_ptx_sreg_ctaid_x()); }
  [[nodiscard]] u32 blocks() const { return static_cast<u32>(__nvvm_read_ptx_sreg_nctaid_x()); }
  [[nodiscard]] u32 exchange(u32 x, u32 mask) const {
    return static_cast<u32>(__nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(x), static_cast<int>(mask), 31));
  }
  void barrier() const { __syncthreads(); }
#endif

  template <class T>
  [[nodiscard]] constexpr T load(const T* from) const {
    return *from;
  }
  template <class T>
  constexpr void store(T* to, T value) const {
    *to = value;
  }
  template <class W>
  [[nodiscard]] constexpr W load_shared(u32 at) const {
    return *reinterpret_cast<W*>(shared_memory + at);
  }
  template <class W>
  constexpr void store_shared(u32 at, W value) const {
    *reinterpret_cast<W*>(shared_memory + at) = value;
  }

  // Clusters exist from compute capability 9.0 on. A compute capability is NVIDIA's number for a generation of GPUs.
  // Only modules for these devices contain the instructions below.
  [[nodiscard]] __attribute__((device)) u32 rank() const {
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  // This instruction does not order memory accesses. Therefore it takes less time than arrive_cluster().
  __attribute__((device)) void announce_to_cluster() const {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  }
  __attribute__((device)) void arrive_cluster() const { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
  __attribute__((device)) void wait_cluster() const { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  template <class W>
  [[nodiscard]] __attribute__((device)) W load_remote(u32 rank, u32 at) const {
    W value;
    if constexpr (sizeof(W) == 8) {
      asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(value) : "r"(remote(rank, at)) : "memory");
    } else {
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote(rank, at)) : "memory");
    }
    return value;
  }
  template <class W>
  __attribute__((device)) void store_remote(u32 rank, u32 at, W value) const {
    if constexpr (sizeof(W) == 8) {
      asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(remote(rank, at)), "l"(value) : "memory");
    } else {
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote(rank, at)), "r"(value) : "memory");
    }
  }

  [[nodiscard]] constexpr u64 exchange(u64 x, u32 mask) const {
    return u64{exchange(static_cast<u32>(x >> 32), mask)} << 32 | exchange(static_cast<u32>(x), mask);
  }

 private:
  // Returns the address of byte `at` of the block with number `rank`, in the shared memory of the cluster.
  [[nodiscard]] static __attribute__((device)) u32 remote(u32 rank, u32 at) {
    u32 local, first;
    asm("{.reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a;}" : "=r"(local) : "l"(shared_memory));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(first) : "r"(local), "r"(rank));
    return first + at;
  }
};

}  // namespace ringfort::gpu
