// SPDX-License-Identifier: Apache-2.0
// Types of the operands of verbs (backend/verbs.h). A Plan is a ring degree n and primes. A PreparedPlan is a plan that
// a device has prepared. A DeviceBuffer is memory that a device has allocated. A View is a batch of polynomials in a
// buffer.
//
// The layout is [polynomial][limb][coefficient]; a limb is a polynomial's n residues modulo one prime. All residues are
// canonical, in [0, q), before and after every verb. The transform of a limb is its evaluations, the values of the
// polynomial at n roots of unity. Inside its memory, a device may keep evaluations in any order. Upload and Download
// use the canonical order. In this order, evaluation j is the value at psi^(2 r(j) + 1). psi is the minimal primitive
// 2n-th root of unity modulo the prime, and r reverses the log2(n) bits of j.
#pragma once

#include <cstddef>
#include <vector>

#include "math/rns.h"
#include "math/types.h"

namespace ringfort {

// The ring and the moduli that a device prepares. prepare() may reject a plan. If it accepts the plan, every
// modulus has a transform.
struct Plan {
  u32 n = 0;  // ring degree, a power of two in 2 .. 2^17
  Word word = Word::u64;
  std::vector<u128> moduli;  // primes, 1 mod 2n; below 2^31 (u32), 2^62 (u64), 2^127 (u128)
};

// A plan that a device has prepared. Devices derive from this class.
struct PreparedPlan {
  explicit PreparedPlan(const Plan& of)
      : plan(of),
        basis(of.word == Word::u128 ? std::span<const u128>{} : std::span<const u128>(of.moduli)) {}
  Plan plan;
  RnsBasis basis;  // constants of the residue number system of the moduli (math/rns.h); empty for u128 words
  [[nodiscard]] u32 n() const noexcept { return plan.n; }
};

// Memory of a device. Devices derive from this class.
struct DeviceBuffer {
  explicit DeviceBuffer(std::size_t size) noexcept : bytes(size) {}
  std::size_t bytes;
  // If true, the verbs of the next Backend::run() are the last that read the buffer. The device may drop the contents
  // as soon as these verbs have read them.
  bool ends = false;
};

enum class Domain : u8 { coefficient, evaluation };

// A batch of polynomials in device memory, which the view does not own. Polynomial b begins at the word offset + b *
// limb_stride() * n. Its l-th limb, counted from limbs.first, begins l * n words later.
struct View {
  const PreparedPlan* plan = nullptr;
  DeviceBuffer* buffer = nullptr;
  std::size_t offset = 0;  // in words
  Limbs limbs{0, 1};       // indices into Plan::moduli
  u32 batch = 1;
  u32 stride = 0;  // limbs from one polynomial to the next; 0 means limbs.count

  [[nodiscard]] constexpr std::size_t limb_stride() const noexcept { return stride == 0 ? limbs.count : stride; }
  [[nodiscard]] constexpr bool is_dense() const noexcept { return batch <= 1 || limb_stride() == limbs.count; }
  [[nodiscard]] std::size_t words() const noexcept { return std::size_t{batch} * limbs.count * plan->plan.n; }
  // Returns the same polynomials, but only the limbs `some`. These are indices into Plan::moduli.
  [[nodiscard]] View in(Limbs some) const noexcept {
    View view = *this;
    view.offset += std::size_t{some.first - limbs.first} * plan->plan.n;
    view.limbs = some;
    view.stride = static_cast<u32>(limb_stride());
    return view;
  }
  [[nodiscard]] View polynomials(std::size_t first, std::size_t count) const noexcept {
    View view = *this;
    view.offset += first * limb_stride() * plan->plan.n;
    view.batch = static_cast<u32>(count);
    return view;
  }
  [[nodiscard]] View polynomial(std::size_t index) const noexcept { return polynomials(index, 1); }
};

// Tells whether plan, limbs and batch are equal.
[[nodiscard]] constexpr bool same_shape(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.limbs == y.limbs && x.batch == y.batch;
}

// Tells whether plan and limbs are equal, and the batches fit: `y` has as many polynomials as `x`, or one polynomial.
[[nodiscard]] constexpr bool same_or_single(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.limbs == y.limbs && (x.batch == y.batch || y.batch == 1);
}

[[nodiscard]] constexpr bool same_memory(const View& x, const View& y) noexcept {
  return x.buffer == y.buffer && x.offset == y.offset;
}

}  // namespace ringfort
