// SPDX-License-Identifier: Apache-2.0
// The team of a GPU (backend/device/team.h). A lane is a thread of the GPU: it calls the function of a phase once, for
// itself, and then waits at a barrier. `Chip` is a class with the functions that differ between kinds of GPUs; its
// objects are copied freely. This header needs no standard library. The generated sources include it after the kernels.
// The functions of `Chip` are:
//   lane(), lanes(), block(), blocks(), barrier()
//   load(p), store(p, x)                     global memory
//   load_shared<W>(at), store_shared(at, x)  shared memory of the block, `at` bytes after its beginning
//   load_remote<W>(rank, at), store_remote(rank, at, x)  shared memory of a block of the cluster
//   rank()                                   number of the block in its cluster
//   arrive_cluster(), wait_cluster()         the two halves of the cluster's barrier
//   announce_to_cluster()                    like arrive_cluster(), but does not order memory accesses
//   exchange(x, mask)                        x of the lane whose number differs in the bits of the mask. The two
//                                            lanes are in one sub-group of the block
#pragma once

#include "backend/device/team.h"

namespace ringfort::gpu {

using device::u32;
using device::u64;
using namespace device;  // the catalog names types of kernels without a namespace

template <class Kernel>
using ArgsOf = typename Kernel::Args;

template <class Chip>
class Team {
 public:
  constexpr explicit Team(Chip chip = {}) : chip_(chip) {}

  template <class T>
  class PerLane {
   public:
    constexpr explicit PerLane(const Team&) {}
    constexpr T& operator[](u32) { return value_; }
    constexpr const T& operator[](u32) const { return value_; }

   private:
    T value_;
  };

  template <class W>
  class Shared {
   public:
    constexpr Shared(Chip chip, u32 offset) : chip_(chip), offset_(offset) {}
    [[nodiscard]] constexpr W load(u32 index) const { return chip_.template load_shared<W>(at(index)); }
    constexpr void store(u32 index, W value) const { chip_.store_shared(at(index), value); }
    [[nodiscard]] constexpr W load_of(u32 rank, u32 index) const {
      return chip_.template load_remote<W>(rank, at(index));
    }
    constexpr void store_of(u32 rank, u32 index, W value) const { chip_.store_remote(rank, at(index), value); }
    [[nodiscard]] constexpr Row<W> load_row(u32 index) const { return chip_.template load_shared<Row<W>>(at(index)); }
    constexpr void store_row(u32 index, const Row<W>& row) const { chip_.store_shared(at(index), row); }

   private:
    // Computes in 32 bits. Then a constant part of the index becomes part of the instruction.
    [[nodiscard]] constexpr u32 at(u32 index) const { return offset_ + index * static_cast<u32>(sizeof(W)); }
    [[no_unique_address]] Chip chip_;
    u32 offset_;
  };

  [[nodiscard]] constexpr u32 lanes() const { return chip_.lanes(); }
  [[nodiscard]] constexpr u32 block() const { return chip_.block(); }
  [[nodiscard]] constexpr u32 blocks() const { return chip_.blocks(); }

  template <class F>
  constexpr void phase(F f) {
    f(chip_.lane());
    chip_.barrier();
  }
  template <class F>
  constexpr void last_phase(F f) {
    f(chip_.lane());
  }

  [[nodiscard]] constexpr u32 rank() const { return chip_.rank(); }
  constexpr void start_cluster() { chip_.announce_to_cluster(); }
  constexpr void await_cluster() { chip_.wait_cluster(); }
  template <class F>
  constexpr void cluster_phase(F f) {
    f();
    chip_.arrive_cluster();
    chip_.wait_cluster();
  }
  template <class F>
  constexpr void last_cluster_phase(F f) {
    f();
  }

  template <class T>
  [[nodiscard]] constexpr T load(const T* from) const {
    return chip_.load(from);
  }
  template <class T>
  [[nodiscard]] constexpr T load_table(const T* from) const {
    return chip_.load(from);
  }
  template <class T>
  constexpr void store(T* to, T value) const {
    chip_.store(to, value);
  }

  template <class W>
  [[nodiscard]] constexpr Shared<W> shared(u32 count) {
    const u32 offset = (shared_bytes_ + 15) / 16 * 16;
    shared_bytes_ = offset + count * static_cast<u32>(sizeof(W));
    return {chip_, offset};
  }

  template <class T>
  [[nodiscard]] constexpr PerLane<T> shuffle_xor(const PerLane<T>& x, u32 mask) const {
    PerLane<T> out(*this);
    out[0] = chip_.exchange(x[0], mask);
    return out;
  }

 private:
  [[no_unique_address]] Chip chip_;
  u32 shared_bytes_ = 0;
};

}  // namespace ringfort::gpu
