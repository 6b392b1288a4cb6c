// SPDX-License-Identifier: Apache-2.0
// The negacyclic transform of one polynomial modulo x^N + 1 and a prime q.
#pragma once

#include <stdint.h>

#include <memory>
#include <utility>
#include <vector>

#include "hexl/util/aligned-allocator.hpp"
#include "hexl/util/allocator.hpp"
#include "hexl/util/check.hpp"

namespace intel {
namespace hexl {

// The degree N is a power of two, at most 2^20. q is a prime below 2^62 that is 1 mod 2N. Output j of a forward
// transform is the value of the polynomial at w^(2 r(j) + 1), where w is the root of unity, and r(j) has the bits of j
// in reverse order. Copies share their tables. Transforms do not change the object, so that threads can share it. The
// constructors fail with invalid_argument, or with std::bad_alloc if the allocator or the C library has no memory.
class NTT {
 public:
  // Programs specialise this class for an allocator `Adaptee`: the specialisation derives from AllocatorInterface.
  template <class Adaptee, class... Args>
  struct AllocatorAdapter : public AllocatorInterface<AllocatorAdapter<Adaptee, Args...>> {
    explicit AllocatorAdapter(Adaptee&& _a, Args&&... args);
    AllocatorAdapter(const Adaptee& _a, Args&... args);
    void* allocate_impl(size_t bytes_count);
    void deallocate_impl(void* p, size_t n);

   private:
    Adaptee alloc;
  };

  NTT() = default;  // without a degree; its transforms and tables fail
  ~NTT() = default;

  // The root of unity is the smallest primitive 2N-th root, or the given primitive root.
  NTT(uint64_t degree, uint64_t q, std::shared_ptr<AllocatorBase> alloc_ptr = {});
  NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity, std::shared_ptr<AllocatorBase> alloc_ptr = {});
  template <class Allocator, class... AllocatorArgs>
  NTT(uint64_t degree, uint64_t q, Allocator&& a, AllocatorArgs&&... args)
      : NTT(degree, q, Adapted<Allocator, AllocatorArgs...>(std::move(a), std::forward<AllocatorArgs>(args)...)) {}
  template <class Allocator, class... AllocatorArgs>
  NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity, Allocator&& a, AllocatorArgs&&... args)
      : NTT(degree, q, root_of_unity,
            Adapted<Allocator, AllocatorArgs...>(std::move(a), std::forward<AllocatorArgs>(args)...)) {}

  // Tells whether the constructors accept this degree and this modulus.
  static bool CheckArguments(uint64_t degree, uint64_t modulus);

  // Transforms N words. `result` is `operand`, or other memory. Words of the operand are below input_mod_factor q; the
  // factor is 1, 2 or 4 (forward), or 1 or 2 (inverse). The output factor is 1 or 4 (forward), or 1 or 2 (inverse);
  // results are below q for each of them. Forward transforms are fastest if operand and result begin at multiples of 64
  // bytes.
  void ComputeForward(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                      uint64_t output_mod_factor) const;
  void ComputeInverse(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                      uint64_t output_mod_factor) const;

  uint64_t GetMinimalRootOfUnity() const;  // the root w; of a default object 0, like its degree and modulus
  uint64_t GetDegree() const;
  uint64_t GetModulus() const;

  // Powers of the root: entry r(i) is w^i.
  const AlignedVector64<uint64_t>& GetRootOfUnityPowers() const;
  uint64_t GetRootOfUnityPower(size_t i) const { return Entry(GetRootOfUnityPowers(), i); }
  // Powers of 1 / w: entry 0 is 1, and then the N/2 last of the entries r(i) of w^-i, the N/4 before them, and so on.
  const AlignedVector64<uint64_t>& GetInvRootOfUnityPowers() const;
  uint64_t GetInvRootOfUnityPower(size_t i) const { return Entry(GetInvRootOfUnityPowers(), i); }
  // floor(power 2^B / q) for the powers p of the tables above, B = 32, 52 or 64.
  const AlignedVector64<uint64_t>& GetPrecon32RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon64RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon32InvRootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon52InvRootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon64InvRootOfUnityPowers() const;
  // Powers of the root, in which each of the entries N/8 .. N/4 - 1 is there four times, and each of the entries
  // N/4 .. N/2 - 1 twice.
  const AlignedVector64<uint64_t>& GetAVX512RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon32RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon52RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon64RootOfUnityPowers() const;

  static size_t MaxDegreeBits() { return 20; }
  static size_t MaxModulusBits() { return 62; }

  // The limits of HEXL's kernels. Programs that read them choose their moduli by them; our kernels have other limits.
  static constexpr size_t s_default_shift_bits{64};
  static constexpr size_t s_ifma_shift_bits{52};
  static constexpr size_t s_max_fwd_32_modulus{size_t(1) << 30};
  static constexpr size_t s_max_inv_32_modulus{size_t(1) << 30};
  static constexpr size_t s_max_fwd_ifma_modulus{size_t(1) << 50};
  static constexpr size_t s_max_inv_ifma_modulus{size_t(1) << 50};
  static constexpr size_t s_max_inv_dq_modulus{size_t(1) << 62};
  static size_t s_max_fwd_modulus(int bit_shift) { return LargestModulus(bit_shift); }
  static size_t s_max_inv_modulus(int bit_shift) { return LargestModulus(bit_shift); }

 private:
  struct State;
  template <class Allocator, class... AllocatorArgs>
  static std::shared_ptr<AllocatorBase> Adapted(Allocator&& a, AllocatorArgs&&... args) {
    return std::static_pointer_cast<AllocatorBase>(std::make_shared<AllocatorAdapter<Allocator, AllocatorArgs...>>(
        std::move(a), std::forward<AllocatorArgs>(args)...));
  }
  static uint64_t Entry(const AlignedVector64<uint64_t>& powers, size_t i) {
    ringfort_checks::refuse_unless(i < powers.size(), "the index of a power is not below the degree",
                                   "choose an index below GetDegree()");
    return powers[i];
  }
  static size_t LargestModulus(int bit_shift) {
    ringfort_checks::refuse_unless(bit_shift == 32 || bit_shift == 52 || bit_shift == 64,
                                   "bit_shift is not 32, 52 or 64", "choose one of these");
    return size_t(1) << (bit_shift - 2);
  }
  const State& Checked() const;

  std::shared_ptr<const State> state_;
};

}  // namespace hexl
}  // namespace intel
