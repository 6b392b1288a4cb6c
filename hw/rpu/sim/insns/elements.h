// SPDX-License-Identifier: Apache-2.0
// Functions that several instructions use. A trap is detected before anything is written, so that a trapped instruction
// leaves the state unchanged. In the element-wise functions, a source may also be the destination.
#pragma once

#include <algorithm>

#include "sim/instruction.h"
#include "sim/state.h"

namespace ringfort::rpu {

[[nodiscard]] inline bool all_below(const Vector& x, u128 q) noexcept {
  u32 outside = 0;
  for (const u128 value : x.element) outside += value >= q ? 1U : 0U;
  return outside == 0;
}

// Computes vd[i] = f(vs[i], vt[i]).
template <class F>
void map_vectors(State& state, const Instruction& in, F f) noexcept {
  Vector& d = state.v[in.vd];
  const Vector& s = state.v[in.vs];
  const Vector& t = state.v[in.vt];
  for (u32 i = 0; i < kVectorLength; ++i) d.element[i] = f(s.element[i], t.element[i]);
}

// Computes vd[i] = f(vs[i], s[rt]).
template <class F>
void map_scalar(State& state, const Instruction& in, F f) noexcept {
  Vector& d = state.v[in.vd];
  const Vector& s = state.v[in.vs];
  const u128 scalar = state.s[in.vt];
  for (u32 i = 0; i < kVectorLength; ++i) d.element[i] = f(s.element[i], scalar);
}

// Computes vd[i] = f(i, vs, vt), for shuffles. Reads all sources before it writes the destination.
template <class F>
void shuffle(State& state, const Instruction& in, F f) noexcept {
  Vector result;
  const Vector& s = state.v[in.vs];
  const Vector& t = state.v[in.vt];
  for (u32 i = 0; i < kVectorLength; ++i) result.element[i] = f(i, s.element, t.element);
  state.v[in.vd] = result;
}

// vector_base() returns the word address of element 0. vector_end() returns the highest address of an element, plus
// one.
[[nodiscard]] inline u64 vector_base(const State& state, const Instruction& in) noexcept {
  return u64{state.a[in.rm]} + in.address;
}

[[nodiscard]] inline u64 vector_end(const State& state, const Instruction& in) noexcept {
  // Element 511 has the largest offset. In repeat mode, the last element of the first period has it.
  const u32 last = in.mode() == Mode::repeat ? static_cast<u32>(std::min<u64>(kVectorLength, u64{1} << in.value())) - 1
                                             : kVectorLength - 1;
  return vector_base(state, in) + element_offset(in.mode(), in.value(), last) + 1;
}

}  // namespace ringfort::rpu
