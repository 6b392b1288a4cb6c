// SPDX-License-Identifier: Apache-2.0
// What the verbs do on a processor once their views have been looked at: loads, kernels and stores in turn. The caller
// holds the processor's lock between begin() and finish().
#pragma once

#include "backend/rpu/prepared.h"

namespace ringfort::rpu_host {

void transform(const Prepared& p, const View& inout, bool inverse);

// Element by element; b and, of negate and scale, nothing else may be a null plan's view. scalars: one a limb, or none.
struct Elements {
  Routine routine;
  View out, a, b;
  std::span<const u128> scalars;
};
void combine(const Prepared& p, const Elements& e);

void base_convert(const Prepared& p, const View& out, const View& a, Conversion kind);
void decompose(const Prepared& p, const View& out, const View& a, const Gadget& gadget);

// Fused verbs, and whether the vector memory has room for them.
[[nodiscard]] bool polymul_fits(const Prepared& p) noexcept;
void polymul(const Prepared& p, const View& out, const View& a, const View& b);

[[nodiscard]] bool key_switch_fits(const Prepared& p) noexcept;
void key_switch(const Prepared& p, const verb::KeySwitch& k);
[[nodiscard]] bool mod_down_fits(const Prepared& p, const verb::ModDown& m) noexcept;
void mod_down(const Prepared& p, const verb::ModDown& m);
[[nodiscard]] bool mod_down_rescale_fits(const Prepared& p, const verb::ModDownRescale& m) noexcept;
void mod_down_rescale(const Prepared& p, const verb::ModDownRescale& m);
void inner_product(const Prepared& p, const verb::InnerProduct& m);
void tensor(const Prepared& p, const View& out, const View& a, const View& b);

// The controller's.
void upload(const Prepared& p, const View& to, const void* words);
void download(const Prepared& p, const View& from, void* words);
void lift(const Prepared& p, const verb::Lift& v);
void copy(const Prepared& p, const verb::Copy& v);
void zero(const Prepared& p, const verb::Zero& v);
void expand_uniform(const Prepared& p, const verb::ExpandUniform& from);
void automorphism(const Prepared& p, const View& out, const View& a, u32 galois, Domain domain);

}  // namespace ringfort::rpu_host
