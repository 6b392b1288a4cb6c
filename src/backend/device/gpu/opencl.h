// SPDX-License-Identifier: Apache-2.0
// The parameter `Chip` of gpu/team.h for devices of OpenCL: for SPIR-V, and for machine code of AMD's GPUs. This header
// needs no standard library.
//
// In OpenCL, the type of a pointer can state its address space: the memory (global or shared) to which it points. The
// pointers of the kernels do not state it. For such a pointer, the device must determine the address space at every
// access. Therefore the functions for loads and stores convert it to a pointer to global or shared memory. They load
// data with several members word by word, because a copy as a whole would need a reference without an address space.
#pragma once

#include "backend/device/gpu/team.h"

#ifdef __SPIRV__
// Functions of OpenCL C, declared by their names. The compiler turns calls of them into instructions.
unsigned long get_local_id(unsigned dimension);
unsigned long get_local_size(unsigned dimension);
unsigned long get_group_id(unsigned dimension);
unsigned long get_num_groups(unsigned dimension);
void barrier(unsigned memory);
unsigned sub_group_shuffle_xor(unsigned x, unsigned mask);
#endif

namespace ringfort::gpu {

template <class T>
using Global = __attribute__((address_space(1))) T;
template <class T>
using SharedWord = __attribute__((address_space(3))) T;
using SharedBytes = __attribute__((address_space(3))) unsigned char*;

// T as an array of words. The size of a word is the alignment of T.
template <class T>
struct WordsOf {
  using Word = __typeof__([] {
    if constexpr (alignof(T) >= 8) return u64{};
    else if constexpr (alignof(T) == 4) return u32{};
    else return u8{};
  }());
  static constexpr u32 kCount = sizeof(T) / sizeof(Word);
  Word words[kCount];
};

struct OpenCl {
  SharedBytes shared_memory;  // an argument of the kernel

#ifdef __SPIRV__
  [[nodiscard]] u32 lane() const { return static_cast<u32>(get_local_id(0)); }
  [[nodiscard]] u32 lanes() const { return static_cast<u32>(get_local_size(0)); }
  [[nodiscard]] u32 block() const { return static_cast<u32>(get_group_id(0)); }
  [[nodiscard]] u32 blocks() const { return static_cast<u32>(get_num_groups(0)); }
  void barrier() const { ::barrier(kSharedMemory | kGlobalMemory); }
  [[nodiscard]] u32 exchange(u32 x, u32 mask) const { return sub_group_shuffle_xor(x, mask); }
#else
  [[nodiscard]] u32 lane() const { return __builtin_amdgcn_workitem_id_x(); }
  [[nodiscard]] u32 lanes() const { return __builtin_amdgcn_workgroup_size_x(); }
  [[nodiscard]] u32 block() const { return __builtin_amdgcn_workgroup_id_x(); }
  [[nodiscard]] u32 blocks() const { return __builtin_amdgcn_grid_size_x() / lanes(); }
  void barrier() const {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  [[nodiscard]] u32 exchange(u32 x, u32 mask) const {
    return static_cast<u32>(__builtin_amdgcn_ds_bpermute(static_cast<int>((lane() ^ mask) * 4), static_cast<int>(x)));
  }
#endif
  [[nodiscard]] u64 exchange(u64 x, u32 mask) const {
    return u64{exchange(static_cast<u32>(x >> 32), mask)} << 32 | exchange(static_cast<u32>(x), mask);
  }

  template <class T>
  [[nodiscard]] T load(const T* from) const {
    return load_words<T>(reinterpret_cast<const Global<typename WordsOf<T>::Word>*>(reinterpret_cast<u64>(from)));
  }
  template <class T>
  void store(T* to, T value) const {
    store_words(reinterpret_cast<Global<typename WordsOf<T>::Word>*>(reinterpret_cast<u64>(to)), value);
  }
  template <class W>
  [[nodiscard]] W load_shared(u32 at) const {
    return load_words<W>(reinterpret_cast<SharedWord<typename WordsOf<W>::Word>*>(shared_memory + at));
  }
  template <class W>
  void store_shared(u32 at, W value) const {
    store_words(reinterpret_cast<SharedWord<typename WordsOf<W>::Word>*>(shared_memory + at), value);
  }

 private:
  template <class T, class From>
  [[nodiscard]] static T load_words(const From* from) {
    WordsOf<T> x;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < WordsOf<T>::kCount; ++i) x.words[i] = from[i];
    return __builtin_bit_cast(T, x);
  }
  template <class T, class To>
  static void store_words(To* to, const T& value) {
    const auto x = __builtin_bit_cast(WordsOf<T>, value);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < WordsOf<T>::kCount; ++i) to[i] = x.words[i];
  }

  static constexpr u32 kSharedMemory = 1, kGlobalMemory = 2;  // CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE
};

// Runs a kernel. Its arguments are passed as words, because pointers among the arguments would need an address space.
template <class Kernel>
void run_kernel(const WordsOf<ArgsOf<Kernel>>& words, SharedBytes shared) {
  Team<OpenCl> team(OpenCl{shared});
  Kernel::run_team(team, __builtin_bit_cast(ArgsOf<Kernel>, words));
}

}  // namespace ringfort::gpu
