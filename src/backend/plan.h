// SPDX-License-Identifier: Apache-2.0
// Operands of a device's operations (backend/verbs.h): plans that the device has prepared, buffers that it has
// allocated, and views of batches of polynomials in these buffers.
//
// Layout [polynomial][limb][coefficient]. All residues are canonical, in [0, q), before and after every verb. A device
// may keep evaluations in any order; Upload and Download use the canonical order: evaluation j is the value at
// psi^(2 r(j) + 1), where psi is the minimal primitive 2n-th root of unity, and r reverses the log2(n) bits of j.
#pragma once

#include <cstddef>
#include <vector>

#include "math/rns.h"
#include "math/types.h"

namespace ringfort {

// The facts that a device needs before it computes. prepare() may reject a plan. If it accepts the plan, transforms
// cannot fail.
struct Plan {
  u32 n = 0;  // ring degree, power of two, 2 .. 2^17
  Word word = Word::u64;
  std::vector<u128> moduli;  // primes, 1 mod 2n; u32: q < 2^31, u64: q < 2^62, u128: q < 2^127
};

// A plan that a device has prepared. Devices derive from this class.
struct PreparedPlan {
  explicit PreparedPlan(const Plan& of)
      : plan(of),
        basis(of.word == Word::u128 ? std::span<const u128>{} : std::span<const u128>(of.moduli)) {}
  Plan plan;
  RnsBasis basis;  // basis of the moduli; empty for u128 words
  [[nodiscard]] u32 n() const noexcept { return plan.n; }
};

// Memory of a device. Devices derive from this class.
struct DeviceBuffer {
  explicit DeviceBuffer(std::size_t size) noexcept : bytes(size) {}
  std::size_t bytes;
  // true: the next run() has the last verbs that read the buffer, and the device may drop the contents during this
  // run()
  bool ends = false;
};

enum class Domain : u8 { coefficient, evaluation };

// A batch in device memory; non-owning. Polynomial b, limb l begins at word offset + (b * limb_stride() + l) * n.
struct View {
  const PreparedPlan* plan = nullptr;
  DeviceBuffer* buffer = nullptr;
  std::size_t offset = 0;  // in words
  Limbs limbs{0, 1};       // indices into Plan::moduli
  u32 batch = 1;
  u32 stride = 0;  // limbs from one polynomial to the next; 0: limbs.count

  [[nodiscard]] constexpr std::size_t limb_stride() const noexcept { return stride == 0 ? limbs.count : stride; }
  [[nodiscard]] constexpr bool is_dense() const noexcept { return batch <= 1 || limb_stride() == limbs.count; }
  [[nodiscard]] std::size_t words() const noexcept { return std::size_t{batch} * limbs.count * plan->plan.n; }
  // Returns the same polynomials restricted to the limbs `some`, which are indices into Plan::moduli.
  [[nodiscard]] View in(Limbs some) const noexcept {
    View part = *this;
    part.offset += std::size_t{some.first - limbs.first} * plan->plan.n;
    part.limbs = some;
    part.stride = static_cast<u32>(limb_stride());
    return part;
  }
  [[nodiscard]] View polynomials(std::size_t first, std::size_t count) const noexcept {
    View part = *this;
    part.offset += first * limb_stride() * plan->plan.n;
    part.batch = static_cast<u32>(count);
    return part;
  }
  [[nodiscard]] View polynomial(std::size_t index) const noexcept { return polynomials(index, 1); }
};

// Tells whether plan, limbs and batch are equal.
[[nodiscard]] constexpr bool same_shape(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.limbs == y.limbs && x.batch == y.batch;
}

// Tells whether plan and limbs are equal, and `y` has as many polynomials as `x`, or one polynomial for all of `x`.
[[nodiscard]] constexpr bool same_or_single(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.limbs == y.limbs && (x.batch == y.batch || y.batch == 1);
}

[[nodiscard]] constexpr bool same_memory(const View& x, const View& y) noexcept {
  return x.buffer == y.buffer && x.offset == y.offset;
}

}  // namespace ringfort
