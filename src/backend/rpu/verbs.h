// SPDX-License-Identifier: Apache-2.0
// The verbs (operations of backend/verbs.h) of device `rpu`. A verb consists of loads, runs of kernels, and stores of
// the processor. The contracts of the verbs must hold. The caller holds the mutex of the processor from begin() to
// finish().
//
// Terms: the processor computes only on words in its vector memory, which is on the chip. A kernel is a program for the
// processor, and a routine (routines.h) is a kernel that treats every coefficient alike. A tile is the part of a
// polynomial on which a routine works at a time (plan.h). A verb gives a name, which is a number, to each value
// (job.h); the processor chooses the address of the value in the vector memory.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

void transform(const RpuPlan& p, const View& inout, bool inverse);

// Operands of an element-wise routine. A routine with one input does not use b. `scalars` has one scalar for each limb,
// or none.
struct Elements {
  Routine routine;
  View out, a, b;
  std::span<const u128> scalars;
};
void combine(const RpuPlan& p, const Elements& e);

void base_convert(const RpuPlan& p, const View& out, const View& a, Conversion kind);
void decompose(const RpuPlan& p, const View& out, const View& a, const Gadget& gadget);

// Fused verbs. The functions ..._fits() tell whether the device can fuse a verb.
[[nodiscard]] bool polymul_fits(const RpuPlan& p) noexcept;
void polymul(const RpuPlan& p, const View& out, const View& a, const View& b);

[[nodiscard]] bool key_switch_fits(const RpuPlan& p) noexcept;
void key_switch(const RpuPlan& p, const verb::KeySwitch& k);
[[nodiscard]] bool mod_down_fits(const RpuPlan& p, const verb::ModDown& m) noexcept;
void mod_down(const RpuPlan& p, const verb::ModDown& m);
[[nodiscard]] bool mod_down_rescale_fits(const RpuPlan& p, const verb::ModDownRescale& m) noexcept;
void mod_down_rescale(const RpuPlan& p, const verb::ModDownRescale& m);
void inner_product(const RpuPlan& p, const verb::InnerProduct& m);
void tensor(const RpuPlan& p, const View& out, const View& a, const View& b);

// The verbs that the controller computes.
void upload(const RpuPlan& p, const View& to, const void* words);
void download(const RpuPlan& p, const View& from, void* words);
void lift(const RpuPlan& p, const verb::Lift& v);
void copy(const RpuPlan& p, const verb::Copy& v);
void zero(const RpuPlan& p, const verb::Zero& v);
void expand_uniform(const RpuPlan& p, const verb::ExpandUniform& from);
void automorphism(const RpuPlan& p, const View& out, const View& a, u32 galois, Domain domain);

}  // namespace ringfort::rpu_host
