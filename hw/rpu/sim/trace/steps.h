// SPDX-License-Identifier: Apache-2.0
// The trace of a run: one line of JSON for each executed instruction, with the values that it changes. Another
// implementation of the machine can be compared with this trace. A vector is represented by its digest: the FNV-1a hash
// (64 bits) of its elements, each as 16 bytes, little endian.
//   {"pc":4,"word":"0x..","text":"vaddmod v8, v0, v4, m1","writes":{"v8":"0123456789abcdef"}}
//   a store: "writes":{"vdm":"..."},"base":1024       a scalar load: "writes":{"s3":"0x.."}
#pragma once

#include <ostream>

#include "sim/functional.h"

namespace ringfort::rpu {

[[nodiscard]] u64 digest(const Vector& vector) noexcept;
[[nodiscard]] std::string hexadecimal(u128 value);  // with 0x, without leading zeros

void write_step(std::ostream& out, const Event& event, u64 word, const State& state);

}  // namespace ringfort::rpu
