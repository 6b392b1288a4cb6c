// SPDX-License-Identifier: Apache-2.0
// A plan of device `pim`: moduli in the form of the kernels, and tables of twiddles, which are computed and copied to
// MRAM when a rank first needs them.
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
  // Tells whether the kernels' products divide by the smaller of two radices: 2^24 instead of 2^32 (q < 2^24), or for
  // words of 64 bits 2^56 instead of 2^64 (q < 2^54).
  bool narrow = false;
  u64 radix = 0;  // the radix modulo q
  // Constants for products of two variables in words of 64 bits; struct Divisor in hw/pim/kernels/modular64.h defines
  // them.
  u64 shifted = 0, quotient = 0;
  u32 shift = 0;
  [[nodiscard]] u64 q() const noexcept { return modulus.value(); }
  [[nodiscard]] u64 form(u64 a) const noexcept {
    return modulus.multiply(modulus.reduce(a), radix);
  }  // Montgomery form
  // a product with form_twice() cancels the division of an earlier product
  [[nodiscard]] u64 form_twice() const noexcept { return form(radix); }
  [[nodiscard]] u64 power_of_two(u32 exponent) const noexcept { return modulus.power(modulus.reduce(2), exponent); }
};

struct PimPlan : PreparedPlan {
  std::vector<Limb> limbs;
  bool wide = false;                 // computes in words of 64 bits; words of the host may have 32
  std::shared_ptr<Machine> machine;  // a plan may outlive the backend
  // These tables are filled when a rank first needs them, under the machine's lock.
  mutable std::vector<i64> tables;                       // place by rank; -1: not pushed yet
  mutable std::vector<std::vector<u32>> twiddle_tables;  // by limb, forward and inverse; empty: not computed yet

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
  // Returns the place of a limb's twiddles on its DPU of every group.
  [[nodiscard]] u32 table_place(u32 rank, u32 limb, bool inverse) const noexcept {
    return static_cast<u32>(tables[rank]) + (2 * grid().layer(limb) + (inverse ? 1 : 0)) * extent().bytes();
  }
  [[nodiscard]] Status need_tables(u32 rank) const;
  [[nodiscard]] Status push_tables(u32 rank, u32 place) const;
  // Returns the twiddles in the kernel's order; words of 64 bits as pairs.
  [[nodiscard]] const std::vector<u32>& twiddles(u32 limb, bool inverse) const;
};

inline constexpr u32 kLeastDegree = 64, kMostDegree = 65536;

[[nodiscard]] Status prepare(const Plan& plan, std::shared_ptr<Machine> machine,
                             std::shared_ptr<const PreparedPlan>& out);

inline const PimPlan& plan_of(const View& view) noexcept { return static_cast<const PimPlan&>(*view.plan); }

// Places of a launch's polynomials and twiddles, and the number of polynomials.
struct NttPlace {
  u32 data, twiddles, polynomials;
};
// Fills the arguments of the kernel ntt (NttArguments) or ntt64 (Ntt64Arguments).
template <class Arguments>
[[nodiscard]] Arguments ntt_arguments(const PimPlan& plan, u32 limb, bool inverse, const NttPlace& place) noexcept;

}  // namespace ringfort::pim_host
