// SPDX-License-Identifier: Apache-2.0
// Kernel tables of AVX-512 IFMA, the instruction set with a 52-bit multiplier. For u32 words, the element-wise kernels
// are the 32-bit kernels of kernels/table.h.
#include "backend/cpu/kernels/ifma/engine.h"
#include "backend/cpu/kernels/ifma/conversion.h"
#include "backend/cpu/kernels/ifma/gadget_product.h"
#include "backend/cpu/kernels/key_switch_product.h"
#include "backend/cpu/kernels/rounding.h"
#include "backend/cpu/kernels/table.h"

namespace ringfort::cpu::ifma {
namespace {

using kernels::InDefaultMode;

struct Lanes52 {  // Lanes64, with products that are split at bit 52
  using Word = u64;
  using V = Lanes64::V;
  using Signed = Lanes64::Signed;
  static constexpr unsigned kLanes = 8, kMultiplierBits = 52;
  [[gnu::always_inline]] static V load(const u64* p) { return Lanes64::load(p); }
  [[gnu::always_inline]] static void store(u64* p, V v) { Lanes64::store(p, v); }
  [[gnu::always_inline]] static V broadcast(u64 x) { return Lanes64::broadcast(x); }
  [[gnu::always_inline]] static V reduce(V x, V bound) { return Lanes64::reduce(x, bound); }
  [[gnu::always_inline]] static V mulhi(V a, V b) { return madd_high(broadcast(0), a, b); }
  [[gnu::always_inline]] static V mullo(V a, V b) { return madd_low(broadcast(0), a, b); }
  [[gnu::always_inline]] static V wrap(V v) { return v & broadcast(kMask52); }
};

// The transforms of 4-byte words work on cells of 8 bytes, in a buffer on the stack.
inline constexpr std::size_t kStackCells = 8192;

void forward32(const Limb<u32>& limb, u32* a) {
  alignas(64) u64 work[kStackCells];
  const Engine<u32, true> e(limb);
  kernels::forward(e, a, work, a);
}

void forward_digit32(const Limb<u32>& limb, const DigitRow<u32>& row, u32 k, const Prefetch& next) {
  alignas(64) u64 work[kStackCells];
  kernels::forward_digit(Engine<u32, true>(limb, next), limb, row, k, work);
}

void inverse32(const Limb<u32>& limb, u32* a) {
  alignas(64) u64 work[kStackCells];
  const Engine<u32, true> e(limb);
  kernels::inverse(e, a, work, a);
}

template <bool kWideForward, bool kWideInverse>
struct Transforms64 {
  using F = Engine<u64, kWideForward>;
  using E = Engine<u64, kWideInverse>;
  static void forward(const Limb<u64>& limb, u64* a) { kernels::forward(F(limb), a, a, a); }
  static void forward_digit(const Limb<u64>& limb, const DigitRow<u64>& row, u32 k, const Prefetch& next) {
    kernels::forward_digit(F(limb, next), limb, row, k, row.digits + k * std::size_t{limb.n});
  }
  static void inverse_of(const Limb<u64>& limb, u64* out, const u64* a) { kernels::inverse(E(limb), a, out, out); }
  static void inverse(const Limb<u64>& limb, u64* a) { inverse_of(limb, a, a); }
};

constexpr Kernels<u32> wide32() {
  Kernels<u32> k = kernels::table32<Lanes32, Lanes64>();
  k.forward = &InDefaultMode<&forward32>::call;
  k.forward_digit = &InDefaultMode<&forward_digit32>::call;
  k.inverse = &InDefaultMode<&inverse32>::call;
  k.inner_product = &InDefaultMode<&inner_product<u32>>::call;
  return k;
}

template <bool kWideForward, bool kWideInverse>
constexpr Kernels<u64> ifma64() {
  using T = Transforms64<kWideForward, kWideInverse>;
  using M = kernels::Multiplier64<Lanes52>;
  Kernels<u64> k = kernels::table64<Lanes64>();
  k.forward = &InDefaultMode<&T::forward>::call;
  k.forward_digit = &InDefaultMode<&T::forward_digit>::call;
  k.inverse = &InDefaultMode<&T::inverse>::call;
  k.inverse_of = &InDefaultMode<&T::inverse_of>::call;
  k.multiply = &kernels::multiply<M>;
  k.multiply_add = &kernels::multiply_add<M>;
  k.multiply_scalar = &kernels::multiply_scalar64<Lanes52>;
  k.inner_product = &InDefaultMode<&inner_product<u64>>::call;
  k.tensor = &InDefaultMode<&tensor>::call;
  k.gadget_product = &InDefaultMode<&gadget_product<kWideForward>>::call;
  k.forward_quotient = &InDefaultMode<&forward_quotient<kWideForward>>::call;
  k.forward_second_quotient = &InDefaultMode<&forward_second_quotient<kWideForward>>::call;
  using Sums = InnerProducts<u64, terms_of_outputs<kWideForward>>;
  k.key_switch_product = &InDefaultMode<&kernels::KeySwitchProduct<Engine<u64, kWideForward>, Sums>::compute>::call;
  return k;
}

}  // namespace

constinit const Kernels<u32> kWide32 = wide32();
constinit const Kernels<u64> kWide64 = ifma64<true, true>();
constinit const Kernels<u64> kWideForward64 = ifma64<true, false>();
constinit const Kernels<u64> kTight64 = ifma64<false, false>();

}  // namespace ringfort::cpu::ifma
