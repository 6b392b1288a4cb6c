// SPDX-License-Identifier: Apache-2.0
// A plan: moduli in the form of the kernels, and tables of twiddles, which are computed and copied to MRAM when a rank
// first needs them.
#pragma once

#include <memory>
#include <vector>

#include "backend/pim/machine.h"
#include "kernels/ntt.h"
#include "math/rns.h"

namespace ringfort::pim_host {

struct Limb {
  u32 q = 0, root = 0;
  bool narrow = false;  // below 2^24; then products of the kernels divide by 2^24, else by 2^32
  [[nodiscard]] u64 radix() const noexcept { return u64{1} << (narrow ? 24 : 32); }
  [[nodiscard]] u32 times(u64 a, u64 b) const noexcept { return static_cast<u32>(a % q * (b % q) % q); }
  [[nodiscard]] u32 form(u64 a) const noexcept { return times(a, radix()); }  // Montgomery form
  [[nodiscard]] u32 form_twice() const noexcept {
    return form(radix());
  }  // a product with it cancels the division of another product
};

struct PimPlan : PreparedPlan {
  std::vector<Limb> limbs;
  std::shared_ptr<Machine> machine;  // a plan may outlive the backend
  // These are filled when a rank first needs them, under the machine's lock.
  mutable std::vector<i64> tables;                       // place by rank; -1: not pushed yet
  mutable std::vector<std::vector<u32>> twiddle_tables;  // by limb, forward and inverse; empty: not computed yet

  PimPlan(const Plan& of, std::shared_ptr<Machine> on) : PreparedPlan(of), machine(std::move(on)) {}
  ~PimPlan();
  PimPlan(const PimPlan&) = delete;
  PimPlan& operator=(const PimPlan&) = delete;

  [[nodiscard]] Grid grid() const noexcept { return {machine->system.dpus(), static_cast<u32>(limbs.size())}; }
  [[nodiscard]] u32 table_bytes() const noexcept { return grid().layers() * 2 * plan.n * 4; }
  // Returns the place of a limb's twiddles on its DPU of every group.
  [[nodiscard]] u32 table_place(u32 rank, u32 limb, bool inverse) const noexcept {
    return static_cast<u32>(tables[rank]) + (2 * grid().layer(limb) + (inverse ? 1 : 0)) * plan.n * 4;
  }
  [[nodiscard]] Status need_tables(u32 rank) const;
  [[nodiscard]] Status push_tables(u32 rank, u32 place) const;
  // Returns the twiddles in the kernel's order.
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
[[nodiscard]] NttArguments ntt_arguments(const PimPlan& plan, u32 limb, bool inverse, const NttPlace& place) noexcept;

}  // namespace ringfort::pim_host
