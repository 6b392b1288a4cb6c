// SPDX-License-Identifier: Apache-2.0
// A plan that device `pim` has prepared. It has the moduli in the form that the kernels need, and tables of twiddles
// (powers of the root of unity). A rank is a set of DPUs (processors in memory banks), whose memory is MRAM. When a
// rank first needs the tables, they are computed and copied to the MRAM of its DPUs.
#pragma once

#include <memory>
#include <vector>

#include "backend/pim/machine.h"
#include "kernels/ntt.h"
#include "math/rns.h"

namespace ringfort::pim_host {

struct Limb {
  Modulus<u64> modulus;
  u64 root = 0;
  // A product in a kernel also divides by a radix [Montgomery85]. `narrow` selects the smaller of two radices. For
  // words of 32 bits, this is 2^24 in place of 2^32, and needs q < 2^24. For words of 64 bits, this is 2^56 in place of
  // 2^64, and needs q < 2^54.
  bool narrow = false;
  u64 radix = 0;  // the radix modulo q
  // Constants for products of two variables in words of 64 bits (struct Divisor in hw/pim/kernels/modular64.h).
  u64 shifted = 0, quotient = 0;
  u32 shift = 0;
  [[nodiscard]] u64 q() const noexcept { return modulus.value(); }
  [[nodiscard]] u64 form(u64 a) const noexcept {
    return modulus.multiply(modulus.reduce(a), radix);
  }  // in Montgomery form
  // A product with form_twice() cancels the division of an earlier product.
  [[nodiscard]] u64 form_twice() const noexcept { return form(radix); }
  [[nodiscard]] u64 power_of_two(u32 exponent) const noexcept { return modulus.power(modulus.reduce(2), exponent); }
};

struct PimPlan : PreparedPlan {
  std::vector<Limb> limbs;
  bool wide = false;                 // computes in words of 64 bits, even if the host's words have 32 bits
  std::shared_ptr<Machine> machine;  // a plan may outlive the backend
  // A rank fills these tables when it first needs them. The mutex of the machine guards them.
  mutable std::vector<i64> tables;                       // offset in MRAM for each rank; -1: not copied there yet
  mutable std::vector<std::vector<u32>> twiddle_tables;  // forward and inverse, for each limb; empty: not computed

  PimPlan(const Plan& of, std::shared_ptr<Machine> on) : PreparedPlan(of), machine(std::move(on)) {}
  ~PimPlan();
  PimPlan(const PimPlan&) = delete;
  PimPlan& operator=(const PimPlan&) = delete;

  [[nodiscard]] Grid grid() const noexcept { return {machine->system.dpus(), static_cast<u32>(limbs.size())}; }
  [[nodiscard]] bool is_wide() const noexcept { return wide; }
  [[nodiscard]] Extent extent() const noexcept {
    return {plan.n, wide ? 8u : 4u, static_cast<u32>(word_bytes(plan.word))};
  }
  [[nodiscard]] u32 table_bytes() const noexcept { return grid().layers() * 2 * extent().bytes(); }
  // Returns the offset in MRAM of the twiddles of a limb. It is the same on the limb's DPU in every group.
  [[nodiscard]] u32 table_offset(u32 rank, u32 limb, bool inverse) const noexcept {
    return static_cast<u32>(tables[rank]) + (2 * grid().layer(limb) + (inverse ? 1 : 0)) * extent().bytes();
  }
  [[nodiscard]] Status need_tables(u32 rank) const;
  [[nodiscard]] Status push_tables(u32 rank, u32 offset) const;
  // Returns the twiddles in the order of the kernel. Words of 64 bits are pairs of words.
  [[nodiscard]] const std::vector<u32>& twiddles(u32 limb, bool inverse) const;
};

inline constexpr u32 kLeastDegree = 64, kMostDegree = 65536;

[[nodiscard]] Status prepare(const Plan& plan, std::shared_ptr<Machine> machine,
                             std::shared_ptr<const PreparedPlan>& out);

inline const PimPlan& plan_of(const View& view) noexcept { return static_cast<const PimPlan&>(*view.plan); }

// Offsets in MRAM of the polynomials and of the twiddles of a launch, and the number of polynomials.
struct NttOperands {
  u32 data, twiddles, polynomials;
};
// Returns the arguments of the kernel ntt (NttArguments) or ntt64 (Ntt64Arguments).
template <class Arguments>
[[nodiscard]] Arguments ntt_arguments(const PimPlan& plan, u32 limb, bool inverse,
                                      const NttOperands& operands) noexcept;

}  // namespace ringfort::pim_host
